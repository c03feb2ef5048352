"""Columns by name."""

from difflib import get_close_matches

import pyarrow as pa

from onesided.exceptions import TableError

_MOST_SHOWN = 8


def find_column(table: pa.Table, name: str) -> str:
    """`name`, if the table has such a column.

    Raises
    ------
    TableError : otherwise, with the nearest name
    """
    known = table.column_names
    if name in known:
        return name
    close = get_close_matches(name, known, n=1)
    shown = ", ".join(known[:_MOST_SHOWN]) + (", ..." if len(known) > _MOST_SHOWN else "")
    raise TableError(
        f"There is no column {name!r}.",
        f"Did you mean {close[0]!r}?" if close else f"The columns are {shown}.",
    )


def row_numbers(table: pa.Table) -> pa.ChunkedArray:
    """1, 2, ... for the rows of a table that has no identifier."""
    return pa.chunked_array([range(1, table.num_rows + 1)])
