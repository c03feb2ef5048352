"""The lowest and the highest values of numbers, and which of them may be codes, such as -9999."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from onesided._typing import Floats, Ints

Codes: TypeAlias = list[tuple[float, int]]
"""Values that may mean a missing value, each with its number of cells."""
Span: TypeAlias = tuple[float, float]

_MOST_CODES = 3  # on one side: 97, 98 and 99 are "does not know", "refused" and "not asked"
_MOST_KEPT = 2 * _MOST_CODES  # values on one side, so that enough other values remain
_FEWEST_VALUES = 5  # different other values; with fewer, any value may lie far outside them
FILL = 1e20  # programs for grids write such numbers, or larger ones, into empty cells
_LIMITS = {2**bits - 1 for bits in (7, 8, 15, 16, 31, 32, 63)}  # limits of types of whole numbers
_LIMITS |= {-(2**bits) for bits in (7, 15, 31, 63)}
_REPEATED = 3  # rows with the same value, if it is not a usual code
_FAR = 10.0  # distance of an unusual code, in ranges of the others
_SMALLER = 10.0  # times; all sizes are so much smaller if a unit is larger
_SAME = 1e-6  # largest relative difference between a number and itself in 32 bits
_MOST_CELLS = 1 << 53
_EPOCH = date(1970, 1, 1).toordinal()
USUAL_DATES = {
    float(date.fromisoformat(each).toordinal() - _EPOCH)
    for each in (
        *("0001-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01"),
        *("2099-12-31", "2999-12-31", "9999-01-01", "9999-12-31"),
    )
}
"""Days since 1970-01-01 of first and last dates of programs, which stand for an open or no date."""


@dataclass(frozen=True)
class Ends:
    """The lowest and the highest values of numbers, each with its number of cells.

    The ends of several parts can be added. Between the ends, other values are not kept.

    Attributes
    ----------
    values : ascending, at most six on each side
    counts : number of cells with each value
    """

    values: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, cells: pa.ChunkedArray | pa.Array) -> Ends:
        """The ends of an Arrow column of numbers, without missing and infinite cells."""
        values = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        found, counts = np.unique(values[np.isfinite(values)], return_counts=True)
        ends = cls._cut(found, counts)
        if cells.type != pa.float32():
            return ends
        return cls(tuple(float(str(np.float32(each))) for each in ends.values), ends.counts)

    @classmethod
    def _cut(cls, values: Floats, counts: Ints) -> Ends:
        if len(values) > 2 * _MOST_KEPT:
            values, counts = (
                np.concatenate([each[:_MOST_KEPT], each[-_MOST_KEPT:]]) for each in (values, counts)
            )
        return cls(tuple(values.tolist()), tuple(counts.tolist()))

    @classmethod
    def from_json(cls, given: Any) -> Ends:
        """The ends that `as_json` described; raises an error if the description is not valid."""
        values, counts = given
        found = cls(tuple(map(float, values)), tuple(map(int, counts)))
        if not (
            len(found.values) == len(found.counts) <= 2 * _MOST_KEPT
            and np.isfinite(found.values).all()
            and (np.diff(found.values) > 0).all()
            and all(0 < each < _MOST_CELLS for each in found.counts)
        ):
            raise ValueError
        return found

    def as_json(self) -> list[list[float] | list[int]]:
        """The values and their numbers of cells as two lists."""
        return [list(self.values), list(self.counts)]

    def __add__(self, other: Ends) -> Ends:
        values, places = np.unique([*self.values, *other.values], return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, np.array([*self.counts, *other.counts], dtype=np.int64))
        return self._cut(values, counts)

    def codes(self, usual: Collection[float] | None = None) -> Codes:
        """Values far outside all others that may mean a missing value, and their numbers of cells.

        A group of at most three different values is below, or above, all others. Its distance from
        the others is larger than the range of the others. A value of the group is a usual code (-9,
        or two digits or more that are all 7, 8 or 9, or a fill value such as 1e20, or the limit of
        a type of whole numbers); or each value fills three rows or more, and the distance is ten
        times the range.

        Parameters
        ----------
        usual : the only usual codes, without which no value is a code; by default those above
        """
        values, counts = np.array(self.values), np.array(self.counts, dtype=np.int64)
        best: list[int] = []
        for n_low in range(_MOST_CODES + 1):
            for n_high in range(_MOST_CODES + 1):
                places = _outside(values, counts, n_low, n_high, usual)
                if len(places) > len(best):
                    best = places
        return [(self.values[at], self.counts[at]) for at in best]

    def new_codes(self, learned: Ends, usual: Collection[float] | None = None) -> Codes:
        """Codes in some cells that are new beside the cells of the same column learned from.

        The cells may be too few to show a code. So a usual code is also looked for among the cells
        of both.

        Parameters
        ----------
        learned : ends of the cells learned from; empty if they are not known
        usual : as for `codes`
        """
        found = {value for value, _ in self.codes(usual)}
        found |= {value for value, _ in (self + learned).codes(usual) if usual or _is_usual(value)}
        cells = zip(self.values, self.counts, strict=True)
        return [each for each in cells if each[0] in found and not learned._has(each[0])]

    def _has(self, value: float) -> bool:
        """Whether a value is one of the ends, or lies between them among values not kept."""
        if np.isclose(self.values, value, rtol=_SAME, atol=0).any():
            return True
        is_cut = len(self.values) == 2 * _MOST_KEPT
        return is_cut and self.values[_MOST_KEPT - 1] < value < self.values[_MOST_KEPT]

    def far_from(self, learned: Ends) -> tuple[Span, Span] | None:
        """The range of some cells and that of the cells learned from, if these lie far apart.

        The distance between the ranges is larger than the range learned from; or all sizes are ten
        times smaller than each size learned from. Codes count in neither range.

        Returns
        -------
        lowest and highest value of the cells, and of the cells learned from; or None
        """
        inner = _range_without(learned, learned.codes())
        codes = [*self.codes(), *self.new_codes(learned), *learned.codes()]
        outer = _range_without(self, codes, fewest=1)
        if inner is None or outer is None:
            return None
        (low, high), (learned_low, learned_high) = outer, inner
        distance = max(low - learned_high, learned_low - high)
        is_smaller = low > 0 and high * _SMALLER < learned_low
        is_smaller |= high < 0 and low * _SMALLER > learned_high
        return (outer, inner) if is_smaller or distance > learned_high - learned_low else None


def _outside(
    values: Floats, counts: Ints, n_low: int, n_high: int, usual: Collection[float] | None
) -> list[int]:
    """Places of the lowest and the highest values, if all of them may be codes; else empty."""
    last = len(values) - n_high
    if last - n_low < _FEWEST_VALUES:
        return []
    inner = values[n_low:last]
    spread = inner[-1] - inner[0]
    low, high = list(range(n_low)), list(range(last, len(values)))
    if low and not _are_codes(
        values[low], counts[low], inner[0] - values[n_low - 1], spread, usual
    ):
        return []
    if high and not _are_codes(values[high], counts[high], values[last] - inner[-1], spread, usual):
        return []
    return low + high


def _are_codes(
    values: Floats,
    counts: Ints,
    distance: float,
    spread: float,
    usual: Collection[float] | None,
) -> bool:
    """Whether values at a distance from the others may be codes; `spread` is the others' range."""
    if distance <= spread:
        return False
    if usual is not None:
        return all(each in usual for each in values.tolist())
    is_far = distance > _FAR * spread and (counts >= _REPEATED).all() and (values != 0).all()
    return bool(is_far or any(map(_is_usual, values.tolist())))


def _is_usual(value: float) -> bool:
    size = abs(value)
    if size >= FILL or value in _LIMITS or value == -9:  # noqa: PLR2004 - as in questionnaires
        return True
    written = (f"{size:.{n_digits}g}".replace(".", "") for n_digits in (7, 15))  # float32 has 7
    return any(len(each) > 1 and len({*each}) == 1 and each[0] in "789" for each in written)


def _range_without(ends: Ends, codes: Codes, fewest: int = _FEWEST_VALUES) -> Span | None:
    """Lowest and highest value beside some codes; None if fewer than `fewest` values remain."""
    left = [each for each in ends.values if each not in dict(codes)]
    return (left[0], left[-1]) if len(left) >= fewest else None
