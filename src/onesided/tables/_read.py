"""A file, or a folder of files, as one Arrow table."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.json as pajson
import pyarrow.parquet as pq

from onesided._blocks._files import MISSING_MARKS, TableFiles, find_files, first_line
from onesided.exceptions import TableError

_BLOCK_BYTES = 1 << 26  # a cell of text must fit into one


def read_table(path: str | os.PathLike[str], *, delimiter: str | None = None) -> pa.Table:
    """Read a table into memory.

    Parameters
    ----------
    path : a CSV, TSV, Parquet or JSON-lines file (also .gz, .bz2, .zst), or a folder of files of
        one of these formats, which are read in the order of their names
    delimiter : between the cells of a CSV file; found in its first line by default

    Returns
    -------
    a table with at least two rows; its column names differ and are not empty

    Raises
    ------
    TableError : if there is no such file, or it cannot be read as a table
    """
    files = find_files(path, delimiter)
    parts = [_read_one(member, files) for member in files.paths]
    try:
        table = pa.concat_tables(
            [part.rename_columns(_named(part.column_names)) for part in parts],
            promote_options="permissive",
        )
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(
            f"The files of {str(path)!r} do not fit together: {first_line(error)}.",
            "Keep the same columns, with one type of value each, in all files.",
        ) from error
    if table.num_rows < 2:  # noqa: PLR2004 - one positive, one unlabeled
        raise TableError(
            f"The table {str(path)!r} has {table.num_rows} row{'s' * (table.num_rows != 1)}.",
            "At least two positive rows and two unlabeled rows are needed.",
        )
    return _plain(table)


def _read_one(path: Path, files: TableFiles) -> pa.Table:
    try:
        table = _parse(path, files)
        _check_names(table.column_names, path)
    except UnicodeDecodeError as error:
        raise TableError(
            f"The column names of {path.name!r} are not UTF-8 text: byte "
            f"{error.object[error.start]:#x}.",
            "Save the file as UTF-8.",
        ) from error
    except (pa.ArrowException, OSError) as error:
        mends = {
            "csv": "Give each row as many cells as the header, with quotes around text that "
            "holds the delimiter.",
            "json": "Write one object a line, {...}, with the same type of value under a name.",
            "parquet": "Check that the file is complete, or write it again.",
        }
        raise TableError(
            f"{path.name!r} cannot be read as {files.format}: {first_line(error)}.",
            mends[files.format],
        ) from error
    return table


def _parse(path: Path, files: TableFiles) -> pa.Table:
    if files.format == "parquet":
        return pq.read_table(path)
    if files.format == "json":
        return pajson.read_json(path, read_options=pajson.ReadOptions(block_size=_BLOCK_BYTES))
    return _read_csv(path, files.delimiter)


def _read_csv(path: Path, delimiter: str) -> pa.Table:
    parse = pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    convert = pacsv.ConvertOptions(null_values=list(MISSING_MARKS), strings_can_be_null=True)
    try:
        return pacsv.read_csv(path, pacsv.ReadOptions(block_size=_BLOCK_BYTES), parse, convert)
    except pa.ArrowInvalid:  # once more, slower, for an error that says which row
        one_thread = pacsv.ReadOptions(block_size=_BLOCK_BYTES, use_threads=False)
        return pacsv.read_csv(path, one_thread, parse, convert)


def _check_names(names: list[str], path: Path) -> None:
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            raise TableError(
                f"{path.name!r} has two columns named {name!r}.",
                "Give each column a name of its own.",
            )
        seen.add(name)


def _named(names: list[str]) -> list[str]:
    """Names, where an empty one says which column it is."""
    return [name.strip() or f"column_{position}" for position, name in enumerate(names, start=1)]


def _plain(table: pa.Table) -> pa.Table:
    """Columns in one chunk, dictionaries as their values; bytes that are no text are refused."""
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)  # noqa: PLW2901
        elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise _not_utf8(name, column)
        columns.append(column)
    return pa.table(dict(zip(table.column_names, columns, strict=True))).combine_chunks()


def _not_utf8(name: str, column: pa.ChunkedArray) -> TableError:
    for row, cell in enumerate(column.to_pylist(), start=1):
        try:
            (cell or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            return TableError(
                f"Column {name!r}, row {row} is not UTF-8 text: byte {cell[error.start]:#x}.",
                "Save the file as UTF-8.",
            )
    return TableError(f"Column {name!r} holds bytes.", f"Drop it: --drop {name}.")
