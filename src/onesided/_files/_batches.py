"""The rows of a file, a batch at a time, with the columns and types that a model learned from."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from onesided._files._format import BATCH_ROWS, TableFiles, reading
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
from onesided._text import option
from onesided.exceptions import TableError

_CONVERSION = re.compile(r"In CSV column #(\d+): Row #(\d+): .* invalid value '(.*)'", re.DOTALL)
_MEND = "Check that the file is complete, or write it again; then run the command again."


def column_types(path: Path, files: TableFiles) -> dict[str, pa.DataType]:
    """Names of the columns of one file, and what they hold, as far as its start tells.

    Parameters
    ----------
    path : of one of the files
    files : that it is one of

    Raises
    ------
    TableError : if it cannot be read
    """
    with reading(path, files.format, _MEND):
        schema = files.format.schema(path, files)
        names = named(schema.names)
    check_names(names, path)
    return dict(zip(names, schema.types, strict=True))


def read_batches(
    path: Path,
    files: TableFiles,
    columns: Sequence[ModelColumn],
    identifier: str = "",
    *,
    label: str = "",
    row_groups: Sequence[int] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Batches of at most 65,536 rows of one file, with these columns, identifier and label last.

    Numbers are float64; an identifier or label of a CSV file is taken to the letter.

    Parameters
    ----------
    path : of one of the files
    files : that it is one of
    columns : to read, with the types that they must have
    identifier, label : of the rows, or the empty string
    row_groups : of a Parquet file, those to read; all by default

    Raises
    ------
    TableError : if a column is missing or of another type, or the file cannot be read to its end
    """
    found = column_types(path, files)
    _check_columns(path, files, columns, identifier, found)
    wanted = {column.name: wanted_type(column) for column in columns}
    notations = _notations(path, files, columns, found)
    if label and label not in found:
        raise TableError(
            f"{path.name!r} has no column {label!r} of labels.", "Pass another column: --positive."
        )
    for name in filter(None, (identifier, label)):
        kind = plain_type(found[name]) if files.format.has_types else pa.string()
        wanted.setdefault(name, kind)
    marked = set() if files.format.has_types else {column.name for column in columns}
    in_file = wanted | dict.fromkeys(notations, pa.string())
    start = 0
    with _reading(path, files, list(found), columns):
        for batch in _raw_batches(path, files, in_file, row_groups):
            for at in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(at, BATCH_ROWS)
                part = _checked(path, part, in_file, marked, start + at)
                yield _with_numbers(path, part, notations, start + at)
            start += batch.num_rows


def whole_batches(path: Path, files: TableFiles) -> Iterator[pa.Table]:
    """All columns of one file, a batch at a time; the cells of a CSV file as they are, as text.

    Parameters
    ----------
    path : of one of the files
    files : that it is one of
    """
    found = column_types(path, files)
    as_it_is = found if files.format.has_types else dict.fromkeys(found, pa.string())
    with reading(path, files.format, _MEND):
        for batch in _raw_batches(path, files, as_it_is, None):
            yield pa.Table.from_batches([batch])


def count_rows(path: Path, files: TableFiles) -> int:
    """Number of rows of one file; a file of text is read for it.

    Parameters
    ----------
    path : of one of the files
    files : that it is one of
    """
    column_types(path, files)  # refuses two columns of one name
    with reading(path, files.format, _MEND):
        return files.format.count_rows(path, files)


def _raw_batches(
    path: Path,
    files: TableFiles,
    wanted: Mapping[str, pa.DataType],
    groups: Sequence[int] | None,
) -> Iterator[pa.RecordBatch]:
    raw_names = files.format.schema(path, files).names
    raw = dict(zip(named(raw_names), raw_names, strict=True))
    in_file = {raw[name]: kind for name, kind in wanted.items()}
    for batch in files.format.batches(path, files, in_file, groups):
        yield batch.rename_columns(list(wanted))


def _notations(
    path: Path,
    files: TableFiles,
    columns: Sequence[ModelColumn],
    found: Mapping[str, pa.DataType],
) -> dict[str, Notation]:
    """How the numbers of a file are written that not any program reads.

    The start of a file of CSV tells, and what it leaves open the model; other files hold such
    numbers only as text, in the notation that the model learned from.
    """
    numbers = [column for column in columns if pa.types.is_floating(wanted_type(column))]
    if files.format.has_types:
        return {
            column.name: column.notation
            for column in numbers
            if column.decimal and pa.types.is_string(plain_type(found[column.name]))
        }
    chosen = {column.name: column.notation for column in numbers} | choose(
        _first_written(path, files, numbers),
        comma_is=files.format.comma_is(files),
        known={column.name: column.decimal for column in numbers},
    )
    kept = {column.name for column in numbers if column.decimal}
    return {name: way for name, way in chosen.items() if name in kept or not way.is_plain}


def _first_written(
    path: Path, files: TableFiles, numbers: Sequence[ModelColumn]
) -> dict[str, Written]:
    """How the numbers at the start of a file of CSV may be written; their unit is the model's."""
    if not numbers:
        return {}
    as_text = {column.name: pa.string() for column in numbers}
    first = next(_raw_batches(path, files, as_text, None), None)
    found = {}
    for column, cells in zip(numbers, first.columns if first else (), strict=False):
        if written := how_written(without_marks(cells)):
            found[column.name] = replace(written, unit=column.unit)
    return found


@contextmanager
def _reading(
    path: Path, files: TableFiles, names: Sequence[str], columns: Sequence[ModelColumn]
) -> Iterator[None]:
    """Turn what Arrow says of a file into an error of ours, which names the column and the row."""
    by_name = {column.name: column for column in columns}
    with reading(path, files.format, _MEND):
        try:
            yield
        except pa.ArrowInvalid as error:
            match = _CONVERSION.search(str(error))
            column = by_name.get(names[int(match[1])]) if match else None
            if match is None or column is None:
                raise
            raise TableError(
                f"Column {column.name!r} of {path.name!r} holds {match[3]!r} in row "
                f"{int(match[2]) - 1}; the model learned from {kind_of(column)}.",
                "Correct the cell or leave it empty.",
            ) from error


def _check_columns(
    path: Path,
    files: TableFiles,
    columns: Sequence[ModelColumn],
    identifier: str,
    found: Mapping[str, pa.DataType],
) -> None:
    lacking = [column.name for column in columns if column.name not in found]
    if lacking:
        n_more = len(lacking) - 1
        more = f", nor {n_more} other columns that the model learned from" if n_more else ""
        raise TableError(
            f"{path.name!r} has no column {lacking[0]!r}{more}.",
            f"The model needs the columns {', '.join(column.name for column in columns[:8])}"
            f"{', ...' if len(columns) > 8 else ''}. "  # noqa: PLR2004 - a line of names
            f"Add what is missing, or learn again without {'them' if n_more else 'it'}: "
            f"onesided fit ... {' '.join(option('--drop', name) for name in lacking[:8])}.",
        )
    if identifier and identifier not in found:
        raise TableError(
            f"{path.name!r} has no column {identifier!r} to name the rows.",
            "Pass another column: --id COLUMN.",
        )
    if identifier and (
        pa.types.is_nested(found[identifier]) or pa.types.is_binary(found[identifier])
    ):
        raise TableError(
            f"Column {identifier!r} holds {found[identifier]} values, which cannot name rows.",
            "Pass a column of single values: --id COLUMN.",
        )
    for column in columns:
        if not files.format.has_types and column.role != "sparse":
            continue  # cells are read as what they should be
        kind = plain_type(found[column.name])
        if column.decimal and pa.types.is_string(kind):
            continue  # its numbers were text when the model learned, too
        if not fits(kind, wanted_type(column), column.role):
            raise TableError(
                f"Column {column.name!r} of {path.name!r} holds {kind} values; the model learned "
                f"from {kind_of(column)}.",
                "Convert the column, or learn the model again from a table like this one.",
            )


def _with_numbers(
    path: Path, batch: pa.RecordBatch, notations: Mapping[str, Notation], start: int
) -> pa.RecordBatch:
    """A batch with the numbers of people as numbers; `start` rows of the file are before it."""
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
    """A batch with the types that are wanted; numbers finite, text UTF-8.

    Parameters
    ----------
    path : of the file
    batch : some rows of it
    wanted : types by name
    marked : columns in which marks of a missing value are missing
    start : rows of the file before the batch
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
