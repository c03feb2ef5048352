"""Turn groups of unexpected documents into known kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onesided._text import argument, as_text, kind_of_value
from onesided.exceptions import DataError, TableError
from onesided.tables import read_table
from onesided.tables._columns import find_column, marked_identifier
from onesided.tables._table_file import table_file, table_title
from onesided.unexpected._documents import Documents

_ID = "id"
_TAKEN = {
    *("rank", "score", "p_value", "adjusted_p_value", "flagged", "likely", "group", "words"),
    *("nearest_known", "cosine", "kind"),
}
"""Names of the other columns of the results."""


def check_make_known(previous: object, make_known: Mapping[int, str] | None) -> None:
    """Raise an error unless `previous` and `make_known` are passed together."""
    for kind in (make_known or {}).values():
        if not isinstance(kind, str) or not kind:
            raise DataError(
                f"{argument('make_known')} holds the kind {kind_of_value(kind)}.",
                f"Pass names of kinds: {argument('make_known', {1: 'KIND'})}.",
            )
    if make_known and previous is None:
        raise TableError(
            f"{argument('make_known')} needs the table that says which documents are in the group.",
            f"Pass the table of the earlier run: {argument('previous', 'FILE')}.",
        )
    if previous is not None and not make_known:
        raise TableError(
            f"{argument('previous')} is given without {argument('make_known')}.",
            f"Name a group of this table: {argument('make_known', {1: 'KIND'})}.",
        )


def id_column(identifier: str) -> str:
    """The name of the first column of the results.

    Parameters
    ----------
    identifier : column that named the documents; "" for names of files, or row numbers
    """
    return marked_identifier(identifier or _ID, _TAKEN)


def kinds_of_groups(
    previous: Any, wanted: Mapping[str, str], identifier: str = ""
) -> dict[str, str]:
    """New kinds of documents, by identifier of the document.

    Parameters
    ----------
    previous : table of an earlier run. A table of an older version has its identifiers in a column
        `id`, whatever the column of identifiers was called
    wanted : new kinds, by number of the group
    identifier : column that named the documents; "" for none

    Raises
    ------
    TableError : if the table lacks a column or a group
    """
    given = id_column(identifier)
    with table_file(previous) as path:
        table = read_table(path, as_text=[given, _ID], at_least=1)
    name = _ID if given not in table.column_names and _ID in table.column_names else given
    for each in (name, "group"):
        find_column(table, each, table_title(previous))
    groups = [as_text(cell) for cell in table["group"].to_pylist()]
    found = {
        as_text(each): wanted[group]
        for each, group in zip(table[name].to_pylist(), groups, strict=True)
        if group in wanted
    }
    for number in wanted:
        if number not in groups:
            there = sorted({int(group) for group in groups if group.isdecimal()})
            raise TableError(
                f"{path.name!r} has no group {number}.",
                f"Its groups are {', '.join(map(str, there))}." if there else "It has no groups.",
            )
    return found


def make_known_kinds(
    known: Documents, new: Documents, kinds: Mapping[str, str]
) -> tuple[Documents, Documents]:
    """Move some new documents to the known documents.

    Parameters
    ----------
    known, new : the documents
    kinds : kinds of the new documents to move, by identifier

    Returns
    -------
    the known documents with the moved documents at their end, and the other new documents

    Raises
    ------
    TableError : if an identifier is not among the new documents, or if several documents have it
    """
    times = Counter(new.ids)
    for name in sorted(kinds):
        if not times[name]:
            raise TableError(
                f"{name!r} of {argument('previous')} is not among the new documents.",
                "Pass the new documents of the earlier run, and its "
                f"{argument('identifier', 'COLUMN')}.",
            )
        if times[name] > 1:
            raise TableError(
                f"{times[name]:,} new documents are called {name!r}, so it is not clear which "
                "of them is in the group.",
                f"In both runs pass an {argument('identifier', 'COLUMN')} that identifies each "
                f"document, or leave {argument('identifier')} out.",
            )
    joins = np.array([each in kinds for each in new.ids])
    added = new.where(joins)
    added = replace(added, kinds=[kinds[each] for each in added.ids])
    return known.joined(added), new.where(~joins)
