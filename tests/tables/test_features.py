"""Columns as features of numbers."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from onesided import enrichment, tables
from onesided.methods import rankers_for
from onesided.tables._features import feature_matrix, side_by_side, used_columns

TABLE = pa.table(
    {
        "x": [1.0, 2.0, None, 4.5],
        "color": ["red", None, "blue", "red"],
        "flag": [True, False, None, True],
        "note": ["a green tea", "green tea with milk", None, "milk, no sugar at all"],
    }
)


def test_numbers_stay_as_they_are():
    names, X = feature_matrix(TABLE, tables.describe(TABLE, drop=["color", "flag", "note"]))
    assert names == ["x"]
    assert_array_equal(X, [[1.0], [2.0], [np.nan], [4.5]])


def test_categories_and_words_are_indicators():
    names, X = feature_matrix(TABLE, tables.describe(TABLE))
    assert sparse.issparse(X)
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
        [1 - 2.5, 0, 1, 1, 1, 0, 1],
        [2 - 2.5, 0, 0, 0, 1, 1, 1],
        [0, 1, 0, 0, 0, 0, 0],
        [4.5 - 2.5, 0, 1, 1, 0, 1, 0],
    ]
    assert_allclose(X.toarray(), expected)


def test_numbers_as_categories():
    table = pa.table({"code": [3, 3, 10, None], "share": [1.0, 0.5, 0.5, 1.0]})
    summary = tables.describe(table, categorical=["code", "share"])
    names, X = feature_matrix(table, summary)
    assert names == ["code = 10", "code = 3", "share = 0.5", "share = 1"]
    assert_array_equal(X.toarray()[:, 1], [1, 1, 0, 0])


@pytest.mark.parametrize("statistic", ["sum", "t"])
def test_side_by_side_changes_no_statistic(rng, statistic):
    """Also of numbers far from zero, whose squares lose all digits unless they are centered."""
    dense = rng.normal(loc=[0, 1e9, 5], size=(60, 3))
    dense[rng.random((60, 3)) < 0.1] = np.nan
    rare = sparse.csr_array((rng.random((60, 2)) < 0.4).astype(float))
    y = np.arange(60) < 9
    ask = {"statistic": statistic, "n_resamples": 99, "random_state": 0}
    both = enrichment(side_by_side([dense, rare]), y, **ask)
    for part, columns in ((dense, slice(3)), (rare, slice(3, None))):
        alone = enrichment(part, y, **ask)
        assert_allclose(both.statistic[columns], alone.statistic, atol=1e-5)
        assert_allclose(both.p_value[columns], alone.p_value)
    assert side_by_side([np.empty((60, 0)), rare]) is rare


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
