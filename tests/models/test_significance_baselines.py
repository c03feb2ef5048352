"""CML, 1SVM and CORR against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.svm import OneClassSVM

from onesided import (
    CenteredOneClassSVM,
    CenterOfMassRanker,
    CorrelationRanker,
    SignificanceRanker,
)
from onesided.exceptions import DataError


def expression(rng, labels, n_features=6):
    """Profiles: the positives share one."""
    profile = rng.normal(size=n_features)
    return rng.normal(size=(len(labels), n_features)) + labels[:, None] * profile


def test_center_of_mass(make_source, rng, labels):
    X = expression(rng, labels)
    source = make_source(X)
    ranker = CenterOfMassRanker().fit(source, labels)
    weights = X[labels == 1].mean(axis=0) - X[labels == 0].mean(axis=0)
    assert_allclose(ranker.coef_, weights)
    assert_allclose(ranker.decision_function(source) + ranker.offset_, X @ weights)


def test_center_of_mass_is_the_limit_of_significance(rng, labels):
    """ν = 1 and all subsets alike: the mean of the subsets is that of all objects."""
    X = expression(rng, labels)
    limit = SignificanceRanker(nu=1, n_subsets=20_000, scale=False, random_state=0).fit(X, labels)
    center = CenterOfMassRanker().fit(X, labels)
    direction = [each.coef_ / np.linalg.norm(each.coef_) for each in (limit, center)]
    assert_allclose(*direction, atol=0.02)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_correlation_by_pairs(rng, labels, gaps):
    X = expression(rng, labels) + 5
    X[rng.random(X.shape) < gaps] = np.nan
    X[7] = 3.0  # no variation
    expected = []
    for row in X:
        found = []
        for other in X[labels == 1]:
            both = ~np.isnan(row) & ~np.isnan(other)
            varies = both.sum() > 1 and np.ptp(row[both]) > 0 and np.ptp(other[both]) > 0
            found.append(np.corrcoef(row[both], other[both])[0, 1] if varies else 0.0)
        expected.append(np.mean(found))
    ranker = CorrelationRanker().fit(X, labels)
    assert_allclose(ranker.decision_function(X) + ranker.offset_, expected, atol=1e-10)


def test_correlation_in_every_source(make_source, rng, labels):
    X = expression(rng, labels)
    X[rng.random(X.shape) < 0.2] = 0
    source = make_source(X)
    found = CorrelationRanker().fit(source, labels).decision_function(source)
    assert_allclose(found, CorrelationRanker().fit(X, labels).decision_function(X), atol=1e-10)


@pytest.mark.parametrize("center", [True, False])
def test_one_class_svm(make_source, rng, labels, center):
    X = expression(rng, labels)
    source = make_source(X)
    ranker = CenteredOneClassSVM(nu=0.3, center=center).fit(source, labels)
    origin = X[labels == 0].mean(axis=0) if center else 0.0
    peer = OneClassSVM(kernel="linear", nu=0.3).fit(X[labels == 1] - origin)
    assert_allclose(ranker.coef_, peer.coef_[0], atol=1e-8)
    assert_allclose(
        np.diff(ranker.decision_function(source)), np.diff(X @ peer.coef_[0]), atol=1e-7
    )


@pytest.mark.parametrize("kind", [CenterOfMassRanker, CorrelationRanker, CenteredOneClassSVM])
def test_what_all_share(rng, labels, kind):
    X = expression(rng, labels)
    ranker = kind().fit(X, labels)
    scores = ranker.decision_function(X)
    assert_allclose(np.median(scores[labels == 1]), 0.0, atol=1e-12)
    assert scores[labels == 1].mean() > scores[labels == 0].mean()
    rare = sparse.csr_array(X)
    assert_allclose(kind().fit(rare, labels).decision_function(rare), scores, atol=1e-9)
    gaps = X.copy()
    gaps[3, 2] = np.nan
    assert np.isfinite(kind().fit(gaps, labels).decision_function(gaps)).all()


@pytest.mark.parametrize("nu", [0, 1, 1.5, "a"])
def test_nu(rng, labels, nu):
    with pytest.raises(DataError, match=r"nu="):
        CenteredOneClassSVM(nu).fit(expression(rng, labels), labels)
