"""Numbers as people write them.

================  ==============================================================================
written           read as
================  ==============================================================================
1.234,56          1234.56, and so are 1 234,56 and 1'234,56
1,234.56          1234.56, and so are 1 234.56 and 1'234.56
35,5              35.5
1.234             1.234; 1234 where other cells of the column, or other columns of the file, have a
                  decimal comma
1,234             1234 in a file with commas between its cells, or where other columns have a
                  decimal point; else 1.234. In all cells three digits come after each comma.
€ 12,50 or 12 %   12.5 or 12; the sign is the same in all cells
================  ==============================================================================

A column is read as numbers if one notation fits all its cells and no cell is a code such as 04109.
This holds for text cells of all formats, also if every program reads the numbers.
A model keeps the notation for files whose cells fit two notations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._names import CODE
from onesided._typing import Bools

DECIMALS = (".", ",")
_SPACES = " \u00a0\u202f\u2009"
_GROUPS = (*_SPACES, "'", "\u2019")  # marks between thousands, beside . and ,
_SPACE = f"[\\s{_SPACES}]*"
_SIGN = "[+\u2212-]?"
_UNIT = re.compile(r"[$€£¥₹₽₺₩₪%‰]|\b(?:EUR|USD|GBP|CHF)\b")
PERCENTS = ("%", "‰")
"""Signs without which nobody knows whether 39.3 or 0.393 is meant."""
_WHOLE = r"^\s*[+-]?\d{1,18}\s*$"  # fits into 64 bits
_FIRST = 50  # cells are enough to see that most text columns hold no numbers
_KEY = "onesided:numbers:"  # in the metadata of a field


class NoNumberError(ValueError):
    """A cell, at a place counted from 0, that is not a number of the notation."""

    def __init__(self, place: int, cell: str) -> None:
        super().__init__(cell)
        self.place = place
        self.cell = cell


@dataclass(frozen=True)
class Notation:
    """How the numbers of a column are written: decimal mark, unit, and mark between thousands.

    The unit is a sign of money or percent in each cell. Unit and thousands mark may be empty.
    `is_whole` means that all are whole numbers without marks. `is_text` means that the file stores
    types, and stores these numbers as text.
    """

    decimal: str = "."
    unit: str = ""
    group: str = ""
    is_whole: bool = False
    is_text: bool = False

    def __str__(self) -> str:
        """An example."""
        return f"1{self.group}234{self.decimal}56 {self.unit}".strip()

    @property
    def is_plain(self) -> bool:
        """Whether every program reads such numbers."""
        return (self.decimal, self.unit, self.group) == (".", "", "")

    @property
    def kind(self) -> pa.DataType:
        """The type that the numbers are read as."""
        return pa.int64() if self.is_whole else pa.float64()

    def on(self, field: pa.Field) -> pa.Field:
        """A field of numbers whose metadata hold the notation."""
        said = {
            f"{_KEY}{name}": value if isinstance(value, str) else str(int(value))
            for name, value in vars(self).items()
        }
        return pa.field(field.name, self.kind, metadata=said)

    @classmethod
    def of(cls, field: pa.Field) -> Self | None:
        """The notation in the metadata of a field; None if there is none."""
        said = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        names, switches = ("decimal", "unit", "group"), ("is_whole", "is_text")
        if not all(_KEY + name in said for name in names):
            return None
        return cls(
            *(said[_KEY + name] for name in names),
            *(said.get(_KEY + name) == "1" for name in switches),
        )


@dataclass(frozen=True)
class Written:
    """How the numbers of a column may be written: decimal marks that fit all cells, unit, marks.

    The marks are all characters that stand between digits; `is_whole` is as in `Notation`.
    """

    decimals: frozenset[str]
    unit: str
    marks: frozenset[str]
    is_whole: bool = False

    def by(self, decimal: str) -> Notation:
        """The notation with this decimal mark."""
        group = next(iter(sorted(self.marks - {decimal})), "")
        return Notation(decimal, self.unit, group, self.is_whole)


FRACTIONS = Written(frozenset(DECIMALS), "", frozenset())
"""Fractions that are stored as numbers, not as text: every notation fits."""
ANY = Written(frozenset(DECIMALS), "", frozenset(), is_whole=True)
"""Whole numbers without marks, or only missing cells: every notation fits."""


def together(one: Written | None, other: Written | None) -> Written | None:
    """How the numbers of two files may be written; None if the files have no notation in common."""
    decimals = one.decimals & other.decimals if one and other else None
    if not (one and other and decimals) or one.unit != other.unit:
        return None
    is_whole = one.is_whole and other.is_whole
    return Written(decimals, one.unit, one.marks | other.marks, is_whole)


def how_written(cells: Any) -> Written | None:
    """How numbers in text cells may be written; None if a cell is a code or not a number."""
    present = cells.drop_null()
    if not len(present):
        return ANY
    unit, decimals = unit_of(present), list(DECIMALS)
    for part in (present[:_FIRST], present):
        decimals = [each for each in decimals if pc.all(_fits(part, each, unit)).as_py()]
        if not decimals:
            return None
    if pc.any(pc.match_substring_regex(present, CODE)).as_py():
        return None
    marks = (mark for mark in (*DECIMALS, *_GROUPS) if _holds(present, mark))
    is_whole = pc.all(pc.match_substring_regex(present, _WHOLE)).as_py()
    return Written(frozenset(decimals), unit, frozenset(marks), is_whole)


def choose(
    columns: Mapping[str, Written], *, comma_is: str, known: Mapping[str, str] | None = None
) -> dict[str, Notation]:
    """The notation of each column, by the table at the head of this file.

    `comma_is` is the decimal mark if a file shows nothing but 1,234; `known` holds decimal marks of
    columns in another table.
    """
    shown = {mark for each in columns.values() if len(each.decimals) == 1 for mark in each.decimals}
    found = {}
    for name, written in columns.items():
        likely = [
            (known or {}).get(name, ""),
            *(shown if len(shown) == 1 else ()),
            comma_is if "," in written.marks else ".",
            *written.decimals,
        ]
        found[name] = written.by(next(mark for mark in likely if mark in written.decimals))
    return found


def misfits(cells: Any, notation: Notation) -> Bools:
    """Whether each text cell is non-missing but not a number of this notation, shape (n_cells,)."""
    fits = _fits(cells, notation.decimal, notation.unit)
    return ~np.asarray(pc.fill_null(fits, fill_value=True), dtype=bool)


def unit_of(cells: Any) -> str:
    """The sign of money or percent in most of the first cells; empty if they have none."""
    first = cells.drop_null()[:_FIRST].to_pylist()
    found = Counter(match[0] if (match := _UNIT.search(cell)) else "" for cell in first)
    return found.most_common(1)[0][0] if found else ""


def read_numbers(cells: Any, notation: Notation) -> Any:
    """Text cells as float64; raise NoNumberError for the first cell that does not fit."""
    odd = misfits(cells, notation)
    if odd.any():
        place = int(np.argmax(odd))
        raise NoNumberError(place, cells[place].as_py())
    for mark in (notation.unit, *_GROUPS, *DECIMALS):
        if mark and mark != notation.decimal and _any(cells, mark):
            cells = pc.replace_substring(cells, mark, "")
    cells = pc.replace_substring(cells, notation.decimal, ".")
    cells = pc.replace_substring(cells, "\u2212", "-")
    return pc.cast(pc.utf8_trim_whitespace(cells), pa.float64())


def _holds(cells: Any, mark: str) -> bool:
    """Whether a mark is in some cell; a space must stand between digits."""
    if mark not in _SPACES or not _any(cells, mark):
        return _any(cells, mark)
    return bool(pc.any(pc.match_substring_regex(cells, rf"\d{mark}\d")).as_py())


def _any(cells: Any, mark: str) -> bool:
    return bool(pc.any(pc.match_substring(cells, mark)).as_py())


def _fits(cells: Any, decimal: str, unit: str) -> Any:
    return pc.match_substring_regex(cells, _pattern(decimal, unit))


@cache
def _pattern(decimal: str, unit: str) -> str:
    """The regular expression of a cell."""
    groups = (*_GROUPS, *(mark for mark in DECIMALS if mark != decimal))
    thousands = "|".join(rf"(?:{re.escape(mark)}\d{{3}})+" for mark in groups)
    point = re.escape(decimal)
    number = rf"(?:(?:[1-9]\d{{0,2}}(?:{thousands})|\d+)(?:{point}\d*)?|{point}\d+)"
    sign = re.escape(unit)
    front, back = (
        (f"(?:{sign}{_SPACE}{_SIGN}{_SPACE})", f"(?:{_SPACE}{sign})") if unit else ("", "")
    )
    body = rf"{number}(?:[eE][+-]?\d+)?"
    either = f"(?:{front}{body}|{body}{back})"
    return f"^{_SPACE}{_SIGN}{_SPACE}{either}{_SPACE}$"
