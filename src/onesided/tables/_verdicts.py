"""Read the verdicts of a check: which rows of a ranking were found to be positive or negative."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from onesided._files._names import values_of
from onesided._files._rows import read_rows
from onesided._text import as_text
from onesided._typing import Array, Bools, Floats
from onesided.exceptions import TableError
from onesided.tables._columns import find_column
from onesided.tables._labels import NO_WORDS, YES_WORDS

VERDICT, STANDS_FOR, ROW = "verdict", "stands_for", "row"
"""Columns of a sheet of checked rows; `row` names the rows if the ranking had no identifier."""
UNSURE_WORDS = frozenset(["?", "unsure", "cannot tell"])
_OPEN, _UNSURE, _NEGATIVE, _POSITIVE = range(4)
_MOST_SHOWN = 5


@dataclass(frozen=True)
class Verdicts:
    """What checks of some unlabeled rows found.

    Attributes
    ----------
    name : of the file
    positive, negative, unsure : shape (n_rows,), rows that were found to be so, or not decided
    stands_for : shape (n_rows,), number of unlabeled rows that a decided row stands for, itself
        included; 0 for the other rows
    """

    name: str
    positive: Bools
    negative: Bools
    unsure: Bools
    stands_for: Floats

    @property
    def decided(self) -> Bools:
        """Rows that were found to be positive or negative, shape (n_rows,)."""
        return self.positive | self.negative

    @property
    def unchecked(self) -> Floats:
        """Number of unchecked rows that each row stands for, shape (n_rows,)."""
        return np.maximum(self.stands_for - 1, 0)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows were checked, and what was found."""
        n_positive, n_negative, n_unsure = (
            int(each.sum()) for each in (self.positive, self.negative, self.unsure)
        )
        unsure = (
            f"  verdicts that are not decided, left out: {n_unsure:,}; these rows stay in the list"
        )
        return (
            (
                f"  checked    {n_positive + n_negative:>9,}  (from {self.name}: "
                f"{n_positive:,} positive, {n_negative:,} negative; these rows leave the list)"
            ),
            *[unsure] * bool(n_unsure),
        )


def read_verdicts(
    path: Path,
    ids: Iterable[object],
    identifier: str = "",
    *,
    yes: str | None = None,
    no: str | None = None,
) -> Verdicts:
    """Read a sheet of checked rows, and find these rows in a table.

    Columns of the sheet: the identifier; `verdict`, which is blank in rows that were not checked;
    and maybe `stands_for`, the number of unlabeled rows that a row stands for, 1 by default. Other
    columns are not looked at.

    Parameters
    ----------
    path : of the sheet, a file of any format of tables
    ids : names of the rows of the table, as its ranking has them
    identifier : column of these names; "" for row numbers
    yes, no : further words for positive and for negative, beside those of a column of labels

    Raises
    ------
    TableError : if the sheet cannot be read, a word is no verdict, a row is not in the table, or
        two verdicts of one row differ
    """
    id_name = identifier or ROW
    data = _read_sheet(path, id_name)
    names = _cells(data, id_name)
    words = _cells(data, VERDICT)
    codes = _codes(path, names, words, yes, no)
    checked = np.flatnonzero(codes != _OPEN)
    places = _places(path, [names[row] for row in checked], ids, id_name)
    n_rows, of_rows = len(places.rows), places.of
    found = np.full(n_rows, _OPEN)
    weights = np.zeros(n_rows)
    stands_for = _weights(path, data, names)
    for row, place in zip(checked, of_rows, strict=True):
        same = found[place] == codes[row] and weights[place] == stands_for[row]
        if found[place] != _OPEN and not same:
            raise TableError(
                f"{path.name!r} has the row {names[row]!r} twice, and the two rows differ in "
                f"{VERDICT} or {STANDS_FOR}.",
                "Keep one of the two rows.",
            )
        found[place], weights[place] = codes[row], stands_for[row]
    positive, negative = found == _POSITIVE, found == _NEGATIVE
    return Verdicts(
        path.name,
        positive,
        negative,
        found == _UNSURE,
        np.where(positive | negative, weights, 0.0),
    )


def check_against_labels(
    found: Verdicts, positive: Bools, negative: Bools, ids: Sequence[object]
) -> None:
    """Refuse verdicts that contradict labels.

    Parameters
    ----------
    found : the verdicts
    positive, negative : shape (n_rows,), known positives and known negatives
    ids : names of the rows of the table

    Raises
    ------
    TableError : with the rows
    """
    for known, is_other, verdict in (
        ("positive", positive & found.negative, "negative"),
        ("negative", negative & found.positive, "positive"),
    ):
        if rows := np.flatnonzero(is_other).tolist():
            are = "rows are" if len(rows) > 1 else "row is"
            raise TableError(
                f"By {found.name!r}, {len(rows):,} {are} {verdict} that the table marks as known "
                f"{known}: {_shown([as_text(ids[row]) for row in rows])}.",
                "Correct the label of each row, or its verdict.",
            )


def _read_sheet(path: Path, id_name: str) -> pa.Table:
    """The sheet, in which names and verdicts keep their letters."""
    return read_rows(path, as_text=[id_name, f"{id_name} (identifier)", VERDICT], at_least=0).data


def _cells(data: pa.Table, name: str) -> list[str]:
    """Cells of a column as text; a ranking may have renamed its identifier."""
    renamed = f"{name} (identifier)"
    name = renamed if renamed in data.column_names else find_column(data, name)
    return [as_text(cell).strip() for cell in values_of(data.column(name))]


def _codes(
    path: Path, names: Sequence[str], words: Sequence[str], yes: str | None, no: str | None
) -> Array:
    """The meaning of each verdict, shape (n_rows,)."""
    meanings = {"": _OPEN, **dict.fromkeys(UNSURE_WORDS, _UNSURE)}
    meanings |= dict.fromkeys(YES_WORDS, _POSITIVE) | dict.fromkeys(NO_WORDS, _NEGATIVE)
    both = set()
    for word, meaning in ((yes, _POSITIVE), (no, _NEGATIVE)):
        if word is not None and meanings.setdefault(word.lower(), meaning) != meaning:
            both.add(word.lower())
    strange = [
        (name, word)
        for name, word in zip(names, words, strict=True)
        if word.lower() in both or word.lower() not in meanings
    ]
    if strange:
        rows = _shown([f"{name} ({word!r})" for name, word in strange], quote=False)
        means = (
            f"which means one thing as a verdict and another one as a label: {rows}"
            if strange[0][1].lower() in both
            else f"which is neither yes nor no: {rows}"
        )
        n_rows = len(strange)
        raise TableError(
            f"{path.name!r} has a verdict in {n_rows:,} row{'s' * (n_rows > 1)} {means}.",
            "Write yes or no; write ? if it cannot be told, or leave the cell blank if the row was "
            "not checked.",
        )
    return np.array([meanings[word.lower()] for word in words], dtype=np.int8)


@dataclass(frozen=True)
class _Places:
    """The rows of the table, and which of them the rows of the sheet are."""

    rows: Sequence[str]
    of: Sequence[int]


def _places(path: Path, names: Sequence[str], ids: Iterable[object], id_name: str) -> _Places:
    """Find rows by their names."""
    rows = [as_text(each).strip() for each in ids]
    place_of: dict[str, int] = {}
    shared = set()
    for place, name in enumerate(rows):
        if place_of.setdefault(name, place) != place:
            shared.add(name)
    _refuse(
        names,
        lambda name: name not in place_of,
        f"{path.name!r} has verdicts of {{n}} that the table does not have",
        f"Pass verdicts of a ranking of this table, which names its rows by {id_name!r}.",
    )
    _refuse(
        names,
        lambda name: name in shared,
        f"{path.name!r} has verdicts of {{n}} whose name several rows of the table have",
        f"Give each row of the table its own name in column {id_name!r}.",
    )
    return _Places(rows, [place_of[name] for name in names])


def _refuse(names: Sequence[str], is_wrong: Callable[[str], bool], what: str, mend: str) -> None:
    wrong = [name for name in dict.fromkeys(names) if is_wrong(name)]
    if wrong:
        n_rows = f"{len(wrong):,} row{'s' * (len(wrong) > 1)}"
        raise TableError(f"{what.format(n=n_rows)}: {_shown(wrong)}.", mend)


def _weights(path: Path, data: pa.Table, names: Sequence[str]) -> Floats:
    """How many rows each row of the sheet stands for, shape (n_rows,)."""
    if STANDS_FOR not in data.column_names:
        return np.ones(data.num_rows)
    found = np.ones(data.num_rows)
    for row, cell in enumerate(values_of(data.column(STANDS_FOR))):
        if as_text(cell).strip() == "" or cell != cell:  # noqa: PLR0124 - NaN
            continue
        number = cell if isinstance(cell, int | float) and not isinstance(cell, bool) else None
        if number is None or not 1 <= number < np.inf:
            raise TableError(
                f"{STANDS_FOR} is {as_text(cell)!r} in row {names[row]!r} of {path.name!r}, but a "
                "checked row stands for itself and maybe for others.",
                "Write a number of rows, at least 1, or leave the cell blank.",
            )
        found[row] = number
    return found


def _shown(names: Sequence[str], *, quote: bool = True) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(repr(name) if quote else name for name in names[:_MOST_SHOWN])
    more = len(names) - _MOST_SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown
