"""The rows of a file in batches, with the columns and types that a model learned from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from onesided._files._blank import blank_in
from onesided._files._dates import are_dates
from onesided._files._format import BATCH_ROWS, TableFile, reading
from onesided._files._layout import as_numbers
from onesided._files._marks import plain_cells
from onesided._files._names import (
    check_delimiter,
    check_names,
    is_single,
    named,
    no_column,
    plain_type,
)
from onesided._files._notation import (
    NoNumberError,
    Notation,
    Written,
    choose,
    how_written,
)
from onesided._files._wanted import (
    ModelColumn,
    as_days,
    as_wanted,
    fits,
    is_number,
    kind_of,
    too_large,
    wanted_type,
)
from onesided._text import argument
from onesided._typing import Ints
from onesided.exceptions import TableError

_CONVERSION = re.compile(r"In CSV column #(\d+): Row #(\d+): .* invalid value '(.*)'", re.DOTALL)
_MEND = "Check that the file is complete, or write it again; then run the command again."


def column_types(file: TableFile) -> dict[str, pa.DataType]:
    """Names and types of the columns of a file; the types are those of its first rows."""
    with reading(file, _MEND):
        schema = file.format.schema(file)
        names = named(schema.names)
    check_names(names, file.path)
    return dict(zip(names, schema.types, strict=True))


def read_batches(
    file: TableFile,
    columns: Sequence[ModelColumn],
    identifier: str = "",
    *,
    label: str = "",
    row_groups: Sequence[int] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Batches of at most 65,536 rows with the columns of a model, then identifier and label.

    Numbers are float64. An identifier or label of a CSV file stays unchanged text. `row_groups` are
    the row groups of a Parquet file to read, by default all. A missing column, or a column with
    another type than the model learned from, raises a TableError.
    """
    found = check_columns(file, columns, identifier, label=label)
    wanted = {column.name: wanted_type(column) for column in columns}
    notations = _notations(file, columns, found)
    for name in filter(None, (identifier, label)):
        wanted.setdefault(name, file.format.named_as(found[name]))
    dates = {column.name: column for column in columns if column.role == "date"}
    in_file = wanted | dict.fromkeys(notations, pa.string())
    for name in (each.name for each in columns):
        kind = plain_type(found[name])
        has_dates = file.format.has_types and are_dates(kind)
        if name in dates:
            in_file[name] = kind if has_dates else pa.string()
        elif has_dates and are_dates(wanted[name]):  # categories, in another type of dates
            in_file[name] = kind
    start = 0
    with _reading(file, list(found), columns):
        for batch in _raw_batches(file, in_file, row_groups):
            for at in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(at, BATCH_ROWS)
                cells = zip(wanted.items(), part.columns, strict=True)
                yield pa.RecordBatch.from_arrays(
                    [
                        _checked_dates(file, dates[name], column, start + at)
                        if name in dates
                        else _checked(
                            file,
                            name,
                            column,
                            kind,
                            notations.get(name),
                            start + at,
                            marks=name not in (identifier, label),
                        )
                        for (name, kind), column in cells
                    ],
                    names=list(wanted),
                )
            start += batch.num_rows


class BlankRows:
    """Finds the blank rows of a file, whose cells are all missing, from batches with some columns.

    The whole file is read only if a row is blank in the columns of the batches.
    """

    def __init__(self, file: TableFile) -> None:
        self._file = file
        self._is_wide = len(column_types(file)) > 1

    @cached_property
    def _of_file(self) -> Ints:
        with reading(self._file, _MEND):
            return self._file.format.survey(self._file).blank

    def in_batch(self, batch: pa.RecordBatch, n_before: int) -> Ints:
        """Places of the blank rows in a batch that follows `n_before` rows of the file."""
        found = blank_in(batch.columns, batch.num_rows if self._is_wide else 0)
        return found[np.isin(found + n_before, self._of_file)] if len(found) else found


def whole_batches(file: TableFile) -> Iterator[pa.Table]:
    """All columns of a file in batches; the cells of a CSV file stay unchanged text."""
    found = column_types(file)
    as_it_is = found if file.format.has_types else dict.fromkeys(found, pa.string())
    with reading(file, _MEND):
        for batch in _raw_batches(file, as_it_is):
            yield pa.Table.from_batches([batch])


def count_rows(file: TableFile) -> int:
    """Number of rows of a file; a text file is read to its end to count them."""
    column_types(file)  # refuses two columns with the same name
    with reading(file, _MEND):
        return file.format.count_rows(file)


def _raw_batches(
    file: TableFile, wanted: Mapping[str, pa.DataType], groups: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    raw_names = file.format.schema(file).names
    raw = dict(zip(named(raw_names), raw_names, strict=True))
    in_file = {raw[name]: kind for name, kind in wanted.items()}
    for batch in file.format.batches(file, in_file, groups):
        yield batch.rename_columns(list(wanted))


def _notations(
    file: TableFile, columns: Sequence[ModelColumn], found: Mapping[str, pa.DataType]
) -> dict[str, Notation]:
    """Notations of the columns whose numbers are text in the file.

    The first rows show the notation; if several notations fit them, the model decides. A CSV column
    of numbers that every program reads gets no notation, since Arrow reads these numbers.
    """
    has_types = file.format.has_types
    numbers = [
        column
        for column in columns
        if is_number(wanted_type(column))
        and column.role != "date"
        and (not has_types or pa.types.is_string(plain_type(found[column.name])))
    ]
    chosen = {column.name: column.notation for column in numbers} | choose(
        _first_written(file, numbers),
        comma_is=file.comma_is,
        known={column.name: column.decimal for column in numbers},
    )
    kept = {column.name for column in numbers if has_types or column.decimal}
    return {name: way for name, way in chosen.items() if name in kept or not way.is_plain}


def _first_written(file: TableFile, numbers: Sequence[ModelColumn]) -> dict[str, Written]:
    """The ways in which the numbers of the first rows may be written, with the model's units."""
    if not numbers:
        return {}
    as_text = {column.name: pa.string() for column in numbers}
    first = next(_raw_batches(file, as_text), None)
    found = {}
    for column, cells in zip(numbers, first.columns if first else (), strict=False):
        plain = plain_cells(column.name, cells, file.missing)
        if written := how_written(plain):
            found[column.name] = replace(written, unit=column.unit)
    return found


@contextmanager
def _reading(
    file: TableFile, names: Sequence[str], columns: Sequence[ModelColumn]
) -> Iterator[None]:
    """Turn Arrow's errors about a file into ours, which name the column and the row."""
    by_name = {column.name: column for column in columns}
    with reading(file, _MEND):
        try:
            yield
        except pa.ArrowInvalid as error:
            match = _CONVERSION.search(str(error))
            column = by_name.get(names[int(match[1])]) if match else None
            if match is None or column is None:
                raise
            raise TableError(
                f"Column {column.name!r} of {file.path.name!r} holds {match[3]!r} in row "
                f"{int(match[2]) - 1}; the model learned from {kind_of(column)}.",
                "Correct the cell or leave it empty.",
            ) from error


def check_columns(
    file: TableFile, columns: Sequence[ModelColumn], identifier: str = "", *, label: str = ""
) -> dict[str, pa.DataType]:
    """Check that `read_batches` can read a file; return its columns and types, from its first rows.

    A missing column, or a column with another type than the model learned from, raises a
    TableError.
    """
    found = column_types(file)
    lacking = [column.name for column in columns if column.name not in found]
    if lacking:
        check_delimiter(list(found), lacking[0])
        raise TableError(
            f"{file.path.name!r} has {no_column(lacking)}.",
            f"The model needs the column{'s' * (len(columns) > 1)} "
            f"{', '.join(column.name for column in columns[:8])}"
            f"{', ...' if len(columns) > 8 else ''}. "  # noqa: PLR2004 - a line of names
            f"Add what is missing, or learn the model again without "
            f"{'them' if len(lacking) > 1 else 'it'}: "
            f"{argument('drop', lacking[:8])}.",
        )
    if identifier and identifier not in found:
        raise TableError(
            f"{file.path.name!r} has no column {identifier!r} to name the rows.",
            f"Pass another column: {argument('identifier', 'COLUMN')}.",
        )
    if identifier and not is_single(found[identifier]):
        raise TableError(
            f"Column {identifier!r} holds {found[identifier]} values, which cannot name rows.",
            f"Pass a column of single values: {argument('identifier', 'COLUMN')}.",
        )
    file.check_errors(filter(None, (identifier, label)))
    for column in columns:
        if not file.format.has_types and column.role != "sparse":
            continue  # the file has no types: cells are read as the model's type
        kind = plain_type(found[column.name])
        if is_number(wanted_type(column)) and pa.types.is_string(kind):
            continue  # numbers and dates may be text in the file
        if column.needs_sign and not pa.types.is_null(kind):
            raise TableError(
                f"Column {column.name!r} of {file.path.name!r} holds numbers without "
                f"{column.unit}; the model learned from {kind_of(column)}.",
                f"Write the numbers with {column.unit}, as text, or learn the model again from a "
                "table like this one.",
            )
        if not fits(kind, wanted_type(column), column.role):
            raise TableError(
                f"Column {column.name!r} of {file.path.name!r} holds {kind} values; the model "
                f"learned from {kind_of(column)}.",
                "Convert the column, or learn the model again from a table like this one.",
            )
    if label and label not in found:
        raise TableError(
            f"{file.path.name!r} has no column {label!r} of labels.",
            f"Pass another column: {argument('positive', 'COLUMN')}.",
        )
    return found


def _checked_dates(file: TableFile, column: ModelColumn, cells: Any, start: int) -> Any:
    """Dates as days since 1970-01-01; `start` is the number of rows before these cells."""
    cells = as_wanted(cells, plain_type(cells.type), file.missing)
    days, odd = as_days(cells, column)
    if odd is not None:
        raise TableError(
            f"Column {column.name!r} of {file.path.name!r} holds {cells[odd].as_py()!r} in row "
            f"{start + odd + 1}; the model learned from {kind_of(column)}.",
            "Write dates as 2024-05-01, or leave the cell empty.",
        )
    return days


def _checked(
    file: TableFile,
    name: str,
    column: Any,
    kind: pa.DataType,
    notation: Notation | None,
    start: int,
    *,
    marks: bool,
) -> Any:
    """Cells with the wanted type; numbers must be finite, and text UTF-8.

    With `marks`, cells that mean a missing value become missing. `start` is the number of rows
    before these cells.
    """
    missing = file.missing if marks else None
    if notation is None:
        cells = as_wanted(column, kind, missing)
    else:
        try:
            cells = as_numbers(as_wanted(column, pa.string(), missing), notation, file.missing)
        except NoNumberError as error:
            written = "the model learned from" if notation.unit else "the others of the column are"
            others = f"{written} numbers written {notation}"
            raise TableError(
                f"Column {name!r} of {file.path.name!r} holds {error.cell!r} in row "
                f"{start + error.place + 1}; "
                f"{'the model learned from numbers' if notation.is_plain else others}.",
                "Correct the cell or leave it empty.",
            ) from error
        cells = cells.cast(kind)
    if (row := too_large(cells)) is not None:
        raise TableError(
            f"Column {name!r} of {file.path.name!r} holds {cells[row].as_py()} in row "
            f"{start + row + 1}.",
            "Replace the value with a finite number below 1e100, or leave the cell empty.",
        )
    return cells
