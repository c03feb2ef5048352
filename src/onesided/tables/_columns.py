"""Columns by name."""

import re
import warnings
from collections import Counter
from collections.abc import Collection
from difflib import get_close_matches

import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._names import find_called, plain_type
from onesided._text import argument, as_text
from onesided.exceptions import OnesidedWarning, TableError

__all__ = [
    "as_text",
    "check_names_rows",
    "find_called",
    "find_column",
    "find_key",
    "find_titles",
    "plain_type",
    "row_numbers",
]

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
    if len(known) == 1 and re.search("[,;|\t]", known[0]):
        raise TableError(
            f"There is no column {name!r}, only one named {known[0]!r}.",
            f"Say which character separates the cells, for example {argument('delimiter', ';')}.",
        )
    by_case = {other.lower(): other for other in reversed(known)}
    close = get_close_matches(name.lower(), by_case, n=1)
    shown = ", ".join(known[:_MOST_SHOWN]) + (", ..." if len(known) > _MOST_SHOWN else "")
    raise TableError(
        f"There is no column {name!r}.",
        f"Did you mean {by_case[close[0]]!r}?" if close else f"The columns are {shown}.",
    )


def find_key(table: pa.Table, name: str) -> str:
    """`name`, if it is a column whose values can name rows or groups.

    Raises
    ------
    TableError : if there is no such column, or its values are no single ones
    """
    kind = table.schema.field(find_column(table, name)).type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise TableError(
            f"Column {name!r} holds {kind} values, which cannot name rows.",
            "Pass a column of single values.",
        )
    return name


def check_names_rows(table: pa.Table, name: str, label: str) -> None:
    """Refuse the labels as identifier, and warn of one that does not tell the rows apart.

    Parameters
    ----------
    table : the whole table
    name : of the column that names its rows
    label : column of the labels

    Raises
    ------
    TableError : if they are the same

    Warns
    -----
    OnesidedWarning : of rows without a name of their own
    """
    if name == label:
        raise TableError(
            f"Column {name!r} is the column of labels, so it cannot name the rows.",
            f"Pass another column: {argument('identifier', 'COLUMN')}; or pass no column, and "
            "rows are numbered.",
        )
    counts = Counter(map(as_text, table.column(name).to_pylist()))
    n_blank = counts.pop("", 0)
    n_shared = sum(count for count in counts.values() if count > 1)
    found = {"have no name": n_blank, "share their name with another row": n_shared}
    said = [f"{count:,} {what}" for what, count in found.items() if count]
    if said:
        warnings.warn(
            f"Column {name!r} does not name each row uniquely: of {table.num_rows:,} rows "
            f"{' and '.join(said)}.",
            OnesidedWarning,
            stacklevel=2,
        )


def find_titles(table: pa.Table, *, without: Collection[str] = ()) -> str | None:
    """The column of text that people know the rows by; None where none tells rows apart.

    Parameters
    ----------
    table : of any columns
    without : names of columns that are something else, as the identifier
    """
    if "title" in without:
        return None
    texts = [
        each.name
        for each in table.schema
        if plain_type(each.type) == pa.string() and each.name not in without
    ]
    name = find_called(texts, "title")
    if name is None or pc.count_distinct(table.column(name)).as_py() <= table.num_rows / 2:
        return None
    return name


def row_numbers(table: pa.Table) -> pa.ChunkedArray:
    """1, 2, ... for the rows of a table that has no identifier."""
    return pa.chunked_array([range(1, table.num_rows + 1)])
