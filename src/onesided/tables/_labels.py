"""Which rows of a table are positive."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._typing import Bools
from onesided.exceptions import TableError
from onesided.tables._columns import find_column

_POSITIVE = frozenset(["1", "true", "yes", "x"])
_UNLABELED = frozenset(["0", "-1", "false", "no", ""])
_MOST_SHOWN = 5


def read_labels(table: pa.Table, spec: str) -> tuple[str, Bools]:
    """The label column and its positive rows.

    Parameters
    ----------
    table : the whole table
    spec : the name of a column of 1/0, true/false, yes/no or x/blank; or COLUMN=VALUE, rows
        with that value are positive and all others unlabeled

    Returns
    -------
    name : of the column
    positive : shape (n_rows,)

    Raises
    ------
    TableError : if there is no such column or value, or not two kinds of rows
    """
    name, value = _split(table, spec)
    column = table.column(name)
    cells = [_as_text(cell) for cell in column.to_pylist()]
    positive = _equal(cells, value) if value is not None else _read_flags(name, cells)
    n_positive = int(positive.sum())
    if n_positive == 0:
        if column.null_count == len(column):
            raise TableError(
                f"All {len(column)} labels in column {name!r} are missing.",
                "Mark the positive rows, with 1 for example.",
            )
        raise TableError(
            f"No row of column {name!r} is positive; it holds {_show(cells)}.",
            f"Name the value that means positive: --positive {name}=VALUE.",
        )
    if n_positive == len(positive):
        raise TableError(
            f"All {n_positive} rows of column {name!r} are positive.",
            "Add the rows that have never been labeled.",
        )
    if n_positive < 2:  # noqa: PLR2004 - one is hidden, one is learned from
        raise TableError(
            f"Column {name!r} marks 1 positive row; hiding it would leave none to learn from.",
            "Mark at least 2 rows as positive.",
        )
    return name, positive


def _split(table: pa.Table, spec: str) -> tuple[str, str | None]:
    if spec in table.column_names or "=" not in spec:
        return find_column(table, spec), None
    name, _, value = spec.rpartition("=")
    return find_column(table, name), value


def _as_text(cell: object) -> str:
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN differs from itself
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _equal(cells: list[str], value: str) -> Bools:
    wanted = value.strip()
    return np.array([cell == wanted for cell in cells], dtype=bool)


def _read_flags(name: str, cells: list[str]) -> Bools:
    for row, cell in enumerate(cells, start=1):
        if cell.lower() not in _POSITIVE and cell.lower() not in _UNLABELED:
            raise TableError(
                f"Column {name!r} holds {cell!r} in row {row}, which is neither 1/0, true/false, "
                f"yes/no nor x/blank; its values are {_show(cells)}.",
                f"Name the value that means positive: --positive {name}=VALUE.",
            )
    return np.array([cell.lower() in _POSITIVE for cell in cells], dtype=bool)


def _show(cells: list[str]) -> str:
    counts = pc.value_counts(pa.array(cells)).to_pylist()
    counts.sort(key=lambda entry: -entry["counts"])
    shown = [repr(entry["values"]) for entry in counts[:_MOST_SHOWN]]
    return ", ".join(shown) + (", ..." if len(counts) > _MOST_SHOWN else "")
