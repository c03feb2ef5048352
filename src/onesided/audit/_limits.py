"""Limits of a planned audit: exact ones of each stratum, added up; and how many rows to check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import beta, hypergeom

from onesided._typing import Bools, Floats, Ints

_TINY = 1e-9
_SIZES, _PRICES = 80, 240  # sizes of a sample and prices of a row that an allocation tries


def stratum_limits(
    positive: Ints, checked: Ints, size: Ints, error: float, equal: float = 0.5
) -> tuple[Ints, Ints]:
    """Limits of the positives of each stratum, whose rows are drawn without replacement.

    The lower limit is the least number K of positives in the stratum at which the chance of more
    positive checked rows, plus a part of the chance of just as many, is above error / 2; the upper
    limit the greatest K at which the chance of fewer, plus that part, is. The chances are
    hypergeometric. With half the chance these are mid-P limits. With all of it they are the limits
    of Clopper and Pearson, which hold in more samples than they should: sums of strata of those
    would take a fifth more rows.

    Parameters
    ----------
    positive : shape (n_strata,), positive rows among the checked ones
    checked : shape (n_strata,), checked rows
    size : shape (n_strata,), rows of the stratum
    error : in (0, 1), of both limits together
    equal : part of the chance of just as many, 0.5 or 1

    Returns
    -------
    lower and upper limits, each of shape (n_strata,)
    """
    least, most = positive, size - (checked - positive)

    def is_low(total: Ints) -> Bools:  # the chance of so many positives rises with the total
        more = hypergeom.sf(positive, size, total, checked)
        return np.asarray(more + equal * hypergeom.pmf(positive, size, total, checked) > error / 2)

    def is_high(total: Ints) -> Bools:
        fewer = hypergeom.cdf(positive - 1, size, total, checked)
        return np.asarray(
            fewer + equal * hypergeom.pmf(positive, size, total, checked) <= error / 2
        )

    lower = _first(is_low, least, most)
    upper = _first(is_high, least, most + 1) - 1
    return lower, np.maximum(upper, lower)


def _first(holds: Callable[[Ints], Bools], low: Ints, high: Ints) -> Ints:
    """The least whole number from `low` on at which `holds` is true, else `high`; by halving."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        middle = (low + high) // 2
        found = holds(middle) | (low >= high)
        high = np.where(found, np.minimum(middle, high), high)
        low = np.where(found, low, middle + 1)
    return high


def sum_limits(
    weights: Floats, point: Floats, lower: Floats, upper: Floats, unseen: Bools
) -> tuple[float, float]:
    """Limits of a weighted sum of independent numbers, from the limits of each (MOVER).

    The distances of the limits from the points are added as squares (Zou, Huang, Zhang 2009):
    weights w, points e, limits l and u give Σ w e - √(Σ (w (e - l))²) for w above 0; a weight
    below 0 takes u - e instead. A number of which nothing was seen has no chance to be anywhere:
    its own limits are added as they are.

    Parameters
    ----------
    weights, point, lower, upper : shape (n_strata,)
    unseen : shape (n_strata,), numbers of which nothing was seen

    Returns
    -------
    lower and upper limit of the sum
    """
    down, up = weights * (point - lower), weights * (upper - point)
    is_negative = weights < 0
    down, up = np.where(is_negative, -up, down), np.where(is_negative, -down, up)
    total = float(weights @ point)
    return total - _joined(down, unseen), total + _joined(up, unseen)


def _joined(distances: Floats, unseen: Bools) -> float:
    """Distances of independent numbers as squares, those of unseen ones as they are."""
    return float(np.linalg.norm(distances[~unseen]) + distances[unseen].sum())


def allocate(
    weights: Floats,
    shares: Floats,
    sizes: Ints,
    done: Ints,
    *,
    error: float,
    n_rows: int,
    half_width: float = 0.0,
) -> Ints:
    """Rows to have checked in each stratum for the narrowest interval of a weighted sum.

    The allocation minimises the expected squared half width plus a price for each row. The price
    falls until `n_rows` rows are taken or the expected half width is `half_width`, whichever comes
    first. A stratum in which no positive is expected is checked until few can be in it.

    Parameters
    ----------
    weights : shape (n_strata,), of the strata's totals in the sum
    shares : shape (n_strata,), expected shares of positives
    sizes : shape (n_strata,), rows
    done : shape (n_strata,), rows checked already
    error : of the interval, in (0, 1)
    n_rows : rows to have checked at most, in all
    half_width : at which to stop; 0 is never

    Returns
    -------
    shape (n_strata,), between `done` and `sizes`
    """
    strata = [
        _expected_squares(*each, error)
        for each in zip(weights, shares, sizes.tolist(), done.tolist(), strict=True)
    ]
    sums = [below + above for _, below, above in strata]
    prices = (max(map(np.max, sums)) + 1e-12) * np.geomspace(1, 1e-12, _PRICES)[:, None]
    best = [
        np.argmin(squares + prices * samples, axis=1)
        for squares, (samples, *_) in zip(sums, strata, strict=True)
    ]
    taken, below, above = (
        np.transpose([each[part][place] for each, place in zip(strata, best, strict=True)])
        for part in range(3)
    )
    expected = (np.sqrt(below.sum(axis=1)) + np.sqrt(above.sum(axis=1))) / 2
    rows = np.vstack([done, taken, sizes])
    enough = np.r_[False, expected < half_width, True] | (rows.sum(axis=1) >= n_rows)
    last = int(np.argmax(enough))
    found: Ints = rows[last]
    return found if found.sum() <= n_rows else _between(rows[last - 1], found, n_rows)


def _expected_squares(
    weight: float, share: float, size: int, done: int, error: float
) -> tuple[Ints, Floats, Floats]:
    """Sizes of a sample of one stratum, and the squared distances of the limits to expect."""
    samples = np.geomspace(max(done, 1), size, _SIZES).round().astype(np.int64)
    found = samples * share
    # Between those of Jeffreys and of Clopper and Pearson, which need no whole numbers.
    more = np.array([[0.5], [1.0]])
    upper = beta.ppf(1 - error / 2, found + more, samples - found + 1 - more + _TINY).mean(axis=0)
    lower = beta.ppf(error / 2, found + 1 - more + _TINY, samples - found + more).mean(axis=0)
    scale = (weight * size) ** 2 * (1 - samples / size)  # nothing is open where all is checked
    below, above = scale * (share - lower) ** 2, scale * (upper - share) ** 2
    if not done:
        samples = np.append(0, samples)
        below = np.append((weight * size * share) ** 2, below)
        above = np.append((weight * size * (1 - share)) ** 2, above)
    return samples, below, above


def _between(before: Ints, after: Ints, n_rows: int) -> Ints:
    """The whole numbers that sum to `n_rows` on the way from `before` to `after`."""
    step = (n_rows - before.sum()) / (after.sum() - before.sum())
    wanted = before + step * (after - before)
    found: Ints = np.floor(wanted).astype(np.int64)
    first = np.argsort(found - wanted, kind="stable")[: n_rows - int(found.sum())]
    found[first] += 1
    return found
