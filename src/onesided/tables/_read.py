"""A file, or a folder of files, as one Arrow table."""

import contextlib
import os
from collections.abc import Collection, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.json as pajson
import pyarrow.parquet as pq

from onesided._blocks._files import COMPRESSIONS, MISSING_MARKS, TableFiles, find_files, first_line
from onesided._blocks._memory import physical_memory
from onesided.exceptions import TableError
from onesided.tables._columns import check_names, named, option, plain_type

_MARKS = pa.array(MISSING_MARKS)
_BLOCK_BYTES = 1 << 26  # a cell of text must fit into one
_SAMPLE = (
    "Learn from a sample of its unlabeled rows, onesided fit --unlabeled 200000, and score all of "
    "it: onesided score."
)


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    as_text: Collection[str] = (),
    at_least: int = 2,
) -> pa.Table:
    """Read a table into memory.

    Parameters
    ----------
    path : a CSV, TSV, Parquet or JSON-lines file (also .gz, .bz2, .zst), or a folder of files of
        one of these formats, which are read in the order of their names
    delimiter : between the cells of a CSV file; found in its first line by default
    as_text : columns of a CSV file to take to the letter: identifiers keep their leading zeros
    at_least : fewest rows

    Returns
    -------
    a table with so many rows or more; its column names differ and are not empty

    Raises
    ------
    TableError : if there is no such file, it cannot be read as a table, or is larger than the
        memory of the machine
    """
    files = find_files(path, delimiter)
    check_size(path, files.paths)
    parts = [_read_one(member, files, as_text) for member in files.paths]
    try:
        table = pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(
            f"The files of {str(path)!r} do not fit together: {first_line(error)}.",
            "Keep the same columns, with one type of value each, in all files.",
        ) from error
    if table.num_rows < at_least:
        raise TableError(
            f"The table {str(path)!r} has {table.num_rows} row{'s' * (table.num_rows != 1)}.",
            "At least two positive rows and two unlabeled rows are needed."
            if at_least > 1
            else "Pass one with rows.",
        )
    return table.combine_chunks()


def check_size(path: str | os.PathLike[str], files: Iterable[Path], mend: str = _SAMPLE) -> None:
    """Refuse files that are together, unpacked, larger than the memory of the machine.

    Parameters
    ----------
    path : as a person named them
    files : that are to be read
    mend : what else to do

    Raises
    ------
    TableError : then
    """
    most = physical_memory()
    n_bytes = 0.0
    for member in files:
        n_bytes += _size(member, most - n_bytes)
        if n_bytes > most:
            raise TableError(
                f"{str(path)!r} has {n_bytes / 1e9:,.1f} GB or more, which is more than the memory "
                "of this machine.",
                mend,
            )


def _size(path: Path, enough: float) -> float:
    """Bytes that a file has when it is unpacked, or so many that they are enough."""
    n_bytes: float = path.stat().st_size
    with contextlib.suppress(pa.ArrowException, OSError):  # the reader says why
        if path.suffix.lower() in (
            ".parquet",
            ".pq",
        ):  # a file of few bytes may have many equal rows
            found = pq.read_metadata(path)
            return max(n_bytes, found.num_rows * found.num_columns / 8)  # a bit is the least
        if path.suffix.lower() in COMPRESSIONS:
            n_bytes = 0
            with pa.input_stream(str(path)) as stream:
                while n_bytes <= enough and (content := stream.read(_BLOCK_BYTES)):
                    n_bytes += len(content)
    return n_bytes


def _read_one(path: Path, files: TableFiles, as_text: Collection[str]) -> pa.Table:
    try:
        table = _parse(path, files, as_text)
        names = named(table.column_names)
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
    check_names(names, path)
    columns = [
        _plain(name, column, marks=files.format == "csv" and name not in as_text)
        for name, column in zip(names, table.columns, strict=True)
    ]
    return pa.table(dict(zip(names, columns, strict=True)))


def _parse(path: Path, files: TableFiles, as_text: Collection[str]) -> pa.Table:
    if files.format == "parquet":
        return pq.read_table(path)
    if files.format == "json":
        read = pajson.ReadOptions(block_size=_BLOCK_BYTES)
        return pajson.read_json(path, read_options=read)
    table = _parse_csv(path, files, as_text, decimal_point=".")
    if files.delimiter != "," and any(map(_has_decimal_commas, table.columns)):
        return _parse_csv(path, files, as_text, decimal_point=",")
    return table


def _parse_csv(
    path: Path, files: TableFiles, as_text: Collection[str], *, decimal_point: str
) -> pa.Table:
    parse = pacsv.ParseOptions(delimiter=files.delimiter, newlines_in_values=True)
    convert = pacsv.ConvertOptions(
        null_values=list(MISSING_MARKS),
        column_types=dict.fromkeys(as_text, pa.string()),
        decimal_point=decimal_point,
    )
    read = {"block_size": _BLOCK_BYTES, "skip_rows": files.skipped_lines}
    try:
        return pacsv.read_csv(path, pacsv.ReadOptions(**read), parse, convert)
    except pa.ArrowInvalid:  # once more, slower, for an error that says which row
        one_thread = pacsv.ReadOptions(**read, use_threads=False)
        return pacsv.read_csv(path, one_thread, parse, convert)


def _has_decimal_commas(column: pa.ChunkedArray) -> bool:
    """Whether all that is there are numbers, and some have a comma before the fraction."""
    if not pa.types.is_string(column.type):
        return False
    present = column.filter(pc.invert(pc.is_in(column, _MARKS)))
    commas = pc.match_substring_regex(present, r"^\s*[+-]?\d+,\d+\s*$")
    whole = pc.match_substring_regex(present, r"^\s*[+-]?\d+\s*$")
    return bool(pc.any(commas).as_py() and pc.all(pc.or_(commas, whole)).as_py())


def _plain(name: str, column: pa.ChunkedArray, *, marks: bool) -> pa.ChunkedArray:
    """A column without dictionaries and views; in text `marks` of a missing value are missing."""
    kind = plain_type(column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.type != kind:
        column = column.cast(kind)
    if not pa.types.is_string(kind):
        return column
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        raise not_utf8(name, column.cast(pa.binary())) from None
    if marks:
        column = pc.if_else(pc.is_in(column, _MARKS), pa.scalar(None, pa.string()), column)
    return column


def not_utf8(name: str, column: pa.ChunkedArray) -> TableError:
    """The error for a column of bytes, naming the first cell that is no text."""
    for row, cell in enumerate(column.to_pylist(), start=1):
        try:
            (cell or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            return TableError(
                f"Column {name!r}, row {row} is not UTF-8 text: byte {cell[error.start]:#x}.",
                f"Save the file as UTF-8, or leave the column out: {option('--drop', name)}.",
            )
    return TableError(f"Column {name!r} holds bytes.", f"Leave it out: {option('--drop', name)}.")
