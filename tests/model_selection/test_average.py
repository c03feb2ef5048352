"""The average of methods against loops over pairs of rows."""

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import (
    CenterOfMassRanker,
    PositiveKFold,
    PositiveNaiveBayes,
    PUBagging,
    RankAverage,
    WeightedLogisticRegression,
    compare,
)
from onesided.exceptions import DataError
from onesided.model_selection import (
    Comparison,
    fits_elsewhere,
    hide_and_rank,
    scores_of_learned,
    unlabeled_out_of_fold_scores,
)
from onesided.model_selection._fits import fits_that_hide
from onesided.model_selection._labels import Labels
from onesided.model_selection._placements import Placements
from oracles import rank_average as oracle


@pytest.fixture
def problem(rng):
    truth = rng.random(160) < 0.4
    return rng.normal(size=(160, 3)) + 1.5 * truth[:, None], truth & (rng.random(160) < 0.4)


def methods():
    return {
        "linear": WeightedLogisticRegression(0.1),
        "center": CenterOfMassRanker(),
        "bagging": PUBagging(n_estimators=40, random_state=0),
    }


class Fixed(ClassifierMixin, BaseEstimator):
    """Gives each row its first feature as the score, whatever it learned."""

    def __init__(self, sign=1.0):
        self.sign = sign

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.sign * np.asarray(X)[:, 0]


def test_scores_are_the_weighted_shares_of_the_unlabeled_below(problem):
    X, y = problem
    weights = [0.5, 0.0, 1.5]
    model = RankAverage([*methods().items()], weights=weights).fit(X, y)
    assert model.names_ == ["linear", "bagging"]
    assert_allclose(model.weights_, [0.25, 0.75])
    shares = []
    for each in (methods()["linear"], methods()["bagging"]):
        scores = scores_of_learned(each.fit(X, y), X).tolist()
        rest = [score for score, known in zip(scores, y, strict=True) if not known]
        shares.append([oracle.share_below(score, rest) for score in scores])
    expected = np.array(oracle.averaged(shares, [0.25, 0.75]))
    found = model.learned_decision_function_ + model.threshold_
    assert_allclose(found[~y], expected[~y])  # positives lie between the scores of the reference
    assert_allclose(found, expected, atol=1 / np.sum(~y))
    assert model.threshold_ == np.median(found[y])


def test_weights_come_from_hidden_positives(problem):
    X, y = problem
    votes = [1.0, 1.0, 3.0]
    model = RankAverage([*methods().items()], votes=votes, random_state=0).fit(X, y)
    folds = PositiveKFold(5, random_state=0)
    ranks = [1 - hide_and_rank(each, X, y, cv=folds).ranks for each in methods().values()]
    expected = np.array(oracle.weights([each.tolist() for each in ranks], votes))
    assert_allclose(model.weights_, expected[expected > 0] / expected.sum(), rtol=1e-6)


@pytest.mark.parametrize("with_groups", [False, True])
def test_hidden_positives_by_the_average(problem, with_groups):
    X, y = problem
    groups = np.arange(160) // 2 if with_groups else None
    folds = PositiveKFold(4, random_state=1)
    votes = {"linear": 1.0, "center": 2.0, "bagging": 3.0}
    found = compare(methods(), X, y, cv=folds, groups=groups, average=votes)
    fits_of = {name: [] for name in votes}
    for name, fit in fits_that_hide(methods(), X, Labels.of(y), folds=folds, groups=groups):
        fits_of[name].append((fit.hidden.tolist(), fit.scores.tolist()))
    assert [*map(len, fits_of.values())] == [4, 4, 4 if with_groups else 1]
    dealt = [each.tolist() for each in folds.hidden_positives(y, groups)]
    expected = oracle.hidden_ranks(
        fits_of.values(), votes.values(), dealt, np.flatnonzero(~y).tolist()
    )
    assert_allclose(found.hidden["average of methods"].ranks, expected, atol=1e-6)


def test_the_average_is_taken_unless_a_method_is_surely_better(rng):
    y = np.arange(400) < 100
    X = (rng.normal(size=400) + 2.0 * y)[:, None]
    noise = [np.r_["-1", X, rng.normal(size=(400, 1))]]
    found = compare({"good": Fixed(), "also good": Fixed()}, noise[0], y, average=True)
    assert found.best_ == "average of methods"
    assert found.is_averaged
    assert found.weights == {"good": 0.5, "also good": 0.5}
    assert "no method is better than it beyond chance" in found.reason
    votes = {"good": 1e-9, "turned": 1.0}
    found = compare({"good": Fixed(), "turned": Fixed(-1.0)}, noise[0], y, average=votes)
    assert found.weights == {"good": 1.0}, "one that ranks worse than chance has no weight"
    worse = {"good": Fixed(), "worse": Fixed(0.0)}
    found = compare(worse, noise[0], y, average=True)
    assert found.weights == {"good": 1.0}, "one that is surely worse has none either"
    single = compare({"good": Fixed()}, X, y, average=True)
    assert [*single.hidden] == ["good"]


def test_a_method_that_is_surely_better_is_named_as_the_one_taken():
    """Its AUC is not the highest: one that varies more is ahead, but not beyond chance."""
    positives = {
        "average of methods": np.tile([3.0, 5.0], 50),
        "steady": np.tile([3.0, 5.0], 50) + 0.5,
        "ahead": np.repeat([9.0, -9.0], [86, 14]),
    }
    hidden = {}
    for name, scores in positives.items():
        labels = Labels.of(np.arange(300) < 100)
        placed = Placements(labels, 0.0)
        placed.add(np.arange(100), np.append(scores, np.linspace(0, 6, 200)))
        hidden[name] = placed.found()
    assert max(hidden, key=lambda name: hidden[name].auc) == "ahead"
    seconds = dict.fromkeys(hidden, 1.0)
    found = Comparison(hidden, seconds, "steady", None, {"steady": 0.5, "ahead": 0.5})
    assert found.reason.startswith("taken: steady, since it is better than the average of methods")
    assert found.reason.endswith("which cannot be said of ahead")
    first = str(found).splitlines()[0]
    assert first.startswith(f"steady is taken: AUC {hidden['steady'].auc:.3f}")
    assert "steady" not in str(found).splitlines()[1]


def test_out_of_fold_ranks_are_those_of_the_members(problem):
    X, y = problem
    average = RankAverage([*methods().items()], weights=[1.0, 2.0, 3.0])
    found = unlabeled_out_of_fold_scores(average, X, y)
    parts = [unlabeled_out_of_fold_scores(each, X, y) for each in methods().values()]
    below = oracle.averaged([(1 - part.ranks).tolist() for part in parts], [1.0, 2.0, 3.0])
    expected = [1 - oracle.share_below(each, below) for each in below]
    assert_allclose(found.ranks, expected, atol=1e-12)
    again = unlabeled_out_of_fold_scores(average, X, y, fitted=clone(average).fit(X, y))
    assert_array_equal(found.ranks, again.ranks)


def test_what_was_fitted_for_the_comparison_is_not_fitted_again(problem, monkeypatch):
    X, y = problem
    fits = []
    learn = PUBagging._learn
    monkeypatch.setattr(PUBagging, "_learn", lambda *given: (fits.append(1), learn(*given))[1])
    found = compare(methods(), X, y, average=True)
    unlabeled_out_of_fold_scores(found.best_estimator_, X, y, fitted=found.best_estimator_)
    assert len(fits) == 1


def test_first_steps_that_are_shared_change_no_score(problem):
    X, y = problem
    scaler = StandardScaler()
    shared = {C: make_pipeline(scaler, WeightedLogisticRegression(C)) for C in (0.1, 1.0)}
    apart = {C: make_pipeline(StandardScaler(), WeightedLogisticRegression(C)) for C in shared}
    one = compare({str(C): each for C, each in shared.items()}, X, y, average=True)
    other = compare({str(C): each for C, each in apart.items()}, X, y, average=True)
    for name in one.hidden:
        assert_array_equal(one.hidden[name].ranks, other.hidden[name].ranks)


def test_bags_that_share_steps_are_scored_out_of_bag_in_folds_too(problem):
    """With groups they are fitted fold by fold."""
    X, y = problem
    groups, scaler = np.arange(160) // 2, StandardScaler()
    bags = {
        str(n): make_pipeline(scaler, PUBagging(n_estimators=n, random_state=0)) for n in (30, 40)
    }
    together = compare(bags, X, y, groups=groups)
    for name, each in bags.items():
        alone = compare({name: each}, X, y, groups=groups)
        assert_array_equal(together.hidden[name].ranks, alone.hidden[name].ranks)


def test_new_rows_keep_rising_beyond_the_ends(problem):
    X, y = problem
    model = RankAverage([("only", Fixed())], weights=[1.0]).fit(X, y)
    new = np.array([-1e300, -50.0, -9.0, 0.0, 9.0, 50.0, 1e300, np.inf])
    scores = model.decision_function(np.c_[new, new])
    assert (np.diff(scores[:-1]) > 0).all()
    assert np.isfinite(scores).all()


def test_many_scores_are_kept_as_few(rng):
    y = np.arange(30_000) < 50
    X = rng.normal(size=(30_000, 1))
    model = RankAverage([("only", Fixed())], weights=[1.0]).fit(X, y)
    assert len(model.references_[0][0]) < 2000
    order = np.argsort(X[~y, 0])
    found = (model.learned_decision_function_ + model.threshold_)[~y][order]
    assert (np.diff(found) > 0).all(), "no two rows become equal"
    assert_allclose(found, (np.arange(len(found)) + 0.5) / len(found), atol=0.002)


def test_same_numbers_by_two_processes(problem):
    X, y = problem
    here = compare(methods(), X, y, average=True)
    with fits_elsewhere(n_workers=2):
        there = compare(methods(), X, y, average=True)
    for name in here.hidden:
        assert_array_equal(here.hidden[name].ranks, there.hidden[name].ranks)
    new = X[:20]
    assert_array_equal(
        here.best_estimator_.decision_function(new), there.best_estimator_.decision_function(new)
    )


def test_processes_start_only_for_long_work(problem, monkeypatch):
    X, y = problem
    monkeypatch.setattr(joblib, "Parallel", None)
    with fits_elsewhere(only_if_slow=True):
        compare({"center": CenterOfMassRanker()}, X, y)


def test_text_labels_frames_and_sparse_rows(problem):
    X, y = problem
    plain = RankAverage([*methods().items()], random_state=0).fit(X, y)
    named = RankAverage([*methods().items()], random_state=0, positive_label="yes")
    named.fit(pd.DataFrame(X, columns=list("abc")), np.where(y, "yes", "no"))
    assert_allclose(named.weights_, plain.weights_)
    assert {*named.predict(pd.DataFrame(X, columns=list("abc")))} == {"yes", "no"}
    assert list(named.feature_names_in_) == ["a", "b", "c"]
    members = [("linear", WeightedLogisticRegression()), ("bayes", PositiveNaiveBayes(0.3))]
    of_sparse = RankAverage(members, weights=[1, 1]).fit(sparse.csr_array(X > 0), y)
    of_dense = RankAverage(members, weights=[1, 1]).fit((X > 0).astype(float), y)
    new = (X[:10] > 1).astype(float)
    assert_allclose(of_sparse.decision_function(new), of_dense.decision_function(new), atol=1e-12)


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ({"a": 1.0}, "average has no vote for 'b'"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, "a vote for 'c', .* The estimators are 'a', 'b'"),
        ({"a": 0, "b": 0}, r"average=\[0, 0\] does not weight 2 estimators"),
        ({"a": -1.0, "b": 1.0}, "does not weight 2 estimators"),
        ({"a": 1.0, "b": np.inf}, "does not weight 2 estimators"),
        ({"a": -1.0, "b": "x"}, "does not weight 2 estimators"),
        ({"a": None, "b": [1.0]}, "does not weight 2 estimators"),
    ],
)
def test_votes_are_checked_before_the_fits(problem, votes, said):
    fits = []
    with pytest.raises(DataError, match=said):
        compare(
            {"a": Fixed(), "b": Fixed()},
            *problem,
            average=votes,
            on_progress=lambda *_: fits.append(1),
        )
    assert not fits


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"estimators": []}, "estimators is empty"),
        ({"estimators": [("a", Fixed()), ("a", Fixed())]}, "Two estimators have the same name"),
        ({"estimators": [("a", Fixed)]}, "a: Fixed is a class"),
        ({"weights": [1.0, 2.0]}, "does not weight 1 estimator\\."),
        ({"weights": [-1.0]}, "does not weight 1 estimator\\."),
        ({"votes": [np.nan]}, "does not weight 1 estimator\\."),
        ({"votes": ["x"]}, "does not weight 1 estimator\\."),
    ],
)
def test_what_cannot_be_averaged(problem, given, said):
    with pytest.raises(DataError, match=said):
        RankAverage(**{"estimators": [("only", Fixed())], **given}).fit(*problem)
