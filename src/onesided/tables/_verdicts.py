"""Sheets of verdicts: which rows somebody checked, and what they found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from onesided._files._blank import row_numbers
from onesided._files._names import values_of
from onesided._files._whole import read_table
from onesided._text import MISSING_MARKS, argument, as_text
from onesided._typing import Floats, Ints
from onesided.exceptions import TableError
from onesided.tables._columns import find_column
from onesided.tables._labels import POSITIVE_WORDS, UNLABELED_WORDS

VERDICT, RANK, STANDS_FOR, NOTE = "verdict", "rank", "stands_for", "note"
"""Columns of a sheet, beside the identifier."""
UNSURE = frozenset(["?", "unsure", "cannot tell", "can't tell", "unclear", "maybe", "undecided"])
_MOST_SHOWN = 5
WORDS = {True: "yes", False: "no", None: "?"}
"""Verdicts as sheets hold them."""


@dataclass(frozen=True)
class Verdicts:
    """The checked rows of a sheet.

    Attributes
    ----------
    ids : identifiers as text
    found : True, False, or None for a row that could not be decided
    ranks : shape (n_rows,), ranks in the ranking, 0 where the sheet has none
    stands_for : shape (n_rows,), unlabeled rows that each row stands for, 1 where none is given
    numbers : row numbers in the file, for errors
    notes : notes to the rows, "" where there is none
    n_open : rows without a verdict
    """

    ids: list[str]
    found: list[bool | None]
    ranks: Ints
    stands_for: Floats
    numbers: list[int]
    notes: list[str]
    n_open: int

    def ids_among(self, known: Collection[str]) -> list[str]:
        """The identifiers, without the apostrophe that a spreadsheet needs before some of them."""
        plain = (each.removeprefix("'") for each in self.ids)
        return [
            each if each in known or other not in known else other
            for each, other in zip(self.ids, plain, strict=True)
        ]


def read_verdicts(path: Path, id_name: str, column: str = VERDICT) -> Verdicts:
    """Read a sheet.

    Parameters
    ----------
    path : a table in any format
    id_name : column that names the rows; "" if the rows have no names but ranks
    column : COLUMN, with the words that a label column may hold; or COLUMN=VALUE with the value
        that means positive, so that all other values mean negative. A blank cell means that the row
        was not checked; "?" or "unsure" means that it could not be decided

    Raises
    ------
    TableError : if a column is missing, or a cell is not a verdict
    """
    as_letters = [id_name, column.partition("=")[0], NOTE]
    table = read_table(path, as_text=as_letters, at_least=1)
    name, _, value = (column, "", "") if column in table.column_names else column.partition("=")
    name = find_column(table, name)
    cells = [as_text(cell) for cell in values_of(table.column(name))]
    numbers = row_numbers(table)
    if value and as_text(value) not in cells:
        words = ", ".join(map(repr, sorted(set(cells) - {""})[:_MOST_SHOWN]))
        raise TableError(
            f"No cell of column {name!r} of {path.name!r} is {value!r}; it holds {words}.",
            "Name the value that means positive, in the same letters.",
        )
    found = {
        place: _verdict(cell, as_text(value), f"row {numbers[place]} of {path.name!r}")
        for place, cell in enumerate(cells)
        if cell in UNSURE or cell not in MISSING_MARKS
    }
    is_open = np.array([place not in found for place in range(len(cells))], dtype=bool)
    rows = np.flatnonzero(~is_open)
    ids = (
        [as_text(cell) for cell in values_of(table.column(find_column(table, id_name)))]
        if id_name
        else [""] * table.num_rows
    )
    return Verdicts(
        [ids[place] for place in rows.tolist()],
        [found[place] for place in rows.tolist()],
        _numbers(table, RANK, 0, path)[rows].astype(np.int64),
        _numbers(table, STANDS_FOR, 1, path)[rows],
        numbers[rows].tolist(),
        [as_text(table.column(NOTE)[row].as_py()) for row in rows.tolist()]
        if NOTE in table.column_names
        else [""] * len(rows),
        int(is_open.sum()),
    )


def _verdict(cell: str, positive: str, row: str) -> bool | None:
    """The verdict in a cell, by the value that means positive if it is given, or by usual words."""
    word = cell.lower()
    if word in UNSURE:
        return None
    if positive:
        return cell == positive
    if word not in POSITIVE_WORDS | UNLABELED_WORDS:
        raise TableError(
            f"The verdict in {row} is {cell!r}, which is neither yes nor no.",
            "Write yes or no, or ? where it cannot be told; or name the value that means positive: "
            f"{argument('verdict_column', f'{VERDICT}=VALUE')}.",
        )
    return word in POSITIVE_WORDS


def _numbers(table: pa.Table, name: str, missing: float, path: Path) -> Floats:
    """A column of numbers; `missing` replaces blank cells, or all cells if there is no column."""
    if name not in table.column_names:
        return np.full(table.num_rows, float(missing))
    try:
        cells = table.column(name).cast(pa.float64()).to_pylist()
        numbers = np.array(cells, dtype=float)  # None becomes NaN
    except pa.ArrowException:  # of a cell, or of a type such as a time
        numbers = np.array([np.inf])
    if np.isinf(numbers).any():
        raise TableError(
            f"Column {name!r} of {path.name!r} holds cells that are not numbers.",
            f"Leave the column as it was written, or remove it; verdicts: {argument('verdicts')}.",
        )
    return np.where(np.isnan(numbers), missing, numbers)
