"""Label resampling: whether chance alone would do as well."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler

from onesided import CenterOfMassRanker, compare
from onesided.exceptions import DataError, LabelError, LabelWarning
from onesided.model_selection import hidden_positive_auc, label_resampling_test
from onesided.model_selection._chance import _exchanged
from oracles import geurts2011


class FirstColumn(ClassifierMixin, BaseEstimator):
    """Learns nothing: then hiding changes nothing, and the p-value has an exact form."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0].astype(float)


def test_against_all_label_sets(rng):
    X, y = rng.normal(size=(9, 1)), np.arange(9) < 3
    X[y] += 0.8
    scores = X[:, 0].tolist()

    def auc(chosen):
        rest = [scores[row] for row in range(9) if row not in chosen]
        return geurts2011.area_under_roc([scores[row] for row in chosen], rest)

    exact = np.mean([auc(s) >= auc((0, 1, 2)) for s in combinations(range(9), 3)])
    found = label_resampling_test(FirstColumn(), X, y, n_resamples=2000)
    assert_allclose(found.statistic, auc((0, 1, 2)))
    assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 2000)


def test_the_best_of_several_is_paid_for(rng):
    """Two methods, one the other turned round: the best AUC is never below one half."""
    X, y = rng.normal(size=(40, 1)), np.arange(40) < 8

    class Turned(FirstColumn):
        def decision_function(self, X):
            return -super().decision_function(X)

    both = {"up": FirstColumn(), "down": Turned()}
    found = label_resampling_test(both, X, y, n_resamples=50)
    assert found.null.min() >= 0.5
    assert_allclose(found.statistic, max(hidden_positive_auc(each, X, y) for each in both.values()))


def test_a_signal_is_found_and_repeated(rng):
    X, y = rng.normal(size=(80, 3)), np.arange(80) < 10
    X[y] += 2
    done = []
    found = label_resampling_test(
        CenterOfMassRanker(), X, y, n_resamples=39, on_progress=lambda _, *at: done.append(at)
    )
    assert_allclose(found, 1 / 40)
    assert done == [(i, 39) for i in range(1, 40)]
    again = label_resampling_test(CenterOfMassRanker(), X, y, n_resamples=39)
    assert_array_equal(again.null, found.null)
    other = label_resampling_test(CenterOfMassRanker(), X, y, n_resamples=39, random_state=1)
    assert (other.null != found.null).any()


def test_groups_of_one_size_change_places(rng):
    groups = np.repeat(np.arange(12), [1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3])
    shuffled = rng.permutation(len(groups))
    groups = groups[shuffled]
    positive = (groups == 4) | (groups == 8) | (groups == 0)
    places = set()
    for _ in range(200):
        drawn = _exchanged(positive, groups, rng)
        chosen = np.unique(groups[drawn])
        assert drawn.sum() == positive.sum()
        assert_array_equal(drawn, np.isin(groups, chosen))  # whole groups
        assert sorted(np.bincount(groups)[chosen]) == [1, 2, 3]
        places |= set(chosen.tolist())
    assert places == set(range(12))


def test_half_a_group_stays_half(rng):
    groups = np.repeat(np.arange(5), 2)
    positive = np.array([True, False] * 2 + [False] * 6)
    for _ in range(20):
        drawn = _exchanged(positive, groups, rng)
        assert sorted(np.bincount(groups, drawn)) == [0, 0, 0, 1, 1]


def test_pickle(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) < 6
    found = label_resampling_test(CenterOfMassRanker(), X, y, n_resamples=5)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert_array_equal(again.null, found.null)


def test_bad_input(rng):
    X = rng.normal(size=(30, 2))
    with pytest.raises(DataError, match="n_resamples=0"):
        label_resampling_test(CenterOfMassRanker(), X, np.arange(30) < 6, n_resamples=0)
    with pytest.raises(DataError, match="estimators is empty"):
        label_resampling_test({}, X, np.arange(30) < 6)
    with pytest.raises(LabelError, match="1 positive"):
        label_resampling_test(CenterOfMassRanker(), X, np.arange(30) < 1)


def test_groups_that_cannot_change_places(rng):
    """Eight groups of eight sizes: only the labels themselves are left to compare with."""
    groups = np.repeat(np.arange(8), [3, 4, 5, 6, 7, 8, 9, 18])
    X, y = rng.normal(size=(60, 2)), groups < 3
    with pytest.raises(
        DataError, match="possible exchanges is only 1, so the p-value cannot be below 1"
    ):
        label_resampling_test(CenterOfMassRanker(), X, y, groups=groups)


@pytest.mark.parametrize("odd", [3, "bayes", StandardScaler()])
def test_what_is_no_estimator(rng, odd):
    X, y = rng.normal(size=(30, 2)), np.arange(30) < 6
    for ask in (label_resampling_test, lambda each, X, y: compare({"odd": each}, X, y)):
        with pytest.raises(DataError, match="lacks fit, or has neither"):
            ask(odd, X, y)


def test_text_labels_need_no_explanation_twice(rng):
    """One warning, of the first look at the labels; none for each of the fits."""
    X, y = rng.normal(size=(30, 2)), np.where(np.arange(30) < 6, "yes", "no")
    with pytest.warns(LabelWarning) as caught:
        label_resampling_test(CenterOfMassRanker(), X, y, n_resamples=3)
    assert len(caught) < 6
