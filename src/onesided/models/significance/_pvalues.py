"""How often a random set does as well as the positives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, stats

from onesided._labels import encode_labels
from onesided._text import argument, counted
from onesided._typing import CSR, Bools, Floats, Ints, RandomState
from onesided._validation import check_number, check_random_state
from onesided.exceptions import DataError

_DRAWN_AT_ONCE = 16  # random subsets
_SLACK = 1e-12  # relative; sets whose statistics are equal but for rounding are equal


@dataclass(frozen=True)
class Pools:
    """Where random sets come from: of each pool they take as many rows as the positives have there.

    Attributes
    ----------
    rows : of each pool with positives, ascending
    counts : number of rows that a set takes of each pool
    n_rows : number of all rows, those that are in no pool included
    """

    rows: Sequence[Ints]
    counts: Sequence[int]
    n_rows: int

    @classmethod
    def of(cls, positive: Bools, strata: Ints | None = None) -> Self:
        """The pools of matched sets are the strata; without strata all rows are one pool.

        Parameters
        ----------
        positive : shape (n_rows,)
        strata : shape (n_rows,)

        Raises
        ------
        DataError : if the positives are all rows of their strata
        """
        n_rows = len(positive)
        if strata is None:
            return cls([np.arange(n_rows)], [int(positive.sum())], n_rows)
        counts = np.bincount(strata[positive])
        if (np.bincount(strata)[: len(counts)] == counts)[counts > 0].all():
            raise DataError(
                "Each stratum with a positive row has only positive rows, so there are no other "
                "sets to compare with.",
                f"Pass fewer columns as {argument('match')}.",
            )
        used = np.flatnonzero(counts)
        rows = [np.flatnonzero(strata == stratum) for stratum in used]
        return cls(rows, counts[used].tolist(), n_rows)

    @property
    def size(self) -> int:
        """Number of rows of a set."""
        return sum(self.counts)

    def draw(self, n_sets: int, rng: Any) -> Ints:
        """Random sets, without replacement within each; shape (n_sets, size), ascending."""
        (drawn,) = self._drawn_in_steps(n_sets, rng, step=n_sets)
        return drawn

    def all_sets(self, most: int) -> Ints | None:
        """Every set, shape (n_sets, size), or None where there are more than `most`."""
        n_sets = 1
        for rows, count in zip(self.rows, self.counts, strict=True):
            if len(rows) > most and 0 < count < len(rows):  # at least as many sets as rows
                return None
            n_sets *= comb(len(rows), count)
            if n_sets > most:
                return None
        parts = [combinations(r.tolist(), n) for r, n in zip(self.rows, self.counts, strict=True)]
        return np.sort([[*chain(*each)] for each in product(*parts)], axis=1)

    def sets(self, n_resamples: int, random_state: RandomState) -> tuple[Ints, bool]:
        """Every set if there are no more than `n_resamples`, else as many random ones.

        Returns
        -------
        sets : shape (n_sets, size)
        exact : whether they are all
        """
        found = self.all_sets(n_resamples)
        if found is not None:
            return found, True
        return self.draw(n_resamples, check_random_state(random_state)), False

    def steps(
        self, n_resamples: int, random_state: RandomState, *, step: int
    ) -> tuple[Iterator[Ints], int, bool]:
        """The sets of `sets`, `step` of them at a time.

        Returns
        -------
        steps : of shape (at most `step`, size)
        n_sets : how many there are in all
        exact : whether they are all
        """
        found = self.all_sets(n_resamples)
        if found is None:
            rng = check_random_state(random_state)
            return self._drawn_in_steps(n_resamples, rng, step=step), n_resamples, False
        parts = (found[start : start + step] for start in range(0, len(found), step))
        return parts, len(found), True

    def _drawn_in_steps(self, n_sets: int, rng: Any, *, step: int) -> Iterator[Ints]:
        """Random sets, about `step` at a time; which ones does not depend on `step`."""
        draw = np.random.default_rng(rng.randint(2**31))
        waiting: list[Ints] = []
        for start in range(0, n_sets, _DRAWN_AT_ONCE):
            n_drawn = min(_DRAWN_AT_ONCE, n_sets - start)
            of_pools = [
                rows[_drawn(len(rows), count, n_drawn, draw)]
                for rows, count in zip(self.rows, self.counts, strict=True)
            ]
            waiting.append(np.sort(np.hstack(of_pools), axis=1))
            if len(waiting) * _DRAWN_AT_ONCE >= step:
                yield np.concatenate(waiting)
                waiting = []
        if waiting:
            yield np.concatenate(waiting)


def _drawn(n_rows: int, size: int, n_subsets: int, draw: np.random.Generator) -> Ints:
    """Subsets of any size, each ascending; shape (n_subsets, size)."""
    if size <= n_rows / 2:
        return _draw(n_rows, size, n_subsets, draw)
    inside = np.ones((n_subsets, n_rows), dtype=bool)  # of the rows that stay out there are fewer
    np.put_along_axis(inside, _draw(n_rows, n_rows - size, n_subsets, draw), False, axis=1)
    return np.nonzero(inside)[1].reshape(n_subsets, size)


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


def counts_as_high(null: Floats, wanted: Floats) -> tuple[Ints, Ints]:
    """How many random sets reach the statistics of the positives, for step-down max-T.

    Parameters
    ----------
    null : shape (n_sets, n), statistics of random sets, those least high for the positives first
    wanted : shape (n,), statistics of the positives, ascending

    Returns
    -------
    alone : shape (n,), sets that reach each statistic
    stepped : shape (n,), sets of which the highest statistic up to here reaches it
    """
    highest = np.maximum.accumulate(null, axis=1)
    return (null >= wanted).sum(axis=0), (highest >= wanted).sum(axis=0)


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

    The p-value is the share of all sets with as many rows as the positives whose statistic is at
    least as high as that of the positives. It is valid only if the scores do not depend on the
    labels. If the score was learned from the labels, the p-value is small for any labels.

    Parameters
    ----------
    scores : shape (n_rows,), higher is more positive
    y : labels, shape (n_rows,)
    statistic : "sum", the sum of the scores of a set; "rank", the sum of their ranks (Wilcoxon); or
        "t", their mean divided by their standard deviation (footnote 1 of the paper)
    n_resamples : number of random sets, used if no exact form is known and there are more sets than
        this number
    random_state : seed of the random sets
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    p-value in (0, 1]

    Raises
    ------
    DataError : if the scores are not finite, or the statistic is not known

    Notes
    -----
    Geurts 2011, Eq. 2 and 5. The p-value is exact for scores of two values ("sum" and "rank":
    Fisher's one-sided test). It is also exact if there are no more than `n_resamples` sets, which
    are then enumerated. Otherwise it is (1 + count) / (1 + n_resamples). For ranks without ties it
    is the p-value of the Mann-Whitney test, exact for small samples.

    Examples
    --------
    Of six rows the two positives have both ones; of the 15 pairs one does:

    >>> round(apparent_p_value([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]) * 15, 6)
    1.0
    """
    positive, _ = encode_labels(y, positive_label)
    values = np.asarray(scores, dtype=np.float64)
    check_number(n_resamples, "n_resamples", "Pass 9999 for example.", above=0, whole=True)
    if values.shape != positive.shape:
        raise DataError(
            f"scores has shape {values.shape}, y has {counted(len(positive), 'row')}.",
            "Pass one score for each row.",
        )
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise DataError(
            f"scores has {values[row]} in row {row}, which is not finite.",
            "Pass a finite score for each row.",
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
    subsets, exact = Pools.of(positive).sets(n_resamples, random_state)
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
