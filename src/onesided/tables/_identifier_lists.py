"""Files that list identifiers of rows, one a line, with or without a header."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa

from onesided._files._format import Rows
from onesided._files._names import texts_of
from onesided._text import as_text
from onesided._typing import Array

_HEADERS = ("id", "ids", "identifier", "identifiers", "name", "names")
"""Headers of lists, in small letters, whatever the column of identifiers is called."""
_SHAPES: Sequence[tuple[Callable[[str], bool], bool]] = (
    (lambda name: " " in name, True),
    (lambda name: any(map(str.isdigit, name)), False),
    (lambda name: any(map(str.isalpha, name)), True),
)
"""What only a header has, or only a header lacks, as in "Genes of interest" or "customers"."""


def cells_of(column: pa.ChunkedArray) -> Array:
    """Cells as text for comparisons, of shape (n_rows,)."""
    return np.array(texts_of(column), dtype=object)


def is_list(rows: Rows, identifier: str, of_table: Collection[str]) -> bool:
    """Whether rows have only one column, whose name no column of the table has."""
    columns = rows.data.column_names
    is_alone = rows.form == "table" and len(columns) == 1
    return is_alone and identifier in of_table and columns[0] not in of_table


def listed(data: pa.Table, identifier: str, names: Collection[str]) -> pa.Table:
    """A list of identifiers as a column of this name; the first line counts unless it is a header.

    Parameters
    ----------
    data : the list, read as a table of one column
    identifier : column of identifiers in the table
    names : of the rows of the table
    """
    ((header, column),) = zip(data.column_names, data.columns, strict=True)
    cells = cells_of(column).tolist()
    first = [] if _is_header(as_text(header), identifier, cells, names) else [header]
    return pa.table({identifier: pa.array([*first, *cells], pa.string())})


def _is_header(first: str, identifier: str, cells: Collection[str], names: Collection[str]) -> bool:
    """Whether the first line is no identifier: it names the column, or looks like no other name."""
    if first in names:
        return False
    if first.casefold() in (identifier.casefold(), f"{identifier}s".casefold(), *_HEADERS):
        return True
    others = {*names, *cells} - {""}
    return any(
        has(first) is of_header and all(has(each) is not of_header for each in others)
        for has, of_header in _SHAPES
    )


def by_case(absent: Collection[str], names: Collection[str]) -> Mapping[str, str]:
    """The names of the table that absent names equal, apart from letter case."""
    known = {name.casefold(): name for name in names if name}
    return {each: known[each.casefold()] for each in absent if each.casefold() in known}
