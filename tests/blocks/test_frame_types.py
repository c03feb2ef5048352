"""Learners read each type of column that pandas and polars offer, or refuse it in words."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from onesided import PositiveNaiveBayes, WeightedLogisticRegression
from onesided._blocks import FrameSource
from onesided._files._whole import read_table
from onesided.exceptions import DataError
from onesided.tables._table_file import table_file

Y = np.arange(40) < 12
CODES = np.where(Y, 0, 1) * (np.arange(40) % 3)
CUTS = pd.cut(CODES + 0.5, [0, 1, 2, 3])
_DAYS = pd.date_range("2020-01-01", periods=3)
CATEGORIES = {
    "CategoricalDtype": pd.Categorical.from_codes(CODES, list("abc")),
    "IntervalDtype": pd.array(CUTS.to_numpy()),
    "PeriodDtype": _DAYS.to_period("D").take(CODES),
    "DatetimeTZDtype": _DAYS.tz_localize("Asia/Tokyo").take(CODES),
    "StringDtype": pd.array(np.array(list("abc"))[CODES], dtype="string"),
    "ArrowDtype": pd.array(np.array(list("abc"))[CODES], dtype="string[pyarrow]"),
    "BooleanDtype": pd.array(CODES > 0, dtype="boolean"),
    "SparseDtype": pd.arrays.SparseArray(CODES, fill_value=0),
    **{
        f"{kind}{bits}Dtype": pd.array(CODES, dtype=f"{kind}{bits}")
        for kind, sizes in (
            ("Int", (8, 16, 32, 64)),
            ("UInt", (8, 16, 32, 64)),
            ("Float", (32, 64)),
        )
        for bits in sizes
    },
}
"""Columns of three values, or of two, by the class of their type."""
MORE = {
    "categories of intervals": CUTS,
    "categories of periods": pd.Categorical(CATEGORIES["PeriodDtype"]),
    "datetime64": _DAYS.take(CODES),
    "timedelta64": pd.to_timedelta(CODES, unit="h"),
    "sparse with ones": pd.arrays.SparseArray(CODES, fill_value=1),
    "sparse floats": pd.arrays.SparseArray(CODES.astype(float)),
    "dates": pd.Series([dt.date(2020, 1, 1 + code) for code in CODES]),
    "decimals": pd.Series([decimal.Decimal(int(code)) for code in CODES]),
}
NULLABLE = {"IntervalDtype": "interval[float64]", "SparseDtype": pd.SparseDtype(float, 0)}
NULLABLE["sparse with ones"] = pd.SparseDtype(float, 1)
"""Types of those that have no gaps themselves."""


def model():
    return PositiveNaiveBayes(class_prior=0.2)


def test_all_types_of_pandas_are_here():
    assert set(CATEGORIES) >= {name for name in dir(pd) if name.endswith("Dtype")}


@pytest.mark.parametrize("name", [*CATEGORIES, *MORE])
def test_a_type_of_pandas_is_categories(name):
    column = pd.Series((CATEGORIES | MORE)[name])
    frame = pd.DataFrame({"kind": column, "other": np.arange(40) % 2})
    codes = pd.factorize(column)[0]
    wanted = model().fit(np.column_stack([codes, np.arange(40) % 2]), Y)
    found = model().fit(frame, Y)
    expected = wanted.decision_function(np.column_stack([codes, np.arange(40) % 2]))
    assert_allclose(found.decision_function(frame), expected)
    frame["kind"] = (
        column.astype(object).where(np.arange(40) != 3).astype(NULLABLE.get(name, column.dtype))
    )
    assert np.isfinite(model().fit(frame, Y).decision_function(frame)).all()
    with pytest.raises(DataError, match=r"missing value|takes numbers"):
        WeightedLogisticRegression().fit(frame, Y)


POLARS = [
    *([1, 2], [1.5, 2.5], ["a", "b"], [True, False], [b"a", b"b"], [None, None]),
    *([dt.date(2020, 1, 1), dt.date(2020, 1, 2)], [dt.time(1), dt.time(2)]),
    [dt.timedelta(1), dt.timedelta(2)],
    [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2)],  # noqa: DTZ001 - as people have
    *([[1], [2]], [{"a": 1}, {"a": 2}], [decimal.Decimal("1.5"), decimal.Decimal("2.5")]),
]
NUMBERS = (int, float, bool, decimal.Decimal)


@pytest.mark.parametrize("values", POLARS, ids=lambda values: type(values[0]).__name__)
def test_a_type_of_polars_is_read_or_refused(values):
    """As categories, unless a cell holds several values; as numbers, if it is one."""
    other = np.arange(40) // 2 % 2
    frame = pl.DataFrame({"kind": values * 20, "other": other})
    if isinstance(values[0], list | dict):
        with pytest.raises(DataError, match=r"Column 'kind' holds .*, which are not categories"):
            model().fit(frame, Y)
    else:
        codes = [np.nan] * 40 if values[0] is None else [0, 1] * 20
        coded = np.column_stack([codes, other])
        expected = model().fit(coded, Y).decision_function(coded)
        assert_allclose(model().fit(frame, Y).decision_function(frame), expected)
    learner = WeightedLogisticRegression()
    if isinstance(values[0], NUMBERS):
        numbers = np.column_stack([np.array(values * 20, dtype=float), other])
        expected = learner.fit(numbers, Y).decision_function(numbers)
        assert_allclose(learner.fit(frame, Y).decision_function(frame), expected)
    else:
        why = "missing value" if values[0] is None else "values; this learner takes numbers"
        with pytest.raises(DataError, match=f"Column 'kind' .*{why}"):
            learner.fit(frame, Y)


@pytest.mark.parametrize("learner", [model(), WeightedLogisticRegression()])
def test_objects_of_polars_are_no_cells(learner):
    """Their text is the address in memory, another one in each process."""
    frame = pl.DataFrame({"kind": [object() for _ in Y], "other": [1.0] * len(Y)})
    with pytest.raises(DataError, match=r"'kind' holds .* neither a number nor text nor a date"):
        learner.fit(frame, Y)


def test_moments_are_the_same_in_any_unit(tmp_path):
    """A day is one category in seconds, in nanoseconds and in a file."""
    days = pd.Series(_DAYS.take(CODES))
    frame = pd.DataFrame({"day": days, "other": np.arange(40) % 2})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    kept = [
        frame,
        *(frame.assign(day=days.astype(f"datetime64[{unit}]")) for unit in ("s", "ms", "us")),
        *(
            frame.assign(day=days.astype(f"{unit}[pyarrow]"))
            for unit in ("date32", "timestamp[ns]")
        ),
        pl.DataFrame(frame).with_columns(pl.col("day").cast(pl.Date)),
        pa.Table.from_pandas(frame),
        *(tmp_path / name for name in ("t.csv", "t.parquet")),
    ]
    wanted = model().fit(frame, Y).decision_function(frame)
    for one in kept:
        for other in kept:
            assert_allclose(model().fit(one, Y).decision_function(other), wanted)


@pytest.mark.parametrize(
    "name", ["categories of intervals", "categories of periods", "sparse floats"]
)
def test_a_table_has_the_same_categories(name):
    column = pd.Series(MORE[name])
    with table_file(pd.DataFrame({"kind": column})) as path:
        found = read_table(path).column("kind").to_pylist()
    assert list(map(str, found)) == list(map(str, column))


def test_rows_of_a_frame_keep_their_weights():
    """As those of an array do, also with fewer columns and with labels that are a column."""
    frame = pd.DataFrame({"a": CODES, "b": -CODES, "y": Y})
    weight = np.arange(40.0) + 1
    features = FrameSource(frame[["a", "b"]])
    sources = [
        features.labeled(Y, weight),
        features.labeled(Y, weight).select(["b"]),
        FrameSource(frame).labeled_by("y", weight, None)[0],
    ]
    for source in sources:
        assert_allclose(np.concatenate([each.weight for each in source.blocks()]), weight)
        assert_allclose(np.concatenate([each.labels() for each in source.blocks()]), Y)
