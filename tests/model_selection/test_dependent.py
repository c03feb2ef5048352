"""Duplicates and groups: counted as a slow count does, and said by all that rest on rows."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from onesided import SignificanceRanker
from onesided.exceptions import CalibrationWarning, DuplicateWarning
from onesided.model_selection._dependent import count_duplicates, row_keys
from onesided.prior import estimate_class_prior
from onesided.promises import conformal_test, hidden_positive_scores, scar_test

KINDS = {
    "array": np.asarray,
    "Fortran order": np.asfortranarray,
    "list": np.ndarray.tolist,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": lambda X: pa.table({f"{j}": X[:, j] for j in range(X.shape[1])}),
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_matrix,
    "unsorted CSR": lambda X: sparse.csr_array(X)[:, ::-1][:, ::-1],
}
OTHERS = {
    "text": lambda X: X.astype(int).astype(str),
    "objects": lambda X: X.astype(object),
    "booleans and text": lambda X: pd.DataFrame(X).astype({0: str, 1: "category"}),
    "decimals": lambda X: pa.table({f"{j}": [Decimal(x) for x in X[:, j]] for j in range(4)}),
    "gaps": lambda X: pd.DataFrame(X).astype("Int64").replace(0, pd.NA),
    "32 bits": lambda X: X.astype(np.float32),
    "one column of text": lambda X: ["".join(map(str, row.astype(int))) for row in X],
}


def slow_count(X, positive, groups):
    """Row by row: of a positive the first one of its group counts, if another group is earlier."""
    again = copies = 0
    for row in range(len(X)):
        equal = positive & (X[row] == X).all(axis=1)
        earlier = groups[:row][equal[:row]]
        if positive[row]:
            again += len(earlier) > 0 and groups[row] not in earlier
        else:
            copies += equal.any()
    return again, copies


@pytest.mark.parametrize("kind", KINDS | OTHERS)
def test_keys_are_the_same_for_equal_rows_only(kind, rng):
    X = rng.integers(-1, 3, (500, 4)) * 1.0
    _, expected = np.unique(X, axis=0, return_inverse=True)
    keys = row_keys((KINDS | OTHERS)[kind](X))
    _, found = np.unique(keys, return_inverse=True)
    assert len(np.unique(np.column_stack([expected, found]), axis=0)) == expected.max() + 1
    assert found.max() == expected.max()
    if kind in KINDS:
        assert_array_equal(keys, row_keys(X))


def test_keys_of_cells_that_differ_in_bits_alone():
    X = np.array([[0.0, np.nan], [-0.0, -np.nan], [1.0, np.inf], [np.inf, 1.0]])
    keys = row_keys(X)
    assert keys[0] == keys[1]
    assert len(np.unique(keys)) == 3
    assert row_keys(np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_keys_of_integers_that_float64_cannot_tell_apart(kind, dtype):
    large = [2**53 - 1, 2**53, 2**53 + 1, 2**60, 2**60 + 1, 2**63 - 2, 2**63 - 1]
    like_float = np.array([1.0]).view(np.int64)[0]  # its bits are those of 1.0
    numbers = [*large, *([] if dtype == np.uint64 else [-each for each in large]), like_float, 1]
    X = np.array([[each, 7] for each in numbers + numbers[:3]], dtype=dtype)
    keys = row_keys(kind(X))
    assert len(np.unique(keys)) == len(numbers)
    assert_array_equal(keys[-3:], keys[:3])


@pytest.mark.parametrize("frame", [pl.DataFrame, pa.table])
def test_keys_of_large_integers_beside_missing_ones(frame):
    keys = row_keys(frame({"a": [2**53, 2**53 + 1, None, 2**53, None]}))
    assert len(np.unique(keys)) == 3
    assert_array_equal(keys[3:], keys[[0, 2]])


def test_keys_do_not_depend_on_how_many_rows_are_read_at_a_time(rng, monkeypatch):
    X = rng.normal(size=(50, 3))
    keys = row_keys(X)
    monkeypatch.setattr("onesided._numerics._hashing._CELLS", 7)
    assert_array_equal(row_keys(X), keys)


@pytest.mark.parametrize("n_groups", [1, 3, 200])
def test_duplicates_are_those_of_a_slow_count(n_groups, rng):
    X, positive = rng.integers(0, 3, (120, 3)), rng.random(120) < 0.4
    groups = rng.integers(0, n_groups, 120) if n_groups < 200 else np.arange(120)
    found = count_duplicates(row_keys(X), positive, groups)
    assert found == slow_count(X, positive, groups)
    if n_groups == 200:
        assert found == count_duplicates(row_keys(X), positive)


SCORER = LogisticRegression()
RESTING_ON_ROWS = {
    "hidden_positive_scores": lambda X, y, **groups: hidden_positive_scores(SCORER, X, y, **groups),
    "conformal_test": lambda X, y, **groups: conformal_test(SCORER, X, y, **groups),
    "scar_test": lambda X, y, **groups: scar_test(
        X, y, class_prior=0.1, estimator=SCORER, **groups
    ),
    "estimate_class_prior": lambda X, y, **groups: estimate_class_prior(
        X, y, scenario="case-control", estimator=SCORER, n_subsamples=2, **groups
    ),
    "SignificanceRanker": lambda X, y: (
        SignificanceRanker(n_subsets=20, random_state=0).fit(X, y).adjusted_p_value(19)
    ),
}


def rows(rng):
    return rng.normal(size=(100, 2)) + 2.0 * (np.arange(100) < 40)[:, None], np.repeat(
        [1, 0], [30, 70]
    )


def said_by(call, *given, **keywords):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*given, **keywords)
    return caught


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
@pytest.mark.parametrize("name", RESTING_ON_ROWS)
def test_duplicates_are_said_once(name, kind, rng):
    X, y = rows(rng)
    assert said_by(RESTING_ON_ROWS[name], kind(X), y) == []
    X[25:30], X[-3:] = X[0], X[1]
    (found,) = said_by(RESTING_ON_ROWS[name], kind(X), y)
    assert found.category is DuplicateWarning
    assert str(found.message).startswith(
        "5 of 30 positive rows equal an earlier positive row and 3 of 70 unlabeled rows equal a "
        "positive row in all columns. If equal rows describe the same object, keep one"
    )
    assert found.filename == __file__


@pytest.mark.parametrize("name", [name for name in RESTING_ON_ROWS if name != "SignificanceRanker"])
def test_groups_are_said_once(name, rng):
    X, y = rows(rng)
    X[:5] = X[0]  # of one group, which is held out as a whole
    (found,) = said_by(RESTING_ON_ROWS[name], X, y, groups=np.arange(100) // 5)
    assert found.category is CalibrationWarning
    assert "Rows of one group or spatial block are similar" in str(found.message)
    assert found.filename == __file__
