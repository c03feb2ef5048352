"""Limits of a planned audit: exact limits of each stratum, added up; and how many rows to check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import beta, hypergeom

from onesided._typing import Bools, Floats, Ints

_TINY = 1e-9
_SIZES, _PRICES = 80, 240  # how many sample sizes and how many prices of a row `allocate` tries


def stratum_limits(
    positive: Ints, checked: Ints, size: Ints, error: float, equal: float = 0.5
) -> tuple[Ints, Ints]:
    """Limits of the number of positives of each stratum, from rows drawn without replacement.

    Let k be the number of positive checked rows, and let the stratum have K positives. The chance
    of each number of positive checked rows is then hypergeometric.

    - The lower limit is the least K at which P(more than k) + `equal` · P(k) is above error / 2.
    - The upper limit is the greatest K at which P(fewer than k) + `equal` · P(k) is above
      error / 2.

    With `equal` 0.5, these are mid-P limits. With 1, they are the limits of Clopper and Pearson,
    which hold in more samples than they must. Sums of those limits over strata would need a fifth
    more rows.

    Parameters
    ----------
    positive : shape (n_strata,), number of positive checked rows
    checked : shape (n_strata,), number of checked rows
    size : shape (n_strata,), number of rows
    error : in (0, 1), chance that one of the two limits fails
    equal : part of P(k) that counts, 0.5 or 1

    Returns
    -------
    lower and upper limits, each of shape (n_strata,)
    """
    least, most = positive, size - (checked - positive)

    def is_low(total: Ints) -> Bools:  # true from the lower limit on: the chance rises with `total`
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
    """The least whole number from `low` on at which `holds` is true, by bisection.

    If `holds` is true at no number below `high`, this is `high`.
    """
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

    The distances of the limits from the points are added as squares (Zou, Huang, Zhang 2009). Let w
    be the weights, e the points, l the lower and u the upper limits. The lower limit of the sum is
    Σ w e - √(Σ (w (e - l))²) for weights above 0. For a weight below 0, u - e replaces e - l. If no
    row of a stratum was checked, the number of this stratum has no distribution. Its distances are
    then added without squaring.

    Parameters
    ----------
    weights, point, lower, upper : shape (n_strata,)
    unseen : shape (n_strata,), True for strata without a checked row

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
    """Sum of the distances: by squares for strata with checked rows, plain for unseen strata."""
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
    """Number of rows to check in each stratum for the narrowest interval of a weighted sum.

    The allocation minimises the expected squared half width plus a price for each row. The price
    falls until `n_rows` rows are taken or the expected half width is `half_width`, whichever comes
    first. A stratum without expected positives is checked until it can hold only few positives.

    Parameters
    ----------
    weights : shape (n_strata,), weight of each stratum's number of positives in the sum
    shares : shape (n_strata,), expected shares of positives
    sizes : shape (n_strata,), number of rows
    done : shape (n_strata,), number of rows that are checked already
    error : of the interval, in (0, 1)
    n_rows : largest number of checked rows in all strata together
    half_width : expected half width at which to stop; at 0, only `n_rows` stops

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
    """Sample sizes for one stratum, with the expected squared distances of both limits."""
    samples = np.geomspace(max(done, 1), size, _SIZES).round().astype(np.int64)
    found = samples * share
    # Means of the limits of Jeffreys and of Clopper and Pearson, which allow fractions of rows.
    more = np.array([[0.5], [1.0]])
    upper = beta.ppf(1 - error / 2, found + more, samples - found + 1 - more + _TINY).mean(axis=0)
    lower = beta.ppf(error / 2, found + 1 - more + _TINY, samples - found + more).mean(axis=0)
    scale = (weight * size) ** 2 * (1 - samples / size)  # 0 where all rows are checked
    below, above = scale * (share - lower) ** 2, scale * (upper - share) ** 2
    if not done:
        samples = np.append(0, samples)
        below = np.append((weight * size * share) ** 2, below)
        above = np.append((weight * size * (1 - share)) ** 2, above)
    return samples, below, above


def _between(before: Ints, after: Ints, n_rows: int) -> Ints:
    """Whole numbers between `before` and `after`, in proportion, that sum to `n_rows`."""
    step = (n_rows - before.sum()) / (after.sum() - before.sum())
    wanted = before + step * (after - before)
    found: Ints = np.floor(wanted).astype(np.int64)
    first = np.argsort(found - wanted, kind="stable")[: n_rows - int(found.sum())]
    found[first] += 1
    return found
