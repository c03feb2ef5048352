"""A table in files that can be read in batches several times, as `read_table` reads it whole."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pyarrow as pa

from onesided._files._blank import tell_left_out, without_rows
from onesided._files._find import find_files
from onesided._files._format import BATCH_ROWS, TableFile, reading
from onesided._files._layout import as_numbers, lay_out
from onesided._files._marks import plain_cells
from onesided._files._names import check_names, named, read_type


class FileTable:
    """Rows of a table in files that is never held in memory whole.

    The types of the columns are found once, from all cells, and are those of `read_table`.

    Parameters
    ----------
    path : path of a file or a folder of files, as for `read_table`
    at_once : largest number of rows in a batch

    Attributes
    ----------
    schema : names and types of the columns

    Raises
    ------
    TableError : if there is nothing to read, or a file cannot be read to its end
    """

    def __init__(self, path: str | os.PathLike[str], *, at_once: int = BATCH_ROWS) -> None:
        self._at_once = at_once
        self._parts = [_FilePart(file) for file in find_files(path)]
        schema, self._notations = lay_out(self._parts)
        starts = np.cumsum([0, *(part.n_rows for part in self._parts)])
        blank = [start + part.blank for start, part in zip(starts, self._parts, strict=False)]
        self.schema = tell_left_out(schema, np.concatenate(blank))

    def check_errors(self, name: str) -> None:
        """Refuse a column of labels that holds errors of a workbook."""
        for part in self._parts:
            part.file.check_errors([name])

    def count_rows(self) -> int:
        """Number of rows without blank rows, whose cells are all missing."""
        return sum(part.n_rows - len(part.blank) for part in self._parts)

    def to_batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Some columns of all rows, in order."""
        schema = pa.schema([self.schema.field(name).remove_metadata() for name in columns])
        for part in self._parts:
            here = [name for name in columns if name in part.schema.names]
            for batch in part.cells(here or part.schema.names[:1], self._notations):
                arrays = [
                    self._cells(field, batch.column(field.name))
                    if field.name in here
                    else pa.nulls(batch.num_rows, field.type)
                    for field in schema
                ]
                whole = pa.RecordBatch.from_arrays(arrays, schema=schema) if columns else batch
                for at in range(0, batch.num_rows, self._at_once):
                    yield whole.slice(at, self._at_once)

    def _cells(self, field: pa.Field, cells: pa.Array) -> pa.Array:
        notation = self._notations.get(field.name)
        return as_numbers(cells, notation) if notation else cells.cast(field.type)


class _FilePart:
    """One file of the table; all its cells are read once for the types of its columns."""

    def __init__(self, file: TableFile) -> None:
        with reading(file):
            found = file.format.survey(file)
            names = named(found.schema.names)
        check_names(names, file.path)
        self.file = file
        self.n_rows, self.blank = found.n_rows, found.blank
        self.schema = pa.schema(zip(names, map(read_type, found.schema.types), strict=True))
        self._raw = dict(zip(names, found.schema.names, strict=True))

    def cells(self, names: Sequence[str], letters: Collection[str]) -> Iterator[pa.RecordBatch]:
        """Some columns with plain types; fractions in `letters` are text if the file is text."""
        is_text = not self.file.format.has_types
        wanted = {}
        for name in names:
            kind = self.schema.field(name).type
            as_text = is_text and name in letters and pa.types.is_floating(kind)
            wanted[self._raw[name]] = pa.string() if as_text else kind
        n_before = 0
        with reading(self.file):
            for batch in self.file.format.batches(self.file, wanted) if wanted else ():
                cells = [
                    plain_cells(name, each, self.file.missing)
                    for name, each in zip(names, batch.columns, strict=True)
                ]
                found = pa.RecordBatch.from_arrays(cells, names=list(names))
                yield without_rows(found, self.blank, n_before)
                n_before += batch.num_rows
