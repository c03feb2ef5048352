"""Tables as workbooks of Excel."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._files._extra import load_extra
from onesided._text import is_missing
from onesided.exceptions import TableError

_MOST_ROWS, _MOST_LETTERS = 1_048_575, 32_767  # Excel's limits below the header and in a cell
_EXACT = 2**53  # Excel keeps whole numbers as floats
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)  # so that the same table gives the same bytes
_MEND = "Write it as .csv or .parquet."


def load_writer() -> Any:
    """The library that writes workbooks, or an error that says how to install it."""
    return load_extra(
        "xlsxwriter", name="XlsxWriter", extra="excel", what="To write .xlsx onesided"
    )


def write_workbook(parts: Iterable[pa.Table], schema: pa.Schema, path: Path) -> None:
    """Write tables of one schema below each other as the sheet of a workbook.

    Text stays text: 04109 keeps its zero, and no cell is a formula. Numbers that a workbook cannot
    hold are written as text: whole numbers with many digits, and infinite numbers.
    """
    options = {"constant_memory": True, "strings_to_numbers": False}
    with path.open("wb") as file, load_writer().Workbook(file, options) as book:
        book.set_properties({"created": _ANY_TIME.replace(tzinfo=None)})
        sheet = book.add_worksheet()
        sheet.freeze_panes(1, 0)
        for place, name in enumerate(schema.names):
            _write(sheet, 0, place, name)
        row = 0
        for part in parts:
            if row + part.num_rows > _MOST_ROWS:
                raise TableError(
                    f"A sheet of Excel holds {_MOST_ROWS:,} rows, and the table has more.", _MEND
                )
            for batch in part.to_batches(max_chunksize=4096):
                for cells in zip(*map(_cells, batch.columns), strict=True):
                    row += 1
                    for place, cell in enumerate(cells):
                        _write(sheet, row, place, cell)


def _cells(column: pa.Array) -> list[Any]:
    """The cells as numbers, truth values and text; missing cells are None."""
    kind = column.type
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64(), safe=False)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        column = column.cast(pa.string())
    cells: list[Any] = column.to_pylist()
    return cells


def _write(sheet: Any, row: int, place: int, cell: Any) -> None:
    if is_missing(cell):
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, place, cell)
    elif not isinstance(cell, str) and isfinite(cell) and abs(cell) <= _EXACT:
        sheet.write_number(row, place, cell)
    elif len(text := str(cell)) > _MOST_LETTERS:
        raise TableError(
            f"A cell of Excel holds {_MOST_LETTERS:,} characters, and row {row:,} has one of "
            f"{len(text):,}.",
            _MEND,
        )
    else:
        sheet.write_string(row, place, text)
