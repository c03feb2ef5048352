"""Read which rows of a table are positive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._answers import POSITIVE_WORDS, UNLABELED_WORDS
from onesided._files._blank import row_numbers
from onesided._files._names import is_single, texts_of, why_no_labels
from onesided._files._references import ITEM_MARK
from onesided._labels import MOST_VALUES
from onesided._text import MISSING_MARKS, agreeing, argument, as_text, counted
from onesided._typing import Bools, Ints
from onesided.exceptions import TableError
from onesided.tables._columns import find_column

_TRUTH = ("true", "false")
_MARKS = POSITIVE_WORDS | UNLABELED_WORDS
_NO = frozenset(
    ["nein", "non", "falsch", "negative", "negativ", "unknown", "unbekannt", "unlabeled"]
)
"""Words that do not mean positive, even if a column holds only this word and blanks."""
_MOST_SHOWN = 5
_GIVEN_AS = {"positive": "positive", "negative": "known_negative"}


def read_labels(
    table: pa.Table, spec: str, *, lists: Collection[str] = (), negative: str | None = None
) -> tuple[str, Bools]:
    """The name of the label column, and its positive rows as a mask of shape (n_rows,).

    `spec` names a column of 1/0, true/false, yes/no or x/blank, or a column of one value and
    blanks. It may also be COLUMN=VALUE; in the columns `lists`, one of several items of a cell may
    have the value. As in y of the learners, one value means positive and one means unlabeled; cells
    may be missing. `negative` may be COLUMN=VALUE with the same column; rows with that value are
    not unlabeled.
    """
    spec = _with_only_value(table, spec)
    name, value, cells, positive = read_marks(
        table, spec, "positive", lists, apart=_value_in(table, spec, negative)
    )
    n_positive = int(positive.sum())
    if n_positive == 0:
        if not any(map(_without_mark, cells)):
            raise TableError(
                f"All {len(cells)} labels in column {name!r} are missing.",
                "Mark the positive rows, with 1 for example.",
            )
        wanted = "is positive" if value is None else f"is {value!r}"
        raise TableError(
            f"No row of column {name!r} {wanted}; the column holds {_show(cells)}.",
            f"Name one of its values as positive: {argument('positive', name + '=VALUE')}.",
        )
    if n_positive == len(positive):
        raise TableError(
            f"All {n_positive} rows of column {name!r} are positive.",
            "Add the rows that have never been labeled.",
        )
    if n_positive == len(positive) - 1:
        raise TableError(
            f"Column {name!r} leaves 1 row unlabeled; if this row were held out to be scored, "
            "no unlabeled row would be left to learn from.",
            "Add rows that have never been labeled.",
        )
    if n_positive < 2:  # noqa: PLR2004 - one is hidden, one is learned from
        raise TableError(
            f"Column {name!r} marks 1 positive row; if this row were hidden, no positive row "
            "would be left to learn from.",
            "Mark at least 2 rows as positive.",
        )
    return name, positive


def read_known_negative(
    table: pa.Table, spec: str, positive: Bools, *, lists: Collection[str] = ()
) -> tuple[str, Bools]:
    """The name of the column that marks known negatives, and these rows; shape (n_rows,)."""
    spec = _with_only_value(table, spec)
    name, _, cells, negative = read_marks(table, spec, "negative", lists)
    if not negative.any():
        raise TableError(
            f"No row of column {name!r} is marked as a known negative; the column holds "
            f"{_show(cells)}.",
            f"Name the value that means negative: {argument('known_negative', name + '=VALUE')}.",
        )
    check_kinds(positive, negative, table)
    return name, negative


def read_other_labels(
    table: pa.Table, spec: str, *, lists: Collection[str] = (), negative: str | None = None
) -> tuple[str, list[tuple[str, ...]]]:
    """The positive label, and for each row the other labels that it carries in the same column.

    A blank cell is not a label, and neither is a word such as no or unknown, nor the value of
    `negative` if it is COLUMN=VALUE of the same column.
    """
    spec = _with_only_value(table, spec)
    name, value = _split(table, spec)
    if value is None:
        raise TableError(
            f"Column {name!r} only marks rows, so no row carries another label in it.",
            f"Leave {argument('background')} out, or pass a column of several labels and the "
            f"positive one: {argument('positive', 'COLUMN=VALUE')}.",
        )
    apart = {_as_mark(as_text(value).strip()), _value_in(table, spec, negative)}
    cells = texts_of(table.column(name))
    items = (cell.split(ITEM_MARK) if name in lists else [cell] for cell in cells)
    return value, [
        tuple(each for each in of if is_label(each) and _as_mark(each.strip()) not in apart)
        for of in items
    ]


def is_label(cell: str) -> bool:
    """Whether a cell, as text, names a label: it is neither blank nor a word such as no."""
    return _without_mark(cell.strip()).lower() not in UNLABELED_WORDS | _NO


def label_notes(table: pa.Table, spec: str, *, negatives: bool) -> list[str]:
    """Sentences on how the labels are read, if this is not obvious."""
    found = _with_only_value(table, spec)
    name, value = _split(table, found)
    notes = [f"positive where {name} is {value!r}"] if found != spec else []
    if found == spec and value is not None:
        return notes
    cells = Counter(texts_of(table.column(name)))
    notes += [
        f"{name} is {cell!r} in {counted(cells[cell], 'row')}; a row with a missing label counts "
        f"as unlabeled. If {cell!r} is a value: {argument('positive', f'{name}={cell}')}"
        for cell in cells
        if cell and not _without_mark(cell)
    ]
    any_missing = any(not _without_mark(cell) for cell in cells)
    if negatives or found != spec or not any_missing:
        return notes
    return [
        *notes,
        *(
            f"{name} is {cell!r} in {counted(cells[cell], 'row')}; such a row counts as unlabeled, "
            "as a blank cell does. If it was checked and is negative, say so: onesided "
            f"rank {argument('known_negative', f'{name}={cell}')}"
            for cell in cells
            if _without_mark(cell) and cell.lower() in UNLABELED_WORDS
        ),
    ]


def are_marks(cells: Collection[str]) -> bool:
    """Whether cells, as text, are marks such as 1/blank or yes/no, and not names."""
    found = {_without_mark(cell).lower() for cell in cells} - {""}
    return bool(found) and found <= _MARKS


def check_one_source(positive: object, file: object, name: str, mend: str) -> None:
    """Refuse positive rows that are given by both a column and a file, or by neither of the two.

    Parameters
    ----------
    positive, file : the column and the file, if they are given
    name : of the argument that passes the file
    mend : what to pass if neither is given
    """
    either, other = argument("positive"), argument(name)
    if positive and file:
        raise TableError(
            f"{either} and {other} both say which rows are positive.", "Pass one of them."
        )
    if not positive and not file:
        raise TableError(f"Neither {either} nor {other} says which rows are positive.", mend)


def check_kinds(positive: Bools, negative: Bools, table: pa.Table) -> None:
    """Refuse rows that are both positive and known to be negative."""
    both = np.flatnonzero(negative & positive)
    if len(both):
        row, n_more = row_numbers(table)[both[0]], len(both) - 1
        raise TableError(
            f"Row {row} is marked both as positive and as a known negative"
            + (f", as {agreeing(n_more)} {counted(n_more, 'other row')}." if n_more else "."),
            "Remove one of the two marks.",
        )


def label_columns(spec: str) -> list[str]:
    """Possible names of the column in COLUMN[=VALUE]: column and value may each contain "="."""
    return [spec, *(spec[: match.start()] for match in re.finditer("=", spec))]


def read_marks(
    table: pa.Table,
    spec: str,
    meaning: str,
    lists: Collection[str] = (),
    *,
    numbers: Ints | None = None,
    apart: str | None = None,
) -> tuple[str, str | None, list[str], Bools]:
    """The column, the value that marks a row, the cells, and the marked rows.

    `meaning` is "positive" or "negative". Errors show the row numbers in `numbers`. `apart` is a
    value with another, known meaning.
    """
    name, value = _split(table, spec)
    column = table.column(name)
    if refused := why_no_labels(name, column.type):
        raise TableError(*refused)
    cells = texts_of(column)
    if value is None:
        numbers = row_numbers(table) if numbers is None else numbers
        marked = read_flags(name, cells, meaning, numbers, apart)
    elif name in lists:
        marked = np.array([value.strip() in cell.split(ITEM_MARK) for cell in cells], dtype=bool)
    else:
        wanted = _as_mark(as_text(value))
        marked = np.array([_as_mark(cell) == wanted for cell in cells], dtype=bool)
    return name, value, cells, marked


def _as_mark(cell: str) -> str:
    """A label as text for comparisons: True in a text file equals true in other files."""
    return cell.lower() if cell.lower() in _TRUTH else cell


def _with_only_value(table: pa.Table, spec: str) -> str:
    """COLUMN=VALUE for a column of one value and blanks, where VALUE is the mark; else `spec`."""
    name, value = _split(table, spec)
    kind = table.schema.field(name).type
    if value is not None or not is_single(kind):
        return spec
    cells = {_without_mark(each) for each in texts_of(table.column(name).unique())}
    only = max(cells, default="")
    if cells != {"", only} or only.lower() in _MARKS | _NO:
        return spec
    return f"{name}={only}"


def _split(table: pa.Table, spec: str) -> tuple[str, str | None]:
    """Column and value of COLUMN[=VALUE]; if several columns fit, the longest name counts."""
    if spec in table.column_names or "=" not in spec:
        return find_column(table, spec), None
    candidates = label_columns(spec)[:0:-1]
    name = next((each for each in candidates if each in table.column_names), candidates[0])
    return find_column(table, name), spec[len(name) + 1 :]


def _value_in(table: pa.Table, spec: str, other: str | None) -> str | None:
    """VALUE of the other COLUMN=VALUE, if both have the same column; else None."""
    if not other:
        return None
    column, value = _split(table, other)
    return as_text(value) if value is not None and column == _split(table, spec)[0] else None


def _without_mark(cell: str) -> str:
    """A cell as text; "" if it means that the value is missing."""
    return "" if cell in MISSING_MARKS else cell


def read_flags(
    name: str, cells: Sequence[str], meaning: str, numbers: Ints, apart: str | None = None
) -> Bools:
    """Whether each cell means yes; each cell must mean yes or no, with one word for each meaning.

    Parameters
    ----------
    name : of the column
    cells : as text, shape (n_rows,)
    meaning : "positive" or "negative"
    numbers : of the rows, for errors
    apart : a further value with a known meaning
    """
    flags = ["" if cell == apart else _without_mark(cell).lower() for cell in cells]
    for row, cell, flag in zip(numbers, cells, flags, strict=True):
        if flag not in _MARKS:
            raise TableError(
                f"Column {name!r} holds {cell!r} in row {row}, which is neither 1/0, "
                "true/false, yes/no nor x/blank; the values of the column are "
                f"{_show(cells)}.",
                _say_value(name, meaning),
            )
    found = sorted({*flags} - {""})
    others = "unlabeled" if meaning == "positive" else f"not {meaning}"
    for words, what in ((POSITIVE_WORDS, meaning), (UNLABELED_WORDS, others)):
        same = [each for each in found if each in words]
        if len(same) > 1:
            values = f"has {len(found)} values: {', '.join(found)}. It holds"
            raise TableError(
                f"Column {name!r} {values if len(found) > MOST_VALUES else 'holds'} "
                f"{' and '.join(map(repr, same))}, which both mean {what}.",
                f"Use one value for all of these rows. {_say_value(name, meaning)}",
            )
    return np.array([flag in POSITIVE_WORDS for flag in flags], dtype=bool)


def _say_value(name: str, meaning: str) -> str:
    """The sentence on how to name the value with this meaning."""
    value = argument(_GIVEN_AS[meaning], name + "=VALUE")
    return f"Name the value that means {meaning}: {value}."


def _show(cells: Sequence[str]) -> str:
    """The most frequent cells, in words."""
    counts = pc.value_counts(pa.array(cells)).to_pylist()
    counts.sort(key=lambda entry: -entry["counts"])
    shown = [repr(entry["values"]) for entry in counts[:_MOST_SHOWN]]
    return ", ".join(shown) + (", ..." if len(counts) > _MOST_SHOWN else "")
