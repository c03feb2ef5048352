"""Limits of a planned audit, against enumeration."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from onesided.audit._limits import allocate, stratum_limits, sum_limits
from onesided.audit._planned import _ratio_limits
from oracles import audit as oracle

ERRORS = [0.01, 0.05, 0.3]


@pytest.mark.parametrize("size", [1, 2, 5, 9, 14])
@pytest.mark.parametrize("error", ERRORS)
def test_stratum_limits_are_those_of_every_total(size, error):
    outcomes = [(k, n) for n in range(size + 1) for k in range(n + 1)]
    k, n = np.array(outcomes).T
    lower, upper = stratum_limits(k, n, np.full(len(k), size), error)
    expected = [oracle.limits(*outcome, size, error, 0.5) for outcome in outcomes]
    assert list(zip(lower.tolist(), upper.tolist(), strict=True)) == expected


@pytest.mark.parametrize("size", [1, 3, 7, 12])
@pytest.mark.parametrize("error", ERRORS)
def test_stratum_limits_cover_each_total(size, error):
    """Neither limit fails more often than both should; all fail as seldom as they should."""
    fails = []
    for n in range(size + 1):
        k = np.arange(n + 1)
        lower, upper = stratum_limits(k, np.full(n + 1, n), np.full(n + 1, size), error)
        for total in range(size + 1):
            chances = [oracle.hypergeometric(each, n, total, size) for each in range(n + 1)]
            below = sum(c for c, each in zip(chances, lower, strict=True) if each > total)
            above = sum(c for c, each in zip(chances, upper, strict=True) if each < total)
            assert max(below, above) <= Fraction(error)
            fails.append(below + above)
    assert np.mean(fails) <= error


def strata(rng, n):
    """Sizes, points and limits of strata, of which nothing was seen of some."""
    sizes = rng.integers(1, 40, n)
    checked = rng.integers(0, sizes + 1)
    k = rng.binomial(checked, rng.random(n))
    lower, upper = stratum_limits(k, checked, sizes, 0.1)
    return sizes * k / np.maximum(checked, 1), lower, upper, checked == 0


def test_sums_by_mover(rng):
    for n in [1, 2, 5] * 20:
        of = strata(rng, n)
        weights = rng.normal(size=n)
        assert_allclose(sum_limits(weights, *of), oracle.mover(weights, *of), atol=1e-9)


def test_what_is_unseen_is_added_as_it_is():
    seen = sum_limits(*map(np.array, ([1, 1], [3.0, 4.0], [0, 0], [6, 8], [False, False])))
    assert_allclose(seen, (2, 12))
    unseen = sum_limits(*map(np.array, ([1, 1], [3.0, 4.0], [0, 0], [6, 8], [False, True])))
    assert_allclose(unseen, (0, 14))


def test_shares_are_those_that_the_sums_allow(rng):
    for n in [2, 3, 6] * 4:
        of = strata(rng, n)
        inside = np.arange(n) % 2.0
        if of[0].sum():
            assert_allclose(
                _ratio_limits(inside, *of), oracle.share_limits(inside, *of), atol=1.1 / 500
            )


def test_share_without_positives():
    none = np.zeros(2)
    assert _ratio_limits(np.array([1.0, 0]), none, none, none, none > 0) == (0, 0)


def problems(rng):
    for n in [1, 2, 3] * 10:
        sizes = rng.integers(1, 12, n)
        done = rng.integers(0, sizes + 1) * rng.integers(0, 2, n)
        n_rows = int(rng.integers(done.sum(), sizes.sum() + 1))
        yield rng.choice([0, 0.3, -1, 1], n), rng.uniform(0.01, 0.9, n), sizes, done, n_rows


def test_allocations_keep_to_their_bounds(rng):
    for weights, shares, sizes, done, n_rows in problems(rng):
        rows = allocate(weights, shares, sizes, done, error=0.1, n_rows=n_rows)
        assert (done <= rows).all()
        assert (rows <= sizes).all()
        assert rows.sum() == n_rows


def test_allocations_are_nearly_the_best(rng):
    lost = []
    for weights, shares, sizes, done, n_rows in problems(rng):
        rows = allocate(weights, shares, sizes, done, error=0.1, n_rows=n_rows)
        found, nothing = (
            sum(map(oracle.squared_distances, weights, shares, sizes, each, [0.1] * len(rows)))
            for each in (rows, done)
        )
        best = oracle.best_allocation(weights, shares, sizes, done, 0.1, n_rows)
        lost.append((found - best) / max(nothing, 1e-9))
    assert max(lost) < 0.15
    assert np.mean(lost) < 0.03


def test_an_allocation_stops_at_its_half_width():
    given = np.array([1.0, 1]), np.array([0.3, 0.02]), np.array([500, 2000]), np.array([10, 10])
    wide, narrow, all_rows = (
        allocate(*given, error=0.05, n_rows=2500, half_width=width) for width in (60, 20, 0)
    )
    assert 20 < wide.sum() < narrow.sum() < 2500
    assert all_rows.sum() == 2500
