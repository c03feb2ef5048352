"""Errors of corrected figures where the number of labeled rows is random too."""

import math
import warnings
from functools import partial
from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from onesided.exceptions import CalibrationWarning, OnesidedWarning
from onesided.metrics import (
    LeeLiuScore,
    bedroc_score,
    enrichment_factor,
    pu_average_precision,
    pu_recall_at_k,
    pu_roc_auc,
)
from onesided.metrics._corrected import OfRows
from onesided.metrics._resampled import ResampledPValue
from oracles import corrected


@pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning")
@pytest.mark.parametrize(("alpha", "prior"), [(10.0, 0.3), (5.0, 0.5)])
def test_half_of_the_rows_labeled(rng, alpha, prior):
    """In a single training set the share of labeled rows weighs as much as the scores."""
    known, rest = rng.normal(size=60) + 2, rng.normal(size=60)
    y, scores = np.repeat([1, 0], 60), np.append(known, rest)
    found = bedroc_score(
        y, scores, class_prior=prior, alpha=alpha, scenario="single-training-set"
    ).estimates[0]
    figure = partial(corrected.weighed_bedroc, prior=prior, alpha=alpha, single=True)
    expected = corrected.standard_error(figure, known.tolist(), rest.tolist())
    assert_allclose(found.error, expected, rtol=0.03)


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_average_precision_of_scores_that_tie(rng, scenario):
    """A row is above those that it ties with."""
    known, rest = np.rint(rng.normal(size=80) + 1), np.rint(rng.normal(size=100))
    y, scores = np.repeat([1, 0], [80, 100]), np.append(known, rest)
    found = pu_average_precision(y, scores, class_prior=0.1, scenario=scenario).estimates[0]
    single = scenario == "single-training-set"
    figure = partial(corrected.average_precision, prior=0.1, single=single)
    expected = corrected.standard_error(figure, known.tolist(), rest.tolist())
    assert_allclose(found.error, expected, rtol=0.03)


def test_the_share_of_labeled_rows_adds_to_the_error():
    """To that of the two means."""
    positives, unlabeled = np.array([1.0, 2, 3]), np.array([5.0, 9.0])
    for of_labeled in (0.0, 2.0):
        found = OfRows.of(0.7, positives, unlabeled, None, of_labeled)
        assert_allclose([found.value, found.error], [0.7, (1 / 3 + 4 + of_labeled) ** 0.5])
    assert np.isnan(OfRows.of(0.7, np.ones(1), np.ones(4), None).interval(0.9)).all()


@pytest.mark.parametrize("metric", [pu_roc_auc, pu_average_precision, bedroc_score])
def test_few_positives_are_said(metric):
    for n_positive in (2, 9, 10):
        y, scores = np.arange(60) < n_positive, np.sin(np.arange(60))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metric(y, scores, class_prior=0.1, scenario="case-control")
        said = [each for each in caught if each.category is CalibrationWarning]
        assert len(said) == (n_positive < 10)
        for each in said:
            assert f"only {n_positive} labeled positives. With fewer than 10" in str(each.message)
            assert each.filename == __file__


@pytest.mark.filterwarnings("ignore:There are only")
@pytest.mark.parametrize(
    ("scores", "where"), [([1, 0, 2, 3], "below 0"), ([3, 2, 1, 0], "above 1")]
)
def test_on_which_side_a_figure_is_out(scores, where):
    with pytest.warns(OnesidedWarning, match=where):
        pu_roc_auc([1, 1, 0, 0], scores, class_prior=0.5)


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
@pytest.mark.parametrize("shift", [0.0, 1.0, 9.0])
def test_interval_of_the_top(rng, fraction, scenario, shift):
    known, rest = (rng.normal(size=25) + shift).round(1), rng.normal(size=40).round(1)
    y, scores = np.repeat([1, 0], [25, 40]), np.append(known, rest)
    found = enrichment_factor(y, scores, fraction=fraction, scenario=scenario)
    value, low, high = corrected.top_interval(
        known.tolist(), rest.tolist(), fraction, 0.9, single=scenario == "single-training-set"
    )
    assert_allclose(float(found) * fraction, value)
    assert_allclose(np.array(found.interval(0.9)) * fraction, np.clip([low, high], 0, 1))


def test_interval_of_recall_at_k(rng):
    known, rest = rng.normal(size=25) + 1, rng.normal(size=40)
    y, scores = np.repeat([1, 0], [25, 40]), np.append(known, rest)
    value, low, high = corrected.top_interval(
        known.tolist(), rest.tolist(), 7 / 41, 0.95, single=False
    )
    found = pu_recall_at_k(y, scores, k=7)
    assert_allclose(float(found), value)
    assert_allclose(found.interval(), np.clip([low, high], 0, 1))


def test_upper_end_of_a_criterion_that_is_zero():
    """Of no positive in 40 as of half of one in 41: r² / q, times e to 1.96 errors of its log."""
    r, z = 0.5 / 41, NormalDist().inv_cdf(0.975)
    together = (40 * r + 30) / 140
    cases = {
        "case-control": (0.3, 4 * (1 - r) / (40 * r) + 0.7 / (100 * 0.3)),
        "single-training-set": (
            together,
            4 * (1 - r) / (40 * r) + (1 - together - 4 * (1 - r)) / (140 * together),
        ),
    }
    for scenario, (q, variance) in cases.items():
        score = LeeLiuScore(0, 40, 30, 100, scenario=scenario)
        assert_allclose(score.interval(), [0.0, r**2 / q * math.exp(z * math.sqrt(variance))])


class TestResampled:
    def test_plus_one(self):
        null = np.array([1.0, 2, 3, 4])
        found = ResampledPValue.of(3.0, null)
        assert (float(found), found.n_as_high, found.exact) == (3 / 5, 2, False)
        found = ResampledPValue.of(3.0, null, exact=True)
        assert (float(found), found.n_as_high, found.exact) == (2 / 4, 2, True)
        assert found.statistic == 3.0
        assert float(ResampledPValue.of(9.0, null)) == 1 / 5

    def test_what_is_nearly_as_high_counts(self):
        null = np.array([1.0, 2, 3 * (1 - 1e-9), 3 * (1 - 1e-7)])
        assert ResampledPValue.of(3.0, null).n_as_high == 0
        assert ResampledPValue.of(3.0, null, slack=1e-8).n_as_high == 1
        assert ResampledPValue.of(3.0, null, slack=1e-6).n_as_high == 2
        assert math.isclose(ResampledPValue.of(3.0, null, slack=1e-8), 2 / 5)
