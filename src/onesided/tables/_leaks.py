"""Find columns that give the labels away."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from onesided._files._dates import read_dates
from onesided._files._names import values_of
from onesided._text import argument, as_text
from onesided._typing import Bools, Floats
from onesided._validation import check_object
from onesided.exceptions import LeakWarning, OnesidedWarning
from onesided.metrics import rank_shares
from onesided.tables._describe import TableSummary

_SUSPECT = 0.99  # AUC of one column alone; the strongest column that was not a leak had 0.95
_MOST_NAMED = 8
_FEWEST = 5  # positives; fewer are separated by chance


@dataclass(frozen=True)
class Leak:
    """A column that alone separates positive from unlabeled rows, and so may give labels away.

    Attributes
    ----------
    column : name of the column
    auc : chance that this column alone ranks a positive row above an unlabeled row
    how : what separates the rows: "its values" or "where it is missing"

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from onesided.tables import describe, find_leaks
    >>> positive = np.arange(20) < 5
    >>> size, score = np.arange(20) * 7 % 20 / 2, 10 * positive + np.arange(20) / 2
    >>> table = pa.table({"size": size, "score": score})
    >>> leak = find_leaks(table, positive, describe(table))[0]
    >>> leak.column, leak.auc, leak.how
    ('score', 1.0, 'its values')
    """

    column: str
    auc: float
    how: str


def find_leaks(table: pa.Table, positive: Bools, summary: TableSummary) -> list[Leak]:
    """Columns whose values or missing cells separate positive from unlabeled rows almost perfectly.

    Often somebody filled in such a column because a row is positive: the date of a confirmation,
    or a code that is given afterwards.

    Parameters
    ----------
    table : the whole table
    positive : shape (n_rows,)
    summary : what `describe` found

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from onesided.tables import describe, find_leaks
    >>> confirmed = [2019, 2020, 2021, 2019, 2022, *[None] * 15]  # only positives were confirmed
    >>> table = pa.table({"confirmed": confirmed, "size": np.arange(20) * 7 % 20 / 2})
    >>> find_leaks(table, np.arange(20) < 5, describe(table))
    [Leak(column='confirmed', auc=1.0, how='where it is missing')]
    """
    check_object(summary, "summary", TableSummary, by="onesided.tables.describe")
    if positive.sum() < _FEWEST:
        return []
    of_values = {"number": _number_auc, "category": _category_auc, "date": _date_auc}
    found = []
    for each in summary.columns:
        if each.role == "dropped":
            continue
        column = table.column(each.name)
        missing = column.is_null(nan_is_null=True).to_numpy()
        ways = {"where it is missing": _auc(missing.astype(float), positive)}
        if each.role in of_values:
            ways["its values"] = of_values[each.role](column, positive)
        how = max(ways, key=ways.__getitem__)
        if ways[how] >= _SUSPECT:
            found.append(Leak(each.name, ways[how], how))
    return found


def _auc(values: Floats, positive: Bools) -> float:
    """AUC of the values, in the direction that gives the larger AUC."""
    auc = 1.0 - float(rank_shares(values[positive], values[~positive]).mean())
    return max(auc, 1.0 - auc)


def _number_auc(column: pa.ChunkedArray, positive: Bools) -> float:
    """AUC of a column of numbers; 0.5 if too many values are missing."""
    values = column.cast(pa.float64(), safe=False).to_numpy()
    present = ~np.isnan(values)
    kinds = positive[present]
    if present.mean() < _SUSPECT or not kinds.any() or kinds.all():
        return 0.5
    return _auc(values[present], kinds)


def _date_auc(column: pa.ChunkedArray, positive: Bools) -> float:
    """AUC of a column of dates, computed as for numbers."""
    days = pa.chunked_array([pa.array(read_dates(column).days)])
    return _number_auc(days, positive)


def _category_auc(column: pa.ChunkedArray, positive: Bools) -> float:
    """AUC of the share of positives among the other rows with the same value."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    n_value = np.bincount(codes)[codes]
    n_positive = np.bincount(codes, weights=positive)[codes]
    share = (n_positive - positive) / np.maximum(n_value - 1, 1)
    # Not `_auc`: a positive left out lowers its own share, so an AUC of 0 is not a leak.
    return 1.0 - float(rank_shares(share[positive], share[~positive]).mean())


def warn_of_leaks(table: pa.Table, positive: Bools, summary: TableSummary) -> None:
    """Warn of each column that `find_leaks` finds."""
    for leak in find_leaks(table, positive, summary):
        warnings.warn(
            f"Column {leak.column!r} alone separates positive from unlabeled rows, by "
            f"{leak.how} (AUC {leak.auc:.3f}). If it was filled in because a row is positive, "
            f"drop it: {argument('drop', [leak.column])}.",
            LeakWarning,
            stacklevel=2,
        )


def warn_of_other_labels(table: pa.Table, label: str, summary: TableSummary) -> None:
    """Warn of columns that mark rows as the labels do, by the same value and blanks.

    These columns may be labels of other kinds, as in a table with a column for each species.
    """
    marks = _values_of(table, label)
    if "" not in marks or len(marks) != 2:  # noqa: PLR2004 - a mark and blanks
        return
    found = [name for name in summary.used if _values_of(table, name) == marks]
    if found:
        drop = argument("drop", found[:_MOST_NAMED])
        more = " ..." if len(found) > _MOST_NAMED else ""
        warnings.warn(
            f"The model learns from columns that mark rows in the same way as {label!r}, for "
            f"example {found[0]!r}. If these columns are labels of other kinds, drop them: "
            f"{drop}{more}.",
            OnesidedWarning,
            stacklevel=2,
        )


def _values_of(table: pa.Table, name: str) -> set[str]:
    column = table.column(name)
    if pa.types.is_nested(column.type):
        return set()
    return {as_text(cell) for cell in values_of(column.unique())}
