"""Find numbers that may be codes of missing values, such as -9999."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from onesided._text import argument, counted
from onesided._typing import Floats, Ints
from onesided.exceptions import OnesidedWarning
from onesided.tables._describe import TableSummary
from onesided.tables._sentences import first_of

_MOST_CODES = 3  # on one side: 97, 98 and 99 are "does not know", "refused" and "not asked"
_FEWEST_VALUES = 5  # different other values; with fewer, any value may lie far outside them
_FILL = 1e20  # programs for grids write such numbers, or larger ones, into empty cells
_LIMITS = {2**bits - 1 for bits in (7, 8, 15, 16, 31, 32, 63)}  # limits of types of whole numbers
_LIMITS |= {-(2**bits) for bits in (7, 15, 31, 63)}
_REPEATED = 3  # rows with the same value, if it is not a usual code
_FAR = 10.0  # distance of an unusual code, in ranges of the others


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
        n_kept = 2 * _MOST_CODES
        if len(values) > 2 * n_kept:
            values, counts = (
                np.concatenate([each[:n_kept], each[-n_kept:]]) for each in (values, counts)
            )
        return cls(tuple(values.tolist()), tuple(counts.tolist()))

    def __add__(self, other: Ends) -> Ends:
        values, places = np.unique([*self.values, *other.values], return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, np.array([*self.counts, *other.counts], dtype=np.int64))
        return self._cut(values, counts)

    def codes(self) -> list[tuple[float, int]]:
        """Values far outside all others that may mean a missing value, and their numbers of cells.

        A group of at most three different values is below, or above, all others. Its distance from
        the others is larger than the range of the others. A value of the group is a usual code (-9,
        or two digits or more that are all 7, 8 or 9, or a fill value such as 1e20, or the limit of
        a type of whole numbers); or each value fills three rows or more, and the distance is ten
        times the range.
        """
        values, counts = np.array(self.values), np.array(self.counts, dtype=np.int64)
        best: list[int] = []
        for n_low in range(_MOST_CODES + 1):
            for n_high in range(_MOST_CODES + 1):
                places = _outside(values, counts, n_low, n_high)
                if len(places) > len(best):
                    best = places
        return [(self.values[at], self.counts[at]) for at in best]


def _outside(values: Floats, counts: Ints, n_low: int, n_high: int) -> list[int]:
    """Places of the lowest and the highest values, if all of them may be codes; else empty."""
    last = len(values) - n_high
    if last - n_low < _FEWEST_VALUES:
        return []
    inner = values[n_low:last]
    spread = inner[-1] - inner[0]
    low, high = list(range(n_low)), list(range(last, len(values)))
    if low and not _are_codes(values[low], counts[low], inner[0] - values[n_low - 1], spread):
        return []
    if high and not _are_codes(values[high], counts[high], values[last] - inner[-1], spread):
        return []
    return low + high


def _are_codes(values: Floats, counts: Ints, distance: float, spread: float) -> bool:
    """Whether values at a distance from the others may be codes; `spread` is the others' range."""
    if distance <= spread:
        return False
    is_far = distance > _FAR * spread and (counts >= _REPEATED).all() and (values != 0).all()
    return bool(is_far or any(map(_is_usual, values.tolist())))


def _is_usual(value: float) -> bool:
    size = abs(value)
    if size >= _FILL or value in _LIMITS or value == -9:  # noqa: PLR2004 - as in questionnaires
        return True
    written = (f"{size:.{n_digits}g}".replace(".", "") for n_digits in (7, 15))  # float32 has 7
    return any(len(each) > 1 and len({*each}) == 1 and each[0] in "789" for each in written)


def warn_of_codes(table: pa.Table, summary: TableSummary) -> None:
    """Warn of each number that `Ends.codes` finds in some column.

    Parameters
    ----------
    table : the whole table
    summary : what `describe` found
    """
    ends = ((name, Ends.of(table.column(name))) for name in summary.names("number"))
    for sentence in code_sentences(ends, lambda cell: f"say so: {argument('missing', [cell])}"):
        warnings.warn(sentence, OnesidedWarning, stacklevel=2)


def code_sentences(ends: Iterable[tuple[str, Ends]], mend: Callable[[str], str]) -> Iterator[str]:
    """A warning for each code in some columns.

    Parameters
    ----------
    ends : name and ends of each column
    mend : what to do if a cell means a missing value, by the text of the cell
    """
    found: dict[float, list[tuple[str, int]]] = {}
    for name, of_column in ends:
        for value, n_cells in of_column.codes():
            found.setdefault(value, []).append((name, n_cells))
    for value, places in found.items():
        cell = f"{value:.0f}" if value.is_integer() and abs(value) < _FILL else repr(value)
        names, n_cells = [name for name, _ in places], sum(n for _, n in places)
        yield (
            f"{'Columns' if len(names) > 1 else 'Column'} {first_of(names)}: {cell} in "
            f"{counted(n_cells, 'cell')} is far outside the other values. If {cell} means that the "
            f"value is missing, {mend(cell)}."
        )
