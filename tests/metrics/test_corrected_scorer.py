"""Corrected figures as scikit-learn's scorers."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import PositiveKFold
from onesided.datasets import make_gaussians
from onesided.exceptions import LabelError
from onesided.metrics import (
    enrichment_factor,
    lift,
    pu_accuracy,
    pu_average_precision,
    pu_f1_score,
    pu_recall,
    pu_roc_auc,
)
from onesided.model_selection._scorers import CorrectedScorer

DRAWN = make_gaussians(1.5, class_prior=0.3).sample(150, 450, random_state=0)
PRIOR = {"class_prior": 0.3, "scenario": "case-control"}
MODELS = {
    "decision_function": make_pipeline(
        StandardScaler(), LogisticRegression(class_weight="balanced")
    ),
    "predict_proba": GaussianNB(),
}


@pytest.mark.parametrize("model", MODELS)
def test_the_metric_on_each_fold(model):
    X, y = DRAWN.X, DRAWN.y
    folds = PositiveKFold(3, random_state=0)
    names = {"scenario": "case-control"}
    cases = [
        (pu_f1_score, PRIOR, False),
        (pu_accuracy, PRIOR, False),
        (lift, names, False),
        (pu_recall, {}, False),
        (pu_roc_auc, {"class_prior": 0.3}, True),
        (pu_average_precision, PRIOR, True),
        (partial(enrichment_factor, fraction=0.2), names, True),
    ]
    for metric, keywords, of_scores in cases:
        scorer = pickle.loads(pickle.dumps(CorrectedScorer(metric, **PRIOR)))
        found = cross_val_score(MODELS[model], X, y, cv=folds, scoring=scorer)
        expected = []
        for train, test in folds.split(X, y):
            fitted = clone(MODELS[model]).fit(X[train], y[train])
            given = fitted.predict(X[test])
            if of_scores:
                given = getattr(fitted, model)(X[test])
                given = given if given.ndim == 1 else given[:, 1]
            expected.append(metric(y[test], given, **keywords))
        assert_allclose(found, expected)


def test_a_search_takes_the_best():
    model = LogisticRegression(class_weight="balanced")
    search = GridSearchCV(
        model,
        {"class_weight": [{0: 1e-6, 1: 1.0}, {0: 1.0, 1: 2.0}]},
        scoring=CorrectedScorer(pu_accuracy, **PRIOR),
        cv=PositiveKFold(3, random_state=0),
    ).fit(DRAWN.X, DRAWN.y)
    assert search.best_params_["class_weight"][0] == 1.0  # not all positive


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_labels_in_words(model):
    """Alphabetical order would turn them."""
    y = np.where(DRAWN.y == 1, "known", "other")
    for metric in (pu_roc_auc, pu_f1_score):
        scorer = CorrectedScorer(metric, **PRIOR, positive_label="known")
        found = scorer(clone(model).fit(DRAWN.X[::2], y[::2]), DRAWN.X[1::2], y[1::2])
        numbers = clone(model).fit(DRAWN.X[::2], DRAWN.y[::2])
        expected = CorrectedScorer(metric, **PRIOR)(numbers, DRAWN.X[1::2], DRAWN.y[1::2])
        assert_allclose(found, expected)


def test_what_is_missing_is_said_at_once():
    with pytest.raises(TypeError, match="scenario"):
        CorrectedScorer(pu_f1_score, class_prior=0.3)
    with pytest.raises(TypeError, match="class_prior"):
        CorrectedScorer(pu_f1_score, scenario="case-control")
    with pytest.raises(TypeError, match="fraction"):
        CorrectedScorer(enrichment_factor, scenario="case-control")
    with pytest.raises(LabelError, match="is neither 'single-training-set'"):
        CorrectedScorer(pu_f1_score, class_prior=0.3, scenario="both")
