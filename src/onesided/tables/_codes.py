"""Find numbers that may be codes of missing values, such as -9999."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._dates import read_dates
from onesided._files._names import texts_of
from onesided._text import argument, counted
from onesided.exceptions import OnesidedWarning
from onesided.tables._describe import TableSummary
from onesided.tables._ends import FILL, USUAL_DATES, Codes, Ends
from onesided.tables._sentences import first_of

_FEWEST_WORDS = 2  # different values of a column beside a number that may be a code
_LOOKS_LIKE_NUMBER = re.compile(r"[+-]?\.?\d")
_USUAL_NUMBER = re.compile(r"-9|-?(77+|88+|99+)")


def warn_of_codes(table: pa.Table, summary: TableSummary) -> None:
    """Warn of each number that `Ends.codes` finds in some column.

    Parameters
    ----------
    table : the whole table
    summary : what `describe` found
    """
    found = ((name, Ends.of(table.column(name)).codes()) for name in summary.names("number"))
    sentences = [
        *code_sentences(found, lambda cell: f"say so: {argument('missing', [cell])}"),
        *_dates_in(table, summary.names("date")),
        *_numbers_in(table, summary.names("category")),
    ]
    for sentence in sentences:
        warnings.warn(sentence, OnesidedWarning, stacklevel=2)


def _dates_in(table: pa.Table, names: Iterable[str]) -> Iterator[str]:
    """A warning for each usual code in each column of dates, far outside all other dates."""
    for name in names:
        cells = table.column(name)
        days = read_dates(cells).days
        for value, n_cells in Ends.of(pa.array(days, from_pandas=True)).codes(USUAL_DATES):
            row = int(np.argmax(days == value))
            cell = texts_of(cells[row : row + 1])[0]
            mend = f"say so: {argument('missing', [cell])}"
            yield _sentence([name], cell, n_cells, "far outside the other dates", mend)


def _numbers_in(table: pa.Table, names: Iterable[str]) -> Iterator[str]:
    """A warning for each usual code, in digits, in a column of which no other value is a number."""
    for name in names:
        if not pa.types.is_string(table.schema.field(name).type):
            continue
        counts = {
            each["values"].strip(): each["counts"]
            for each in pc.value_counts(table.column(name).drop_null()).to_pylist()
        }
        codes = [each for each in counts if _LOOKS_LIKE_NUMBER.match(each)]
        are_usual = all(_USUAL_NUMBER.fullmatch(each) for each in codes)
        if are_usual and len(counts) - len(codes) >= _FEWEST_WORDS:
            for cell in codes:
                mend = f"say so: {argument('missing', [cell])}"
                yield _sentence([name], cell, counts[cell], "a number among other text", mend)


def code_sentences(
    codes: Iterable[tuple[str, Codes]], mend: Callable[[str], str], what: str = "values"
) -> Iterator[str]:
    """A warning for each code in some columns.

    Parameters
    ----------
    codes : name and codes of each column
    mend : what to do if a cell means a missing value, by the text of the cell
    what : the cells are "values" or "dates"
    """
    found: dict[float, list[tuple[str, int]]] = {}
    for name, of_column in codes:
        for value, n_cells in of_column:
            found.setdefault(value, []).append((name, n_cells))
    for value, places in found.items():
        cell = f"{value:.0f}" if value.is_integer() and abs(value) < FILL else repr(value)
        if what == "dates":
            cell = str(np.datetime64(int(value), "D"))
        names, n_cells = [name for name, _ in places], sum(n for _, n in places)
        yield _sentence(names, cell, n_cells, f"far outside the other {what}", mend(cell))


def _sentence(names: Sequence[str], cell: str, n_cells: int, what: str, mend: str) -> str:
    return (
        f"{'Columns' if len(names) > 1 else 'Column'} {first_of(names)}: {cell} in "
        f"{counted(n_cells, 'cell')} is {what}. If {cell} means that the value is missing, {mend}."
    )
