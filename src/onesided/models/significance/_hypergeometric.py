"""Exact tests of features of two values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.stats import norm

from onesided._typing import Floats, Ints


@dataclass(frozen=True)
class HypergeometricTests:
    """Exact tests of features of two values: tables of all that a set may give.

    Attributes
    ----------
    columns : shape (n_tested,), which features
    expected, spread : shape (n_tested,), of the number of rows with the higher value
    start : shape (n_tested,), where the part of a feature starts in the tables
    p_values, deviates : shape (n_entries,), two-sided, and the normal deviates with them
    """

    columns: Ints
    expected: Floats
    spread: Floats
    start: Ints
    p_values: Floats
    deviates: Floats

    @classmethod
    def of(cls, n_high: Ints, n_rows: int, size: int) -> Self:
        """Tables for features with `n_high` rows at the higher value, for sets of a size."""
        columns = np.flatnonzero(n_high)
        distinct, which = np.unique(n_high[columns], return_inverse=True)
        parts = [two_sided_p_values(n_rows, int(each), size) for each in distinct]
        starts = np.cumsum([0, *map(len, parts)])[:-1]
        p_values = np.concatenate([np.empty(0), *parts])
        share = n_high[columns] / n_rows
        variance = size * share * (1 - share) * (n_rows - size) / (n_rows - 1)
        deviates = norm.isf(p_values / 2)
        return cls(columns, size * share, np.sqrt(variance), starts[which], p_values, deviates)

    def places(self, statistics: Floats) -> Ints:
        """Where in the tables the statistics of sets stand; shape (n_sets, n_tested)."""
        n_found = statistics[:, self.columns] * self.spread + self.expected
        return np.rint(n_found).astype(np.int64) + self.start


def two_sided_p_values(n_rows: int, n_marked: int, size: int) -> Floats:
    """Exact p-value of each number of marked rows in a set, for random sets of its size.

    The probability that a random set's number is at least as far from the expected one. The
    hypergeometric probabilities are chained by their ratios, which is accurate to 1e-12 and
    some hundred times as fast as `scipy.stats.hypergeom.pmf`.

    Parameters
    ----------
    n_rows, n_marked : rows, and marked ones among them
    size : of the sets

    Returns
    -------
    shape (min(n_marked, size) + 1,), of 0, 1, ... marked rows; 0 for a number that cannot be
    """
    lowest, highest = max(0, size + n_marked - n_rows), min(n_marked, size)
    found = np.arange(lowest, highest + 1)
    last = found[:-1]
    ratio = (n_marked - last) / (last + 1) * ((size - last) / (n_rows - n_marked - size + last + 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratio))])
    chance = np.exp(logs - logs.max())
    distance = np.abs(found * n_rows - n_marked * size)  # whole numbers: ties are exact
    order = np.argsort(-distance, kind="stable")
    as_far = np.searchsorted(-distance[order], -distance, side="right")
    p_values = np.cumsum(chance[order])[as_far - 1] / chance.sum()
    p_values = np.clip(p_values, np.finfo(np.float64).tiny, 1.0)
    return np.concatenate([np.zeros(lowest), p_values])
