"""A file, or a folder of files, as one Arrow table."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._blank import without_blank_rows
from onesided._files._find import find_files
from onesided._files._format import TableFile, reading
from onesided._files._formats import format_of
from onesided._files._layout import as_numbers, lay_out
from onesided._files._marks import is_marked, plain_cells, spellings
from onesided._files._memory import available_memory, memory_by_byte
from onesided._files._names import check_names, named, plain_column, takes_names
from onesided._files._notation import Notation
from onesided._files._packed import first_bytes, unpacked_bytes
from onesided._text import argument, counted
from onesided.exceptions import OnesidedWarning, TableError

_FEW_WHOLE, _SOME_WHOLE, _MANY_SHORT = 5, 0.02, 0.3  # limits of `_warn_of_thousands`
_ROUNDING = 1e-6
_BLOCK_BYTES, _LONGEST_MARK = 1 << 20, 1000
_SAMPLE = (
    "Fit a model to a sample of the unlabeled rows, "
    f"{argument('unlabeled', 200000)}, then score the whole table by this model."
)


@takes_names
def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    sheet: str | None = None,
    as_text: Collection[str] = (),
    at_least: int = 2,
    like: pa.Schema | None = None,
    missing: Sequence[str] = (),
) -> pa.Table:
    r"""Read a table into memory.

    Parameters
    ----------
    path : a CSV, TSV, Parquet, Feather, JSON-lines or spreadsheet file, which may be compressed, or
        a folder of files of one of these formats, which are read in the order of their names
    delimiter : delimiter of a CSV file; found in its first lines by default
    sheet : name of a sheet of a workbook; the first by default
    as_text : columns that stay as they are to the letter, so that identifiers keep their leading
        zeros
    at_least : smallest number of rows
    like : schema of another table, whose notation is used for numbers that fit two notations
    missing : cells that mean a missing value, beside those that mean it in every table; -9999 for
        example

    Returns
    -------
    a table with different, non-empty column names, without the rows of which all cells are missing.
    Numbers such as "1.234,5 €" are numbers, and the fields of their columns hold their notation.

    Raises
    ------
    TableError : if there is no such file, it cannot be read as a table, or it is larger than memory

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "prices.csv"
    ...     _ = path.write_text("item;price\n007;1.234,50\n008;9,90\n")
    ...     table = read_table(path, as_text=["item"])
    >>> table.to_pylist()
    [{'item': '007', 'price': 1234.5}, {'item': '008', 'price': 9.9}]
    """
    files = find_files(path, delimiter, sheet, missing)
    check_size(path, [file.path for file in files])
    parts = [_WholePart(file, as_text) for file in files]
    beside = {field.name: Notation.of(field) for field in like or ()}
    known = {name: notation.decimal for name, notation in beside.items() if notation}
    schema, notations = lay_out(parts, known=known, as_text=as_text)
    table = pa.concat_tables(
        [part.converted(notations) for part in parts], promote_options="permissive"
    ).replace_schema_metadata(schema.metadata)
    if not files[0].format.has_types:
        _warn_of_thousands(table)
    if like is None:  # otherwise it was said of the other table
        _tell_of_absent(path, parts)
    table = without_blank_rows(table.combine_chunks())
    del parts
    pa.default_memory_pool().release_unused()  # reading needs more memory than the table
    if table.num_rows < at_least:
        raise TableError(
            f"The table {Path(path).name!r} has {counted(table.num_rows, 'row')}.",
            "At least two positive rows and two unlabeled rows are needed."
            if at_least > 1
            else "Pass a table that has rows.",
        )
    return table


def _tell_of_absent(path: str | os.PathLike[str], parts: Sequence[_WholePart]) -> None:
    """Warn of the user's marks of missing values that no cell of the table holds."""
    marks = {*parts[0].file.missing}
    for part in parts:
        marks = {each for each in marks if not part.holds(each)}
    if marks:
        named = " or ".join(map(repr, sorted(marks)))
        warnings.warn(
            f"No cell of {Path(path).name!r} is {named}, which {argument('missing')} names.",
            OnesidedWarning,
            stacklevel=3,
        )


def _warn_of_thousands(table: pa.Table) -> None:
    """Warn of columns in which 567 and 1.234 may both be whole numbers.

    Among true fractions with three digits, hardly any is whole, and a tenth ends in a zero.
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
    """Refuse files that take more memory than is free; `mend` says what to do instead.

    A compressed file is unpacked only up to the size at which it is refused.
    """
    most = available_memory()
    needed = 0.0
    for member in files:
        form = format_of(member)
        size_of = form.n_bytes if form else unpacked_bytes
        by_byte = memory_by_byte(_start_of(member))
        needed += by_byte * size_of(member, (most - needed) / by_byte)
        if needed > most:
            raise TableError(
                f"Reading {str(path)!r} takes {needed / 1e9:,.1f} GB of memory or more, which "
                f"exceeds the {most / 1e9:,.1f} GB that are free.",
                mend,
            )


def _start_of(path: Path) -> bytes:
    with contextlib.suppress(pa.ArrowException, OSError, EOFError):  # the reader reports it later
        return first_bytes(path)
    return b""


class _WholePart:
    """One file of the table, held in memory whole."""

    def __init__(self, file: TableFile, as_text: Collection[str]) -> None:
        file.check_errors(as_text)
        is_text = not file.format.has_types
        with reading(file):
            found = file.format.schema(file).names if as_text and is_text else []
            pairs = zip(found, named(found), strict=True)
            kept = [raw for raw, name in pairs if name in as_text] if is_text else list(as_text)
            table = file.format.read(file, kept)
            names = named(table.column_names)
            self._marked = {
                mark
                for mark in file.missing
                for column in map(plain_column, table.columns)
                if (found := is_marked(column, [mark], common=())) is not None
                and pc.any(found).as_py()
            }
            check_names(names, file.path)
            columns = {
                name: plain_cells(name, column, None if name in as_text else file.missing)
                for name, column in zip(names, table.columns, strict=True)
            }
            self._table = pa.table(columns)
        self.file = file
        self.schema = self._table.schema
        self._raw = dict(zip(names, table.column_names, strict=True))

    def holds(self, mark: str) -> bool:
        """Whether a cell may hold this mark; the text of CSV is searched, as Arrow drops marks."""
        if mark in self._marked or self.file.format.has_types:
            return mark in self._marked
        marks = b"|".join(re.escape(each.encode()) for each in spellings([mark]))
        wanted = re.compile(rb"(?<![\w.])(?:" + marks + rb")(?!\w|\.\d*[1-9])")
        rest = b""
        with reading(self.file), self.file.source() as content:
            while block := content.read(_BLOCK_BYTES):
                if wanted.search(rest + block):
                    return True
                rest = block[-_LONGEST_MARK:]
        return False

    def cells(self, names: Sequence[str], letters: Collection[str]) -> list[pa.Table]:
        """Some columns; in a text file, fractions in `letters` stay text: 1.500 may mean 1500."""
        cells = {name: self._table.column(name) for name in names}
        points = [
            name for name in names if name in letters and pa.types.is_floating(cells[name].type)
        ]
        if points and not self.file.format.has_types:
            only = [self._raw[name] for name in points]
            again = self.file.format.read(self.file, only, only)
            for name, column in zip(points, again.columns, strict=True):
                cells[name] = plain_cells(name, column, self.file.missing)
        return [pa.table(cells)]

    def converted(self, notations: Mapping[str, Notation]) -> pa.Table:
        """All columns; a column with a notation becomes numbers, its field holds the notation."""
        names = [name for name in self._table.column_names if name in notations]
        (letters,) = self.cells(names, set(names))
        numbers = {
            name: as_numbers(letters.column(name), notations[name], self.file.missing)
            for name in names
        }
        columns = {
            name: numbers.get(name, cells)
            for name, cells in zip(self._table.column_names, self._table.columns, strict=True)
        }
        fields = [
            notations[each.name].on(each) if each.name in numbers else each
            for each in self._table.schema
        ]
        return pa.table(columns, schema=pa.schema(fields))
