"""Cells with the types that a model learned from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._dates import Order, are_dates, read_dates
from onesided._files._marks import without_marks
from onesided._files._names import as_floats, plain_array, plain_type
from onesided._files._notation import PERCENTS, Notation, read_numbers
from onesided._files._svmlight import is_sparse

SPARSE_TYPE = pa.map_(pa.int32(), pa.float64())
LARGEST_NUMBER = 1e100  # squares of much larger numbers are infinite
_ZONED = re.compile(r"timestamp\[(\w+), tz=(.+)\]")  # a type for whose name Arrow has no alias
_KINDS = {"number": "numbers", "text": "text", "sparse": "numbered features", "date": "dates"}


@dataclass(frozen=True)
class ModelColumn:
    """A column of the table that a model was learned from.

    Attributes
    ----------
    name : name of the column
    role : role of the column in learning, "number" for example
    type : Arrow's name of the type of the cells
    decimal : decimal mark if not every program reads the numbers; else empty
    unit : for numbers, the sign of money or percent in each cell; for dates, what comes first in
        03/04/2024, "day" or "month"; may be empty
    """

    name: str
    role: str
    type: str
    decimal: str = ""
    unit: str = ""

    @property
    def needs_sign(self) -> bool:
        """Whether numbers need their sign: without it, 39.3 % may be written 39.3 or 0.393."""
        return self.unit in PERCENTS

    @property
    def notation(self) -> Notation:
        """How the numbers of the column were written."""
        return Notation(self.decimal or ".", self.unit)


def wanted_type(column: ModelColumn) -> pa.DataType:
    """The type that a column is read as."""
    if column.role in {"number", "date"}:
        return pa.float64()
    if column.role == "sparse":
        return SPARSE_TYPE
    if column.role == "text":
        return pa.string()
    zoned = _ZONED.fullmatch(column.type)
    return pa.timestamp(*zoned.groups()) if zoned else pa.type_for_alias(column.type)


def kind_of(column: ModelColumn) -> str:
    """The kind of cells that the model learned from, in errors."""
    if column.role == "date" and column.unit:
        return f"dates, in which the {column.unit} is first where the cells leave it open"
    if column.decimal:
        return f"numbers written {column.notation}"
    return _KINDS.get(column.role, f"categories that are {column.type} values")


def fits(kind: pa.DataType, wanted: pa.DataType, role: str) -> bool:
    """Whether cells of a type can be read as the wanted type, in a column with this role."""
    t = pa.types
    if t.is_null(kind):
        return True
    if role == "sparse":
        return is_sparse(kind)
    if role == "date":
        return are_dates(kind) or t.is_string(kind)
    whole = t.is_integer(kind)
    numeric = whole or t.is_floating(kind) or t.is_decimal(kind)
    if role == "number" or t.is_floating(wanted):
        return numeric
    if t.is_integer(wanted):
        return whole
    if are_dates(kind) and are_dates(wanted):  # as categories; with a time zone or without
        kind, wanted = getattr(kind, "tz", None), getattr(wanted, "tz", None)
    return bool(kind == wanted) or (role == "text" and numeric)  # numbers can be read as text


def as_wanted(cells: Any, kind: pa.DataType, missing: Sequence[str] | None) -> Any:
    """Cells with a wanted type that fits them; marks of missing values become missing.

    If `missing` is None, marks stay in the cells. Text must be UTF-8.
    """
    cells = plain_array(cells)
    if missing and not pa.types.is_string(kind):  # before a number of 32 bits changes
        cells = without_marks(cells, missing)
    if pa.types.is_decimal(cells.type) and pa.types.is_floating(kind):
        cells = as_floats(cells)
    cells = cells.cast(kind, safe=not pa.types.is_floating(kind))
    if pa.types.is_string(kind):
        cells.validate(full=True)
        return cells if missing is None else without_marks(cells, missing)
    return cells


def as_days(cells: Any, column: ModelColumn) -> tuple[pa.Array, int | None]:
    """Dates as days since 1970-01-01, and the place of the first cell that is not a date.

    A cell such as 03/04/2024 is not a date if neither the model nor other cells show what comes
    first.
    """
    found = read_dates(cells, cast("Order | None", column.unit or None))
    odd = found.open if found.odd is None else found.odd
    return pa.array(found.days, from_pandas=True), odd


def is_number(kind: pa.DataType) -> bool:
    """Whether cells of a type that a model learned from are numbers."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def too_large(cells: Any) -> int | None:
    """The place of the first number that is too large to learn from, or None."""
    if not pa.types.is_floating(cells.type):
        return None
    size = np.abs(cells.to_numpy(zero_copy_only=False))
    return int(np.argmax(size > LARGEST_NUMBER)) if (size > LARGEST_NUMBER).any() else None


def of_values(
    values: list[Any], column: ModelColumn, *, are_text: bool, missing: Sequence[str] = ()
) -> pa.Array:
    """Values, one for each row, with the type that the model learned from.

    `are_text` says that all values are text, as in CSV; `missing` are cells that mean a missing
    value. A value of another type raises a ValueError, TypeError or OverflowError.
    """
    if column.role == "date":
        return _days_of(values, column, missing)
    wanted = wanted_type(column)
    if are_text or pa.types.is_temporal(wanted):  # JSON has text for dates
        cells = without_marks(pa.array(values, pa.string()), missing)
        if not pa.types.is_string(wanted):
            cells = pc.utf8_trim_whitespace(cells)
        if column.decimal:
            cells = read_numbers(cells, column.notation)
    else:
        if is_number(wanted):
            values = _numbers_of(values, column, missing)
        if pa.types.is_floating(wanted):  # Arrow refuses -1 beside 2**63
            values = [float(each) if type(each) is int else each for each in values]
        cells = pa.array(values)
        if not fits(plain_type(cells.type), wanted, column.role):
            raise TypeError
    cells = without_marks(cells.cast(wanted), missing)
    if too_large(cells) is not None:
        raise ValueError
    return cells


def _numbers_of(values: list[Any], column: ModelColumn, missing: Sequence[str]) -> list[Any]:
    """Values in which numbers written as text are converted to numbers."""
    if column.needs_sign and not all(each is None or isinstance(each, str) for each in values):
        raise TypeError
    texts = [each if isinstance(each, str) else None for each in values]
    present = without_marks(pa.array(texts, pa.string()), missing)
    numbers = read_numbers(present, column.notation).to_pylist()
    pairs = zip(values, texts, numbers, strict=True)
    return [each if text is None else number for each, text, number in pairs]


def _days_of(values: list[Any], column: ModelColumn, missing: Sequence[str]) -> pa.Array:
    """Dates in text as days since 1970-01-01; a ValueError if a text is not a date."""
    days, odd = as_days(without_marks(pa.array(values, pa.string()), missing), column)
    if odd is not None:
        raise ValueError
    return days
