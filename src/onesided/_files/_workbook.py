"""A sheet of the workbook on standard input as CSV on standard output; run as its own process.

A small workbook may ask for more memory than there is, which would end the process that reads it.
The arguments are the name of the sheet, or nothing, and the bytes of memory. The first line of the
output is JSON: the name of the sheet, the names of all sheets that have cells, and notes. It holds
only an error if there is one. This file imports nothing of onesided.
"""

import contextlib
import csv
import io
import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

_BEYOND_64_BITS = 2.0**63
_KNOWN = {"Cannot detect file format": "it is no workbook of Excel or OpenDocument, or is damaged"}


def main(wanted: str, memory: str) -> None:
    """Write the sheet of this name, the only one, or the first that can be seen."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    out = io.TextIOWrapper(sys.stdout.buffer, "utf-8", errors="replace", newline="")
    try:
        found, rows = _read(sys.stdin.buffer.read(), wanted)
    except Exception as error:  # noqa: BLE001 - calamine has many
        said = str(error).strip() or type(error).__name__
        found, rows = {"error": _KNOWN.get(said, said)}, []
    out.write(json.dumps(found) + "\n")
    csv.writer(out).writerows(rows)
    out.flush()


def _read(content: bytes, wanted: str) -> tuple[dict[str, Any], list[list[str]]]:
    import python_calamine  # noqa: PLC0415 - after the limit

    book = python_calamine.load_workbook(io.BytesIO(content))
    sheets = {each.name: each for each in book.sheets_metadata if "WorkSheet" in str(each.typ)}
    seen = [name for name, each in sheets.items() if str(each.visible).endswith(".Visible")]
    names = [wanted] if wanted in sheets else [] if wanted else seen or list(sheets)
    filled = [name for name in names if book.get_sheet_by_name(name).height]
    if not filled:
        return {"sheet": "", "sheets": list(sheets), "notes": []}, []
    rows, notes = _table(book.get_sheet_by_name(filled[0]))
    return {"sheet": filled[0], "sheets": filled, "notes": notes}, rows


def _table(sheet: Any) -> tuple[list[list[str]], list[str]]:
    """The rows from the header on, without empty columns at the end, and notes on them."""
    rows = [[_as_text(cell) for cell in row] for row in sheet.to_python()]
    width = max(at for row in rows for at, cell in enumerate(row, start=1) if cell)
    head = next(at for at, row in enumerate(rows) if sum(map(bool, row)) >= min(2, width))
    merged = list(_fill_merged(rows, sheet, head))
    notes = [f"rows above the header, left out: {head:,}"] * bool(head)
    notes += [f"merged cells, each read as several equal cells: {len(merged):,}"] * bool(merged)
    return [row[:width] for row in rows[head:]], notes


def _fill_merged(rows: list[list[str]], sheet: Any, head: int) -> Iterator[str]:
    """Repeat the value of merged cells in the rows below; yield each value."""
    top, left = sheet.start
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        row, at = first - top, column - left
        if head < row < len(rows) and last > first and rows[row][at]:
            for below in range(row + 1, min(last - top + 1, len(rows))):
                rows[below][at] = rows[row][at]
            yield rows[row][at]


def _as_text(cell: Any) -> str:
    """What the cell of a CSV file would hold; numbers without the rounding that a format shows."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        is_whole = cell.is_integer() and abs(cell) < _BEYOND_64_BITS
        return str(int(cell)) if is_whole else repr(cell)
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    return str(cell)


if __name__ == "__main__":
    main(*sys.argv[1:])
