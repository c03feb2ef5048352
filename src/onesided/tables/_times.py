"""The time of each row, by which the methods are judged on later rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from onesided._files._blank import row_numbers
from onesided._files._dates import are_dates, read_dates
from onesided._files._names import values_of
from onesided._text import argument
from onesided._typing import Floats
from onesided.exceptions import TableError
from onesided.tables._columns import find_column


def read_times(data: pa.Table, name: str) -> Floats:
    """The times of a column of dates or numbers, shape (n_rows,).

    Parameters
    ----------
    data : the whole table
    name : of the column

    Raises
    ------
    TableError : if a row has no time
    """
    column, numbers = data.column(find_column(data, name)), row_numbers(data)
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        times = column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)
        odd = None
    elif are_dates(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        found = read_dates(column)
        times, odd = found.days, found.odd
    else:
        raise TableError(
            f"Column {name!r} holds {kind} values, which are not times.",
            "Pass a column of dates or numbers.",
        )
    if odd is not None:
        cell = values_of(column[odd : odd + 1])[0]
        raise TableError(
            f"Column {name!r} holds {cell!r} in row {numbers[odd]}, which is not a date.",
            "Write dates as 2024-05-01, or pass a column of dates or numbers.",
        )
    if np.isnan(times).any():
        row = numbers[int(np.argmax(np.isnan(times)))]
        raise TableError(
            f"Column {name!r} has no time in row {row}.",
            f"Give each row a time, or leave {argument('time', name)} out.",
        )
    return times
