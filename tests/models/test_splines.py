"""Splines and hinges of scikit-learn before WeightedLogisticRegression: curves in a pipeline."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from onesided import WeightedLogisticRegression, compare, hidden_positive_ranks

KNOTS = [-2.0, -0.5, 0.0, 1.5, 3.0]


def hinges(values, knots):
    """1, x and max(0, x − knot) of each inner knot, as written on paper."""
    return np.array([[1.0, x, *(max(0.0, x - knot) for knot in knots[1:-1])] for x in values])


def distance_from_span(wanted, basis):
    """Largest error of the wanted columns as combinations of those of the basis."""
    weights, *_ = np.linalg.lstsq(basis, wanted, rcond=None)
    return np.abs(basis @ weights - wanted).max()


def linear(C=1.0):
    return make_pipeline(StandardScaler(), WeightedLogisticRegression(C))


def curves(degree, C=1.0, n_knots=6):
    splines = SplineTransformer(n_knots, degree=degree, knots="quantile")
    return make_pipeline(splines, StandardScaler(), WeightedLogisticRegression(C))


def log_suitability(X):
    """Best at 0.5 of the first feature, worse to both sides, whatever the second."""
    return -((X[:, 0] - 0.5) ** 2) / 2


def root_mean_square(errors):
    return np.sqrt(np.mean(errors**2))


def species(rng, n_positive=1500, n_unlabeled=6000):
    """Sites drawn evenly, presences in proportion to suitability: both kinds and the truth."""
    background = rng.uniform([-2.5, -2.5], 2.5, (n_unlabeled, 2))
    candidates = rng.uniform([-2.5, -2.5], 2.5, (20 * n_positive, 2))
    seen = rng.random(len(candidates)) < np.exp(log_suitability(candidates))
    presences = candidates[seen][:n_positive]
    assert len(presences) == n_positive
    X = np.vstack([presences, background])
    return X, np.arange(len(X)) < n_positive


def test_degree_1_spans_the_hinges():
    x = np.linspace(KNOTS[0], KNOTS[-1], 101)
    splines = SplineTransformer(degree=1, knots=np.array(KNOTS)[:, None])
    basis, written = splines.fit_transform(x[:, None]), hinges(x, KNOTS)
    assert basis.shape == written.shape
    assert_allclose(distance_from_span(written, basis), 0.0, atol=1e-12)
    assert_allclose(distance_from_span(basis, written), 0.0, atol=1e-12)
    other = hinges(x, [-2.0, -0.5, 0.2, 1.5, 3.0])  # one knot moved
    assert distance_from_span(other, basis) > 0.01


@pytest.mark.parametrize("degree", [1, 3])
def test_score_is_flat_beyond_the_background(rng, degree):
    X, y = species(rng, 100, 400)
    model = curves(degree).fit(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    expected = model.decision_function([low, high])
    assert_allclose(model.decision_function([low - 5, high + 5]), expected, atol=1e-9)


@pytest.mark.parametrize("degree", [1, 3])
def test_hump_is_found(rng, degree):
    X, y = species(rng)
    grid = rng.uniform([-2, -2], 2, (2000, 2))
    truth = log_suitability(grid) - np.log(np.exp(log_suitability(X[~y])).mean())
    ratio = curves(degree, n_knots=8).fit(X, y).decision_function(grid)  # log P(x|pos) / P(x|unl)
    straight = linear().fit(X, y).decision_function(grid)
    assert root_mean_square(ratio - truth) < 0.2
    assert root_mean_square(straight - truth) > 0.5
    suitable = truth > np.median(truth)
    assert roc_auc_score(suitable, ratio) > 0.97
    assert roc_auc_score(suitable, straight) < 0.8


def test_hidden_positives_tell_curves_from_lines(rng):
    X, y = species(rng, 100, 500)
    found = compare({"line": linear(), "hinges": curves(1), "cubic": curves(3)}, X, y)
    assert found.best_ != "line"
    assert found.hidden["hinges"].auc > found.hidden["line"].auc + 0.05
    ranks = hidden_positive_ranks(curves(1), X, y)
    assert_allclose(ranks, found.hidden["hinges"].ranks)


def test_random_folds_flatter_where_records_clump(rng):
    """Records in clumps that mean nothing: blocks as groups see it, random folds do not."""
    centres = rng.uniform(0, 1, (8, 2))
    block = np.repeat(np.arange(8), 25)
    presences = centres[block] + rng.normal(scale=0.02, size=(200, 2))
    background = rng.uniform(0, 1, (1000, 2))
    X, y = np.vstack([presences, background]), np.arange(1200) < 200
    groups = np.append(block, np.full(1000, 8))
    model = curves(3, C=10.0, n_knots=10)
    at_random = hidden_positive_ranks(model, X, y)
    by_block = hidden_positive_ranks(model, X, y, groups=groups, cv=8)
    assert at_random.shape == by_block.shape == (200,)
    assert at_random.mean() < 0.15
    assert by_block.mean() > 0.3
