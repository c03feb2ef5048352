"""Columns by name."""

import re
import shlex
import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from onesided._text import argument
from onesided.exceptions import OnesidedWarning, TableError

_MOST_SHOWN = 8
_CALLED = {
    "title": ("title", "titel", "titre", "título", "subject", "betreff", "name"),
    "year": ("year", "jahr", "année", "año", "publication year"),
    "pmid": ("pmid", "pubmed id"),
}
"""What columns of one meaning are called, in small letters, the best first."""
_WHOLE = re.compile(r"([+-]?\d+)\.0*")


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
            f"Say what stands between the cells: {argument('delimiter', ';')} for example.",
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
            f"Column {name!r} holds {kind} values, which name nothing.",
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
            f"Column {name!r} is that of the labels, and names no rows.",
            f"Pass another one: {argument('identifier', 'COLUMN')}, or none, and rows are "
            "numbered.",
        )
    counts = Counter(map(as_text, table.column(name).to_pylist()))
    n_blank = counts.pop("", 0)
    n_shared = sum(count for count in counts.values() if count > 1)
    found = {"have no name": n_blank, "share theirs with another": n_shared}
    said = [f"{count:,} {what}" for what, count in found.items() if count]
    if said:
        warnings.warn(
            f"Column {name!r} does not tell all rows apart: of {table.num_rows:,} rows "
            f"{' and '.join(said)}.",
            OnesidedWarning,
            stacklevel=2,
        )


def find_called(names: Sequence[str], meaning: str) -> str | None:
    """The column of a meaning, such as "title", in some languages and any case; None without."""
    by_case = {name.strip().lower(): name for name in reversed(names)}
    called = (by_case.get(each) for each in _CALLED.get(meaning, (meaning,)))
    return next(filter(None, called), None)


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


def as_text(cell: object) -> str:
    """A cell as it is compared: 7, 7.0 and " 7" are "7", True is "true", a missing one is ""."""
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN differs from itself
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    text = str(cell).strip()
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def option(name: str, value: str) -> str:
    """An option of the command line as a person would type it."""
    return f"{name} {shlex.quote(value)}"


def row_numbers(table: pa.Table) -> pa.ChunkedArray:
    """1, 2, ... for the rows of a table that has no identifier."""
    return pa.chunked_array([range(1, table.num_rows + 1)])


def named(names: Sequence[str]) -> list[str]:
    """Names of columns without blanks around them; an empty one says which column it is."""
    return [name.strip() or f"column_{position}" for position, name in enumerate(names, start=1)]


def check_names(names: Sequence[str], path: Path) -> None:
    """Refuse a file with two columns of one name.

    Raises
    ------
    TableError : with the first that comes again
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TableError(
                f"{path.name!r} has two columns named {name!r}.",
                "Give each column a name of its own.",
            )
        seen.add(name)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """What is left of a type without dictionaries, views and offsets of another size."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.string() if pa.types.is_string_view(kind) or pa.types.is_large_string(kind) else kind
