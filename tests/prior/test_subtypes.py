"""The class prior kind by kind, against loops, and where the truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from onesided.exceptions import DataError, LabelError
from onesided.prior import SubtypeEstimate, SubtypePrior, best_bin, subtype_prior
from onesided.prior._subtypes import (
    _DEVIATIONS,
    _DRAWS,
    _GAPS,
    bin_counts,
    cell_log_likelihood,
    join_cells,
)
from oracles import class_prior as oracle

EVEN = [(200, 60), (200, 60)]
UNEVEN = [(300, 10), (100, 200)]


def problem(rng, kinds=UNEVEN, n_negative=1200, apart=8.0):
    """Kinds of (labeled, hidden) positives, each along a column of its own, and negatives at 0.

    As with a learner's scores, kinds after the first score lower, since they have fewer labels.
    """
    columns, labels = [], []
    for column, (n_labeled, n_hidden) in enumerate(kinds):
        rows = rng.normal(size=(n_labeled + n_hidden, len(kinds)))
        rows[:, column] += apart
        columns.append(rows)
        labels += [1] * n_labeled + [0] * n_hidden
    columns.append(rng.normal(size=(n_negative, len(kinds))))
    X = np.concatenate(columns)
    y = np.array(labels + [0] * n_negative)
    truth = sum(n_hidden for _, n_hidden in kinds) / (y == 0).sum()
    return X, y, (X - 3 * (np.arange(len(kinds)) > 0)).max(axis=1), truth


@pytest.mark.parametrize(("n_known", "n_rest"), [(30, 40), (7, 3), (4, 0)])
@pytest.mark.parametrize("digits", [9, 0])
def test_likelihood_of_a_cell_is_the_printed_one(rng, n_known, n_rest, digits):
    known = rng.normal(2, 1, n_known).round(digits)
    rest = np.append(rng.normal(2, 1, n_rest // 2), rng.normal(0, 1, n_rest - n_rest // 2))
    rest = rest.round(digits)
    n_hidden = np.array([0.5, n_rest / 2 + 1, n_rest + 20.0])
    found = cell_log_likelihood(known, rest, n_hidden, np.random.RandomState(3))
    counts, _ = bin_counts(known, rest)
    shares = np.random.RandomState(3).dirichlet([*counts, 1.0], size=_DRAWS).tolist()
    expected = [
        oracle.cell_log_likelihood(known.tolist(), rest.tolist(), n, shares, _GAPS, _DEVIATIONS)
        for n in n_hidden
    ]
    assert_allclose(found, expected, rtol=1e-5)


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_levels_are_those_of_enumeration(seed, n_true):
    """Cells whose likelihoods are sharp, at levels far apart."""
    rng = np.random.default_rng(seed)
    peaks = rng.permutation(np.arange(n_true).repeat(3)) * 4 + 1
    likelihoods = -((np.arange(11) - peaks[:, None]) ** 2) * rng.uniform(2, 4, (len(peaks), 1))
    level_of_cell, gains = join_cells(likelihoods, price=5.0)
    one, all_of_them = (oracle.best_levels(likelihoods.tolist(), n) for n in (1, n_true))
    assert_allclose(sum(gains[: n_true - 1]), all_of_them - one, atol=1e-9)
    assert all(gain < 5 for gain in gains[n_true - 1 :])
    assert len(np.unique(level_of_cell)) == n_true
    assert len({*zip(level_of_cell.tolist(), peaks.tolist(), strict=True)}) == n_true


@given(st.integers(0, 10**6))
def test_each_level_raises_the_likelihood(seed):
    """And no more than the best set of levels does."""
    likelihoods = np.random.default_rng(seed).normal(size=(6, 7)) * 3
    _, gains = join_cells(likelihoods, price=0.0)
    best = [oracle.best_levels(likelihoods.tolist(), n) for n in range(1, 7)]
    assert all(gain >= -1e-9 for gain in gains)
    reached = best[0] + np.cumsum(gains)
    assert all(reached <= np.array(best[1 : len(gains) + 1]) + 1e-9)


@pytest.mark.parametrize("kinds", [UNEVEN, [(400, 5), (120, 100), (60, 300)]])
def test_uneven_kinds_are_added_up(rng, kinds):
    X, y, scores, truth = problem(rng, kinds)
    found = subtype_prior(X, y, scores)
    assert best_bin(scores[y == 1], scores[y == 0]) < truth - 0.05
    assert abs(float(found) - truth) < 0.03
    assert found.n_labeled[0] == kinds[0][0]
    assert_allclose(found.class_priors[0] * found.n_unlabeled, kinds[0][1], atol=6)


def test_one_kind_is_the_best_bin(rng):
    X, y, scores, truth = problem(rng, EVEN)
    found = subtype_prior(X, y, scores)
    assert len(found.n_labeled) == 1
    assert float(found) == best_bin(scores[y == 1], scores[y == 0])
    assert abs(float(found) - truth) < 0.03


def test_a_kind_without_hidden_positives_counts_none(rng):
    X, y, scores, truth = problem(rng, [(200, 0), (100, 200)])
    found = subtype_prior(X, y, scores)
    assert found.class_priors[0] < 0.005
    assert abs(float(found) - truth) < 0.03


def test_kinds_number_the_rows(rng):
    X, y, scores, _ = problem(rng)
    found = subtype_prior(X, y, scores)
    assert found.kinds.shape == y.shape
    assert_array_equal(np.bincount(found.kinds[y == 1]), found.n_labeled)
    assert (np.diff(found.n_labeled) <= 0).all()
    assert_array_equal(found.kinds[:310], 0)  # the first kind of UNEVEN, labeled and hidden


def test_increasing_functions_of_the_scores_change_nothing(rng):
    X, y, scores, _ = problem(rng)
    assert float(subtype_prior(X, y, np.exp(scores))) == float(subtype_prior(X, y, scores))


def test_scale_of_a_column_changes_nothing(rng):
    X, y, scores, _ = problem(rng)
    found = subtype_prior(X * [1e4, 1.0] + [3.0, 0.0], y, scores)
    assert_allclose(float(found), float(subtype_prior(X, y, scores)), rtol=1e-9)


def test_sparse_rows_are_dense_rows(rng):
    X, y, scores, _ = problem(rng)
    X = X * (np.abs(X) > 1)
    found = subtype_prior(sparse.csr_array(X), y, scores)
    assert_allclose(float(found), float(subtype_prior(X, y, scores)), rtol=1e-9)


def test_positives_that_are_all_alike_are_one_cell(rng):
    """Of one cell there is one kind, and nothing to warn of."""
    X, y, scores, _ = problem(rng)
    X[y == 1] = 8.0
    found = subtype_prior(X, y, scores)
    assert found.n_labeled.tolist() == [400]
    assert found.gains == ()


@pytest.mark.parametrize(
    ("changed", "error", "what"),
    [
        ({"scores": np.zeros(3)}, DataError, "scores has 3 values"),
        ({"cell_size": 3}, DataError, "cell_size=3"),
        ({"X": np.full((1710, 2), np.nan)}, ValueError, "NaN"),
        ({"X": np.full((1710, 2), "a")}, DataError, "cannot be read as a matrix of numbers"),
        ({"y": np.ones(1710)}, LabelError, "y has"),
    ],
)
def test_what_cannot_be_estimated_from(rng, changed, error, what):
    X, y, scores, _ = problem(rng, [(300, 10), (100, 100)])
    with pytest.raises(error, match=what):
        subtype_prior(**{"X": X, "y": y, "scores": scores, **changed})


def test_sentences_say_what_the_estimate_rests_on(rng):
    X, y, scores, _ = problem(rng)
    found = subtype_prior(X, y, scores)
    said = str(found)
    assert f"{float(found) * found.n_unlabeled:,.0f} rows" in said
    assert "in 2 kinds" in said
    assert "upper bound of estimate_class_prior does not hold" in said
    assert f"by {found.gains[-1]:.1f}, and {found.price:.1f} is needed" in said
    assert found.gains[0] >= found.price > found.gains[-1]
    assert found.facts()["kinds"] == found.to_frame("pyarrow").to_pylist()
    assert_allclose(found.to_frame("pyarrow")["n_hidden"].to_numpy().sum() / 1410, float(found))


def test_one_kind_is_said_as_one():
    found = SubtypeEstimate(np.array([0.1]), np.array([30]), np.zeros(130, int), 100, (), 20.0)
    assert found.sentences[0].endswith("in 1 kind")
    assert "number of kinds" not in str(found)


def test_estimator_scores_and_adds_up(rng):
    X, y, _, truth = problem(rng, apart=6.0)
    names = np.where(y == 1, "found", "other")
    model = SubtypePrior(LogisticRegression(), positive_label="found").fit(X, names)
    assert model.class_prior_ == float(model.estimate_)
    assert len(model.positive_scores_) == 400
    assert abs(model.class_prior_ - truth) < 0.03
    assert_array_equal(model.estimate_.kinds[:310], 0)
