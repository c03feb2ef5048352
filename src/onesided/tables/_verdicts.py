"""Sheets of verdicts: which rows somebody checked, and what they found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from onesided._files._answers import (
    POSITIVE_WORDS,
    UNLABELED_WORDS,
    UNSURE_WORDS,
    verdict_words,
)
from onesided._files._blank import row_numbers
from onesided._files._names import takes_names, texts_of
from onesided._files._whole import read_table
from onesided._text import MISSING_MARKS, agreeing, argument, as_text, counted
from onesided._typing import Bools, Floats, Ints
from onesided.exceptions import TableError
from onesided.tables._columns import find_column, marked_identifier

VERDICT, RANK, STANDS_FOR, NOTE = "verdict", "rank", "stands_for", "note"
SHEET = (RANK, STANDS_FOR, VERDICT, NOTE)
"""Columns of a sheet, beside the identifier."""
_MOST_SHOWN = 5
WORDS = {True: "yes", False: "no", None: "?"}
"""Verdicts as sheets hold them."""
_OPEN = ""  # no verdict
MEANINGS = {
    **dict.fromkeys(POSITIVE_WORDS, WORDS[True]),
    **dict.fromkeys(UNLABELED_WORDS, WORDS[False]),
    **dict.fromkeys(map(str.lower, MISSING_MARKS), _OPEN),
    **dict.fromkeys(UNSURE_WORDS, WORDS[None]),
}
"""What cells of a sheet mean, by their text in small letters. A blank cell means no verdict."""


@dataclass(frozen=True)
class SheetRows:
    """Rows of a sheet.

    Attributes
    ----------
    ids : identifiers as text, as the sheet writes them
    ranks : shape (n_rows,), ranks in the ranking, 0 where the sheet has none
    numbers : row numbers in the file, for errors
    notes : notes to the rows, "" where there is none
    """

    ids: list[str]
    ranks: Ints
    numbers: list[int]
    notes: list[str]

    @property
    def with_notes(self) -> SheetRows:
        """The rows with a note."""
        rows = [row for row, note in enumerate(self.notes) if note]
        return SheetRows(
            [self.ids[row] for row in rows],
            self.ranks[rows],
            [self.numbers[row] for row in rows],
            [self.notes[row] for row in rows],
        )

    def ids_among(self, known: Collection[str]) -> list[str]:
        """The identifiers as they are known, where exactly one known identifier fits.

        A spreadsheet needs an apostrophe before some identifiers, and drops leading zeros.
        """
        without_zeros: dict[str, list[str]] = {}
        for each in known:
            if each.isdecimal():
                without_zeros.setdefault(each.lstrip("0"), []).append(each)

        def known_as(written: str) -> str:
            plain = written.removeprefix("'")
            if written in known or plain in known:
                return written if written in known else plain
            fits = [
                each for each in without_zeros.get(plain.lstrip("0"), ()) if is_written(each, plain)
            ]
            return fits[0] if len(fits) == 1 else written

        return [known_as(each) for each in self.ids]


@dataclass(frozen=True)
class Verdicts(SheetRows):
    """The checked rows of a sheet.

    Attributes
    ----------
    found : True, False, or None for a row that could not be decided
    stands_for : shape (n_rows,), unlabeled rows that each row stands for, 1 where none is given
    unchecked : the rows without a verdict
    others : numbers of rows by the words that count as negative only because another word means
        positive
    """

    found: list[bool | None]
    stands_for: Floats
    unchecked: SheetRows
    others: Mapping[str, int]


def is_written(identifier: str, written: str) -> bool:
    """Whether a spreadsheet may write an identifier in this way.

    It may write an apostrophe before the identifier, or drop the leading zeros of a number.
    """
    plain = written.removeprefix("'")
    return identifier in (written, plain) or (
        plain.isdecimal()
        and identifier.isdecimal()
        and len(plain) < len(identifier)
        and plain.lstrip("0") == identifier.lstrip("0")
    )


def identifier_in_sheet(id_name: str) -> str:
    """The name of the identifier column of a sheet.

    Parameters
    ----------
    id_name : name of the identifier column of the ranking
    """
    return marked_identifier(id_name, SHEET)


@takes_names
def read_verdicts(path: Path, id_name: str, column: str | None = None) -> Verdicts:
    """Read a sheet.

    Parameters
    ----------
    path : a table in any format
    id_name : column that names the rows in the ranking; "" if the rows have no names but ranks
    column : COLUMN, with the words of `verdict_words`; or COLUMN=VALUE with the value that means
        positive, so that other values mean negative, except the words for an undecided row. A blank
        cell means that the row was not checked. None is the column `verdict` of a caller that takes
        no other column

    Raises
    ------
    TableError : if a column is missing, or a cell is not a verdict
    """
    may_name, column = column is not None, column or VERDICT
    names = [marked_identifier(id_name, [id_name]), id_name] if id_name else []
    table = read_table(path, as_text=[*names, column.partition("=")[0], NOTE], at_least=1)
    name, _, value = (column, "", "") if column in table.column_names else column.partition("=")
    name = find_column(table, name, path.name)
    cells = texts_of(table.column(name))
    numbers = row_numbers(table)
    value = as_text(value)
    if value and value not in cells:
        words = ", ".join(map(repr, sorted(set(cells) - {""})[:_MOST_SHOWN]))
        raise TableError(
            f"No cell of column {name!r} of {path.name!r} is {value!r}; it holds {words}.",
            "Name the value that means positive, in the same letters.",
        )
    said = _said(cells, value, numbers.tolist(), path, name=name if may_name else "")
    is_open = np.array([each == _OPEN for each in said], dtype=bool)
    ids = [""] * table.num_rows
    if id_name:
        key = names[0] if names[0] in table.column_names else find_column(table, id_name, path.name)
        ids = texts_of(table.column(key))
    notes = texts_of(table.column(NOTE)) if NOTE in table.column_names else [""] * table.num_rows
    ranks = _numbers(table, RANK, 0, path).astype(np.int64)
    stands_for = _numbers(table, STANDS_FOR, 1, path)

    def rows(chosen: Bools) -> tuple[list[str], Ints, list[int], list[str]]:
        places = np.flatnonzero(chosen).tolist()
        return (
            [ids[place] for place in places],
            ranks[chosen],
            numbers[chosen].tolist(),
            [notes[place] for place in places],
        )

    of = {word: verdict for verdict, word in WORDS.items()}
    return Verdicts(
        *rows(~is_open),
        found=[of[each] for each in said if each != _OPEN],
        stands_for=stands_for[~is_open],
        unchecked=SheetRows(*rows(is_open)),
        others=_counted_as_no(cells, value),
    )


def undecided(n_unsure: int, n_rows: int) -> str:
    """How many verdicts are undecided, in words."""
    return f"{n_unsure:,} of {counted(n_rows, 'verdict')} {agreeing(n_unsure)} undecided"


def _verdict(cell: str, positive: str) -> str | None:
    """The verdict in a cell, by the value that means positive if it is given, or by known words.

    None if the cell is none of the known words.
    """
    if positive and cell == positive:
        return WORDS[True]
    meaning = MEANINGS.get(cell.lower())
    return WORDS[False] if positive and meaning not in (WORDS[None], _OPEN) else meaning


def _counted_as_no(cells: Sequence[str], positive: str) -> dict[str, int]:
    """Numbers of cells by their word, for words that mean no only because another word means yes.

    If only one such word is used, it is the opposite of the word for yes, so none is returned.

    Parameters
    ----------
    positive : value that means positive; "" if the known words count
    """
    if not positive:
        return {}
    words = Counter(cell for cell in cells if _verdict(cell, positive) == WORDS[False])
    foreign = {
        word: n for word, n in words.most_common() if MEANINGS.get(word.lower()) != WORDS[False]
    }
    return foreign if len(words) > 1 else {}


def _said(
    cells: Sequence[str], positive: str, numbers: Sequence[int], path: Path, *, name: str
) -> list[str]:
    """The verdicts in cells.

    Parameters
    ----------
    positive : value that means positive; "" if the known words count
    numbers : numbers of the rows in the file
    name : name of the column; "" if the caller cannot name a value that means positive

    Raises
    ------
    TableError : with the rows of all cells that are no known word, and with the known words
    """
    said, strange = [], []
    for cell, number in zip(cells, numbers, strict=True):
        verdict = _verdict(cell, positive)
        if verdict is None:
            strange.append(f"row {number} ({cell!r})")
        else:
            said.append(verdict)
    if not strange:
        return said
    more = f" and {len(strange) - _MOST_SHOWN:,} more" if len(strange) > _MOST_SHOWN else ""
    named = (
        f"; or name the value that means positive: {argument('verdict_column', f'{name}=VALUE')}"
        if name
        else ""
    )
    raise TableError(
        f"{counted(len(strange), 'cell')} of {path.name!r} cannot be read as a verdict: "
        f"{', '.join(strange[:_MOST_SHOWN])}{more}.",
        f"Write {verdict_words()}, or leave the cell blank if nobody looked{named}.",
    )


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
