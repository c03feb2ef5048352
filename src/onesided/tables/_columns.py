"""Find the columns that a user names, and check them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._blank import row_numbers
from onesided._files._marks import without_marks
from onesided._files._names import check_delimiter, find_called, is_single, plain_type, values_of
from onesided._text import argument, as_text, no_such_column
from onesided.exceptions import OnesidedWarning, TableError

_IDENTIFIER = " (identifier)"  # after the name of an identifier that another column has too
_FILES = b"onesided:files"  # in the metadata of a table, whose rows are of several files
_ROW, _OF_RANKING = "row", ("rank", "score", "recall")  # columns of a ranking
RECALL = ("recall", "recall_low", "recall_high")
"""Columns of recall in a ranking: one for even labels, or its limits for uneven labels."""


def find_column(table: pa.Table, name: str, where: str = "") -> str:
    """The name itself, if the table has such a column; else an error with the nearest name.

    Parameters
    ----------
    table : the table
    name : of the column
    where : name of the file, if several files are read; a table `of_files` knows the names
    """
    known = table.column_names
    in_file = repr(where) if where else (table.schema.metadata or {}).get(_FILES, b"").decode()
    if name in known:
        return name
    check_delimiter(known, name, in_file)
    raise TableError(*no_such_column(name, known, in_file))


def of_files(table: pa.Table, names: Iterable[str]) -> pa.Table:
    """The table, whose missing columns are reported with the names of these files."""
    said = " or ".join(map(repr, names)).encode()
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _FILES: said})


def find_key(table: pa.Table, name: str, where: str = "") -> str:
    """The name itself, if it is a column of single values, which can name rows or groups."""
    kind = table.schema.field(find_column(table, name, where)).type
    if not is_single(kind):
        raise TableError(
            f"Column {name!r} holds {kind} values, which cannot name rows.",
            "Pass a column of single values.",
        )
    return name


def check_names_rows(table: pa.Table, name: str, label: str) -> None:
    """Refuse the labels as identifier, and warn if rows have no name or share one."""
    if name == label:
        raise TableError(
            f"Column {name!r} is the column of labels, so it cannot name the rows.",
            f"Pass another column: {argument('identifier', 'COLUMN')}; or pass no column, and "
            "rows are numbered.",
        )
    counts = Counter(map(as_text, values_of(table.column(name))))
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
    """The column of titles; None if no such column has different titles in most rows."""
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


def without_cells(table: pa.Table, names: Collection[str], missing: Sequence[str]) -> pa.Table:
    """The table, in which marks of missing values become missing in some columns.

    Other cells of these columns stay unchanged.

    Parameters
    ----------
    names : of columns; the table may lack some of these columns
    missing : cells that mean that a value is missing
    """
    marks = [as_text(each) for each in missing]
    for name in {*names} & {*table.column_names} if marks else ():
        cells = without_marks(table.column(name), marks, common=())
        table = table.set_column(table.column_names.index(name), name, cells)
    return table


def row_names(table: pa.Table) -> pa.ChunkedArray:
    """The numbers of the rows in their file, which name the rows if there is no identifier."""
    return pa.chunked_array([row_numbers(table)])


def identifier_column(identifier: str, beside: Collection[str] = ()) -> str:
    """The name of the first column of a ranking.

    Parameters
    ----------
    identifier : column of the table that names the rows; "" for row numbers
    beside : names of further columns of the ranking
    """
    return marked_identifier(identifier or _ROW, (*_OF_RANKING, *beside))


def marked_identifier(name: str, taken: Collection[str]) -> str:
    """The name of the identifier column of a result, which no other column of the result has.

    Parameters
    ----------
    name : name of the identifier
    taken : names of the other columns of the result
    """
    return f"{name}{_IDENTIFIER}" if name in taken else name


def identifier_names(column: str) -> tuple[str, ...]:
    """Names that an identifier may have had before `marked_identifier`, the likeliest first.

    Parameters
    ----------
    column : name of the identifier column of a result
    """
    return tuple(dict.fromkeys([column, column.removesuffix(_IDENTIFIER)]))
