"""A file, or a folder of files, as one Arrow table."""

import os
import warnings
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._find import find_files
from onesided._files._format import TableFiles, filled_end, reading, unpacked_bytes
from onesided._files._formats import known_format
from onesided._files._layout import as_numbers, common_schema, find_notations, may_be_numbers
from onesided._files._memory import physical_memory
from onesided._files._names import check_names, check_same_columns, named, plain_cells
from onesided._files._notation import Notation, is_plain
from onesided._text import argument
from onesided.exceptions import OnesidedWarning, TableError

_FEW_WHOLE, _SOME_WHOLE, _MANY_SHORT = 5, 0.02, 0.3  # numbers, and shares, that tell thousands
_ROUNDING = 1e-6
_SAMPLE = (
    "Fit a model to a sample of the unlabeled rows, "
    f"{argument('unlabeled', 200000)}, then score the whole table by this model."
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
    if not files.format.may_lack:
        check_same_columns({member: part.column_names for member, part in parts.items()})
    chosen = _notations(parts, files, as_text, like)
    read = {member: _converted(member, part, files, chosen) for member, part in parts.items()}
    common_schema({member: part.schema for member, part in read.items()})
    table = pa.concat_tables(read.values(), promote_options="permissive")
    if table.num_rows < at_least:
        raise TableError(
            f"The table {str(path)!r} has {table.num_rows} row{'s' * (table.num_rows != 1)}.",
            "At least two positive rows and two unlabeled rows are needed."
            if at_least > 1
            else "Pass a table that has rows.",
        )
    if not files.format.has_types:
        _warn_of_thousands(table)
    table = table.combine_chunks()
    return table.slice(0, filled_end(table) or table.num_rows)


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
                f"Column {field.name!r} has whole numbers below 1000, and others with three "
                "digits after a point. If 1.234 means 1234 in this column, write the numbers "
                "without the point.",
                OnesidedWarning,
                stacklevel=3,
            )


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
        form = known_format(member)
        size_of = form.n_bytes if form else unpacked_bytes
        n_bytes += size_of(member, most - n_bytes)
        if n_bytes > most:
            raise TableError(
                f"{str(path)!r} has {n_bytes / 1000000000.0:,.1f} GB or more, which exceeds "
                "the memory of this machine.",
                mend,
            )


def _read_one(path: Path, files: TableFiles, as_text: Collection[str]) -> pa.Table:
    with reading(path, files.format):
        table = files.format.read(path, files, list(as_text))
        names = named(table.column_names)
    check_names(names, path)
    columns = [
        plain_cells(name, column, marks=not files.format.has_types and name not in as_text)
        for name, column in zip(names, table.columns, strict=True)
    ]
    return pa.table(dict(zip(names, columns, strict=True)))


def _notations(
    parts: Mapping[Path, pa.Table],
    files: TableFiles,
    as_text: Collection[str],
    like: pa.Schema | None,
) -> dict[str, Notation]:
    """Notations of the columns of text that are numbers in the notation of people."""
    notations = {field.name: Notation.of(field) for field in like or ()}
    known = {name: notation.decimal for name, notation in notations.items() if notation}
    if not known and not any(
        _is_notation(part.column(name))
        for part in parts.values()
        for name in part.column_names
        if name not in as_text
    ):
        return {}
    letters = (
        (part.schema, [_points_as_text(path, part, files, part.column_names)])
        for path, part in parts.items()
    )
    comma_is = files.format.comma_is(files)
    return find_notations(letters, comma_is=comma_is, known=known, as_text=as_text)


def _is_notation(column: pa.ChunkedArray) -> bool:
    """Whether text is numbers, but not for every program: for those it may be codes."""
    return pa.types.is_string(column.type) and may_be_numbers(column) and not is_plain(column)


def _points_as_text(
    path: Path, part: pa.Table, files: TableFiles, names: Collection[str]
) -> pa.Table:
    """A part with the cells of fractions as they are: 1.500 may be a thousand and a half.

    Parameters
    ----------
    path : of the file
    part : what was read of it
    files : that it is one of
    names : of the columns for which that matters
    """
    places = [
        at
        for at, field in enumerate(part.schema)
        if pa.types.is_floating(field.type) and field.name in names
    ]
    if files.format.has_types or not places:
        return part
    raw = files.format.schema(path, files).names
    only = [raw[at] for at in places]
    again = files.format.read(path, files, only, only)
    for at, cells in zip(places, again.columns, strict=True):
        name = part.column_names[at]
        part = part.set_column(at, name, plain_cells(name, cells, marks=True))
    return part


def _converted(
    path: Path, part: pa.Table, files: TableFiles, chosen: Mapping[str, Notation]
) -> pa.Table:
    """A part with the columns of a notation as numbers, and the others as they were."""
    letters = _points_as_text(path, part, files, chosen)
    for at, field in enumerate(part.schema):
        if notation := chosen.get(field.name):
            cells = as_numbers(letters.column(at), notation)
            part = part.set_column(at, notation.on(field), cells)
    return part
