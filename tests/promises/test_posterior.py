"""Scores as posteriors."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from onesided.exceptions import (
    CalibrationWarning,
    DataError,
    LabelError,
    OnesidedWarning,
    PriorError,
)
from onesided.promises import calibrate_posterior
from oracles import promises as oracle


class Between:
    """A class prior with an interval."""

    interval = (0.1, 0.4)

    def __float__(self):
        return 0.25


@pytest.mark.parametrize("prior", [0.1, 0.3, 0.7])
def test_against_loops(rng, prior):
    """g by the max-min formula; g / f, and what is left of it for an unlabeled row."""
    known, rest = rng.integers(2, 9, 20), rng.integers(0, 8, 50)
    g = oracle.isotonic([*known, *rest], [1] * 20 + [0] * 50)
    frequency = 20 / (20 + prior * 50)
    asked = np.array(sorted(g))
    one, apart = (
        calibrate_posterior(known, rest, class_prior=prior, scenario=scenario)
        for scenario in ("single-training-set", "case-control")
    )
    of_any = [min(1, g[at] / frequency) for at in asked]
    of_unlabeled = [
        min(1, (of_any[i] - g[at]) / (1 - g[at])) if g[at] < 1 else 1 for i, at in enumerate(asked)
    ]  # P(positive, not labeled | x) / P(not labeled | x)
    assert_allclose(one.label_frequency, frequency)
    assert_allclose(one.given_x(asked), of_any)
    assert_allclose(one.given_unlabeled(asked), of_unlabeled)
    assert_allclose(apart.given_unlabeled(asked), of_unlabeled)
    assert_allclose(apart.given_x(asked), of_unlabeled)
    assert_allclose(one.expected_positives(rest), one.given_unlabeled(rest).sum())


def test_sum_is_the_number_of_positives(rng):
    """Exactly, where no posterior is cut off at 1."""
    known, rest = rng.normal(0.3, 1, 300), rng.normal(size=1000)
    known[known > rest.max()] = 0
    found = calibrate_posterior(known, rest, class_prior=0.02, scenario="case-control")
    assert found.given_unlabeled(rest).max() < 1
    assert_allclose(found.expected_positives(rest), 20)


@pytest.mark.filterwarnings("ignore:`class_prior` 0.4 is above")
def test_prior_with_an_interval(rng):
    known, rest = rng.normal(1, 1, 100), rng.normal(size=400)
    found = calibrate_posterior(known, rest, class_prior=Between(), scenario="case-control")
    count = found.expected_positives(rest)
    ends = [
        calibrate_posterior(
            known, rest, class_prior=prior, scenario="case-control"
        ).expected_positives(rest)
        for prior in (0.1, 0.25, 0.4)
    ]
    assert (count.interval[0], count, count.interval[1]) == tuple(ends)
    again = pickle.loads(pickle.dumps(count))
    assert again == count
    assert again.interval == count.interval
    known_prior = calibrate_posterior(known, rest, class_prior=0.2, scenario="case-control")
    low, high = known_prior.expected_positives(rest).interval
    assert low == high


def test_rows_that_only_the_labeled_reach():
    """Twenty of thirty positives score above all others, and nothing there is due to them."""
    with pytest.warns(OnesidedWarning, match=r"add up to 2, where `class_prior` 0.2 requires 6"):
        found = calibrate_posterior(
            [3.0] * 20 + [1.0] * 10,
            [1.0] * 20 + [0.0] * 10,
            class_prior=0.2,
            scenario="single-training-set",
        )
    assert found.given_unlabeled([3.0, 9.0]).tolist() == [1, 1]
    assert found.given_x([-5.0]).tolist() == [0]


def said_by(known, rest, prior):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calibrate_posterior(known, rest, class_prior=prior, scenario="case-control")
    assert all(each.filename == __file__ for each in caught)
    return [(each.category, str(each.message)) for each in caught]


def test_a_prior_above_what_scores_allow_is_said(rng):
    known, rest = rng.normal(3, 1, 200), rng.normal(size=1000)
    rest[:100] += 3
    assert said_by(known, rest, 0.1) == []
    ((category, text),) = said_by(known, rest, 0.3)
    assert category is OnesidedWarning
    assert text.startswith("`class_prior` 0.3 is above 0.1")
    assert text.endswith("The probabilities are too high in that case.")
    assert said_by(known, rest, Between()) == []  # which begins at .1


def test_few_positives_are_said(rng):
    known, rest = rng.normal(size=10), rng.normal(size=100)
    assert said_by(known, rest, 0.1) == []
    ((category, text),) = said_by(known[:3], rest, 0.1)
    assert category is CalibrationWarning
    assert text.startswith("There are only 3 labeled positives.")


def test_what_cannot_be_calibrated():
    with pytest.raises(TypeError, match="scenario"):
        calibrate_posterior([1.0], [0.0], class_prior=0.5)
    with pytest.raises(LabelError, match="scenario="):
        calibrate_posterior([1.0], [0.0], class_prior=0.5, scenario="both")
    with pytest.raises(PriorError, match="class_prior="):
        calibrate_posterior([1.0], [0.0], class_prior=1.0, scenario="case-control")
    with pytest.raises(PriorError, match=r"class_prior='0\.2'"):
        calibrate_posterior([1.0], [0.0], class_prior="0.2", scenario="case-control")
    for odd, message in (
        ([np.inf, 1.0], "1 of 2 scores are infinite"),
        ([[1.0]], "shape"),
        ([np.nan], "NaN"),
        ([], "no positive scores"),
    ):
        with pytest.raises(DataError, match=message):
            calibrate_posterior(odd, [0.0], class_prior=0.5, scenario="case-control")
