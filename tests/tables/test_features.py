"""Columns as features of numbers."""

import numpy as np
import pyarrow as pa
from numpy.testing import assert_allclose, assert_array_equal

from onesided import tables
from onesided.methods import rankers_for
from onesided.tables._features import feature_matrices, used_columns

TABLE = pa.table(
    {
        "x": [1.0, 2.0, None, 4.5],
        "color": ["red", None, "blue", "red"],
        "flag": [True, False, None, True],
        "note": ["a green tea", "green tea with milk", None, "milk, no sugar at all"],
    }
)


def test_numbers_stay_as_they_are():
    names, (X,) = feature_matrices(TABLE, tables.describe(TABLE, drop=["color", "flag", "note"]))
    assert names == ["x"]
    assert_array_equal(X, [[1.0], [2.0], [np.nan], [4.5]])


def test_categories_and_words_are_indicators():
    names, (numbers, X) = feature_matrices(TABLE, tables.describe(TABLE))
    assert_array_equal(numbers, [[1.0], [2.0], [np.nan], [4.5]])
    assert names == [
        "x",
        "color = blue",
        "color = red",
        "flag = true",
        "note: green",
        "note: milk",
        "note: tea",
    ]
    expected = [
        [0, 1, 1, 1, 0, 1],
        [0, 0, 0, 1, 1, 1],
        [1, 0, 0, 0, 0, 0],
        [0, 1, 1, 0, 1, 0],
    ]
    assert_allclose(X.toarray(), expected)


def test_numbers_as_categories():
    table = pa.table({"code": [3, 3, 10, None], "share": [1.0, 0.5, 0.5, 1.0]})
    summary = tables.describe(table, categorical=["code", "share"])
    names, (X,) = feature_matrices(table, summary)
    assert names == ["code = 10", "code = 3", "share = 0.5", "share = 1"]
    assert_array_equal(X.toarray()[:, 1], [1, 1, 0, 0])


def test_decimals_are_computed_with(rng):
    """scikit-learn gets Python's decimals of them otherwise, which its splines cannot multiply."""
    cents = pa.array(rng.integers(0, 900, 60)).cast(pa.decimal128(21, 2))
    table = pa.table({"price": cents, "x": rng.normal(size=60), "name": ["a", "b"] * 30})
    summary = tables.describe(table, drop=["name"])
    used = used_columns(table, summary)
    assert used.column_names == ["price", "x"]
    assert_allclose(used["price"].to_numpy(), [float(each) for each in cents.to_pylist()])
    for ranker in rankers_for(summary, methods=["splines", "bagging"]).values():
        ranker.fit(used, np.arange(60) < 12).decision_function(used)
