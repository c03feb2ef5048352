"""Blank rows, whose cells are all missing, as spreadsheets leave them: no table includes them.

Errors and the names of rows still count blank rows, since a user counts them in the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from onesided._files._arrow import np, pa
from onesided._files._marks import is_marked
from onesided._files._names import plain_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from onesided._typing import Bools, Ints

_LEFT_OUT = b"onesided:rows without cells"
"""Metadata key; its value holds the first place, from 0, and the length of each blank run."""


def blank_rows(table: pa.RecordBatch | pa.Table, missing: Sequence[str] = ()) -> Ints:
    """Places of the blank rows, whose cells are all missing.

    A row of a table with one column is never blank, even if its only cell is missing.
    """
    is_wide = table.num_columns > 1
    return blank_in(table.columns, table.num_rows if is_wide else 0, missing)


def blank_in(columns: Iterable[Any], n_rows: int, missing: Sequence[str] = ()) -> Ints:
    """Places of the blank rows; the next column is read only if some rows are blank so far."""
    blank: Bools = np.ones(n_rows, dtype=bool)
    for column in columns if n_rows else ():
        blank &= ~_is_filled(column, missing)
        if not blank.any():
            break
    return np.flatnonzero(blank)


def without_rows(batch: pa.RecordBatch, blank: Ints, n_before: int) -> pa.RecordBatch:
    """A batch without its blank rows.

    `blank` holds the places of all blank rows of the file in ascending order, and `n_before` is the
    number of rows of the file before the batch.
    """
    first, last = np.searchsorted(blank, [n_before, n_before + batch.num_rows])
    if first == last:
        return batch
    kept = np.delete(np.arange(batch.num_rows), blank[first:last] - n_before)
    return batch.take(pa.array(kept))


def without_blank_rows(table: pa.Table) -> pa.Table:
    """A table without its blank rows; the metadata record which rows were left out."""
    blank = blank_rows(table)
    if not len(blank):
        return table
    kept = np.delete(np.arange(table.num_rows), blank)
    return table.take(pa.array(kept)).replace_schema_metadata(
        tell_left_out(table.schema, blank).metadata
    )


def tell_left_out(schema: pa.Schema, blank: Ints) -> pa.Schema:
    """A schema whose metadata record which rows were left out."""
    if not len(blank):
        return schema
    first = np.flatnonzero(np.diff(blank, prepend=-2) > 1)
    lengths = np.diff(first, append=len(blank))
    runs = json.dumps([blank[first].tolist(), lengths.tolist()]).encode()
    return schema.with_metadata({**(schema.metadata or {}), _LEFT_OUT: runs})


def left_out(schema: pa.Schema) -> Ints:
    """Places of the rows that were left out of a table."""
    firsts, lengths = json.loads((schema.metadata or {}).get(_LEFT_OUT, "[[], []]"))
    runs = [np.arange(first, first + n) for first, n in zip(firsts, lengths, strict=True)]
    return np.concatenate(runs) if runs else np.empty(0, dtype=np.int64)


def row_numbers(table: pa.Table) -> Ints:
    """The number of each row in its file, from 1; rows of further files continue the count."""
    blank = left_out(table.schema)
    return np.delete(np.arange(1, table.num_rows + len(blank) + 1), blank)


def _is_filled(column: Any, missing: Sequence[str]) -> Bools:
    column = plain_column(column)  # Arrow itself may fail on dictionaries of odd types
    filled = ~np.asarray(column.is_null(nan_is_null=True), dtype=bool)
    marked = is_marked(column, missing)  # identifiers may keep empty text, which is a mark
    return filled if marked is None else filled & ~np.asarray(marked, dtype=bool)
