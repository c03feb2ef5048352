"""Sheets of workbooks, whose cells are read as those of a CSV file."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from onesided._files import _workbook
from onesided._files._arrow import pa
from onesided._files._csv import Csv
from onesided._files._extra import load_extra
from onesided._files._format import Format, TableFile
from onesided._files._memory import available_memory
from onesided._files._names import named
from onesided._files._packed import opened
from onesided._text import argument, counted, first_line
from onesided.exceptions import OnesidedWarning, TableError

if TYPE_CHECKING:
    from pathlib import Path

SAVE_SHEET = "Save the sheet as 'CSV UTF-8' and pass that file."
_MOST_SHOWN = 8  # sheets or columns
_KINDS = {
    "error": "cells that hold an error, read as missing",
    "old": "values of formulas that no spreadsheet program has calculated (one does when it opens "
    "and saves the workbook)",
}
"""What a note says about each kind of odd cell that `_workbook` finds."""


class _Formulas:
    """The odd cells of one column, as `_workbook` reports them."""

    def __init__(self, kind: str, place: int, n_cells: int, row: int, text: str, name: str) -> None:
        (self.name,) = named([*[""] * place, name])[place:]
        self.kind, self._n_cells = kind, n_cells
        self.example = f"{text} in row {row:,}" if row else f"{text} in the header"

    def check_have_values(self, path: Path) -> None:
        """Refuse formulas without values."""
        if self.kind == "empty":
            raise TableError(
                f"Column {self.name!r} of {path.name!r} has "
                f"{counted(self._n_cells, 'formula')} without a value, the first{self.example}.",
                "Open the workbook in a spreadsheet program and save it: this stores the values.",
            )

    def __str__(self) -> str:
        of = f" ({self.example})" * (self.kind == "error")
        return f"{self._n_cells:,} in column {self.name!r}{of}"


class Spreadsheet(Csv):
    """One sheet of a workbook of Excel or of OpenDocument.

    A cell means what the same cell of a CSV file means. Rows above the header, which have one cell,
    are left out. Each of several merged rows has the value of the first. A cell that holds an error
    is missing, and a formula must have a value, which spreadsheet programs store beside it.
    """

    name = "spreadsheet"
    endings_alone = ()
    magic = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
    is_text = False
    mend = SAVE_SHEET
    holds = Format.holds
    column_names = Format.column_names

    def settle(self, file: TableFile, delimiter: str | None, sheet: str | None) -> TableFile:
        """Find the sheet: the one of this name, the only one, or the first, with a note."""
        told, _ = _read_sheet(file.path, sheet or "", file.path.stat().st_mtime_ns)
        name, names = told["sheet"], told["sheets"]
        if sheet is not None and sheet not in names:
            shown = ", ".join(map(repr, names[:_MOST_SHOWN])) + ", ..." * (len(names) > _MOST_SHOWN)
            raise TableError(
                f"{file.path.name!r} has no sheet {sheet!r}.", f"Its sheets are {shown}."
            )
        odd = [_Formulas(*each) for each in told["odd"]]
        for each in odd:
            each.check_have_values(file.path)
        if not name:
            raise TableError(f"{file.path.name!r} holds no cell.", "Write a table into a sheet.")
        notes = [*told["notes"]]
        for kind, what in _KINDS.items():
            if said := [str(each) for each in odd if each.kind == kind]:
                more = ", ..." * (len(said) > _MOST_SHOWN)
                notes.append(f"{what}: {', '.join(said[:_MOST_SHOWN])}{more}")
        if len(names) > 1:
            others = ", ".join(map(repr, names[1 : 1 + _MOST_SHOWN]))
            notes.append(f"other sheets, not read: {others} (to read one: {argument('sheet')})")
        for note in notes:
            warnings.warn(
                f"Sheet {name!r} of {file.path.name!r}: {note}.", OnesidedWarning, stacklevel=3
            )
        errors = {each.name: each.example for each in odd if each.kind == "error"}
        return replace(file, sheet=name, errors=errors)

    def source(self, file: TableFile) -> pa.NativeFile:
        """The sheet as CSV."""
        changed = file.path.stat().st_mtime_ns
        return pa.BufferReader(_read_sheet(file.path, file.sheet, changed)[1])


SPREADSHEET = Spreadsheet("spreadsheet", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"))


@lru_cache(maxsize=2)
def _read_sheet(
    path: Path,
    name: str,
    changed: int,  # noqa: ARG001 - of the cache
) -> tuple[dict[str, Any], bytes]:
    """The report of `_workbook` on a sheet, and the sheet as CSV; a changed file is read again."""
    load_extra(
        "python_calamine",
        name="python-calamine",
        extra="excel",
        what=f"To read {path.name!r} onesided",
    )
    memory = str(int(min(available_memory(), sys.maxsize)))
    try:
        with opened(path) as stream:
            content = stream.read()
    except OSError as error:
        raise _unreadable(path, first_line(error)) from error
    done = subprocess.run(  # noqa: S603 - our own file
        [sys.executable, "-P", _workbook.__file__, name, memory],
        input=content,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise _unreadable(path, "it is damaged, or needs more memory than this machine has")
    told, _, rows = done.stdout.partition(b"\n")
    found: dict[str, Any] = json.loads(told)
    if "error" in found:
        raise _unreadable(path, found["error"].rstrip("."))
    return found, rows


def _unreadable(path: Path, why: str) -> TableError:
    return TableError(f"{path.name!r} cannot be read as a spreadsheet: {why}.", SAVE_SHEET)
