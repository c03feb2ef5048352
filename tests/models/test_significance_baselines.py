"""CML, 1SVM, CORR and 2SVM against their definitions."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.stats import ks_2samp
from sklearn.svm import SVC, OneClassSVM

from onesided import (
    CenteredOneClassSVM,
    CenterOfMassRanker,
    CorrelationRanker,
    CrossFitSVM,
    SignificanceRanker,
)
from onesided.exceptions import DataError
from oracles import geurts2011


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
    limit = SignificanceRanker(nu=1, n_subsets=4000, scale=False, random_state=0).fit(X, labels)
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
    peer = OneClassSVM(kernel="linear", nu=0.3, tol=1e-8).fit(X[labels == 1] - origin)
    assert_allclose(ranker.coef_, peer.coef_[0], rtol=0.01, atol=0.01)
    found = ranker.decision_function(source) + ranker.offset_
    assert_allclose(found, X @ ranker.coef_, atol=1e-7)


def test_one_class_svm_in_any_units(rng, labels):
    """In units so large that libsvm's own rule would never stop."""
    X = expression(rng, labels)
    small, large = (CenteredOneClassSVM().fit(X * unit, labels).coef_ for unit in (1e-6, 1e6))
    assert_allclose(small / 1e-6, large / 1e6, rtol=1e-6)


@pytest.mark.parametrize(
    "kind", [CenterOfMassRanker, CorrelationRanker, CenteredOneClassSVM, CrossFitSVM]
)
def test_what_all_share(rng, labels, kind):
    X = expression(rng, labels)
    seeded = {"random_state": 0} if kind is CrossFitSVM else {}
    kind = partial(kind, **seeded)
    ranker = kind().fit(X, labels)
    scores = ranker.decision_function(X)
    assert_allclose(np.median(scores[labels == 1]), 0.0, atol=1e-12)
    assert scores[labels == 1].mean() > scores[labels == 0].mean()
    rare = sparse.csr_array(X)
    assert_allclose(kind().fit(rare, labels).decision_function(rare), scores, atol=1e-6)
    gaps = X.copy()
    gaps[3, 2] = np.nan
    assert np.isfinite(kind().fit(gaps, labels).decision_function(gaps)).all()


@pytest.mark.parametrize("nu", [0, 1, 1.5, "a"])
def test_nu(rng, labels, nu):
    with pytest.raises(DataError, match=r"nu="):
        CenteredOneClassSVM(nu).fit(expression(rng, labels), labels)


def fold_that_scores(ranker, X):
    """Which of the SVMs gave each row its score."""
    each = X @ ranker.coef_.T + ranker.intercept_ - ranker.offset_
    return np.argmin(np.abs(each - ranker.decision_function(X)[:, None]), axis=1)


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_cross_fit_svm_leaves_out_what_it_scores(rng, n_folds):
    X = rng.normal(size=(300, 6))
    y = np.arange(300) < 40
    X[y] += 0.7
    ranker = CrossFitSVM(C=0.1, n_folds=n_folds, random_state=1).fit(X, y)
    fold = fold_that_scores(ranker, X)
    assert np.ptp(np.bincount(fold[~y])) <= 1
    for number in range(n_folds):
        shown = y | (fold != number)
        peer = SVC(kernel="linear", C=0.1).fit(X[shown], y[shown])
        out = ~y & (fold == number)
        expected = peer.decision_function(X[out])
        found = ranker.decision_function(X[out]) + ranker.offset_
        assert_allclose(found, expected, atol=1e-6)


def test_cross_fit_svm_scores_what_it_saw_as_what_it_did_not(rng):
    """Noise in more dimensions than rows: an SVM that was shown a row knows it from a new one."""
    X, y = rng.normal(size=(400, 300)), np.arange(400) < 20
    seen = np.arange(400) < 200
    ranker = CrossFitSVM(random_state=0).fit(X[seen], y[seen])
    shown, new = ranker.decision_function(X[seen & ~y]), ranker.decision_function(X[~seen])
    assert ks_2samp(shown, new).pvalue > 1e-3
    told = SVC(kernel="linear").fit(X[seen], y[seen])
    found = (told.decision_function(X[part]) for part in (seen & ~y, ~seen))
    assert ks_2samp(*found).pvalue < 1e-6


def test_cross_fit_svm_in_every_source(make_source, rng, labels):
    X = np.round(expression(rng, labels), 6)  # JSON holds ten digits
    source = make_source(X)
    found = CrossFitSVM(random_state=0).fit(source, labels).decision_function(source)
    plain = CrossFitSVM(random_state=0).fit(X, labels).decision_function(X)
    assert_allclose(found, plain, atol=1e-6)


def test_cross_fit_svm_keeps_copies_together(rng, labels):
    X = expression(rng, labels)
    X[labels == 0] = np.repeat(X[labels == 0][:10], 4, axis=0)
    ranker = CrossFitSVM(n_folds=3, random_state=0).fit(X, labels)
    copies = ranker.decision_function(X[labels == 0]).reshape(10, 4)
    assert_allclose(np.ptp(copies, axis=1), 0.0, atol=1e-12)
    assert len(ranker.coef_) == 3
    X[labels == 0] = np.where(np.arange(40)[:, None] < 39, X[0], 7.0)
    assert len(CrossFitSVM(n_folds=3, random_state=0).fit(X, labels).coef_) == 2
    X[labels == 0] = 7.0
    with pytest.raises(DataError, match="equal"):
        CrossFitSVM(random_state=0).fit(X, labels)


@pytest.mark.parametrize("params", [{"C": 0}, {"n_folds": 1}, {"n_folds": 2.5}])
def test_cross_fit_svm_parameters(rng, labels, params):
    with pytest.raises(DataError, match=next(iter(params))):
        CrossFitSVM(**params).fit(expression(rng, labels), labels)


def test_one_class_svm_below_one_positive(rng, labels):
    """At ν ≤ 1/N1 no positive may lie on the wrong side: ν does not matter, and it is solved."""
    X = expression(rng, labels, n_features=20)
    coefs = [CenteredOneClassSVM(nu=nu).fit(X, labels).coef_ for nu in (0.05, 0.001, 1e-8)]
    for coef in coefs:
        unit = coef / np.linalg.norm(coef)
        assert_allclose(unit, coefs[0] / np.linalg.norm(coefs[0]), atol=1e-6)
    own = X[labels == 1] - X[labels == 0].mean(axis=0)
    _, w, _ = geurts2011.one_class_dual(own, 0.05)
    assert_allclose(unit, w / np.linalg.norm(w), atol=1e-4)


def test_correlation_far_from_zero_and_in_any_units(rng, labels):
    X = rng.normal(size=(60, 12))
    plain = CorrelationRanker().fit(X, labels).decision_function(X)
    units = 10.0 ** rng.integers(-9, 9, (60, 1))
    for odd in (X + 1e6, X * units, X * units + 1e4 * units):
        found = CorrelationRanker().fit(odd, labels).decision_function(odd)
        assert_allclose(found, plain, atol=1e-6)
