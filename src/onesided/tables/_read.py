"""A file, or a folder of files, as one Arrow table."""

import contextlib
import os
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.json as pajson
import pyarrow.parquet as pq

from onesided._blocks._files import COMPRESSIONS, MISSING_MARKS, TableFiles, find_files, first_line
from onesided._blocks._memory import physical_memory
from onesided.exceptions import OnesidedWarning, TableError
from onesided.tables._columns import check_names, named, option, plain_type
from onesided.tables._notation import (
    ANY,
    Notation,
    Written,
    choose,
    comma_of,
    how_written,
    is_plain,
    read_numbers,
)

_MARKS = pa.array(MISSING_MARKS)
_FIRST_CELLS = 200  # that tell of most columns of text that they are no numbers
_FEW_WHOLE, _SOME_WHOLE, _MANY_SHORT = 5, 0.02, 0.3  # numbers, and shares, that tell thousands
_ROUNDING = 1e-6
_START_BYTES = 1 << 20  # in which codes are looked for; with longer rows, none are
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
    like: pa.Schema | None = None,
) -> pa.Table:
    """Read a table into memory.

    Parameters
    ----------
    path : a CSV, TSV, Parquet or JSON-lines file (also .gz, .bz2, .zst), or a folder of files of
        one of these formats, which are read in the order of their names
    delimiter : between the cells of a CSV file; found in its first lines by default
    as_text : columns of a CSV file to take to the letter: identifiers keep their leading zeros
    at_least : fewest rows
    like : of a table beside; cells that could be of two notations are of the one that it has

    Returns
    -------
    a table with so many rows or more; its column names differ and are not empty. Columns of text
    that are numbers in a notation of people are numbers, and their fields have the notation.

    Raises
    ------
    TableError : if there is no such file, it cannot be read as a table, or is larger than the
        memory of the machine
    """
    files = find_files(path, delimiter)
    check_size(path, files.paths)
    parts = {member: _read_one(member, files, as_text) for member in files.paths}
    if files.format != "json":  # lines of it need not have all columns
        _check_same_columns(parts)
    try:
        table = pa.concat_tables(
            _with_numbers(parts, files, as_text, like), promote_options="permissive"
        )
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
    if files.format == "csv":
        _warn_of_thousands(table)
    return _without_blank_end(table.combine_chunks())


def _warn_of_thousands(table: pa.Table) -> None:
    """Warn of columns in which 567 and 1.234 may both be whole numbers.

    Of numbers that were rounded to three digits hardly any is whole, and a tenth has two digits.
    """
    for field, column in zip(table.schema, table.columns, strict=True):
        if not pa.types.is_floating(field.type) or Notation.of(field) is not None:
            continue
        size = np.abs(pc.drop_null(column).to_numpy())
        whole = size == np.floor(size)
        others = size[~whole]
        if min(whole.sum(), len(others)) < _FEW_WHOLE or whole.mean() < _SOME_WHOLE:
            continue
        in_thousands, in_hundreds = (
            np.abs(others * tens - np.rint(others * tens)) < _ROUNDING for tens in (1000, 100)
        )
        if (
            others.min() >= 1
            and size.max() < 1000  # noqa: PLR2004 - three digits before the point
            and size[whole].max() >= 100  # noqa: PLR2004 - three digits, as groups have
            and in_thousands.all()
            and in_hundreds.mean() < _MANY_SHORT
        ):
            warnings.warn(
                f"Column {field.name!r} has whole numbers below 1000, and others with three digits "
                "after a point. If 1.234 means 1234 in it, write it without the point.",
                OnesidedWarning,
                stacklevel=3,
            )


def _check_same_columns(parts: Mapping[Path, pa.Table]) -> None:
    """Refuse files of a folder whose columns differ: what a part lacks would be read as gaps."""
    (first, columns), *others = ((path, part.column_names) for path, part in parts.items())
    for path, found in others:
        for one, other, lacking in (
            (first, path, [name for name in columns if name not in found]),
            (path, first, [name for name in found if name not in columns]),
        ):
            if lacking:
                raise TableError(
                    f"{one.name!r} has a column {lacking[0]!r}, which {other.name!r} lacks.",
                    "Keep the same columns and the same delimiter in all files of a folder.",
                )


def _without_blank_end(table: pa.Table) -> pa.Table:
    """A table less the rows without a cell at its end, as spreadsheets leave them."""
    filled = np.zeros(table.num_rows, dtype=bool)
    for column in table.columns:
        is_text = pa.types.is_string(column.type)  # of which an identifier may be empty
        there = pc.not_equal(column, "") if is_text else column.is_valid()
        filled |= pc.fill_null(there, fill_value=False).to_numpy()
    return table.slice(0, int(np.flatnonzero(filled)[-1]) + 1) if filled.any() else table


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
        return pajson.read_json(files.source(path), read_options=read)
    table = _parse_csv(path, files, as_text)
    codes = _codes(path, files, table)
    return _parse_csv(path, files, [*as_text, *codes]) if codes else table


def _codes(path: Path, files: TableFiles, table: pa.Table) -> list[str]:
    """Columns that Arrow takes for whole numbers, with cells such as 04109 at the start."""
    whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    if not whole or table.num_rows == 0:
        return []
    as_it_is = pacsv.ConvertOptions(
        column_types=dict.fromkeys(whole, pa.string()), include_columns=whole
    )
    reader = pacsv.open_csv(
        files.source(path),
        pacsv.ReadOptions(block_size=_START_BYTES, skip_rows=files.skipped_lines),
        pacsv.ParseOptions(delimiter=files.delimiter, newlines_in_values=True),
        as_it_is,
    )
    start = reader.read_next_batch()
    return [
        name
        for name in whole
        if pc.any(pc.match_substring_regex(start.column(name), r"^\s*0\d")).as_py()
    ]


def _parse_csv(
    path: Path, files: TableFiles, as_text: Collection[str], *, only: Sequence[str] = ()
) -> pa.Table:
    parse = pacsv.ParseOptions(delimiter=files.delimiter, newlines_in_values=True)
    convert = pacsv.ConvertOptions(
        null_values=list(MISSING_MARKS),
        column_types=dict.fromkeys(as_text, pa.string()),
        include_columns=only,
    )
    read = {"block_size": _BLOCK_BYTES, "skip_rows": files.skipped_lines}
    try:
        return pacsv.read_csv(files.source(path), pacsv.ReadOptions(**read), parse, convert)
    except pa.ArrowInvalid:  # once more, slower, for an error that says which row
        one_thread = pacsv.ReadOptions(**read, use_threads=False)
        return pacsv.read_csv(files.source(path), one_thread, parse, convert)


def _with_numbers(
    parts: Mapping[Path, pa.Table],
    files: TableFiles,
    as_text: Collection[str],
    like: pa.Schema | None,
) -> list[pa.Table]:
    """The parts of a table, in which text that is numbers in a notation is numbers."""
    texts = {
        name
        for part in parts.values()
        for name in part.column_names
        if name not in as_text and _is_notation(part.column(name))
    }
    notations = {field.name: Notation.of(field) for field in like or ()}
    known = {name: notation.decimal for name, notation in notations.items() if notation}
    if not texts and not known:
        return list(parts.values())
    letters = [_points_as_text(path, part, files) for path, part in parts.items()]
    columns: dict[str, Written | None] = {}
    for part, written in zip(parts.values(), letters, strict=True):
        for field in written.schema:
            if pa.types.is_null(field.type) or field.name in as_text:
                continue
            here = _how_written(written.column(field.name), part.schema.field(field.name).type)
            so_far = columns.get(field.name, here)
            columns[field.name] = so_far and here and so_far.together(here)
    chosen = choose(
        {name: each for name, each in columns.items() if each and each != ANY},
        comma_is=comma_of(files),
        known=known,
    )
    return [_converted(*both, chosen) for both in zip(letters, parts.values(), strict=True)]


def _is_notation(column: pa.ChunkedArray) -> bool:
    """Whether text is numbers, but not for every program: for those it may be codes."""
    if not pa.types.is_string(column.type) or how_written(column[:_FIRST_CELLS]) is None:
        return False
    return not is_plain(column)


def _how_written(cells: pa.ChunkedArray, was: pa.DataType) -> Written | None:
    """How cells are written; `was` is what Arrow took them for."""
    if pa.types.is_integer(was):
        return ANY
    if pa.types.is_string(was) and is_plain(cells):
        return None
    return how_written(cells) if pa.types.is_string(cells.type) else None


def _points_as_text(path: Path, part: pa.Table, files: TableFiles) -> pa.Table:
    """A part of CSV with the cells of fractions as they are: 1.500 may be a thousand and a half."""
    places = [at for at, kind in enumerate(part.schema.types) if pa.types.is_floating(kind)]
    if files.format != "csv" or not places:
        return part
    names = _raw_names(path, files)
    only = [names[at] for at in places]
    again = _parse_csv(path, files, only, only=only)
    for at, cells in zip(places, again.columns, strict=True):
        name = part.column_names[at]
        part = part.set_column(at, name, _plain(name, cells, marks=True))
    return part


def _raw_names(path: Path, files: TableFiles) -> list[str]:
    read = pacsv.ReadOptions(block_size=_BLOCK_BYTES, skip_rows=files.skipped_lines)
    parse = pacsv.ParseOptions(delimiter=files.delimiter, newlines_in_values=True)
    return list(pacsv.open_csv(files.source(path), read, parse).schema.names)


def _converted(letters: pa.Table, part: pa.Table, chosen: Mapping[str, Notation]) -> pa.Table:
    """A part with the columns of a notation as numbers, and the others as they were."""
    for at, field in enumerate(part.schema):
        if notation := chosen.get(field.name):
            cells = letters.column(at)
            if pa.types.is_string(cells.type):
                cells = read_numbers(cells, notation)
            part = part.set_column(at, notation.on(field), cells.cast(pa.float64()))
    return part


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
