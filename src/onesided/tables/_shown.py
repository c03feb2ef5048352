"""The columns by which a person recognizes a row; rankings show them beside its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._names import find_called, is_single, plain_type, values_of
from onesided._typing import Array
from onesided.exceptions import TableError
from onesided.tables._columns import RECALL, find_column, find_titles

_AUTHORS = ("authors", "author")
_NAMES = {
    *("name", "names", "fullname", "firstname", "surname", "lastname", "symbol"),
    *("nachname", "vorname", "nom", "prénom", "nombre", "apellido"),
}
"""Last words in the names of columns by which people recognize a row."""
_WORDS = re.compile(r"[^\W_]+")
_MOST = 3  # columns that are shown without being asked for
_LONGEST, _FEW_VALUES = 60, 20  # letters in a cell; so few different values name no rows
_TITLE = "title"
_OF_RANKING = ("rank", "score", *RECALL, _TITLE, "discarded")
_BEGINS = ("posterior", "in_")


def find_shown(
    table: pa.Table,
    asked: Sequence[str],
    *,
    without: Collection[str | None],
    references: bool = False,
) -> tuple[str, ...]:
    """The columns to show beside each row: the columns asked for, or else columns of names.

    Parameters
    ----------
    table : whose rows are shown
    asked : names of columns; if empty, the columns are found by their names and cells
    without : columns that are shown already, or that hold the labels
    references : whether the rows are references, which people recognize by authors and year

    Raises
    ------
    TableError : if a column that is asked for is not in the table, or cannot be shown
    """
    for name in asked:
        if not is_single(table.schema.field(find_column(table, name)).type):
            raise TableError(
                f"Column {name!r} holds several values in a cell, which cannot be shown beside a "
                "row.",
                "Name a column of single values.",
            )
    if asked:
        return tuple(name for name in dict.fromkeys(asked) if name not in without)
    if references:
        by_case = {name.strip().lower(): name for name in reversed(table.column_names)}
        authors = next(filter(None, map(by_case.get, _AUTHORS)), None)
        found = filter(None, (authors, find_called(table.column_names, "year")))
        likely = [name for name in found if table.column(name).null_count < table.num_rows]
    else:
        likely = [name for name in table.column_names if _names_rows(table, name)][:_MOST]
    return tuple(name for name in likely if name not in without)


def _names_rows(table: pa.Table, name: str) -> bool:
    """Whether a column holds short names, with more than a few different values."""
    words = _WORDS.findall(name.replace("_", " ").lower())
    cells = table.column(name)
    if not words or words[-1] not in _NAMES or plain_type(cells.type) != pa.string():
        return False
    text = cells.cast(pa.string())
    n_values = pc.count_distinct(text).as_py()
    longest = pc.max(pc.utf8_length(text)).as_py() or 0
    return n_values > min(_FEW_VALUES, table.num_rows / 2) and longest <= _LONGEST


def shown_cells(table: pa.Table, name: str) -> Array:
    """The cells of a column as they are written into a ranking, shape (n_rows,)."""
    cells = values_of(table.column(name))
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found


def shown_name(name: str) -> str:
    """The name that a column of the table has in a ranking, which also has its own columns."""
    return f"{name} (of the table)" if _is_of_ranking(name) else name


def shown_in(ranking: pa.Table) -> list[str]:
    """The columns of a ranking in a file that say what a row is: the title, and those of `--show`.

    Parameters
    ----------
    ranking : whose first column names the rows
    """
    return [
        field.name
        for field in list(ranking.schema)[1:]
        if (field.name == _TITLE or not _is_of_ranking(field.name)) and is_single(field.type)
    ]


def named_by(table: pa.Table, *, without: Collection[str], references: bool) -> list[str]:
    """The columns that a ranking of a table shows beside each row if no column is asked for.

    Parameters
    ----------
    without : columns that are shown already
    references : whether the rows are references
    """
    title = find_titles(table, without=without)
    titles = [] if title is None else [title]
    return [*titles, *find_shown(table, (), without={*without, *titles}, references=references)]


def _is_of_ranking(name: str) -> bool:
    return name in _OF_RANKING or name.startswith(_BEGINS)
