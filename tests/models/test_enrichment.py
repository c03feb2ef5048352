"""Enrichment against enumeration of all label sets."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from onesided import enrichment
from onesided.exceptions import DataError, LabelError
from onesided.models.significance import _enrichment
from onesided.models.significance._hypergeometric import two_sided_p_values
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


def binary(rng, n_rows, shares):
    return (rng.random((n_rows, len(shares))) < shares).astype(float)


def two_sided(found, n_rows, n_high, size):
    """By the definition: sets whose number of high rows is as far from the expected one."""
    numbers = np.arange(size + 1)
    distance = np.abs(numbers - size * n_high / n_rows)
    as_far = distance >= distance[int(found)] * (1 - 1e-9)
    return stats.hypergeom.pmf(numbers, n_rows, n_high, size)[as_far].sum()


def test_two_values_by_enumeration(rng):
    """0/1 features beside numbers, one of them with other values than 0 and 1."""
    X = np.column_stack([binary(rng, 11, [0.1, 0.3, 0.6]), rng.normal(size=(11, 2))])
    X[:, 0] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    X[:4, 1], X[:4, 3] = [1, 1, 1, 0], X[:4, 3] + 1
    X[:, 2] = np.where(X[:, 2] == 1, -0.7, 3.3)
    raw, adjusted = geurts2011.enrichment_by_enumeration(
        X, [0, 1, 2, 3], STATISTICS["sum"], two_valued=[0, 1, 2]
    )
    for rows in (X, sparse.csr_array(X)):
        found = enrichment(rows, np.arange(11) < 4)  # 330 sets: all are taken
        assert_allclose(found.p_value, raw, rtol=1e-12)
        assert_allclose(found.adjusted_p_value, adjusted, rtol=1e-12)
        assert_allclose(found.statistic, [STATISTICS["sum"](x, [0, 1, 2, 3]) for x in X.T])


def test_two_values_are_exact_without_enumeration(rng):
    """However few the random sets; from rare to almost all, and with ties of both sides."""
    X = binary(rng, 60, [0.02, 0.1, 0.3, 0.5, 0.8, 0.97])
    X[:12, 2] = 1
    X[:, 3] = np.arange(60) % 2  # half of them: symmetric
    y = np.arange(60) < 10
    expected = [two_sided(x[y].sum(), 60, x.sum(), 10) for x in X.T]
    assert min(expected) < 1e-4
    for rows in (X, sparse.csr_array(X), sparse.csr_array(X + 2), sparse.csr_array(X - 3)):
        found = enrichment(rows, y, n_resamples=9, random_state=0)
        assert_allclose(found.p_value, expected, rtol=1e-10)
        assert_allclose(found.q_value, stats.false_discovery_control(expected), rtol=1e-10)


def test_adjusted_is_never_below_exact():
    """However few of the random sets are as high."""
    X, y = (np.arange(60) % 3 == 0)[:, None], np.arange(60) < 10
    for seed in range(30):
        found = enrichment(X, y, n_resamples=9, random_state=seed)
        assert found.adjusted_p_value[0] >= found.p_value[0]


def test_a_side_that_cannot_be_is_fishers_one_sided_test():
    """10 of 1000 rows, 8 of them among 40 positives: 0 is nearer to the expected 0.4."""
    X, y = np.zeros((1000, 1)), np.arange(1000) < 40
    X[:8], X[-2:] = 1, 1
    table = [[8, 32], [2, 958]]
    found = enrichment(X, y, n_resamples=9, random_state=0)
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    assert_allclose(found.p_value, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("n_rows", "n_high", "size"), [(20_000, 150, 300), (500, 499, 7), (500, 7, 499), (9, 5, 4)]
)
def test_table_of_exact_p_values(n_rows, n_high, size):
    found = two_sided_p_values(n_rows, n_high, size)
    assert len(found) == min(n_high, size) + 1
    possible = np.arange(max(0, size + n_high - n_rows), len(found))
    few = possible[:: max(1, len(possible) // 25)]
    expected = [two_sided(number, n_rows, n_high, size) for number in few]
    assert_allclose(found[few], expected, rtol=1e-9)
    assert_array_equal(found[: possible[0]], 0.0)


def test_rare_features_do_not_drown_the_others(rng):
    """Of 600 sets of 3 rows one has 2 in some 16 % of the random sets, at 11 standard errors."""
    X = np.zeros((3000, 601))
    for j in range(1, 601):
        X[rng.choice(3000, 3, replace=False), j] = 1
    y = np.arange(3000) < 30
    X[:8, 0], X[100:192, 0] = 1, 1  # 8 of 100, where 1 is expected: 7 standard errors
    found = enrichment(sparse.csr_array(X), y, n_resamples=999, random_state=0)
    assert_array_equal(np.flatnonzero(found.adjusted_p_value < 0.05), [0])


@pytest.mark.parametrize("kind", ["numbers", "rare and frequent"])
def test_family_wise_error(rng, kind):
    """Random positives, 20 features: some adjusted p ≤ 0.1 in about a tenth of 150 draws."""
    X = rng.normal(size=(60, 20))
    if kind == "rare and frequent":
        X = binary(rng, 60, np.linspace(0.02, 0.6, 20))
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


@pytest.mark.parametrize("statistic", STATISTICS)
def test_sparse_is_dense(rng, statistic):
    """Numbers with zeros, 0/1, gaps, a constant, nothing, and a column that is far from zero."""
    X = np.where(rng.random((50, 8)) < 0.5, 0.0, rng.normal(size=(50, 8)))
    X[:, 1] = rng.random(50) < 0.2
    X[:2, 1] = 1
    X[rng.random(50) < 0.3, 2] = np.nan
    X[:, 3], X[:, 4], X[:, 5] = 0.1, 0.0, np.nan
    X[:, 6] = rng.normal(size=50) + 1000
    X[:, 7] = np.where(rng.random(50) < 0.3, 0.0, -1.0)
    y = np.arange(50) < 8
    ask = {"statistic": statistic, "n_resamples": 99, "random_state": 0}
    dense = enrichment(X, y, **ask)
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.coo_array):
        rare = enrichment(kind(X), y, **ask)
        assert_allclose(rare.statistic, dense.statistic, rtol=1e-7, atol=1e-12)
        assert_allclose(rare.p_value, dense.p_value)
        assert_allclose(rare.adjusted_p_value, dense.adjusted_p_value)
    assert_array_equal(dense.statistic[3:6], 0.0)
    assert_array_equal(dense.p_value[3:6], 1.0)
    full = np.where(np.isnan(X[:, :3]), np.nanmean(X[:, :3], axis=0), X[:, :3])
    expected = [STATISTICS[statistic](x, np.flatnonzero(y)) for x in full.T]
    assert_allclose(dense.statistic[:3], expected)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_matrices_side_by_side_are_tested_as_one(rng, statistic):
    numbers = rng.normal(loc=[0, 1e9, 5], size=(60, 3))
    numbers[rng.random((60, 3)) < 0.1] = np.nan
    rare = (rng.random((60, 2)) < 0.4).astype(float)
    y = np.arange(60) < 9
    ask = {"statistic": statistic, "n_resamples": 99, "random_state": 0}
    one = enrichment(np.hstack([numbers, rare]), y, **ask)
    several = enrichment([numbers, sparse.csr_array(rare)], y, **ask)
    for field in ("feature", "statistic", "p_value", "adjusted_p_value", "q_value"):
        assert_allclose(getattr(several, field), getattr(one, field), rtol=1e-9)
    with pytest.raises(DataError, match="X has 59 rows, y has 60"):
        enrichment([numbers, rare[1:]], y, **ask)


def test_zeros_that_are_written_out_and_the_matrix_that_is_passed(rng):
    X = sparse.csr_array(binary(rng, 40, [0.1, 0.5]))
    written = X.copy()
    written.data[::3] = 0
    before = written.copy()
    y = np.arange(40) < 9
    found = enrichment(written, y, n_resamples=9, random_state=0)
    assert_array_equal(written.toarray(), before.toarray())
    expected = enrichment(written.toarray(), y, n_resamples=9, random_state=0)
    assert_allclose(found.p_value, expected.p_value)


@pytest.mark.parametrize("kind", [bool, np.int8, np.float32])
def test_any_kind_of_number(rng, kind):
    X, y = binary(rng, 40, [0.1, 0.5]), np.arange(40) < 9
    expected = enrichment(X, y, n_resamples=9, random_state=0)
    for rows in (X.astype(kind), sparse.csr_array(X.astype(kind))):
        found = enrichment(rows, y, n_resamples=9, random_state=0)
        assert_allclose(found.statistic, expected.statistic)
        assert_allclose(found.p_value, expected.p_value)


def test_a_constant_is_none_by_rounding_and_does_not_hide_the_others(rng):
    """The mean of 617 times 0.1 is not 0.1."""
    X = np.column_stack([np.full(617, 0.1), rng.normal(size=617)])
    X[:9, 1] += 3
    found = enrichment(X, np.arange(617) < 9, n_resamples=99, random_state=0)
    assert found.statistic[0] == 0.0
    assert_allclose(found.adjusted_p_value, [1.0, 0.01])


def test_student_t_of_a_set_without_spread_is_zero():
    X = np.zeros((60, 1))
    X[:20] = 1 / 3
    for n_positive in (9, 20, 50):
        y = np.arange(60) >= 60 - n_positive
        found = enrichment(X, y, statistic="t", n_resamples=99, random_state=0)
        expected = 0.0 if n_positive < 41 else STATISTICS["t"](X[:, 0], np.flatnonzero(y))
        assert_allclose(found.statistic, expected)


def test_steps_change_nothing(rng, monkeypatch):
    X, y = rng.normal(size=(80, 5)), np.arange(80) < 9
    X[:, 2] = X[:, 2] > 0
    seen = []
    at_once = enrichment(X, y, n_resamples=100, random_state=0)
    monkeypatch.setattr(_enrichment, "_CELLS", 9 * 7)
    stepped = enrichment(
        X, y, n_resamples=100, random_state=0, on_step=lambda *done: seen.append(done)
    )
    assert_array_equal(stepped.p_value, at_once.p_value)
    assert_array_equal(stepped.adjusted_p_value, at_once.adjusted_p_value)
    assert seen == [(min(16 * step, 100), 100) for step in range(1, 8)]


def test_a_large_sparse_matrix_is_not_written_out(rng):
    """5,000 rows and 4,000 features are 160 MB of numbers; all together stays far below."""
    X = sparse.random_array((5000, 4000), density=0.002, format="csr", rng=rng)
    X.data[:] = 1.0
    tracemalloc.start()
    enrichment(X, np.arange(5000) < 50, n_resamples=100, random_state=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30e6


def test_arguments(rng):
    X = rng.normal(size=(10, 2))
    with pytest.raises(DataError, match="statistic='mean' is not known"):
        enrichment(X, np.arange(10) < 3, statistic="mean")
    with pytest.raises(DataError, match="X has 10 rows, y has 9"):
        enrichment(X, np.arange(9) < 3)
    with pytest.raises(LabelError, match="every row is positive"):
        enrichment(X, np.ones(10))


def test_a_statistic_of_zero_is_tied_with_all(rng):
    """0 but for rounding: any set is as far."""
    X = np.full((200, 2), 0.2)
    X[0, 0] += 1
    X[1, 0] -= 1
    X[:, 1] = rng.normal(size=200)
    found = enrichment(X, np.arange(200) < 2, n_resamples=999, random_state=0)
    assert_allclose(found.p_value[0], 1.0)
