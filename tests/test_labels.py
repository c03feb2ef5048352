"""What y means (section 0 of the methods), and the two sampling stories."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from onesided._labels import (
    LabelValues,
    as_share,
    check_scenario,
    encode_labels,
    population_prior,
)
from onesided.exceptions import LabelError, LabelWarning, PriorError

NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1, 0, 0], [0, 1]),
        ([1, -1, -1], [-1, 1]),
        ([True, False, False], [False, True]),
        ([7.5, 2.5, 2.5], [2.5, 7.5]),
        ([1, NAN, NAN], [0, 1]),
        ([1.0, 0.0, NAN], [0, 1]),
        ([1, None, None], [0, 1]),
        ([True, None, False], [False, True]),
        (["yes", None, None], ["unlabeled", "yes"]),
        (pd.Series([1, pd.NA, 0], dtype="Int64"), [0, 1]),
        (pd.Series(["in", None, None], dtype="category"), ["unlabeled", "in"]),
        (pl.Series([1, None, 0]), [0, 1]),
        (pa.array([1, None, 0]), [0, 1]),
        (np.array([1, 0, 0], dtype=np.uint8), [0, 1]),
        (["yes", NAN, None], ["unlabeled", "yes"]),
        (["unlabeled", None, None], ["other", "unlabeled"]),
    ],
)
def test_larger_is_positive_and_missing_is_unlabeled(y, classes):
    positive, coding = encode_labels(y)
    assert_array_equal(positive, [True, False, False])
    assert coding.classes.tolist() == classes


def test_text_is_guessed_with_a_warning():
    with pytest.warns(LabelWarning, match="'unlabeled' was taken as positive and 'positive' as"):
        positive, _ = encode_labels(["positive", "unlabeled", "unlabeled"])
    assert_array_equal(positive, [False, True, True])


@pytest.mark.parametrize(
    ("y", "label"), [(["positive", "unlabeled"], "positive"), ([0, 1], 0), ([NAN, 0.0], 0)]
)
def test_positive_label_decides(y, label):
    positive, coding = encode_labels(y, positive_label=label)
    assert coding.positive == label
    assert positive.sum() == 1


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 2], r"y has 3 values: 0, 1, 2\. One must mean positive"),
        (list(range(9)), r"y has 9 values: 0, 1, 2, 3, 4, \.\.\."),
        ([0.1, 0.2, 0.3], "Unknown label type: continuous"),
        (["a", "b", "c"], "y has 3 values: a, b, c"),
        ([1, 1], "every row is positive and none unlabeled"),
        (["a", "a"], "every row is positive and none unlabeled"),
        ([0, 0], "one class only, 0, which means unlabeled"),
        ([-1, -1], "one class only, -1, which means unlabeled"),
        ([False, False], "one class only, False"),
        ([0, NAN], "no row is positive"),
        ([NAN, NAN], "All 2 labels in y are missing"),
        ([None, None], "All 2 labels in y are missing"),
        ([1, "a"], "y mixes values of different types|y has one class|mixes text"),
        ([1.0, np.inf], "Input y contains infinity"),
        ([2**70, 0], "y mixes values|y has|object"),
        ([], "y is empty"),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), r"y holds datetime64\[D\] values"),
        ([[1], [0], [1, 2]], "inhomogeneous|y holds|1d array"),
    ],
)
def test_what_cannot_be_read(y, message):
    if message.startswith("y mixes"):
        y = np.array(y, dtype=object)
    with pytest.raises(ValueError, match=message):
        encode_labels(y)


def test_the_two_labels_always_differ():
    positive, coding = encode_labels([0, None, None], positive_label=0)
    assert_array_equal(positive, [True, False, False])
    assert coding.classes.tolist() == [1, 0]


def test_unknown_positive_label():
    with pytest.raises(LabelError, match=r"positive_label='x' is not among the values of y: a, b"):
        encode_labels(["a", "b"], positive_label="x")


def test_a_value_that_no_block_announced():
    _, coding = encode_labels([0, 1])
    with pytest.raises(LabelError, match=r"y\[1\] is 2, which is neither 1 \(positive\) nor 0"):
        coding.encode([0, 2])


@given(st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=30), st.integers(0, 30))
def test_values_add_up_over_blocks(y, cut):
    blocks = [block for block in (y[:cut], y[cut:]) if block]
    values = [LabelValues.of(np.array(block, dtype=object)) for block in blocks]
    total = LabelValues()
    for value in values:
        total = total + value
    assert total == LabelValues.of(np.array(y, dtype=object))
    assert total + LabelValues() == total


def test_scenarios():
    assert check_scenario("case-control") == "case-control"
    with pytest.raises(LabelError, match="'censoring' is neither 'single-training-set'"):
        check_scenario("censoring")


@pytest.mark.parametrize("frequency", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.8])
def test_population_prior_by_counting(frequency, share):
    """Of 10,000 rows a share is positive, of those a share is labeled and leaves."""
    positives = 10_000 * share
    left = positives * (1 - frequency)
    counted = left / (10_000 - positives * frequency)
    assert_allclose(population_prior(counted, frequency, scenario="single-training-set"), share)
    assert population_prior(share, frequency, scenario="case-control") == share


def test_scenario_is_required():
    with pytest.raises(TypeError, match="scenario"):
        population_prior(0.3, 0.5)


@pytest.mark.parametrize("value", [0, 1, -0.5, 1.2, NAN, "a", None, True])
def test_shares(value):
    with pytest.raises(PriorError, match=r"class_prior=.* is not between 0 and 1"):
        as_share(value, "class_prior")
    assert as_share(1, "label_frequency", closed_right=True) == 1


@pytest.mark.parametrize("form", [list, np.array, pd.Series, pa.array, pl.Series])
@pytest.mark.parametrize("low", ["0.0", "-1", "2.50", None])
def test_decimals_are_numbers(form, low):
    """As in tables, and in files with such a column."""
    cells = [Decimal("7.5"), low and Decimal(low), low and Decimal(low)]
    positive, coding = encode_labels(form(cells))
    assert positive.tolist() == [True, False, False]
    assert_array_equal(coding.classes, [float(low or 0), 7.5])
    with pytest.raises(LabelError, match=r"3 values: 0.25, 0.5, 7.5"):
        encode_labels(form([*cells[:1], Decimal("0.5"), Decimal("0.25")]))
