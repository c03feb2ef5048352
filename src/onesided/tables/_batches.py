"""The rows of a file, a batch at a time, with the columns and types that a model learned from."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.json as pajson
import pyarrow.parquet as pq

from onesided._blocks._files import MISSING_MARKS, TableFiles, first_line
from onesided.exceptions import TableError
from onesided.tables._columns import check_names, named, option, plain_type
from onesided.tables._model_columns import ModelColumn
from onesided.tables._notation import (
    NoNumberError,
    Notation,
    Written,
    choose,
    comma_of,
    how_written,
    read_numbers,
)
from onesided.tables._sparse import SPARSE_TYPE, is_sparse

BATCH_ROWS = 65_536
_BLOCK_BYTES = 1 << 22  # a row of text must fit into one
LARGEST = 1e100  # a number beyond which squares are infinite
MARKS = pa.array(MISSING_MARKS)
_KINDS = {"number": "numbers", "text": "text", "sparse": "numbered features"}
_CONVERSION = re.compile(r"In CSV column #(\d+): Row #(\d+): .* invalid value '(.*)'", re.DOTALL)


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
    with _reading(path, files.format):
        if files.format == "parquet":
            schema = pq.read_schema(path)
        elif files.format == "json":
            schema = _open_json(path, files, None).schema
        else:
            schema = _open_csv(path, files, pacsv.ConvertOptions()).schema
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
            f"{path.name!r} has no column {label!r} of labels.", "Pass another one: --positive."
        )
    for name in filter(None, (identifier, label)):
        kind = pa.string() if files.format == "csv" else plain_type(found[name])
        wanted.setdefault(name, kind)
    marked = {column.name for column in columns} if files.format == "csv" else set()
    in_file = wanted | dict.fromkeys(notations, pa.string())
    start = 0
    with _reading(path, files.format, list(found), columns):
        for batch in _raw_batches(path, files, list(found), in_file, row_groups):
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
    with _reading(path, files.format):
        if files.format == "csv":
            as_text = pacsv.ConvertOptions(
                column_types=dict.fromkeys(_raw_names(path, files), pa.string())
            )
            batches: Iterator[pa.RecordBatch] = iter(_open_csv(path, files, as_text))
        elif files.format == "json":
            batches = iter(_open_json(path, files, None))
        else:
            batches = pq.ParquetFile(path).iter_batches(BATCH_ROWS, use_threads=False)
        for batch in batches:
            yield pa.Table.from_batches([batch]).rename_columns(list(found))


def count_rows(path: Path, files: TableFiles) -> int:
    """Number of rows of one file; a file of text is read for it.

    Parameters
    ----------
    path : of one of the files
    files : that it is one of
    """
    if files.format == "parquet":
        with _reading(path, files.format):
            return int(pq.read_metadata(path).num_rows)
    found = column_types(path, files)
    name = next(iter(found))
    kind = pa.string() if files.format == "csv" else found[name]
    with _reading(path, files.format):
        batches = _raw_batches(path, files, list(found), {name: kind}, None)
        return sum(batch.num_rows for batch in batches)


def _raw_batches(
    path: Path,
    files: TableFiles,
    names: Sequence[str],
    wanted: Mapping[str, pa.DataType],
    row_groups: Sequence[int] | None,
) -> Iterator[pa.RecordBatch]:
    if files.format == "parquet":
        with pq.ParquetFile(path) as file:
            raw = dict(zip(names, file.schema_arrow.names, strict=True))
            for batch in file.iter_batches(
                BATCH_ROWS, row_groups, [raw[name] for name in wanted], use_threads=False
            ):
                yield batch.select([raw[name] for name in wanted]).rename_columns(list(wanted))
    elif files.format == "json":
        schema = pa.schema(list(wanted.items()))
        for batch in _open_json(path, files, schema):
            yield batch.select(list(wanted))
    else:
        yield from _csv_batches(path, files, names, wanted)


def _csv_batches(
    path: Path, files: TableFiles, names: Sequence[str], wanted: Mapping[str, pa.DataType]
) -> Iterator[pa.RecordBatch]:
    raw = dict(zip(names, _raw_names(path, files), strict=True))
    convert = pacsv.ConvertOptions(
        column_types={raw[name]: kind for name, kind in wanted.items()},
        include_columns=[raw[name] for name in wanted],
        null_values=list(MISSING_MARKS),
    )
    for batch in _open_csv(path, files, convert):
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
    if files.format != "csv":
        return {
            column.name: column.notation
            for column in numbers
            if column.decimal and pa.types.is_string(plain_type(found[column.name]))
        }
    chosen = {column.name: column.notation for column in numbers} | choose(
        _first_written(path, files, list(found), numbers),
        comma_is=comma_of(files),
        known={column.name: column.decimal for column in numbers},
    )
    kept = {column.name for column in numbers if column.decimal}
    return {name: way for name, way in chosen.items() if name in kept or not way.is_plain}


def _first_written(
    path: Path, files: TableFiles, names: Sequence[str], numbers: Sequence[ModelColumn]
) -> dict[str, Written]:
    """How the numbers at the start of a file of CSV may be written; their unit is the model's."""
    if not numbers:
        return {}
    raw = dict(zip(names, _raw_names(path, files), strict=True))
    only = [raw[column.name] for column in numbers]
    as_text = pacsv.ConvertOptions(
        column_types=dict.fromkeys(only, pa.string()),
        include_columns=only,
        null_values=list(MISSING_MARKS),
        strings_can_be_null=True,
    )
    first = next(iter(_open_csv(path, files, as_text)), None)
    found = {}
    for column, cells in zip(numbers, first.columns if first else (), strict=False):
        if written := how_written(cells):
            found[column.name] = replace(written, unit=column.unit)
    return found


def _raw_names(path: Path, files: TableFiles) -> list[str]:
    return list(_open_csv(path, files, pacsv.ConvertOptions()).schema.names)


def _open_csv(path: Path, files: TableFiles, convert: pacsv.ConvertOptions) -> Any:
    """Read by one thread: it says which row is wrong, and holds one block."""
    read = pacsv.ReadOptions(
        use_threads=False, block_size=_BLOCK_BYTES, skip_rows=files.skipped_lines
    )
    parse = pacsv.ParseOptions(delimiter=files.delimiter, newlines_in_values=True)
    return pacsv.open_csv(files.source(path), read, parse, convert)


def _open_json(path: Path, files: TableFiles, schema: pa.Schema | None) -> Any:
    parse = pajson.ParseOptions(
        explicit_schema=schema,
        unexpected_field_behavior="infer" if schema is None else "ignore",
    )
    return pajson.open_json(files.source(path), pajson.ReadOptions(block_size=_BLOCK_BYTES), parse)


@contextmanager
def _reading(
    path: Path,
    form: str,
    names: Sequence[str] = (),
    columns: Sequence[ModelColumn] = (),
) -> Iterator[None]:
    """Turn what Arrow says of a file into an error of ours."""
    try:
        yield
    except TableError:
        raise
    except UnicodeDecodeError as error:
        raise TableError(
            f"The column names of {path.name!r} are not UTF-8 text.", "Save the file as UTF-8."
        ) from error
    except (pa.ArrowException, OSError) as error:
        match = _CONVERSION.search(str(error))
        by_name = {column.name: column for column in columns}
        if match and names and (column := by_name.get(names[int(match[1])])):
            raise TableError(
                f"Column {column.name!r} of {path.name!r} holds {match[3]!r} in row "
                f"{int(match[2]) - 1}; the model learned from {kind_of(column)}.",
                "Mend the cell or leave it empty.",
            ) from error
        raise TableError(
            f"{path.name!r} cannot be read as {form}: {first_line(error)}.",
            "Check that the file is complete, or write it again; then run the command again.",
        ) from error


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
        more = f" and {n_more} more that the model learned from" if n_more else ""
        raise TableError(
            f"{path.name!r} has no column {lacking[0]!r}{more}.",
            f"The model needs {', '.join(column.name for column in columns[:8])}"
            f"{', ...' if len(columns) > 8 else ''}; "  # noqa: PLR2004 - a line of names
            f"or learn again without {'them' if n_more else 'it'}: onesided fit ... "
            f"{' '.join(option('--drop', name) for name in lacking[:8])}.",
        )
    if identifier and identifier not in found:
        raise TableError(
            f"{path.name!r} has no column {identifier!r} to name the rows.",
            "Pass another one: --id COLUMN.",
        )
    if identifier and (
        pa.types.is_nested(found[identifier]) or pa.types.is_binary(found[identifier])
    ):
        raise TableError(
            f"Column {identifier!r} holds {found[identifier]} values, which name nothing.",
            "Pass a column of single values: --id COLUMN.",
        )
    for column in columns:
        if files.format == "csv" and column.role != "sparse":
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
                f"{start + error.place + 1}; its numbers are written {notation}.",
                "Mend the cell or leave it empty.",
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
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()  # noqa: PLW2901 - the same cells
        cells = column.cast(kind, safe=not pa.types.is_floating(kind))
        if pa.types.is_floating(kind):
            size = np.abs(cells.to_numpy(zero_copy_only=False))
            if (size > LARGEST).any():
                row = int(np.argmax(size > LARGEST))
                raise TableError(
                    f"Column {name!r} of {path.name!r} is {cells[row].as_py()} in row "
                    f"{start + row + 1}.",
                    "Replace it by a finite number below 1e100, or leave the cell empty.",
                )
        elif pa.types.is_string(kind):
            cells.validate(full=True)
            if name in marked:
                cells = pc.if_else(pc.is_in(cells, MARKS), pa.scalar(None, pa.string()), cells)
        columns.append(cells)
    return pa.RecordBatch.from_arrays(columns, names=list(wanted))
