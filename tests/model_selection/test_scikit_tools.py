"""Scorers in the tools of scikit-learn that take one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    LearningCurveDisplay,
    TunedThresholdClassifierCV,
    ValidationCurveDisplay,
    cross_val_score,
    cross_validate,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import PositiveKFold, PositiveNaiveBayes, WeightedLogisticRegression
from onesided.datasets import make_gaussians
from onesided.metrics import lee_liu_score, pu_average_precision, pu_f1_score
from onesided.model_selection import CorrectedScorer, LeeLiuScorer, hidden_positive_auc
from onesided.preprocessing import QuantileBinner

DRAWN = make_gaussians(2.0, n_features=4, class_prior=0.2).sample(60, 600, random_state=0)
X, Y = DRAWN.X, DRAWN.y
PRIOR = {"class_prior": 0.2, "scenario": "case-control"}
OF_LABELS = [LeeLiuScorer("case-control"), CorrectedScorer(pu_f1_score, **PRIOR)]
SCORERS = [*OF_LABELS, CorrectedScorer(pu_average_precision, **PRIOR)]
ALL = [*SCORERS, hidden_positive_auc]
FOLDS = PositiveKFold(3, random_state=0)
scorers = pytest.mark.parametrize("scorer", ALL, ids=lambda each: each.__name__)


@pytest.mark.parametrize("scorer", OF_LABELS, ids=lambda each: each.__name__)
def test_a_threshold_is_tuned(scorer):
    tuned = TunedThresholdClassifierCV(WeightedLogisticRegression(), scoring=scorer, cv=FOLDS)
    plain = make_scorer(scorer._score_func, **scorer._kwargs)
    expected = TunedThresholdClassifierCV(WeightedLogisticRegression(), scoring=plain, cv=FOLDS)
    assert tuned.fit(X, Y).best_threshold_ == expected.fit(X, Y).best_threshold_
    nothing = WeightedLogisticRegression().fit(X, Y)
    nothing.intercept_ -= 1e9
    assert scorer(tuned, X, Y) > 2 * scorer(nothing, X, Y)


@scorers
def test_displays_name_the_score(scorer):
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    matplotlib.use("Agg")
    common = {"cv": FOLDS, "scoring": scorer, "n_jobs": 1}
    model = WeightedLogisticRegression()
    learning = LearningCurveDisplay.from_estimator(model, X, Y, train_sizes=[0.6, 1.0], **common)
    grid = {"param_name": "C", "param_range": [0.01, 1.0]}
    validation = ValidationCurveDisplay.from_estimator(model, X, Y, **grid, **common)
    name = scorer.__name__.replace("_", " ").capitalize()
    assert learning.ax_.get_ylabel() == validation.ax_.get_ylabel() == name
    assert np.isfinite(learning.test_scores).all()


@scorers
def test_other_tools(scorer):
    model = make_pipeline(StandardScaler(), WeightedLogisticRegression())
    score, null, p = permutation_test_score(
        model, X, Y, cv=FOLDS, scoring=scorer, n_permutations=5, random_state=0
    )
    assert score > null.max()
    assert p == pytest.approx(1 / 6)
    named = {"one": scorer, "two": LeeLiuScorer("case-control")}
    together = cross_validate(model, X, Y, cv=FOLDS, scoring=named)
    for name, each in named.items():
        alone = cross_val_score(model, X, Y, cv=FOLDS, scoring=each)
        assert_allclose(together[f"test_{name}"], alone)
    search = GridSearchCV(
        model, {"weightedlogisticregression__C": [1e-9, 1.0]}, cv=FOLDS, scoring=named, refit="one"
    ).fit(X, Y)
    assert search.best_score_ == search.cv_results_["mean_test_one"].max()


@pytest.mark.filterwarnings("ignore:The .* comes out at")
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda each: each.__name__)
def test_weights_reach_a_scorer(scorer, rng):
    """Weight 0 is no row; the fit is without weights."""
    weight = rng.integers(0, 2, len(Y)).astype(float)
    model = WeightedLogisticRegression().fit(X, Y)
    kept = weight > 0
    expected = scorer(model, X[kept], Y[kept])
    assert_allclose(scorer(model, X, Y, sample_weight=weight), expected)
    with config_context(enable_metadata_routing=True):
        asked = CorrectedScorer(scorer._score_func, **PRIOR).set_score_request(sample_weight=True)
        routed = cross_val_score(
            WeightedLogisticRegression().set_fit_request(sample_weight=False),
            X,
            Y,
            cv=FOLDS,
            scoring=asked,
            params={"sample_weight": weight},
        )
    expected = [
        scorer(WeightedLogisticRegression().fit(X[train], Y[train]), X[test], Y[test], **given)
        for train, test in FOLDS.split(X, Y)
        for given in [{"sample_weight": weight[test]}]
    ]
    assert_allclose(routed, expected)


def test_a_plain_search_takes_no_blind_model():
    """Without `scoring`; accuracy would take a class prior of 1e-9, which finds nothing."""
    grid = {"positivenaivebayes__class_prior": [1e-9, 0.05, 0.2, 0.9]}
    model = make_pipeline(QuantileBinner(), PositiveNaiveBayes())
    search = GridSearchCV(model, grid, cv=FOLDS).fit(X, Y)
    assert search.best_params_["positivenaivebayes__class_prior"] in (0.05, 0.2)
    best = search.best_index_
    scored = [
        search.estimator.set_params(**search.best_params_)
        .fit(X[train], Y[train])
        .score(X[test], Y[test])
        for train, test in FOLDS.split(X, Y)
    ]
    assert_allclose(search.cv_results_["mean_test_score"][best], np.mean(scored))
    blind = GridSearchCV(model, grid, cv=FOLDS, scoring="accuracy").fit(X, Y)
    assert not blind.predict(X).any(), "else the test shows nothing"


def test_a_scorer_is_what_make_scorer_makes():
    found, made = SCORERS[0], make_scorer(lee_liu_score, scenario="case-control")
    for name in ("_score_func", "_sign", "_kwargs", "_response_method"):
        assert getattr(found, name) == getattr(made, name)
    assert repr(found) == repr(made)
