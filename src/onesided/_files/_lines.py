"""Rows that come in lines, each by itself."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from onesided._files._names import check_names, named

Row: TypeAlias = dict[str, Any]

_DELIMITERS = ",\t;|"  # of those that are as often in a header the first is taken


class ObjectLines:
    """An object a line."""

    header = ""
    is_csv = False

    def read(self, text: str) -> Row:
        """The row of a line."""
        row = json.loads(text)
        if not isinstance(row, dict):
            raise TypeError
        return row

    def write(self, cells: Mapping[str, Any]) -> str:
        """A line."""
        return json.dumps(cells, ensure_ascii=False)


class CellLines:
    """A header, then cells; none of them holds the end of a line."""

    is_csv = True

    def __init__(self, header: str, delimiter: str | None, known: Sequence[str]) -> None:
        self._delimiter = delimiter or max(_DELIMITERS, key=header.count)
        if delimiter is None and not set(known).issubset(named(self._cells(header))):
            found = {
                mark: header.split(mark) for mark in _DELIMITERS
            }  # a name may hold another mark
            self._delimiter = max(found, key=lambda mark: len(set(known) & set(named(found[mark]))))
        self.names = named(self._cells(header))
        check_names(self.names, Path("standard input"))

    def _cells(self, text: str) -> list[str]:
        return next(csv.reader([text], delimiter=self._delimiter, strict=True))

    def read(self, text: str) -> Row:
        """The row of a line."""
        return dict(zip(self.names, self._cells(text), strict=True))

    def write(self, cells: Mapping[str, Any]) -> str:
        """A line."""
        line = io.StringIO()
        writer = csv.writer(line, delimiter=self._delimiter, lineterminator="")
        writer.writerow(cells.values())
        return line.getvalue()


def read_line(form: ObjectLines | CellLines, text: str, known: Sequence[str]) -> tuple[Row, str]:
    """The row of a line, and what is wrong with it; empty if nothing is.

    Parameters
    ----------
    form, text : of the line
    known : columns that a row must have
    """
    try:
        row = form.read(text)
    except (ValueError, TypeError, csv.Error, RecursionError):
        if form.is_csv and text.count('"') % 2:
            return (
                {},
                (
                    "A quotation mark is not closed, and each row of a stream must be one line: "
                    f"{text!r:.60}."
                ),
            )
        if form.is_csv:
            return {}, f"The number of cells differs from that of the header: {text!r:.60}."
        return {}, f"The line is not a JSON object: {text!r:.60}."
    lacking = [name for name in known if name not in row]
    if lacking:
        more = f", nor {len(lacking) - 1} other columns that the model learned from" * (
            len(lacking) > 1
        )
        return row, f"The line has no column {lacking[0]!r}{more}. Write null for a missing value."
    return row, ""
