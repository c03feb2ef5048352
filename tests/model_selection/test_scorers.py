"""Choosing parameters without negatives, in scikit-learn's searches."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import (
    CenterOfMassRanker,
    CrossFitSVM,
    PositiveKFold,
    SignificanceRanker,
    hidden_positive_ranks,
)
from onesided.exceptions import DataError, LabelError
from onesided.metrics import lee_liu_score
from onesided.model_selection import (
    AllRows,
    LeeLiuScorer,
    hidden_positive_auc,
    neg_adjusted_p_value,
)

NUS = [0.001, 0.1, 0.75]
RANKER = SignificanceRanker(n_subsets=60, random_state=0)


def with_nu(nu):
    return clone(RANKER).set_params(nu=nu)


def problem(rng, n_positive=12, n_rows=120, shift=1.0):
    X, y = rng.normal(size=(n_rows, 6)), np.zeros(n_rows, dtype=int)
    y[rng.choice(n_rows, n_positive, replace=False)] = 1
    X[y == 1, :2] += shift
    return X, y


def test_a_search_scores_each_candidate_by_its_hidden_positives(rng):
    X, y = problem(rng)
    search = GridSearchCV(RANKER, {"nu": NUS}, scoring=hidden_positive_auc, cv=AllRows())
    search.fit(X, y)
    expected = [1 - hidden_positive_ranks(with_nu(nu), X, y).mean() for nu in NUS]
    assert_allclose(search.cv_results_["mean_test_score"], expected)
    assert search.best_params_["nu"] == NUS[int(np.argmax(expected))]
    assert search.best_estimator_.subsets_.shape == (60, 12)  # learned from all positives


def test_the_inner_loop_sees_none_of_the_positives_hidden_outside(rng):
    """Two loops by hand: outside hide a fold, inside choose ν on the positives that are left."""
    X, y = problem(rng, n_positive=10)
    search = GridSearchCV(
        RANKER, {"nu": NUS}, scoring=partial(hidden_positive_auc, cv=3), cv=AllRows()
    )
    found = hidden_positive_ranks(search, X, y, random_state=5)
    expected = np.empty(len(y))
    for hidden in PositiveKFold(5, random_state=5).hidden_positives(y):
        shown = y.copy()
        shown[hidden] = 0
        inner = [hidden_positive_ranks(with_nu(nu), X, shown, cv=3).mean() for nu in NUS]
        scores = with_nu(NUS[int(np.argmin(inner))]).fit(X, shown).decision_function(X)
        for row in hidden:
            expected[row] = (scores[y == 0] > scores[row]).mean()
    assert_allclose(found, expected[y == 1], atol=1e-12)


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_other_searches_and_pipelines(rng, search):
    X, y = problem(rng)
    pipeline = make_pipeline(StandardScaler(), CrossFitSVM(random_state=0))
    more = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    grid = {"crossfitsvm__C": [0.01, 1.0], "crossfitsvm__n_folds": [2, 3]}
    found = search(pipeline, grid, scoring=hidden_positive_auc, cv=AllRows(), **more).fit(X, y)
    assert found.best_score_ > 0.6


def test_folds_of_rows_work_too(rng):
    """Held-out positives against held-out unlabeled, by scikit-learn's own scorer."""
    X, y = problem(rng, shift=2.0)
    scores = cross_val_score(RANKER, X, y, cv=PositiveKFold(4, random_state=0), scoring="roc_auc")
    assert len(scores) == 4
    assert scores.mean() > 0.8


def test_labels_of_text(rng):
    X, y = problem(rng)
    words = np.where(y == 1, "buyer", "other")
    ranker = CenterOfMassRanker(positive_label="buyer")
    assert_allclose(
        hidden_positive_auc(ranker, X, words), hidden_positive_auc(CenterOfMassRanker(), X, y)
    )


@pytest.mark.filterwarnings("ignore::onesided.exceptions.SeparationWarning")
def test_nested_spaces(rng):
    """Positives far from the middle on all sides: no linear score finds them, squares do."""
    X, y = problem(rng, n_positive=16, n_rows=100, shift=0.0)
    half = 3 * X[y == 1][:8]
    X[y == 1] = np.vstack([half, -half])
    search = GridSearchCV(
        RANKER,
        {"kernel": ["linear", "poly"], "degree": [2]},
        scoring=partial(neg_adjusted_p_value, n_resamples=199),
        cv=AllRows(),
    ).fit(X, y)
    linear, poly = -search.cv_results_["mean_test_score"]
    assert linear > 0.05
    assert_allclose(poly, 1 / 200)
    assert search.best_params_["kernel"] == "poly"


def test_of_equals_the_smallest_space(rng):
    X, y = problem(rng, shift=3.0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SignificanceRanker(n_subsets=60, random_state=0)),
        {"significanceranker__kernel": ["linear", "poly"]},
        scoring=partial(neg_adjusted_p_value, n_resamples=99),
        cv=AllRows(),
    ).fit(X, y)
    assert_allclose(search.cv_results_["mean_test_score"], -0.01)
    assert search.best_params_ == {"significanceranker__kernel": "linear"}


def test_what_cannot_be_scored(rng):
    X, y = problem(rng)
    with pytest.raises(DataError, match="CenterOfMassRanker has no adjusted p-value"):
        neg_adjusted_p_value(CenterOfMassRanker().fit(X, y), X, y)
    fitted = SignificanceRanker(n_subsets=20, random_state=0).fit(X, y)
    y[np.flatnonzero(y)[0]] = 0
    with pytest.raises(DataError, match="learned from 12 positives, but y has 11"):
        neg_adjusted_p_value(fitted, X, y)


def test_adjusted_p_with_text_labels(rng):
    X, y = problem(rng, shift=2.0)
    words = np.where(y == 1, "a", "b")
    ranker = SignificanceRanker(n_subsets=40, random_state=0, positive_label="a")
    search = GridSearchCV(
        ranker, {"nu": [0.1, 0.5]}, scoring=neg_adjusted_p_value, cv=AllRows(), error_score="raise"
    )
    assert (search.fit(X, words).cv_results_["mean_test_score"] > -0.05).all()
    with pytest.raises(NotFittedError):
        neg_adjusted_p_value(ranker, X, words)


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_a_search_by_the_criterion(rng, scenario):
    X, y = problem(rng, n_positive=60)
    model = LogisticRegression(class_weight="balanced")
    grid = [1e-3, 1e-1, 10.0]
    folds = PositiveKFold(3, random_state=0)
    scorer = LeeLiuScorer(scenario, with_error=True)
    search = GridSearchCV(model, {"C": grid}, scoring=scorer, refit="lee_liu", cv=folds)
    search.fit(X, y)
    scores = [
        [
            lee_liu_score(
                y[test],
                clone(model).set_params(C=C).fit(X[train], y[train]).predict(X[test]),
                scenario=scenario,
            )
            for train, test in folds.split(X, y)
        ]
        for C in grid
    ]
    assert_allclose(search.cv_results_["mean_test_lee_liu"], np.mean(scores, axis=1))
    assert_allclose(
        search.cv_results_["mean_test_lee_liu_standard_error"],
        [np.mean([each.standard_error for each in of_C]) for of_C in scores],
    )
    assert search.best_params_["C"] == grid[int(np.argmax(np.mean(scores, axis=1)))]
    plain = GridSearchCV(
        model, {"C": grid}, scoring=pickle.loads(pickle.dumps(LeeLiuScorer(scenario))), cv=folds
    ).fit(X, y)
    assert_allclose(plain.cv_results_["mean_test_score"], np.mean(scores, axis=1))


def test_criterion_of_a_model_that_predicts_nothing_positive(rng):
    X, y = problem(rng)
    nothing = DummyClassifier(strategy="constant", constant=0).fit(X, y)
    assert LeeLiuScorer("case-control")(nothing, X, y) == 0


def test_criterion_reads_the_label_that_means_positive(rng):
    X, y = problem(rng)
    words = np.where(y == 1, "buyer", "passer-by")
    model = LogisticRegression().fit(X, words)
    found = LeeLiuScorer("case-control", positive_label="buyer")(model, X, words)
    plain = LeeLiuScorer("case-control")(LogisticRegression().fit(X, y), X, y)
    assert_allclose(found, plain)


def test_scorer_without_a_sampling_story():
    with pytest.raises(LabelError, match="is neither 'single-training-set'"):
        LeeLiuScorer("both")
    with pytest.raises(TypeError, match="scenario"):
        LeeLiuScorer()
