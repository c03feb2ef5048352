"""The band of a mean over positives that were labeled unevenly, against all weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from onesided.exceptions import DataError
from onesided.metrics import label_bias_band, label_bias_tipping_point
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
