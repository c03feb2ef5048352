"""The strata of rows by which random label sets are matched."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from onesided._files._dates import are_dates, read_dates
from onesided._files._names import as_floats, texts_of
from onesided._strata import strata_of
from onesided._text import MISSING_MARKS, argument
from onesided._typing import Array
from onesided.exceptions import TableError
from onesided.tables._columns import find_key, without_cells


def read_strata(
    data: pa.Table,
    names: Sequence[str],
    *,
    labels: Collection[str] = (),
    categorical: Collection[str] = (),
    missing: Sequence[str] = (),
) -> Array:
    """The stratum of each row as text, which our tests accept as `match`; shape (n_rows,).

    Parameters
    ----------
    data : the whole table
    names : columns by which random sets are matched; numbers and dates are cut into intervals, and
        all other columns are categories
    labels : columns of labels, which cannot be matched
    categorical : columns of numbers that are categories
    missing : cells that mean that a value is missing

    Raises
    ------
    TableError : if a column does not exist, holds lists, or is the column of labels
    """
    for name in names:
        if find_key(data, name) in labels:
            raise TableError(
                f"Column {name!r} is the column of labels, so random sets cannot be matched by it.",
                f"Pass another column as {argument('match')}.",
            )
    data = without_cells(data, names, missing)
    strata = strata_of([_values(data.column(each), each in categorical) for each in names])
    if len(strata) and (strata == strata[0]).all():
        raise TableError(
            f"All rows are in one stratum of {', '.join(names)}, so random sets are not matched.",
            f"Pass a column that varies as {argument('match')}, or none.",
        )
    return strata.astype(str)


def strata_sentence(names: Sequence[str], strata: Array) -> str:
    """Say which columns random sets are matched by, and in how many strata."""
    return f"  matched by: {', '.join(names)} ({len(np.unique(strata)):,} strata)"


def _values(column: pa.ChunkedArray, is_category: bool) -> Array:  # noqa: FBT001 - private
    """Numbers with NaN for missing values, or text with "" for missing values."""
    t = pa.types
    if are_dates(column.type) and not is_category:
        return np.asarray(read_dates(column).days)
    is_number = t.is_integer(column.type) or t.is_floating(column.type) or t.is_decimal(column.type)
    if is_number and not is_category:
        return np.asarray(as_floats(column).to_numpy(), dtype=np.float64)
    cells = texts_of(column)
    return np.array(["" if each in MISSING_MARKS else each for each in cells])
