"""A table in files that is read in batches, again and again, as it is when it is read whole."""

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import pyarrow as pa

from onesided._files._find import find_files
from onesided._files._format import BATCH_ROWS, Survey, reading
from onesided._files._layout import as_numbers, common_schema, find_notations, may_be_numbers
from onesided._files._names import (
    check_names,
    check_same_columns,
    named,
    plain_cells,
    plain_type,
)
from onesided._files._notation import Notation, is_plain

_MEND = "Check that the file is complete, or write it again."


class FileTable:
    """Rows of a table in files, never held whole.

    What its columns are is found once, from all cells, as `read_table` finds it.

    Parameters
    ----------
    path : of a file or a folder of files, as for `read_table`
    at_once : most rows of a batch

    Attributes
    ----------
    schema : names and types of the columns, those that `read_table` gives

    Raises
    ------
    TableError : if there is nothing to read, or a file cannot be read to its end
    """

    def __init__(self, path: str | os.PathLike[str], *, at_once: int = BATCH_ROWS) -> None:
        self._files = find_files(path)
        self._at_once = at_once
        surveys = {member: self._survey(member) for member in self._files.paths}
        self._raw = {member: found.schema.names for member, found in surveys.items()}
        self._kinds = {member: _plain_schema(found.schema) for member, found in surveys.items()}
        if not self._files.format.may_lack:
            check_same_columns({member: kinds.names for member, kinds in self._kinds.items()})
        self._notations = self._find_notations()
        self.schema = common_schema({m: self._read_as(m) for m in self._kinds})
        self._n_rows = _filled(list(surveys.values()))

    def count_rows(self) -> int:
        """Number of rows, up to the last one that has a cell."""
        return self._n_rows

    def to_batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Some columns of all rows, in order."""
        schema = pa.schema([self.schema.field(name).remove_metadata() for name in columns])
        left = self._n_rows
        for path, kinds in self._kinds.items():
            here = [name for name in columns if name in kinds.names]
            for batch in self._letters(path, here or kinds.names[:1], set(self._notations)):
                cells = dict(zip(batch.schema.names, batch.columns, strict=True))
                arrays = [
                    self._cells(field, cells[field.name])
                    if field.name in cells
                    else pa.nulls(batch.num_rows, field.type)
                    for field in schema
                ]
                whole = pa.RecordBatch.from_arrays(arrays, schema=schema) if columns else batch
                for at in range(0, min(batch.num_rows, left), self._at_once):
                    yield whole.slice(at, min(self._at_once, left - at))
                left -= min(batch.num_rows, left)

    def _cells(self, field: pa.Field, cells: pa.Array) -> pa.Array:
        notation = self._notations.get(field.name)
        return as_numbers(cells, notation) if notation else cells.cast(field.type)

    def _read_as(self, path: Path) -> pa.Schema:
        """The columns of a file as they are given; those with a notation are numbers."""
        return pa.schema(
            self._notations[each.name].on(each) if each.name in self._notations else each
            for each in self._kinds[path]
        )

    def _survey(self, path: Path) -> Survey:
        with reading(path, self._files.format, _MEND):
            found = self._files.format.survey(path, self._files)
            names = named(found.schema.names)
        check_names(names, path)
        return found

    def _letters(
        self, path: Path, columns: Sequence[str], letters: set[str]
    ) -> Iterator[pa.RecordBatch]:
        """Some columns of a file, with plain types.

        Parameters
        ----------
        path : of the file
        columns : of it
        letters : columns whose fractions are text, if they are text in the file
        """
        form, kinds = self._files.format, self._kinds[path]
        raw = dict(zip(kinds.names, self._raw[path], strict=True))
        wanted = {}
        for name in columns:
            kind = kinds.field(name).type
            as_text = name in letters and pa.types.is_floating(kind) and not form.has_types
            wanted[raw[name]] = pa.string() if as_text else kind
        with reading(path, form, _MEND):
            for batch in form.batches(path, self._files, wanted) if wanted else ():
                cells = [
                    plain_cells(name, each, marks=not form.has_types)
                    for name, each in zip(columns, batch.columns, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(cells, names=list(columns))

    def _find_notations(self) -> dict[str, Notation]:
        """Notations of the columns of text that are numbers in the notation of people."""
        if not any(map(self._has_notation, self._kinds)):
            return {}
        is_text = pa.types.is_string
        parts = (
            (
                kinds,
                self._letters(
                    path,
                    [
                        each.name
                        for each in kinds
                        if is_text(each.type) or pa.types.is_floating(each.type)
                    ],
                    set(kinds.names),
                ),
            )
            for path, kinds in self._kinds.items()
        )
        return find_notations(parts, comma_is=self._files.format.comma_is(self._files))

    def _has_notation(self, path: Path) -> bool:
        """Whether a column of text of a file is numbers, but not for every program."""
        names = [each.name for each in self._kinds[path] if pa.types.is_string(each.type)]
        batches = self._letters(path, names, set()) if names else iter(())
        first = next(batches, None)
        if first is None:
            return False
        open_names = [name for name in names if may_be_numbers(first.column(name))]
        return bool(open_names) and any(
            not is_plain(batch.column(name))
            for batch in chain([first], batches)
            for name in open_names
        )


def _plain_schema(schema: pa.Schema) -> pa.Schema:
    pairs = zip(named(schema.names), schema.types, strict=True)
    return pa.schema([(name, plain_type(kind)) for name, kind in pairs])


def _filled(surveys: Sequence[Survey]) -> int:
    """Number of rows of all files, up to the last one that has a cell; all, if none has."""
    n_rows = n_filled = 0
    for each in surveys:
        n_filled = n_rows + each.n_filled if each.n_filled else n_filled
        n_rows += each.n_rows
    return n_filled or n_rows
