"""Find numbers that may be codes of missing values, such as -9999."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._dates import read_dates
from onesided._files._layout import cells_are_text
from onesided._files._names import texts_of
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
_FEWEST_WORDS = 2  # different values of a column beside a number that may be a code
_LOOKS_LIKE_NUMBER = re.compile(r"[+-]?\.?\d")
_USUAL_NUMBER = re.compile(r"-9|-?(77+|88+|99+)")
_USUAL_DATES = {
    float(date.fromisoformat(each).toordinal() - date(1970, 1, 1).toordinal())
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

    def codes(self, usual: Collection[float] | None = None) -> list[tuple[float, int]]:
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
    sentences = [
        *code_sentences(ends, lambda cell: f"say so: {argument('missing', [cell])}"),
        *_dates_in(table, summary.names("date")),
        *_numbers_in(table, summary.names("category")),
    ]
    for sentence in sentences:
        warnings.warn(sentence, OnesidedWarning, stacklevel=2)


def _dates_in(table: pa.Table, names: Iterable[str]) -> Iterator[str]:
    """A warning for each usual code in each column of dates, far outside all other dates."""
    for name in names:
        cells = table.column(name)
        days = read_dates(cells).days
        for value, n_cells in Ends.of(pa.array(days, from_pandas=True)).codes(_USUAL_DATES):
            row = int(np.argmax(days == value))
            cell = texts_of(cells[row : row + 1])[0]
            mend = "replace it with an empty cell"
            kind, is_text = cells.type, cells_are_text(table.schema)
            if pa.types.is_string(kind) or (is_text and pa.types.is_date(kind)):
                mend = f"say so: {argument('missing', [cell])}"
            yield _sentence([name], cell, n_cells, "far outside the other dates", mend)


def _numbers_in(table: pa.Table, names: Iterable[str]) -> Iterator[str]:
    """A warning for each usual code, in digits, in a column of which no other value is a number."""
    for name in names:
        if not pa.types.is_string(table.schema.field(name).type):
            continue
        counts = {
            each["values"].strip(): each["counts"]
            for each in pc.value_counts(table.column(name).drop_null()).to_pylist()
        }
        codes = [each for each in counts if _LOOKS_LIKE_NUMBER.match(each)]
        are_usual = all(_USUAL_NUMBER.fullmatch(each) for each in codes)
        if are_usual and len(counts) - len(codes) >= _FEWEST_WORDS:
            for cell in codes:
                mend = f"say so: {argument('missing', [cell])}"
                yield _sentence([name], cell, counts[cell], "a number among other text", mend)


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
        yield _sentence(names, cell, n_cells, "far outside the other values", mend(cell))


def _sentence(names: Sequence[str], cell: str, n_cells: int, what: str, mend: str) -> str:
    return (
        f"{'Columns' if len(names) > 1 else 'Column'} {first_of(names)}: {cell} in "
        f"{counted(n_cells, 'cell')} is {what}. If {cell} means that the value is missing, {mend}."
    )
