"""A sheet of the workbook on standard input as CSV on standard output; run as its own process.

A small workbook may ask for more memory than there is, which would end the process that reads it.
The arguments are the name of the sheet, or nothing, and the bytes of memory. The first line of the
output is JSON: the name of the sheet, the names of all sheets that have cells, notes, and the odd
cells. After an error, this line holds only the error. This file imports nothing of onesided.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat

_BEYOND_64_BITS = 2.0**63
_BLOCK_BYTES = 1 << 20
_MAY_BE_ODD = re.compile(rb"<(\w+:)?f[\s/>]|=[\"']e[\"']|formula=")
_CELLS = ("table:table-cell", "table:covered-table-cell")
_ERROR_TEXT = re.compile(r"#[A-Z/0]+[!?]|#N/A|Err:\d+")
_KNOWN = {
    "Cannot detect file format": "it is not a workbook of Excel or OpenDocument, or is damaged"
}


def main(wanted: str, memory: str) -> None:
    """Write the wanted sheet; without a name, write the first visible sheet that has cells."""
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
        every = (
            each for name in names for each in _odd_cells(content, book.get_sheet_by_name(name))
        )
        empty = [each for each in every if each.kind == "empty"]
        return {"sheet": "", "sheets": list(sheets), "odd": _by_column(empty, [[]], 0)}, []
    rows, told = _table(book.get_sheet_by_name(filled[0]), content)
    return {"sheet": filled[0], "sheets": filled, **told}, rows


def _table(sheet: Any, content: bytes) -> tuple[list[list[str]], dict[str, Any]]:
    """The rows from the header on, without empty columns at the end, and notes and odd cells."""
    rows = [[_as_text(cell) for cell in row] for row in sheet.to_python()]
    top, left = sheet.start
    odd = [
        each._replace(row=each.row - top, column=each.column - left)
        for each in _odd_cells(content, sheet)
    ]
    for each in odd:
        if each.kind == "error" and 0 <= each.row < len(rows) and 0 <= each.column < len(rows[0]):
            rows[each.row][each.column] = ""  # OpenDocument may hold a number beside the error
    width = max((at for row in rows for at, cell in enumerate(row, start=1) if cell), default=0)
    head = next(at for at, row in enumerate(rows) if sum(map(bool, row)) >= min(2, width))
    merged = list(_fill_merged(rows, sheet, head))
    notes = [f"rows above the header, left out: {head:,}"] * bool(head)
    notes += [f"merged cells, each read as several equal cells: {len(merged):,}"] * bool(merged)
    return [row[:width] for row in rows[head:]], {
        "notes": notes,
        "odd": _by_column(odd, rows, head),
    }


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
    """The text of a cell in a CSV file; numbers are not rounded by the format of the cell."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        is_whole = cell.is_integer() and abs(cell) < _BEYOND_64_BITS
        return str(int(cell)) if is_whole else repr(cell)
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    return str(cell)


class _Odd(NamedTuple):
    """A cell that holds an error, or a formula that no program has calculated.

    Row and column count from 0. The kind is "error", "empty" for a formula without a value, or
    "old" for a formula whose value may change when a spreadsheet program calculates it. The text is
    the text of an error.
    """

    row: int
    column: int
    kind: str
    text: str = ""


def _by_column(odd: list[_Odd], rows: list[list[str]], head: int) -> list[tuple[Any, ...]]:
    """The odd cells of each column.

    Each entry holds the kind, the place of the column, the number of cells, the row and the text of
    the first cell, and the name in the header.
    """
    names = dict(enumerate(rows[head]))
    found: dict[tuple[str, int], list[_Odd]] = {}
    for each in odd:
        if each.row >= head:
            found.setdefault((each.kind, each.column), []).append(each)
    return [
        (kind, at, len(cells), cells[0].row - head, cells[0].text, names.get(at, ""))
        for (kind, at), cells in found.items()
    ]


def _odd_cells(content: bytes, sheet: Any) -> list[_Odd]:
    """Odd cells of a sheet, which calamine does not report; empty if the file holds no XML."""
    with (
        # calamine still reads the sheet
        contextlib.suppress(zipfile.BadZipFile, expat.ExpatError, ET.ParseError),
        contextlib.suppress(KeyError, ValueError, StopIteration),
        zipfile.ZipFile(io.BytesIO(content)) as book,
    ):
        parts = book.namelist()
        cells: _CellsOfExcel | _CellsOfOpenDocument
        if "xl/workbook.xml" in parts:
            part, is_old = _part_of_excel(book, sheet.name)
            cells = _CellsOfExcel(is_old=is_old)
        elif "content.xml" in parts:
            part = "content.xml"
            cells = _CellsOfOpenDocument(sheet.name, (sheet.total_height, sheet.total_width))
        else:
            return []
        if _may_be_odd(book, part):
            parser = expat.ParserCreate()
            parser.buffer_text = True
            parser.StartElementHandler = cells.start
            parser.CharacterDataHandler = cells.add_text
            parser.EndElementHandler = cells.end
            with book.open(part) as file:
                parser.ParseFile(file)
        return cells.found
    return []


def _may_be_odd(book: zipfile.ZipFile, part: str) -> bool:
    """Whether a part may hold formulas or errors; parsing all its cells takes ten times as long."""
    rest = b""
    with book.open(part) as file:
        while block := file.read(_BLOCK_BYTES):
            if _MAY_BE_ODD.search(rest + block):
                return True
            rest = block[-99:]
    return False


def _part_of_excel(book: zipfile.ZipFile, name: str) -> tuple[str, bool]:
    """The part of a sheet, and whether its formulas wait for a program to calculate them."""
    about, links = (
        ET.fromstring(book.read(part))  # noqa: S314 - in a process of limited memory
        for part in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    )
    found = next(each for each in about.iterfind("{*}sheets/{*}sheet") if each.get("name") == name)
    key = next(value for name, value in found.items() if name.endswith("}id"))
    target = next(each.attrib["Target"] for each in links if each.get("Id") == key)
    waits = about.find("{*}calcPr[@fullCalcOnLoad]")
    is_old = waits is not None and waits.get("fullCalcOnLoad") in {"1", "true"}
    return (target[1:] if target.startswith("/") else f"xl/{target}"), is_old


class _CellsOfExcel:
    """Handlers of XML elements that find the odd cells of a sheet."""

    def __init__(self, *, is_old: bool) -> None:
        self.found: list[_Odd] = []
        self._is_old = is_old
        self._row = self._column = -1
        self._kind = ""
        self._is_formula = self._in_value = False
        self._value: str | None = None

    def start(self, name: str, given: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        if tag == "row":
            self._row, self._column = int(given.get("r", self._row + 2)) - 1, -1
        elif tag == "c":
            self._column = _column_of(given["r"]) if "r" in given else self._column + 1
            self._kind, self._is_formula, self._value = given.get("t", ""), False, None
        elif tag == "f":
            self._is_formula = True
        elif tag == "v":
            self._in_value, self._value = True, ""

    def add_text(self, text: str) -> None:
        if self._in_value:
            self._value = (self._value or "") + text

    def end(self, name: str) -> None:
        tag = name.rpartition(":")[2]
        if tag == "v":
            self._in_value = False
        if tag != "c":
            return
        kind = ""
        if self._kind == "e":
            kind = "error"
        elif self._is_formula:
            has_value = self._value or (self._value is not None and self._kind == "str")
            kind = "empty" if not has_value else "old" if self._is_old else ""
        if kind:
            text = (self._value or "") if kind == "error" else ""
            self.found.append(_Odd(self._row, self._column, kind, text))


def _column_of(reference: str) -> int:
    """The column of a cell such as AB12, from 0."""
    column = 0
    for letter in reference.rstrip("0123456789"):
        column = 26 * column + ord(letter.upper()) - ord("A") + 1
    return column - 1


class _CellsOfOpenDocument:
    """Handlers of XML elements that find the odd cells of one sheet of a document."""

    def __init__(self, sheet: str, size: tuple[int, int]) -> None:
        self.found: list[_Odd] = []
        self._sheet, self._size = sheet, size
        self._in_sheet = self._in_text = False
        self._row = self._column = self._n_rows = 0
        self._cell: dict[str, str] = {}
        self._text = ""

    def start(self, name: str, given: dict[str, str]) -> None:
        if name == "table:table":
            self._in_sheet = given.get("table:name") == self._sheet
        if not self._in_sheet:
            return
        if name == "table:table-row":
            self._row += self._n_rows
            self._n_rows, self._column = int(given.get("table:number-rows-repeated", 1)), 0
        elif name in _CELLS:
            self._cell, self._text = given, ""
        elif name == "text:p":
            self._in_text = True

    def add_text(self, text: str) -> None:
        if self._in_text:
            self._text += text

    def end(self, name: str) -> None:
        if name == "text:p":
            self._in_text = False
        if not self._in_sheet or name not in _CELLS:
            return
        n_columns = int(self._cell.get("table:number-columns-repeated", 1))
        is_formula = "table:formula" in self._cell
        kind = ""
        if self._cell.get("calcext:value-type") == "error" or (
            is_formula and _ERROR_TEXT.fullmatch(self._text)
        ):
            kind = "error"
        elif is_formula and "office:value-type" not in self._cell:
            kind = "empty"
        if kind:
            text = self._text if kind == "error" else ""
            last_row, last_column = self._size
            self.found += [
                _Odd(row, column, kind, text)
                for row in range(
                    self._row, max(self._row + 1, min(self._row + self._n_rows, last_row))
                )
                for column in range(
                    self._column, max(self._column + 1, min(self._column + n_columns, last_column))
                )
            ]
        self._column += n_columns


if __name__ == "__main__":
    main(*sys.argv[1:])
