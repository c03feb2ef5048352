"""Rows of two normal distributions whose posterior is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.metrics import roc_auc_score

from onesided.datasets import make_gaussians
from onesided.exceptions import DataError, PriorError


@pytest.mark.parametrize("overlap", [0.0, 0.3])
@pytest.mark.parametrize("prior", [None, 0.6])
def test_posterior_by_densities(rng, prior, overlap):
    model = make_gaussians(1.5, n_features=3, class_prior=0.2, overlap=overlap)
    rows = rng.normal(size=(50, 3))
    mean = np.full(3, 0.75 / np.sqrt(3))
    positive, rest = (multivariate_normal(sign * mean).pdf(rows) for sign in (1, -1))
    negative = overlap * positive + (1 - overlap) * rest
    share = prior or 0.2
    expected = share * positive / (share * positive + (1 - share) * negative)
    assert_allclose(model.posterior(rows, prior), expected)


@pytest.mark.parametrize("overlap", [0.0, 0.3])
def test_samples_follow_the_model(overlap):
    """Errors of the shares and areas are .003 or less."""
    model = make_gaussians(1.5, n_features=4, class_prior=0.2, overlap=overlap)
    apart = model.sample(30_000, 60_000, random_state=0)
    one = model.sample_censored(90_000, label_frequency=0.6, random_state=0)
    assert apart.y.sum() == 30_000
    assert_allclose(one.label_frequency, 0.6, atol=0.015)
    for drawn in (apart, one):
        assert (drawn.y_true >= drawn.y).all()
        assert_allclose(drawn.class_prior, 0.2, atol=0.01)
        posterior = model.posterior(drawn.X)
        assert_allclose(roc_auc_score(drawn.y_true, posterior), model.auc, atol=0.01)
        unlabeled = drawn.y == 0
        for low in (0.0, 0.2, 0.4):  # calibrated
            near = unlabeled & (posterior >= low) & (posterior < low + 0.2)
            if near.sum() > 3000:
                assert_allclose(posterior[near].mean(), drawn.y_true[near].mean(), atol=0.03)


def test_largest_prior_is_the_least_ratio_of_densities():
    model = make_gaussians(2.0, n_features=1, class_prior=0.2, overlap=0.25)
    ratio = 0.2 / model.posterior(np.linspace(-9, 9, 999)[:, None])  # unlabeled over positives
    assert_allclose(ratio.min(), model.largest_prior, rtol=1e-6)
    assert make_gaussians(class_prior=0.2).largest_prior == 0.2


def test_seeds():
    model = make_gaussians()
    one, again, other = (model.sample(5, 20, random_state=seed) for seed in (0, 0, 1))
    assert_array_equal(one.X, again.X)
    assert_array_equal(one.y, again.y)
    assert not np.array_equal(one.X, other.X)


def test_what_cannot_be_made():
    for given, message in (
        ({"distance": 0}, "distance=0 is not a finite number above 0"),
        ({"n_features": 0}, "n_features=0 is not a whole number"),
        ({"overlap": 1}, "overlap=1 is not a number of at least 0 and below 1"),
    ):
        with pytest.raises(DataError, match=message):
            make_gaussians(**given)
    with pytest.raises(PriorError, match="class_prior=1 is not between"):
        make_gaussians(class_prior=1)
    model = make_gaussians()
    with pytest.raises(DataError, match="n_positive=0 is not"):
        model.sample(0, 5)
    with pytest.raises(PriorError, match="label_frequency=1 is not"):
        model.sample_censored(5, 1)
    with pytest.raises(DataError, match=r"0 of 2 rows were drawn as labeled."):
        model.sample_censored(2, 1e-9)
    with pytest.raises(DataError, match=r"X has shape \(3,\)"):
        model.posterior([1.0, 2.0, 3.0])
