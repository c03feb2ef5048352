"""Rows of a table that somebody checked, found by the verdicts of a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from onesided._text import as_text, counted
from onesided._typing import Bools, Floats, Ints
from onesided.exceptions import TableError
from onesided.tables._verdicts import STANDS_FOR, VERDICT, Verdicts, read_verdicts

_OPEN, _UNSURE, _NEGATIVE, _POSITIVE = range(4)
_CODES = {None: _UNSURE, False: _NEGATIVE, True: _POSITIVE}
_MOST_SHOWN = 5


@dataclass(frozen=True)
class CheckedRows:
    """The results of checks of some unlabeled rows.

    Attributes
    ----------
    name : of the files
    positive, negative : shape (n_rows,), rows that were found to be positive, or negative
    stands_for : shape (n_rows,), number of unlabeled rows that a decided row stands for, itself
        included; 1 for the other rows
    n_unsure : number of rows that could not be decided
    """

    name: str
    positive: Bools
    negative: Bools
    stands_for: Floats
    n_unsure: int

    @property
    def decided(self) -> Bools:
        """Rows that were found to be positive or negative, shape (n_rows,)."""
        return self.positive | self.negative

    def only(self, rows: Ints) -> CheckedRows:
        """The results for some rows.

        Parameters
        ----------
        rows : places of the rows
        """
        return replace(
            self,
            positive=self.positive[rows],
            negative=self.negative[rows],
            stands_for=self.stands_for[rows],
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows were checked, and what was found."""
        n_positive, n_negative = int(self.positive.sum()), int(self.negative.sum())
        unsure = f"  rows that could not be decided: {self.n_unsure:,}; they stay in the list"
        return (
            (
                f"  checked    {n_positive + n_negative:>9,}  (from {self.name}: "
                f"{n_positive:,} positive, {n_negative:,} negative; these rows leave the list)"
            ),
            *[unsure] * bool(self.n_unsure),
        )


def find_checked(
    paths: Sequence[Path], ids: Iterable[object], id_name: str, positive: Bools, negative: Bools
) -> CheckedRows:
    """Read sheets of verdicts, and find their rows in a table.

    Parameters
    ----------
    paths : of the sheets
    ids : names of the rows of the table, as its ranking names them
    id_name : column of these names in the sheet
    positive, negative : shape (n_rows,), known positives and known negatives of the table

    Raises
    ------
    TableError : if a row is not in the table, has two different verdicts, or has a verdict that
        contradicts its label; or if a sheet cannot be read
    """
    names = [as_text(each) for each in ids]
    codes = np.full(len(names), _OPEN)
    stands_for = np.ones(len(names))
    for path in paths:
        sheet = read_verdicts(path, id_name)
        for row, place in enumerate(_places(sheet, names, id_name, path.name)):
            code, weight = _CODES[sheet.found[row]], sheet.stands_for[row]
            _check_weight(weight, path.name, sheet.numbers[row])
            if codes[place] != _OPEN and (codes[place], stands_for[place]) != (code, weight):
                raise TableError(
                    f"Row {sheet.numbers[row]} of {path.name!r} is {names[place]!r}, which has "
                    f"another {VERDICT} or {STANDS_FOR} in a row before.",
                    "Keep one verdict for each row.",
                )
            codes[place], stands_for[place] = code, weight
    found = CheckedRows(
        " + ".join(path.name for path in paths),
        codes == _POSITIVE,
        codes == _NEGATIVE,
        np.where(codes >= _NEGATIVE, stands_for, 1.0),
        int((codes == _UNSURE).sum()),
    )
    _check_labels(found, positive, negative, names)
    return found


def _places(sheet: Verdicts, names: Sequence[str], id_name: str, file: str) -> list[int]:
    """Find the rows of the sheet in the table by their names."""
    place_of: dict[str, int] = {}
    shared = set()
    for place, name in enumerate(names):
        if place_of.setdefault(name, place) != place:
            shared.add(name)
    ids = sheet.ids_among(place_of)
    if strange := [name for name in dict.fromkeys(ids) if name not in place_of]:
        raise TableError(
            f"{file!r} has verdicts on {_counted(strange)} that the table does not have.",
            f"Pass verdicts on a ranking of this table, which names its rows by {id_name!r}.",
        )
    if strange := [name for name in dict.fromkeys(ids) if name in shared]:
        raise TableError(
            f"{file!r} has verdicts on {_counted(strange)} whose name several rows of the table "
            "have.",
            f"Give each row of the table its own name in column {id_name!r}.",
        )
    return [place_of[name] for name in ids]


def _check_weight(weight: float, file: str, number: int) -> None:
    if not 1 <= weight < np.inf:
        raise TableError(
            f"{STANDS_FOR} is {weight:g} in row {number} of {file!r}, but a checked row stands for "
            "itself at least.",
            "Write a number of rows, at least 1, or leave the cell blank.",
        )


def _check_labels(
    found: CheckedRows, positive: Bools, negative: Bools, names: Sequence[str]
) -> None:
    """Refuse verdicts that contradict labels."""
    for known, verdict, both in (
        ("positive", "negative", positive & found.negative),
        ("negative", "positive", negative & found.positive),
    ):
        if both.any():
            rows = _counted([names[row] for row in np.flatnonzero(both).tolist()])
            raise TableError(
                f"{found.name!r} says {verdict}, but the table says {known}, of {rows}.",
                "Correct the label of each row, or its verdict.",
            )


def _counted(names: Sequence[str]) -> str:
    """The number of rows and the names of the first rows, in words."""
    shown = ", ".join(map(repr, names[:_MOST_SHOWN]))
    more = f" and {len(names) - _MOST_SHOWN:,} more" if len(names) > _MOST_SHOWN else ""
    return f"{counted(len(names), 'row')} ({shown}{more})"
