"""Errors and paired tests of the hidden-positive AUC, against the oracle pair by pair."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from given_scores import Column
from onesided import PositiveKFold, WeightedLogisticRegression, compare
from onesided.model_selection import hide_and_rank
from onesided.model_selection._delong import _interval
from oracles import delong


class Coarse(WeightedLogisticRegression):
    """Scores with few values: ties, and each fold another model."""

    def decision_function(self, X):
        return np.round(4 * super().decision_function(X)) / 4


METHODS = {"weak": Coarse(1e-3), "strong": Coarse(10.0), "first column": Column()}


@pytest.fixture
def problem(rng):
    y = rng.permutation(np.repeat([1, 0], [11, 30]))
    X = np.round(rng.normal(size=(41, 8)), 1)
    X[:, 0] += 0.7 * y
    return X, y


def wins(method, X, y, folds):
    """ψ of the oracle, with the models of the folds."""
    scores, others = {}, {}
    for hidden in folds.hidden_positives(y):
        shown = y.copy()
        shown[hidden] = 0
        found = method.fit(X, shown).decision_function(X)
        for row in hidden:
            scores[row], others[row] = found[row], found[y == 0].tolist()
    rows = np.flatnonzero(y)
    return delong.wins([scores[row] for row in rows], [others[row] for row in rows])


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_placements_pair_by_pair(problem, method):
    X, y = problem
    folds = PositiveKFold(4, random_state=1)
    psi = wins(method, X, y, folds)
    found = hide_and_rank(method, X, y, cv=folds)
    assert_allclose(found.unlabeled_placements, delong.of_unlabeled(psi), rtol=1e-12)
    assert_allclose(1 - found.ranks, delong.of_positives(psi), atol=1e-12)
    assert_allclose(found.unlabeled_placements.mean(), found.auc, rtol=1e-12)
    assert found.unlabeled_placements.dtype == np.float64
    assert found.n_unlabeled == 30


def test_errors_and_p_values_pair_by_pair(problem):
    X, y = problem
    folds = PositiveKFold(4, random_state=1)
    psi = {name: wins(method, X, y, folds) for name, method in METHODS.items()}
    found = compare(METHODS, X, y, cv=folds)
    table = found.to_frame("pandas").set_index("method")
    for name in METHODS:
        error = delong.variance(psi[name]) ** 0.5
        assert_allclose(table.auc_standard_error[name], error, rtol=1e-12)
        low, high = delong.interval(psi[name])
        assert_allclose([table.auc_low[name], table.auc_high[name]], [low, high], atol=1e-5)
    pairs = found.pairwise("pandas")
    assert len(pairs) == 6
    for pair in pairs.itertuples():
        assert_allclose(pair.delong_p, delong.p_value(psi[pair.method], psi[pair.other]), rtol=1e-8)
    assert pairs.delong_p.nunique() == 3
    for pair in pairs[pairs.other == found.best_].itertuples():
        assert_array_equal(table.p_value_against_best[pair.method], pair.delong_p)
    assert np.isnan(table.p_value_against_best[found.best_])


def test_variance_by_hand():
    """Positives .8, .5, .3 and unlabeled .6, .4: V10 is 1, ½, 0 and V01 is ⅓, ⅔."""
    X, y = np.array([[0.8], [0.6], [0.5], [0.4], [0.3]]), np.array([1, 0, 1, 0, 1])
    (error,) = compare({"it": Column()}, X, y).to_frame("pandas").auc_standard_error
    assert_allclose(error**2, 1 / 4 / 3 + 1 / 18 / 2)


def test_methods_that_rank_alike_are_not_tested(problem):
    X, y = problem
    X[:, 1] = 4 * X[:, 0]
    pairs = compare({"a": Column(0), "b": Column(1)}, X, y).pairwise("pandas")
    assert pairs.delong_p.isna().all()
    assert pairs.wilcoxon_p.isna().all()


def test_a_single_unlabeled_row_shows_no_variance(problem):
    X, _ = problem
    y = np.arange(41) != 5
    found = compare({"a": Column(0), "b": Column(1)}, X, y.astype(int))
    table = found.to_frame("pandas")
    assert table.auc_standard_error.isna().all()
    assert (table.auc_low < table.hidden_positive_auc).all()
    assert (table.hidden_positive_auc < table.auc_high).all()
    assert found.pairwise("pandas").delong_p.isna().all()


@pytest.mark.parametrize("auc", [0.0, 1.0])
def test_the_ends_have_an_interval_where_rows_of_several_blocks_differ(auc):
    """Rows that no positive was hidden among vary, also if all pairs are in order."""
    found = _interval(auc, 72, 228, 2e-4, 227.0)
    assert found == _interval(auc, 72, 228, 0.0, 227.0)
    assert found[0] <= auc <= found[1]


@pytest.mark.parametrize("n_unlabeled", [1, 3, 60])
@pytest.mark.parametrize("n_positive", [2, 3])
def test_intervals_have_width_where_all_are_in_order(n_positive, n_unlabeled):
    y = np.repeat([1, 0], [n_positive, n_unlabeled])
    for sign, end in ((1, 1.0), (-1, 0.0)):
        X = sign * np.arange(len(y), 0.0, -1.0)[:, None]
        (row,) = compare({"a": Column()}, X, y).to_frame("pyarrow").to_pylist()
        assert row["hidden_positive_auc"] == end
        assert (row["auc_high"] if sign > 0 else row["auc_low"]) == end
        psi = delong.wins(sorted(X[y == 1, 0]), [sorted(X[y == 0, 0])] * n_positive)
        expected = delong.interval(psi)
        assert_allclose([row["auc_low"], row["auc_high"]], expected, atol=1e-5)
        assert expected[1] - expected[0] > 0.05
