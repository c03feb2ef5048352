"""Known negatives, which y marks by -1: who learns of them, and who is ranked among them."""

from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin

from onesided import PositiveKFold, PUBagging, RankAverage, WeightedLogisticRegression, compare
from onesided.model_selection import hide_and_rank, unlabeled_out_of_fold_scores

TAUGHT = WeightedLogisticRegression(10.0, negative_share=3.0)


class Given(ClassifierMixin, BaseEstimator):
    """Scores by the first column; it keeps the labels that it was given."""

    seen: ClassVar[list] = []

    def __init__(self, *, learns_from_negatives=False):
        self.learns_from_negatives = learns_from_negatives

    def fit(self, X, y):
        self.classes_ = np.arange(2)
        Given.seen.append((self.learns_from_negatives, sorted({*np.asarray(y).tolist()})))
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.fixture
def problem():
    """30 positives, 50 known negatives and 120 unlabeled rows, of which 40 are positive."""
    rng = np.random.default_rng(5)
    truth = np.arange(200) < 70
    X = rng.normal(size=(200, 3)) + truth[:, None]
    return X, np.where(np.arange(200) < 30, 1, np.where(np.arange(200) >= 150, -1, 0))


def test_each_method_is_told_what_it_learns_from(problem):
    X, y = problem
    methods = {"told": Given(learns_from_negatives=True), "not": Given()}
    Given.seen.clear()
    found = compare(methods, X, y, cv=3, average=True)
    unlabeled_out_of_fold_scores(found.best_estimator_, X, y, fitted=found.best_estimator_)
    RankAverage([*methods.items()], cv=3, random_state=0).fit(X, y)
    assert {labels for told, each in Given.seen if told for labels in [tuple(each)]} == {(-1, 0, 1)}
    assert {labels for told, each in Given.seen if not told for labels in [tuple(each)]} == {(0, 1)}
    assert found.best_estimator_.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("model", [Given(), TAUGHT, PUBagging(random_state=0)], ids=repr)
def test_no_positive_is_ranked_among_known_negatives(problem, model):
    X, y = problem
    found = compare({"one": model}, X, y, cv=3).hidden["one"]
    assert found.n_unlabeled == len(found.unlabeled_placements) == 120
    assert_array_equal(hide_and_rank(model, X, y, cv=3).ranks, found.ranks)
    if isinstance(model, Given):
        expected = [(X[y == 0, 0] > score).mean() for score in X[y == 1, 0]]
        assert_allclose(found.ranks, expected)


@pytest.mark.parametrize("hide", [None, PositiveKFold(3, random_state=0)])
def test_known_negatives_are_scored_among_the_unlabeled_rows(problem, hide):
    X, y = problem
    found = unlabeled_out_of_fold_scores(Given(), X, y, hide=hide, cv=3)
    rows = np.flatnonzero(y < 1) if hide is None else np.arange(200)
    assert_array_equal(found.rows, rows)
    of_unlabeled = found.only(y == 0)
    assert_allclose(of_unlabeled.ranks.mean(), 0.5)  # so the known negatives are not among them
    assert found.only(y == -1).ranks.mean() > 0.6


def test_a_known_negative_is_not_scored_by_a_model_that_learned_it(problem):
    """One that is far out among the positives would be pulled down by its own weight."""
    X, y = problem
    X[199] = 4.0
    found = unlabeled_out_of_fold_scores(TAUGHT, X, y)
    assert found.ranks[-1] < 0.1


def test_few_candidates_among_many_known_negatives(problem):
    X, y = problem
    y = np.where(np.arange(200) >= 33, -1, y)
    found = unlabeled_out_of_fold_scores(TAUGHT, X, y)
    assert len(found.rows) == 170
    assert np.isfinite(found.ranks).all()
