"""Marks of missing values, such as NA or a code of the user, in cells of each type."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Literal

from onesided._files._arrow import np, pa, pc
from onesided._files._dates import are_dates, read_dates
from onesided._files._names import as_floats, not_utf8, plain_column, read_type
from onesided._text import MISSING_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_BLANKS = 16  # around a mark; longer text is not a mark, so its blanks stay
_INSTANT = 1e-8  # days, about a millisecond: times of day are rounded fractions of a day


def spellings(marks: Sequence[str]) -> list[str]:
    """Marks with accents composed (NFC), and the same marks with accents apart (NFD)."""
    forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
    return [*dict.fromkeys(unicodedata.normalize(form, each) for form in forms for each in marks)]


def plain_cells(
    name: str, cells: pa.ChunkedArray, missing: Sequence[str] | None
) -> pa.ChunkedArray:
    """Cells with a plain type; marks of missing values become missing, as by `without_marks`.

    If `missing` is None, all cells stay unchanged. Text must be UTF-8.
    """
    cells = plain_column(cells)
    if missing is not None and read_type(cells.type) != cells.type:
        cells = as_floats(cells)
    if not pa.types.is_string(cells.type):
        return cells if missing is None else without_marks(cells, missing)
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        raise not_utf8(name, cells.cast(pa.binary())) from None
    return cells if missing is None else without_marks(cells, missing)


def without_marks(
    cells: pa.Array, missing: Sequence[str] = (), *, common: Sequence[str] = MISSING_MARKS
) -> pa.Array:
    """Cells in which marks of missing values are missing, and accents are composed (NFC).

    `common` are marks in text; `missing` are further marks, in text, numbers and dates.
    """
    if pa.types.is_string(cells.type) and not pc.all(pc.string_is_ascii(cells)).as_py():
        cells = pc.utf8_normalize(cells, form="NFC")
    marked = is_marked(cells, missing, common=common)
    if marked is None or not pc.any(marked).as_py():
        return cells
    return pc.if_else(marked, pa.scalar(None, cells.type), cells)


def is_marked(
    cells: pa.Array, missing: Sequence[str] = (), *, common: Sequence[str] = MISSING_MARKS
) -> Any:
    """Whether each plain cell is a mark of a missing value; None for types that have no marks."""
    kind = cells.type
    if pa.types.is_string(kind):
        marks = pa.array([*common, *spellings(missing)], pa.string())
        longest = max(pc.binary_length(marks).to_pylist(), default=0) + _MOST_BLANKS
        short = pc.if_else(pc.less_equal(pc.binary_length(cells), longest), cells, None)
        return pc.is_in(pc.utf8_trim_whitespace(short), marks, skip_nulls=True)
    if are_dates(kind):
        return _is_date_of(cells, missing)
    if not missing or not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    ):
        return None
    numbers = [number for each in missing if (number := _number_of(each)) is not None]
    if pa.types.is_floating(kind):  # 0.1 in 32 bits is another number than in 64
        numbers = pa.array(numbers, pa.float64()).cast(kind, safe=False).to_pylist()
    return pc.is_in(as_floats(cells), pa.array(numbers, pa.float64()))


def _is_date_of(cells: Any, marks: Sequence[str]) -> Any:
    """Whether each date is one of those that the marks name; None if no mark is a date."""
    read = [read_dates(pa.array([mark], pa.string())) for mark in marks]
    named = [each.days[0] for each in read if each.odd is None and each.open is None]
    if not named:
        return None
    days = read_dates(cells).days
    found = np.any([np.abs(days - each) < _INSTANT for each in named], axis=0)
    return pa.array(found, mask=np.isnan(days))


def _number_of(mark: str) -> float | None:
    try:
        return float(mark)
    except ValueError:
        return None
