"""Rows of a table that somebody checked, found by the verdicts of a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from onesided._text import agreeing, argument, as_text, counted
from onesided._typing import Bools, Floats, Ints
from onesided.exceptions import TableError
from onesided.tables._verdicts import STANDS_FOR, VERDICT, Verdicts, read_verdicts, undecided

_OPEN, _UNSURE, _NEGATIVE, _POSITIVE = range(4)
_CODES = {None: _UNSURE, False: _NEGATIVE, True: _POSITIVE}
_MOST_SHOWN = 5
_LABELED_SINCE = 0.01  # share of the unlabeled rows that may have been labeled after the draws
_NEARLY_ALL = 0.9
_ROUNDED = 0.005  # an audit writes two decimals
_ONE_FILE = (
    "Pass the one file of all verdicts that onesided audit writes, "
    f"{argument('checked', 'FILE')}; or remove the column {STANDS_FOR}."
)


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
    gap : how many of the unlabeled rows the checked rows stand for, in words, if it is far from all
    """

    name: str
    positive: Bools
    negative: Bools
    stands_for: Floats
    n_unsure: int
    gap: str = ""

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
        n_rows = n_positive + n_negative + self.n_unsure
        unsure = f"  {undecided(self.n_unsure, n_rows)}; these rows stay in the list"
        return (
            (
                f"  checked    {n_positive + n_negative:>9,}  (from {self.name}: "
                f"{n_positive:,} positive, {n_negative:,} negative; these rows leave the list)"
            ),
            *[unsure] * bool(self.n_unsure),
            *[f"  {self.gap}"] * bool(self.gap),
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
        contradicts its label; if the numbers of rows that the checked rows stand for cannot hold
        together; or if a sheet cannot be read
    """
    names = [as_text(each) for each in ids]
    codes = np.full(len(names), _OPEN)
    stands_for = np.ones(len(names))
    drawn: dict[str, set[int]] = {}  # of each file, the rows that stand for others too
    for path in paths:
        sheet = read_verdicts(path, id_name)
        places = _places(sheet, names, id_name, path.name)
        weights = zip(places, sheet.stands_for.tolist(), strict=True)
        drawn[str(path)] = {place for place, weight in weights if weight > 1}
        for row, place in enumerate(places):
            code, weight = _CODES[sheet.found[row]], sheet.stands_for[row]
            _check_weight(weight, path.name, sheet.numbers[row])
            if codes[place] != _OPEN and (codes[place], stands_for[place]) != (code, weight):
                is_weight = codes[place] == code
                raise TableError(
                    f"Row {sheet.numbers[row]} of {path.name!r} is {names[place]!r}, which has "
                    f"another {STANDS_FOR if is_weight else VERDICT} in a row before.",
                    _ONE_FILE if is_weight else "Keep one verdict for each row.",
                )
            codes[place], stands_for[place] = code, weight
    weights = stands_for[codes != _OPEN]
    n_unlabeled = int((~(positive | negative) | (codes != _OPEN)).sum())
    _check_one_draw(drawn)
    _check_sum(weights, n_unlabeled)
    found = CheckedRows(
        " + ".join(path.name for path in paths),
        codes == _POSITIVE,
        codes == _NEGATIVE,
        np.where(codes >= _NEGATIVE, stands_for, 1.0),
        int((codes == _UNSURE).sum()),
        _gap(weights, n_unlabeled),
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


def _check_one_draw(drawn: Mapping[str, AbstractSet[int]]) -> None:
    """Refuse several files with rows that stand for others.

    The unchecked rows are shared out among all rows that were drawn by chance. A file that was
    written before the other rows were drawn shares them out among its own rows alone. So of several
    files, one must have all these rows.

    Parameters
    ----------
    drawn : by path, the rows that stand for others too
    """
    if drawn and set().union(*drawn.values()) not in drawn.values():
        files = " and ".join(repr(Path(path).name) for path, rows in drawn.items() if rows)
        raise TableError(
            f"Column {STANDS_FOR!r} of {files} shares out the same unchecked rows, in each file "
            "among other rows.",
            _ONE_FILE,
        )


def _check_sum(stands_for: Floats, n_unlabeled: int) -> None:
    """Refuse checked rows that stand for more rows than there are.

    They may stand for fewer rows: where no row of a stratum was drawn, or while drawn rows wait for
    their verdict, some unchecked rows are left out. Numbers are rounded, and a few rows may have
    been labeled since. Rows that stand for themselves alone may have been checked later.

    Parameters
    ----------
    stands_for : shape (n_checked,)
    n_unlabeled : number of rows that were unlabeled before the checks
    """
    drawn = stands_for[stands_for > 1]
    if (total := drawn.sum()) > n_unlabeled * (1 + _LABELED_SINCE) + len(drawn) * _ROUNDED:
        raise TableError(
            f"By column {STANDS_FOR!r}, {counted(len(drawn), 'checked row')} "
            f"{agreeing(len(drawn), 'stand')} for {total:,.0f} rows, but the table has "
            f"{counted(n_unlabeled, 'unlabeled row')}. Numbers of several draws do not hold "
            "together.",
            _ONE_FILE,
        )


def _gap(stands_for: Floats, n_unlabeled: int) -> str:
    """How many rows the checked rows stand for, in words; "" if nearly all, or if none was drawn.

    A part of a sheet stands for fewer rows, and so does the sheet of a later draw alone. Nothing in
    a sheet tells these apart.

    Parameters
    ----------
    stands_for : shape (n_checked,)
    n_unlabeled : number of rows that were unlabeled before the checks
    """
    total = stands_for.sum()
    if not (stands_for > 1).any() or total >= _NEARLY_ALL * n_unlabeled:
        return ""
    return (
        f"by column {STANDS_FOR}, the checked rows stand for {total:,.0f} of "
        f"{counted(n_unlabeled, 'unlabeled row')}. If rows of other draws were checked too, pass "
        "the file of all verdicts"
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
