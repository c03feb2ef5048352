"""Whole numbers are counted for all columns together, and found as where each is read alone."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from onesided._blocks import Block
from onesided._statistics import ValueCounts, Vocabulary
from onesided._statistics._values import whole_numbers

ODD = {  # a matrix with such a number is not one of bytes
    "half": 0.5,
    "below zero": -1.0,
    "the byte of what is missing": 255.0,
    "beyond a byte": 256.0,
    "infinite": np.inf,
    "minus infinite": -np.inf,
}
IN_A_BYTE = {"zero below zero": -0.0, "largest": 254.0, "missing": np.nan}


def counted_one_by_one(X, positive):
    """For each column its values in order, with how many rows of either kind have them."""
    found = []
    for j in range(X.shape[1]):
        rows = [(X[i, j], positive[i]) for i in range(len(X)) if X[i, j] == X[i, j]]
        for value in sorted({value for value, _ in rows}):
            of_value = [label for other, label in rows if other == value]
            found.append((j, value, of_value.count(False), of_value.count(True)))
    return found


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("place", [0, -1], ids=["first row", "last row"])
@pytest.mark.parametrize("name", [*ODD, *IN_A_BYTE])
def test_values_are_counted_and_found(rng, kind, place, name):
    value = (ODD | IN_A_BYTE)[name]
    X = rng.integers(0, 5, (40, 3)).astype(kind)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[place, 1] = value
    positive = np.arange(40) % 3 == 0
    assert (whole_numbers(X) is None) == (name in ODD)
    counts = ValueCounts.of(Block(X, positive=positive))
    rows = zip(counts.feature, counts.value, *counts.counts.T, strict=True)
    assert [tuple(row) for row in rows] == counted_one_by_one(X, positive)
    assert (counts.value.dtype, counts.counts.dtype) == (np.float64, np.int64)

    vocabulary = Vocabulary.of(counts)
    new = np.where(rng.random(X.shape) < 0.3, 7.0, X).astype(kind)
    codes = vocabulary.coded(Block(new))
    for j, of_column in enumerate(codes):
        known = vocabulary.values(j).tolist()
        places = [known.index(each) if each in known else len(known) for each in new[:, j]]
        assert_array_equal(of_column, places)
    in_arrow = pa.RecordBatch.from_arrays([*map(pa.array, new.T.copy())], names=list("abc"))
    assert_array_equal(vocabulary.coded(Block(in_arrow)), codes)


def test_many_columns_are_counted_in_blocks(rng):
    """150 columns are more than are counted together; each has its own values."""
    X = (np.arange(150) + rng.integers(0, 3, (30, 150))).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, [70, 149]] = np.nan
    positive = np.arange(30) % 3 == 0
    counts = ValueCounts.of(Block(X, positive=positive))
    rows = zip(counts.feature, counts.value, *counts.counts.T, strict=True)
    assert [tuple(row) for row in rows] == counted_one_by_one(X, positive)
