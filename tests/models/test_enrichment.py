"""Enrichment against enumeration of all label sets."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from onesided import enrichment
from onesided.exceptions import DataError, LabelError
from oracles import geurts2011

STATISTICS = {
    "sum": lambda x, s: (
        (x[s].mean() - x.mean()) / np.sqrt(x.var(ddof=1) / len(s) * (1 - len(s) / len(x)))
    ),
    "t": lambda x, s: (x[s].mean() - x.mean()) / x[s].std(ddof=1),
}


@pytest.mark.parametrize("statistic", STATISTICS)
def test_enumeration(rng, statistic):
    X = rng.normal(size=(10, 4))
    X[:3, 1] += 1.5
    y = np.arange(10) < 3
    found = enrichment(X, y, statistic=statistic)
    raw, adjusted = geurts2011.enrichment_by_enumeration(X, [0, 1, 2], STATISTICS[statistic])
    assert_allclose(found.p_value, raw)
    assert_allclose(found.adjusted_p_value, adjusted)
    assert_allclose(found.q_value, stats.false_discovery_control(raw))
    expected = [STATISTICS[statistic](x, [0, 1, 2]) for x in X.T]
    assert_allclose(found.statistic, expected)


def test_random_sets_come_near_enumeration(rng):
    X = rng.normal(size=(12, 3))
    X[:4, 0] += 1
    y = np.arange(12) < 4
    exact, drawn = enrichment(X, y), enrichment(X, y, n_resamples=400, random_state=0)
    assert_allclose(drawn.p_value, exact.p_value, atol=0.07)
    assert_allclose(drawn.adjusted_p_value, exact.adjusted_p_value, atol=0.07)
    assert drawn.p_value.min() >= 1 / 401


def test_binary_feature_is_fishers_test(rng):
    """By one side; the sum over a set of 0 and 1 is hypergeometric."""
    X = (rng.random((60, 1)) < 0.3).astype(float)
    X[:10] = (rng.random((10, 1)) < 0.8).astype(float)
    y = np.arange(60) < 10
    found = enrichment(X, y, n_resamples=20_000, random_state=0)
    high = int(X.sum())
    values = np.arange(11)
    chance = stats.hypergeom.pmf(values, 60, high, 10)
    distance = np.abs(values - 10 * high / 60)
    expected = chance[distance >= distance[int(X[:10].sum())] - 1e-9].sum()
    assert_allclose(found.p_value[0], expected, atol=0.01)


def test_family_wise_error(rng):
    """Random positives, 20 features: some adjusted p ≤ 0.1 in about a tenth of 150 draws."""
    X = rng.normal(size=(60, 20))
    wrong = 0
    for seed in range(150):
        y = np.zeros(60)
        y[rng.choice(60, 6, replace=False)] = 1
        found = enrichment(X, y, n_resamples=199, random_state=seed)
        wrong += found.adjusted_p_value.min() <= 0.1
    assert wrong / 150 < 0.1 + 3 * np.sqrt(0.1 * 0.9 / 150)


def test_table(rng):
    X = pd.DataFrame(rng.normal(size=(100, 3)), columns=["noise", "up", "down"])
    X.loc[:9, "up"] += 2
    X.loc[:9, "down"] -= 3
    found = enrichment(X, np.arange(100) < 10, n_resamples=999, random_state=0)
    table = found.to_frame()
    assert list(table.columns) == [
        "feature",
        "statistic",
        "direction",
        "p_value",
        "adjusted_p_value",
        "q_value",
    ]
    assert table["feature"].tolist()[2] == "noise"
    assert dict(zip(table["feature"], table["direction"], strict=True))["down"] == "lower"
    assert dict(zip(table["feature"], table["direction"], strict=True))["up"] == "higher"
    assert found.to_frame("pyarrow").num_rows == 3
    assert (found.adjusted_p_value >= found.p_value).all()


def test_sparse_gaps_and_constants(rng):
    X = np.where(rng.random((50, 3)) < 0.5, 0.0, rng.normal(size=(50, 3)))
    y = np.arange(50) < 8
    dense = enrichment(X, y, n_resamples=99, random_state=0)
    rare = enrichment(sparse.csr_array(X), y, n_resamples=99, random_state=0)
    assert_allclose(rare.statistic, dense.statistic)
    assert_array_equal(rare.p_value, dense.p_value)
    X[:, 1] = 4.0
    X[:, 2] = np.nan
    found = enrichment(X, y, n_resamples=99, random_state=0)
    assert_array_equal(found.statistic[1:], 0.0)
    assert_array_equal(found.p_value[1:], 1.0)


def test_arguments(rng):
    X = rng.normal(size=(10, 2))
    with pytest.raises(DataError, match="statistic='mean' is not known"):
        enrichment(X, np.arange(10) < 3, statistic="mean")
    with pytest.raises(DataError, match="X has 10 rows, y has 9"):
        enrichment(X, np.arange(9) < 3)
    with pytest.raises(LabelError, match="every row is positive"):
        enrichment(X, np.ones(10))
