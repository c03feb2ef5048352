"""The rows of a file in batches, with the columns and types that a model learned from."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from onesided._files._format import BATCH_ROWS, TableFile, reading
from onesided._files._names import check_names, named, plain_type, without_marks
from onesided._files._notation import (
    NoNumberError,
    Notation,
    Written,
    choose,
    how_written,
    read_numbers,
)
from onesided._files._wanted import (
    ModelColumn,
    as_wanted,
    fits,
    kind_of,
    too_large,
    wanted_type,
)
from onesided._text import argument
from onesided.exceptions import TableError

_CONVERSION = re.compile(r"In CSV column #(\d+): Row #(\d+): .* invalid value '(.*)'", re.DOTALL)
_MEND = "Check that the file is complete, or write it again; then run the command again."


def column_types(file: TableFile) -> dict[str, pa.DataType]:
    """Names of the columns of a file, and their types as far as its start tells."""
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

    Numbers are float64; an identifier or label of a CSV file stays text as it is. `row_groups` are
    those of a Parquet file to read, by default all. A missing column, or a column of another type
    than the model learned from, raises a TableError.
    """
    found = column_types(file)
    _check_columns(file, columns, identifier, found)
    wanted = {column.name: wanted_type(column) for column in columns}
    notations = _notations(file, columns, found)
    if label and label not in found:
        raise TableError(
            f"{file.path.name!r} has no column {label!r} of labels.",
            f"Pass another column: {argument('positive', 'COLUMN')}.",
        )
    is_text = not file.format.has_types
    for name in filter(None, (identifier, label)):
        wanted.setdefault(name, pa.string() if is_text else plain_type(found[name]))
    marked = {column.name for column in columns if is_text}
    in_file = wanted | dict.fromkeys(notations, pa.string())
    start = 0
    with _reading(file, list(found), columns):
        for batch in _raw_batches(file, in_file, row_groups):
            for at in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(at, BATCH_ROWS)
                part = _checked(file.path, part, in_file, marked, start + at)
                yield _with_numbers(file.path, part, notations, start + at)
            start += batch.num_rows


def whole_batches(file: TableFile) -> Iterator[pa.Table]:
    """All columns of a file in batches; the cells of a CSV file stay text as they are."""
    found = column_types(file)
    as_it_is = found if file.format.has_types else dict.fromkeys(found, pa.string())
    with reading(file, _MEND):
        for batch in _raw_batches(file, as_it_is):
            yield pa.Table.from_batches([batch])


def count_rows(file: TableFile) -> int:
    """Number of rows of a file; a text file is read for this number."""
    column_types(file)  # refuses two columns of one name
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
    """The notations of numbers that not every program reads.

    The start of a CSV file tells them, and the model decides what the start leaves open. Other
    files hold such numbers only as text, in the notation that the model learned from.
    """
    numbers = [column for column in columns if pa.types.is_floating(wanted_type(column))]
    if file.format.has_types:
        return {
            column.name: column.notation
            for column in numbers
            if column.decimal and pa.types.is_string(plain_type(found[column.name]))
        }
    chosen = {column.name: column.notation for column in numbers} | choose(
        _first_written(file, numbers),
        comma_is=file.comma_is,
        known={column.name: column.decimal for column in numbers},
    )
    kept = {column.name for column in numbers if column.decimal}
    return {name: way for name, way in chosen.items() if name in kept or not way.is_plain}


def _first_written(file: TableFile, numbers: Sequence[ModelColumn]) -> dict[str, Written]:
    """How the numbers at the start of a CSV file may be written; the model tells their unit."""
    if not numbers:
        return {}
    as_text = {column.name: pa.string() for column in numbers}
    first = next(_raw_batches(file, as_text), None)
    found = {}
    for column, cells in zip(numbers, first.columns if first else (), strict=False):
        if written := how_written(without_marks(cells)):
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


def _check_columns(
    file: TableFile,
    columns: Sequence[ModelColumn],
    identifier: str,
    found: Mapping[str, pa.DataType],
) -> None:
    lacking = [column.name for column in columns if column.name not in found]
    if lacking:
        n_more = len(lacking) - 1
        others = f"{n_more} other column{'s' if n_more > 1 else ''}"
        more = f", nor {others} that the model learned from" if n_more else ""
        raise TableError(
            f"{file.path.name!r} has no column {lacking[0]!r}{more}.",
            f"The model needs the column{'s' * (len(columns) > 1)} "
            f"{', '.join(column.name for column in columns[:8])}"
            f"{', ...' if len(columns) > 8 else ''}. "  # noqa: PLR2004 - a line of names
            f"Add what is missing, or learn the model again without {'them' if n_more else 'it'}: "
            f"{argument('drop', lacking[:8])}.",
        )
    if identifier and identifier not in found:
        raise TableError(
            f"{file.path.name!r} has no column {identifier!r} to name the rows.",
            f"Pass another column: {argument('identifier', 'COLUMN')}.",
        )
    if identifier and (
        pa.types.is_nested(found[identifier]) or pa.types.is_binary(found[identifier])
    ):
        raise TableError(
            f"Column {identifier!r} holds {found[identifier]} values, which cannot name rows.",
            f"Pass a column of single values: {argument('identifier', 'COLUMN')}.",
        )
    for column in columns:
        if not file.format.has_types and column.role != "sparse":
            continue  # cells are read as what they should be
        kind = plain_type(found[column.name])
        if column.decimal and pa.types.is_string(kind):
            continue  # the numbers were text when the model learned, too
        if not fits(kind, wanted_type(column), column.role):
            raise TableError(
                f"Column {column.name!r} of {file.path.name!r} holds {kind} values; the model "
                f"learned from {kind_of(column)}.",
                "Convert the column, or learn the model again from a table like this one.",
            )


def _with_numbers(
    path: Path, batch: pa.RecordBatch, notations: Mapping[str, Notation], start: int
) -> pa.RecordBatch:
    """A batch whose columns with a notation are numbers; `start` rows came before the batch."""
    for name, notation in notations.items():
        at = batch.schema.names.index(name)
        try:
            numbers = read_numbers(batch.column(at), notation)
        except NoNumberError as error:
            raise TableError(
                f"Column {name!r} of {path.name!r} holds {error.cell!r} in row "
                f"{start + error.place + 1}; the other numbers of the column are written "
                f"{notation}.",
                "Correct the cell or leave it empty.",
            ) from error
        batch = batch.set_column(at, name, numbers)
    return batch


def _checked(
    path: Path,
    batch: pa.RecordBatch,
    wanted: Mapping[str, pa.DataType],
    marked: Collection[str],
    start: int,
) -> pa.RecordBatch:
    """A batch with the wanted types; numbers must be finite, and text UTF-8.

    In `marked` columns marks of a missing value become missing; `start` rows came before the batch.
    """
    columns = []
    for (name, kind), column in zip(wanted.items(), batch.columns, strict=True):
        cells = as_wanted(column, kind, marks=name in marked)
        if (row := too_large(cells)) is not None:
            raise TableError(
                f"Column {name!r} of {path.name!r} holds {cells[row].as_py()} in row "
                f"{start + row + 1}.",
                "Replace the value with a finite number below 1e100, or leave the cell empty.",
            )
        columns.append(cells)
    return pa.RecordBatch.from_arrays(columns, names=list(wanted))
