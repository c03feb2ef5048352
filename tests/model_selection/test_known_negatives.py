"""Known negatives, which a mask says: who learns of them, and who is ranked among them."""

from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin

from onesided import PositiveKFold, PUBagging, RankAverage, WeightedLogisticRegression, compare
from onesided.exceptions import DataError, LabelError
from onesided.model_selection import unlabeled_out_of_fold_scores

TAUGHT = WeightedLogisticRegression(10.0, negative_share=3.0)


class Given(ClassifierMixin, BaseEstimator):
    """Scores by the first column; it keeps how many known negatives it was told of."""

    seen: ClassVar[list] = []

    def __init__(self, *, learns_from_negatives=False):
        self.learns_from_negatives = learns_from_negatives

    def fit(self, X, y, known_negative=None):
        self.classes_ = np.arange(2)
        assert set(np.asarray(y).tolist()) == {0, 1}
        told = 0 if known_negative is None else int(known_negative.sum())
        Given.seen.append((self.learns_from_negatives, told > 0))
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.fixture
def problem():
    """30 positives, 50 known negatives and 120 unlabeled rows, of which 40 are positive."""
    rng = np.random.default_rng(5)
    truth = np.arange(200) < 70
    X = rng.normal(size=(200, 3)) + truth[:, None]
    return X, (np.arange(200) < 30).astype(int), np.arange(200) >= 150


def test_each_method_is_told_what_it_learns_from(problem):
    X, y, negative = problem
    methods = {"told": Given(learns_from_negatives=True), "not": Given()}
    Given.seen.clear()
    told = {"known_negative": negative}
    found = compare(methods, X, y, cv=3, average=True, **told)
    best = found.best_estimator_
    unlabeled_out_of_fold_scores(best, X, y, fitted=best, **told)
    RankAverage([*methods.items()], cv=3, random_state=0).fit(X, y, **told)
    assert {*Given.seen} == {(True, True), (False, False)}
    assert found.best_estimator_.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("model", [Given(), TAUGHT, PUBagging(random_state=0)], ids=repr)
def test_no_positive_is_ranked_among_known_negatives(problem, model):
    X, y, negative = problem
    found = compare({"one": model}, X, y, cv=3, known_negative=negative).hidden["one"]
    assert found.n_unlabeled == len(found.unlabeled_placements) == 120
    if isinstance(model, Given):
        unlabeled = (y == 0) & ~negative
        expected = [(X[unlabeled, 0] > score).mean() for score in X[y == 1, 0]]
        assert_allclose(found.ranks, expected)


@pytest.mark.parametrize("hide", [None, PositiveKFold(3, random_state=0)])
def test_known_negatives_are_scored_among_the_unlabeled_rows(problem, hide):
    X, y, negative = problem
    found = unlabeled_out_of_fold_scores(Given(), X, y, known_negative=negative, hide=hide, cv=3)
    rows = np.flatnonzero(y < 1) if hide is None else np.arange(200)
    assert_array_equal(found.rows, rows)
    of_unlabeled = found.only((y == 0) & ~negative)
    assert_allclose(of_unlabeled.ranks.mean(), 0.5)  # so the known negatives are not among them
    assert found.only(negative).ranks.mean() > 0.6


def test_groups_without_positives_that_are_left_out_are_refused(problem):
    X, y, _ = problem
    with pytest.raises(DataError, match=r"`groups` says which .* `hide=PositiveKFold\(5"):
        unlabeled_out_of_fold_scores(Given(), X, y, groups=np.arange(200))
    with pytest.raises(DataError, match=r"`hide` is 5\. Pass folds .* `hide=.*`, or None\.$"):
        unlabeled_out_of_fold_scores(Given(), X, y, hide=5)


def test_a_known_negative_is_not_scored_by_a_model_that_learned_it(problem):
    """One that is far out among the positives would be pulled down by its own weight."""
    X, y, negative = problem
    X[199] = 4.0
    found = unlabeled_out_of_fold_scores(TAUGHT, X, y, known_negative=negative)
    assert found.ranks[-1] < 0.1


def test_few_candidates_among_many_known_negatives(problem):
    X, y, _ = problem
    found = unlabeled_out_of_fold_scores(TAUGHT, X, y, known_negative=np.arange(200) >= 33)
    assert len(found.rows) == 170
    assert np.isfinite(found.ranks).all()


@pytest.mark.parametrize(
    ("mask", "problem_said"),
    [
        (np.ones(200, dtype=bool), "Row 0 is positive in y"),
        (np.zeros(3, dtype=bool), r"has shape \(3,\) and type bool"),
        (np.zeros(200), "type float64"),
    ],
    ids=["all", "short", "numbers"],
)
def test_what_is_no_mask_of_negatives(problem, mask, problem_said):
    X, y, _ = problem
    for ask in (
        lambda: TAUGHT.fit(X, y, known_negative=mask),
        lambda: compare({"one": TAUGHT}, X, y, known_negative=mask),
    ):
        with pytest.raises(LabelError, match=problem_said):
            ask()


def test_a_mask_of_0_and_1_is_a_mask_of_negatives(problem):
    X, y, negative = problem
    plain, counted = (
        compare({"one": TAUGHT}, X, y, known_negative=mask).hidden["one"]
        for mask in (negative, negative.astype(int))
    )
    assert_array_equal(counted.above, plain.above)
    assert plain.n_unlabeled < (y == 0).sum()
