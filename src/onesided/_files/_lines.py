"""Rows of a stream, each on its own line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from onesided._files._csv import find_delimiter
from onesided._files._names import DELIMITERS, check_names, composed, named, no_column
from onesided._text import as_text

Row: TypeAlias = dict[str, Any]


class ObjectLines:
    """One JSON object on each line."""

    is_csv = False
    n_header_lines = 0

    def read(self, text: str) -> Row:
        """The row of a line."""
        row = json.loads(text, object_pairs_hook=_unlike)
        if not isinstance(row, dict):
            raise TypeError
        if "\\u" in text:
            json.dumps(row, ensure_ascii=False).encode()  # fails if half a character is escaped
        return row

    def write(self, cells: Mapping[str, Any]) -> str:
        """The line of a row."""
        return json.dumps(cells, ensure_ascii=False)


def _unlike(pairs: list[tuple[str, Any]]) -> Row:
    """The row of a JSON object; a ValueError if a name occurs twice."""
    row = {composed(name): value for name, value in pairs}
    if len(row) < len(pairs):
        raise ValueError
    return row


class CellLines:
    """A header line, then one row on each line: no cell holds a line break.

    Parameters
    ----------
    start : the header, after a line such as sep=; if there is one
    delimiter : between cells; by default found in `start`
    known : names of columns that the header must have
    """

    is_csv = True

    def __init__(self, start: str, delimiter: str | None, known: Sequence[str]) -> None:
        *before, header = start.split("\n")
        self.n_header_lines = len(before) + 1
        self._delimiter = delimiter or find_delimiter(start)
        if delimiter is None and not set(known).issubset(named(self._cells(header))):
            # The names of columns may contain other delimiters.
            self._delimiter = max(
                (self._delimiter, *DELIMITERS),
                key=lambda mark: len(set(known) & set(named(header.split(mark)))),
            )
        self.names = named(self._cells(header))
        check_names(self.names, Path("standard input"))

    def _cells(self, text: str) -> list[str]:
        return next(csv.reader([text], delimiter=self._delimiter, strict=True))

    def read(self, text: str) -> Row:
        """The row of a line."""
        return dict(zip(self.names, self._cells(text), strict=True))

    def write(self, cells: Mapping[str, Any]) -> str:
        """The line of a row."""
        line = io.StringIO()
        writer = csv.writer(line, delimiter=self._delimiter, lineterminator="")
        truth = {True: "true", False: "false"}  # as in files
        writer.writerow(
            [truth[each] if isinstance(each, bool) else each for each in cells.values()]
        )
        return line.getvalue()


def is_blank(row: Row, missing: Collection[str]) -> bool:
    """Whether all cells of a row are missing; as in files, a row with one cell is never blank."""
    return len(row) > 1 and all(as_text(cell) in missing for cell in row.values())


def read_line(form: ObjectLines | CellLines, text: str, known: Sequence[str]) -> tuple[Row, str]:
    """The row of a line, and what is wrong with the line; `known` are columns that it must have."""
    try:
        row = form.read(text)
    except (ValueError, TypeError, csv.Error, RecursionError) as error:
        if form.is_csv and text.count('"') % 2:
            why = "A quotation mark is not closed, and each row of a stream must be one line"
        elif form.is_csv:
            why = "The number of cells differs from that of the header"
        elif isinstance(error, UnicodeEncodeError):
            why = "The line holds half a character, as in \\ud800, which is not text"
        else:
            why = "The line is not a JSON object, with each name once"
        return {}, f"{why}: {text!r:.60}."
    lacking = [name for name in known if name not in row]
    if lacking:
        return row, f"The line has {no_column(lacking)}. Write null for a missing value."
    return row, ""
