"""How often a random set does as well as the positives."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, stats
from sklearn.utils import check_random_state

from onesided._labels import encode_labels
from onesided._typing import CSR, Floats, Ints, RandomState
from onesided._validation import check_number
from onesided.exceptions import DataError

_DRAWN_AT_ONCE = 16  # random subsets
_SLACK = 1e-12  # relative; sets whose statistics are equal but for rounding are equal


def draw_subsets(n_rows: int, size: int, n_subsets: int, rng: Any) -> Ints:
    """Random subsets of all rows, without replacement within each; (n_subsets, size), ascending."""
    (drawn,) = _drawn_in_steps(n_rows, size, n_subsets, rng, step=n_subsets)
    return drawn


def _drawn_in_steps(
    n_rows: int, size: int, n_subsets: int, rng: Any, *, step: int
) -> Iterator[Ints]:
    """Random subsets, about `step` at a time; which ones does not depend on `step`."""
    draw = np.random.default_rng(rng.randint(2**31))
    waiting: list[Ints] = []
    for start in range(0, n_subsets, _DRAWN_AT_ONCE):
        n_drawn = min(_DRAWN_AT_ONCE, n_subsets - start)
        if size <= n_rows / 2:
            waiting.append(_draw(n_rows, size, n_drawn, draw))
        else:  # of the rows that stay out there are fewer
            inside = np.ones((n_drawn, n_rows), dtype=bool)
            np.put_along_axis(inside, _draw(n_rows, n_rows - size, n_drawn, draw), False, axis=1)
            waiting.append(np.nonzero(inside)[1].reshape(n_drawn, size))
        if len(waiting) * _DRAWN_AT_ONCE >= step:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _draw(n_rows: int, size: int, n_subsets: int, draw: np.random.Generator) -> Ints:
    """Subsets of at most half of the rows, each ascending.

    Rows are drawn one after the other until `size` different ones are there; of all subsets at
    once, as many as each still lacks.
    """
    subsets = np.sort(draw.integers(n_rows, size=(n_subsets, size)), axis=1)
    open_ = np.arange(n_subsets)
    while True:
        again = np.zeros((len(open_), size), dtype=bool)
        again[:, 1:] = subsets[open_, 1:] == subsets[open_, :-1]
        still = again.any(axis=1)
        if not still.any():
            return subsets
        open_, again = open_[still], again[still]
        redrawn = subsets[open_]
        redrawn[again] = draw.integers(n_rows, size=int(again.sum()))
        subsets[open_] = np.sort(redrawn, axis=1)


def all_subsets(n_rows: int, size: int, most: int) -> Ints | None:
    """Every subset, shape (n_subsets, size), or None where there are more than `most`."""
    if n_rows > most and 0 < size < n_rows:  # there are at least as many as rows
        return None
    if comb(n_rows, size) > most:
        return None
    return np.array(list(combinations(range(n_rows), size)))


def subsets_of(
    n_rows: int, size: int, n_resamples: int, random_state: RandomState
) -> tuple[Ints, bool]:
    """Every subset if there are no more than `n_resamples`, else as many random ones.

    Returns
    -------
    sets : shape (n_sets, size)
    exact : whether they are all
    """
    sets = all_subsets(n_rows, size, n_resamples)
    if sets is not None:
        return sets, True
    return draw_subsets(n_rows, size, n_resamples, check_random_state(random_state)), False


def subset_steps(
    n_rows: int, size: int, n_resamples: int, random_state: RandomState, *, step: int
) -> tuple[Iterator[Ints], int, bool]:
    """The sets of `subsets_of`, `step` of them at a time.

    Returns
    -------
    steps : of shape (at most `step`, size)
    n_sets : how many there are in all
    exact : whether they are all
    """
    sets = all_subsets(n_rows, size, n_resamples)
    if sets is None:
        rng = check_random_state(random_state)
        return _drawn_in_steps(n_rows, size, n_resamples, rng, step=step), n_resamples, False
    return (sets[start : start + step] for start in range(0, len(sets), step)), len(sets), True


def membership(subsets: Ints, n_rows: int) -> CSR:
    """Which rows each subset has, shape (n_subsets, n_rows)."""
    n_subsets, size = subsets.shape
    ones = np.ones(subsets.size)
    starts = np.arange(n_subsets + 1) * size
    return sparse.csr_array((ones, subsets.ravel(), starts), shape=(n_subsets, n_rows))


def apparent_p_value(
    scores: ArrayLike,
    y: ArrayLike,
    *,
    statistic: str = "sum",
    n_resamples: int = 9999,
    random_state: RandomState = None,
    positive_label: Any = None,
) -> float:
    """P-value of a score that was fixed before the labels were seen.

    The share of the sets of the size of the positives whose scores add up as high as theirs.
    Valid only if the score does not depend on the labels: for one that was learned from them it
    is small for any labels at all.

    Parameters
    ----------
    scores : shape (n_rows,), higher is more positive
    y : shape (n_rows,)
    statistic : "sum"; "rank", the sum of ranks (Wilcoxon); or "t", mean over standard deviation
        of the scores of a set (footnote 1 of the paper)
    n_resamples : random sets where no exact form is known and there are too many to enumerate
    random_state : of the sets
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    in (0, 1]

    Raises
    ------
    DataError : if the scores are not finite, or the statistic is not known

    Notes
    -----
    Geurts 2011, Eq. 2 and 5. Exact for scores of two values ("sum" and "rank": Fisher's one-sided
    test), and where there are no more than `n_resamples` sets (enumeration); else
    (1 + count) / (1 + n_resamples). For ranks without ties it is the Mann-Whitney test, exact where
    small.

    Examples
    --------
    Of six rows the two positives have both ones; of the 15 pairs one does:

    >>> round(apparent_p_value([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]) * 15, 6)
    1.0
    """
    positive, _ = encode_labels(y, positive_label)
    values = np.asarray(scores, dtype=np.float64)
    check_number(n_resamples, "n_resamples", "Pass 9999 for example.", above=0, whole=True)
    if values.shape != positive.shape or not np.isfinite(values).all():
        raise DataError(
            f"scores has shape {values.shape}, y has {len(positive)} rows, or some are not finite.",
            "Pass one finite score for each row.",
        )
    if statistic not in ("sum", "rank", "t"):
        raise DataError(f"statistic={statistic!r} is not known.", 'Pass "sum", "rank" or "t".')
    size, distinct = int(positive.sum()), np.unique(values)
    if statistic == "rank":
        if len(distinct) == len(values):
            test = stats.mannwhitneyu(values[positive], values[~positive], alternative="greater")
            return float(test.pvalue)
        # Its normal approximation is far off where many are tied.
        values = stats.rankdata(values)
        distinct = np.unique(values)
    if statistic != "t" and len(distinct) == 2:  # noqa: PLR2004 - Fisher's four cells
        high = values == distinct[1]
        found = int(high[positive].sum())
        return float(stats.hypergeom.sf(found - 1, len(values), int(high.sum()), size))
    subsets, exact = subsets_of(len(values), size, n_resamples, random_state)
    if statistic == "t":
        observed, null = _t_like(values[None, positive])[0], _t_like(values[subsets])
        wanted = observed - _SLACK * abs(observed) if np.isfinite(observed) else observed
    else:
        observed, null = values[positive].sum(), values[subsets].sum(axis=1)
        wanted = observed - _SLACK * np.abs(values).max() * size
    as_high = int((null >= wanted).sum())
    return as_high / len(null) if exact else (1 + as_high) / (1 + len(null))


def _t_like(values: Floats) -> Floats:
    """Mean over standard deviation; a set without spread counts by the sign of its mean."""
    # Sets of one size, so that n in place of n - 1 keeps their order; one row has no spread.
    mean, spread = values.mean(axis=1), values.std(axis=1)
    varies = spread > _SLACK * np.abs(values).max(axis=1)
    alone = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(varies, mean / np.where(varies, spread, 1.0), alone)
