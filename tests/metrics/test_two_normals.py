"""Intervals by two normal distributions: their errors against samples, and what rows decide."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from onesided.datasets import make_gaussians
from onesided.metrics import bedroc_score, pu_average_precision, pu_roc_auc
from onesided.metrics._two_normals import _DISTANCES, _by_distance

METRICS = [pu_roc_auc, pu_average_precision, bedroc_score]
SCENARIOS = ["single-training-set", "case-control"]
PRIOR, N_POSITIVE, N_ROWS = 0.1, 50, 900
pytestmark = pytest.mark.filterwarnings("ignore:The .* comes out at")


def samples(metric, scenario, distance, n_samples):
    """The metric of samples of about 50 positives and 850 unlabeled rows."""
    model = make_gaussians(distance, n_features=1, class_prior=PRIOR)
    n_unlabeled = N_ROWS - N_POSITIVE
    frequency = N_POSITIVE / (N_POSITIVE + PRIOR * n_unlabeled)
    for seed in range(n_samples):
        if scenario == "case-control":
            drawn = model.sample(N_POSITIVE, n_unlabeled, random_state=seed)
        else:
            drawn = model.sample_censored(N_ROWS, frequency, random_state=seed)
        yield metric(drawn.y, drawn.X[:, 0], class_prior=PRIOR, scenario=scenario)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("distance", [1.0, 3.0])
@pytest.mark.parametrize("metric", METRICS)
def test_mean_and_error_are_those_of_samples(metric, distance, scenario):
    found = [each.estimates[0] for each in samples(metric, scenario, distance, 400)]
    law = replace(found[0].law, n_positive=N_POSITIVE, n_unlabeled=N_ROWS - N_POSITIVE)
    if law.labeled:
        law = replace(law, labeled=N_POSITIVE / N_ROWS)
    figures, values, variances = _by_distance(law)
    (at,) = np.flatnonzero(np.isclose(_DISTANCES[:, 0], distance))
    estimates = np.array([each.value for each in found])
    error = estimates.std() / 20
    assert_allclose(estimates.mean(), values[at], atol=3 * error)
    assert_allclose(estimates.std(), variances[at] ** 0.5, rtol=0.15)  # four errors
    assert_allclose(figures[at], values[at], atol=0.03 if metric is pu_average_precision else 0)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("metric", METRICS)
def test_many_rows_decide_alone(metric, scenario, rng):
    """Positives of two kinds, which no normal distribution describes."""
    n = 20_000
    known, hidden = (np.where(rng.random(n) < 0.3, 4.0, 0.5) + rng.normal(size=n) for _ in "kh")
    scores = np.concatenate([known, hidden, rng.normal(size=3 * n)])
    y = np.repeat([1, 0], [n, 4 * n])
    found = metric(y, scores, class_prior=0.25, scenario=scenario)
    reach = norm.ppf(0.975) * found.estimates[0].error
    assert_allclose(found.interval(), (found - reach, found + reach), atol=0.07 * reach)


def test_few_positives_at_the_top_leave_room_below():
    y, scores = np.repeat([1, 0], [10, 1000]), np.arange(1010)[::-1]
    found = pu_roc_auc(y, scores, class_prior=0.001, scenario="case-control")
    low, high = found.interval()
    assert found.estimates[0].error < 1e-12
    assert low < 0.95
    assert high == 1


def test_intervals_do_not_end_where_values_do():
    """With a prior that is far too high the error is as nested as elsewhere; only 1 is possible."""
    y, scores = np.repeat([1, 0], [300, 300]), np.arange(600)[::-1]
    found = pu_roc_auc(y, scores, class_prior=0.5, scenario="case-control")
    (estimate,) = found.estimates
    ends = [estimate.interval(confidence) for confidence in (0.5, 0.95, 0.999)]
    assert found == 1.5
    assert 1 < ends[2][0] < ends[1][0] < ends[0][0] < found < ends[0][1] < ends[1][1] < ends[2][1]
    assert found.interval() == (1, 1)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("metric", METRICS)
def test_the_interval_moves_with_the_estimate(metric, scenario):
    (found,) = samples(metric, scenario, 1.5, 1)
    law = found.estimates[0].law
    figures, values, variances = _by_distance(law)
    ends = np.array(
        [law.interval(*each, 0.95) for each in zip(values, variances**0.5, strict=True)]
    )
    assert (np.diff(ends, axis=0) > -1e-9).all()
    assert (ends[:, 0] < figures).all()
    assert (figures < ends[:, 1]).all()
