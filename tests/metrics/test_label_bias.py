"""The band of a mean over positives that were labeled unevenly, against all weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from onesided.exceptions import DataError
from onesided.metrics import (
    label_bias_band,
    label_bias_tipping_point,
    lee_liu_regret,
    lee_liu_score,
)
from oracles import label_bias


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.floats(1, 50))
def test_band_by_enumeration(values, ratio):
    assert_allclose(
        label_bias_band(values, ratio=ratio), label_bias.band(values, ratio), rtol=1e-9, atol=1e-9
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_tipping_point_is_where_the_band_reaches_chance(values):
    found = label_bias_tipping_point(values)
    if np.mean(values) <= 0.5:
        assert found == 1
    elif min(values) >= 0.5:
        assert found == np.inf
        assert label_bias_band(values, ratio=1e6)[0] >= 0.5
    elif found < 1e6:
        assert label_bias_band(values, ratio=found)[0] == pytest.approx(0.5, abs=1e-9)


def test_even_labels_leave_nothing_open(rng):
    values = rng.random(20)
    assert_allclose(label_bias_band(values, ratio=1), [values.mean()] * 2)


def test_holds_the_mean_of_all_positives_where_labels_are_uneven(rng):
    """Easy positives are labeled three times as often; their own mean is far off."""
    values = rng.random(20_000)
    labeled = rng.random(20_000) < np.where(values > 0.5, 0.6, 0.2)
    low, high = label_bias_band(values[labeled], ratio=3)
    assert low < values.mean() < high
    assert abs(low - values.mean()) < 0.01  # the worst case is this one
    assert values[labeled].mean() > values.mean() + 0.1


@pytest.mark.parametrize(
    ("values", "ratio", "message"),
    [
        ([], 2, "values has 0 numbers"),
        ([0.5, float("nan")], 2, "values has 2 numbers, 1 of them finite"),
        ([0.5], 0.5, "ratio=0.5 is not a number of at least 1 and below"),
    ],
)
def test_what_cannot_be_used(values, ratio, message):
    with pytest.raises(DataError, match=message):
        label_bias_band(values, ratio=ratio)


@settings(deadline=None, max_examples=50)
@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=2, max_size=3)
    ),
    st.floats(1, 20),
)
def test_regret_by_enumeration(found, ratio):
    predicted = [sum(values) + 3.0 + number for number, values in enumerate(found)]
    expected = label_bias.lee_liu_regret(found, predicted, 1, ratio)
    regret = lee_liu_regret(found, predicted, chosen=1, ratio=ratio)
    assert_allclose(regret, expected, rtol=1e-9)
    assert_allclose(regret[1], 1.0)


def test_regret_with_even_labels_is_that_of_the_criterion(rng):
    y = np.arange(60) < 20
    called = rng.random((3, 60)) < 0.5
    scores = [float(lee_liu_score(y, each, scenario="single-training-set")) for each in called]
    regret = lee_liu_regret(called[:, y], called.mean(axis=1), chosen=2, ratio=1)
    assert_allclose(regret, np.array(scores) / scores[2])


def test_regret_holds_the_truth_where_labels_are_uneven(rng):
    """The candidate that finds the positives that are rarely labeled looks worse, and is better."""
    easy = np.arange(20_000) < 8_000
    found = np.stack([easy, ~easy])
    labeled = rng.random(20_000) < np.where(easy, 0.6, 0.2)
    even, uneven = (
        lee_liu_regret(found[:, labeled], [1.0, 1.0], chosen=0, ratio=ratio)[1] for ratio in (1, 3)
    )
    truth = (found[1].mean() / found[0].mean()) ** 2
    assert even < 0.5
    assert even < truth < uneven * 1.05
    assert abs(uneven / truth - 1) < 0.1  # the worst case is this one


@pytest.mark.parametrize(
    ("predicted", "ratio", "message"),
    [
        ([1, 0], 2, r"shape \(2, 3\), and predicted has 2 numbers, 1 of them above 0"),
        ([1], 2, "predicted has 1 number,"),
        ([1, 1], 0.5, "ratio=0.5"),
    ],
)
def test_regret_of_what_does_not_fit(predicted, ratio, message):
    with pytest.raises(DataError, match=message):
        lee_liu_regret(np.ones((2, 3)), predicted, chosen=0, ratio=ratio)


@pytest.mark.parametrize("chosen", [-1, 2, 3, 1.0, "first", None, True])
def test_regret_of_no_candidate(chosen):
    with pytest.raises(DataError, match=r"chosen=.* Pass the number of a candidate, from 0 to 1"):
        lee_liu_regret(np.ones((2, 3)), [1.0, 1.0], chosen=chosen, ratio=2)
    with pytest.raises(DataError, match="predicted has 0 numbers"):
        lee_liu_regret(np.ones((0, 3)), [], chosen=0, ratio=2)
