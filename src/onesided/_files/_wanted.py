"""Cells with the types that a model learned from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._names import plain_type, without_marks
from onesided._files._notation import Notation, read_numbers
from onesided._files._svmlight import is_sparse

SPARSE_TYPE = pa.map_(pa.int32(), pa.float64())
_LARGEST = 1e100  # a number beyond which squares are infinite
_KINDS = {"number": "numbers", "text": "text", "sparse": "numbered features"}


@dataclass(frozen=True)
class ModelColumn:
    """A column of the table that a model was learned from.

    Attributes
    ----------
    name : of the column
    role : what it was to the learner
    type : Arrow's name of what it holds
    decimal : mark before the fractions of numbers that were written as people do, else empty
    unit : sign of money or percent in each of their cells, or empty
    """

    name: str
    role: str
    type: str
    decimal: str = ""
    unit: str = ""

    @property
    def notation(self) -> Notation:
        """How its numbers were written."""
        return Notation(self.decimal or ".", self.unit)


def wanted_type(column: ModelColumn) -> pa.DataType:
    """What a column is read as."""
    if column.role == "number":
        return pa.float64()
    if column.role == "sparse":
        return SPARSE_TYPE
    return pa.string() if column.role == "text" else pa.type_for_alias(column.type)


def kind_of(column: ModelColumn) -> str:
    """What errors call what the model learned from."""
    if column.decimal:
        return f"numbers written {column.notation}"
    return _KINDS.get(column.role, f"categories that are {column.type} values")


def fits(kind: pa.DataType, wanted: pa.DataType, role: str) -> bool:
    """Whether cells of a type can be read as another one, for a column of this role."""
    t = pa.types
    if t.is_null(kind):
        return True
    if role == "sparse":
        return is_sparse(kind)
    whole = t.is_integer(kind)
    numeric = whole or t.is_floating(kind) or t.is_decimal(kind)
    if role == "number" or t.is_floating(wanted):
        return numeric
    if t.is_integer(wanted):
        return whole
    return bool(kind == wanted)


def as_wanted(cells: Any, kind: pa.DataType, *, marks: bool) -> Any:
    """Cells of a column of a file with a type; text is UTF-8.

    Parameters
    ----------
    cells : of any type that fits
    kind : that is wanted
    marks : whether marks of a missing value are missing in text
    """
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    cells = cells.cast(kind, safe=not pa.types.is_floating(kind))
    if pa.types.is_string(kind):
        cells.validate(full=True)
        return without_marks(cells) if marks else cells
    return cells


def too_large(cells: Any) -> int | None:
    """The first cell that is too large a number to learn from, or None."""
    if not pa.types.is_floating(cells.type):
        return None
    size = np.abs(cells.to_numpy(zero_copy_only=False))
    return int(np.argmax(size > _LARGEST)) if (size > _LARGEST).any() else None


def of_values(values: list[Any], column: ModelColumn, *, are_text: bool) -> pa.Array:
    """Values of a column with the type that the model learned from.

    Parameters
    ----------
    values : one a row
    column : that they are of
    are_text : whether all of them are text, as cells of CSV are

    Raises
    ------
    ValueError, TypeError, OverflowError : if one is of another type
    """
    wanted = wanted_type(column)
    if are_text:
        cells = without_marks(pa.array(values, pa.string()))
        if not pa.types.is_string(wanted):
            cells = pc.utf8_trim_whitespace(cells)
        if column.decimal:
            cells = read_numbers(cells, column.notation)
    else:
        if column.decimal:
            texts = [each if isinstance(each, str) else None for each in values]
            numbers = read_numbers(pa.array(texts, pa.string()), column.notation).to_pylist()
            pairs = zip(values, texts, numbers, strict=True)
            values = [each if text is None else number for each, text, number in pairs]
        if pa.types.is_floating(wanted):  # Arrow takes no -1 beside 2**63
            values = [float(each) if type(each) is int else each for each in values]
        cells = pa.array(values)
        if not fits(plain_type(cells.type), wanted, column.role):
            raise TypeError
    cells = cells.cast(wanted)
    if too_large(cells) is not None:
        raise ValueError
    return cells
