"""Workbooks for tests: of Excel by openpyxl, of OpenDocument by hand."""

import datetime as dt
import re
import zipfile
from xml.sax.saxutils import escape, quoteattr

import openpyxl

_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text")
)
_CALC = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'

_MANIFEST = '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'


def write_workbook(path, sheets, *, at=(1, 1)):
    """Write sheets of rows by their names, with the first cell in a row and column, from 1."""
    if path.suffix == ".ods":
        _write_ods(path, sheets, at)
        return None
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for number, row in enumerate(rows):
            for place, cell in enumerate(row):
                sheet.cell(number + at[0], place + at[1], cell)
    book.save(path)
    return book


def _write_ods(path, sheets, at):
    tables = []
    for name, rows in sheets.items():
        before = "<table:table-row><table:table-cell/></table:table-row>" * (at[0] - 1)
        cells = (["<table:table-cell/>"] * (at[1] - 1) + list(map(_ods_cell, row)) for row in rows)
        lines = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in cells)
        tables.append(f"<table:table table:name={quoteattr(name)}>{before}{lines}</table:table>")
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", kind)
        file.writestr("META-INF/manifest.xml", _MANIFEST)
        file.writestr(
            "content.xml",
            f"<office:document-content {_SPACES}><office:body>"
            f"<office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
            "</office:document-content>",
        )


def _ods_cell(cell):
    if cell is None or cell == "":
        return "<table:table-cell/>"
    value = str(cell).lower() if isinstance(cell, bool) else str(cell)
    kind = {bool: "boolean", int: "float", float: "float", dt.date: "date"}.get(
        type(cell), "string"
    )
    of = {"float": "value", "string": "string-value"}.get(kind, f"{kind}-value")
    said = f'office:value-type="{kind}" office:{of}={quoteattr(value)}'
    return f"<table:table-cell {said}><text:p>{escape(value)}</text:p></table:table-cell>"


def put_cells(path, cells, *, calculated=True):
    """Put the XML of cells in place of those that show the names of them.

    openpyxl asks programs to calculate the formulas; a program that has done so does not.
    """
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name).decode() for name in file.namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            waiting = content.replace('fullCalcOnLoad="1"', "") if calculated else content
            of_excel = re.sub(
                r'<c (r="\w+") t="inlineStr"><is><t>(@[^<]*)</t></is></c>',
                lambda found: cells[found[2]].replace("<c", f"<c {found[1]}", 1),
                waiting.replace("<office:document-content ", f"<office:document-content {_CALC} "),
            )
            file.writestr(
                name,
                re.sub(
                    r"<table:table-cell [^>]*><text:p>(@[^<]*)</text:p></table:table-cell>",
                    lambda found: cells[found[1]],
                    of_excel,
                ),
            )
