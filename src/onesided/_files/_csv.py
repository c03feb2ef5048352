"""CSV and TSV: text cells below a header, with a delimiter between them."""

from __future__ import annotations

import csv
import re
import warnings
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any

from onesided._files._arrow import pa, pacsv, pc
from onesided._files._encoding import lines_of
from onesided._files._format import Format, Survey, TableFile
from onesided._files._marks import spellings
from onesided._files._names import CODE, DELIMITERS
from onesided._files._packed import START_BYTES, first_bytes
from onesided._text import MISSING_MARKS, counted
from onesided.exceptions import OnesidedWarning, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onesided._files._format import Kinds

_BLANKS = [("", ""), (" ", ""), ("", " "), (" ", " ")]  # around a mark of a missing value
ROW_NAMES = "row_names"
"""Name of the first column if the header has no name for it, as in R's data frames."""
_COMPARED_ROWS = 20
_WHOLE_BYTES = 1 << 26  # in a block; a text cell must fit into one block
_BATCH_BYTES = 1 << 22  # in a block, in batches; a row must fit into one block
_MOST_ABOVE = 50  # lines above a header
_MOST_SHOWN = 3  # of these lines
_FEW_NAMES = 2  # which may be the first row of a table
_FEWEST_BELOW = 3  # lines of a table below other lines, with its header
_COMMENTS = ("#", "%", "!", "@", "//")
_NUMBER = re.compile(r"[-+]?\d[\d.,]*([eE][-+]?\d+)?")
_SAID = re.compile(r"sep=(.)", re.IGNORECASE)  # as Excel writes it, before the header
_OF_R = re.compile(r'"[^"]*"( "[^"]*")+')  # a header with spaces between quoted names


class Csv(Format):
    """Tables whose cells are text; a column has the type that all its cells look like.

    Parameters
    ----------
    title, endings : as for `Format`
    is_tabbed : whether a tab is the delimiter
    """

    name = "csv"
    endings_alone: tuple[str, ...] = (".txt",)
    has_types = False
    mend = (
        "Give each row as many cells as the header, with quotes around text that holds the "
        "delimiter."
    )

    def __init__(self, title: str, endings: tuple[str, ...], *, is_tabbed: bool = False) -> None:
        self.title, self.endings, self._is_tabbed = title, endings, is_tabbed

    def holds(self, start: bytes, text: str) -> bool:
        """Whether all of the first rows have as many cells as the header, two or more."""
        head = _head_of(text)
        return head.fits_all and (head.delimiter == "\t") == self._is_tabbed

    def settle(self, file: TableFile, delimiter: str | None, sheet: str | None) -> TableFile:
        """Find the delimiter and the header in the first lines."""
        head = self._head(file.path, delimiter)
        if not head.fits_all:
            _refuse_lines_above(file.path, head.delimiter, is_given=delimiter is not None)
        if head.above:
            shown = ", ".join(f"{each:.60}" for each in map(repr, head.above[:_MOST_SHOWN]))
            warnings.warn(
                f"{file.path.name!r}: lines above the header, left out: {head.n_above:,} ({shown}"
                f"{', ...' * (len(head.above) > _MOST_SHOWN)}).",
                OnesidedWarning,
                stacklevel=3,
            )
        names = (ROW_NAMES, *head.names) if head.lacks_one else ()
        n_lines = head.n_lines if names else head.n_skipped
        return replace(file, delimiter=head.delimiter, names=names, skipped_lines=n_lines)

    def source(self, file: TableFile) -> pa.NativeFile:
        """The content; Arrow takes a single line for an empty file unless its end is marked."""
        content, start = super().source(file), first_bytes(file.path)
        is_one_line = 0 < len(start) < START_BYTES and not {*b"\r\n"} & {*start}
        return pa.BufferReader(content.read() + b"\n") if is_one_line else content

    def read(
        self, file: TableFile, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read a whole file, or only some columns; codes such as 04109 stay text."""
        table = _parse(file, as_text, only)
        codes = _codes(file, table.schema)
        return _parse(file, [*as_text, *codes], only) if codes else table

    def schema(self, file: TableFile) -> pa.Schema:
        """Columns, and the types that the first rows look like."""
        return _open(file).schema

    def survey(self, file: TableFile) -> Survey:
        """Columns, and the types that all rows look like, as Arrow finds them in a whole file."""
        schema = self.schema(file)
        others = [each.name for each in schema if not pa.types.is_string(each.type)]
        try:
            if len(others) > 1:  # text stays text, so text columns need no reading
                found = _survey_as(file, schema, others)
            if len(others) <= 1 or len(found.blank):  # blank rows may have cells of text
                found = _survey_as(file, schema, schema.names)
        except pa.ArrowInvalid as error:
            if "conversion error" not in str(error):
                raise
            found = _survey_of_text(file, schema.names)
        for name in _codes(file, found.schema):
            at = found.schema.names.index(name)
            found.schema = found.schema.set(at, pa.field(name, pa.string()))
        return found

    def batches(
        self, file: TableFile, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with the wanted types."""
        yield from _open(file, wanted, only=list(wanted))

    def column_names(self, path: Path) -> list[str]:
        """Names in the header."""
        head = self._head(path, None)
        return [ROW_NAMES] * head.lacks_one + head.names

    def _head(self, path: Path, delimiter: str | None) -> _Head:
        return _head_of(_start_of(path), delimiter or ("\t" if self._is_tabbed else ""))


CSV = Csv("CSV", (".csv", ".txt"))
TSV = Csv("TSV", (".tsv", ".tab", ".csv", ".txt"), is_tabbed=True)


def _start_of(path: Path) -> str:
    """The first lines of a file."""
    start = first_bytes(path)
    return lines_of(start, is_cut=len(start) == START_BYTES)


@dataclass(frozen=True)
class _Head:
    """The delimiter of a file, and its header.

    Attributes
    ----------
    delimiter : between cells
    names : in the header
    n_skipped : number of lines before the header that hold no names
    n_lines : number of lines up to the end of the header
    n_fitting : number of first rows, including the header, that fit the delimiter
    fits_all : whether all first rows fit the delimiter
    lacks_one : whether the header has one cell fewer than each row
    above : titles in the lines above the header, each alone in its line
    n_above : number of these lines, with blank ones
    """

    delimiter: str
    names: list[str]
    n_skipped: int
    n_lines: int
    n_fitting: int
    fits_all: bool
    lacks_one: bool
    above: tuple[str, ...] = ()
    n_above: int = 0


def _head_of(text: str, delimiter: str = "") -> _Head:
    """Delimiter and header, found in the first lines of a file; the user may give the delimiter."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    said = _SAID.fullmatch(lines[first])
    if said:
        first, delimiter = first + 1, delimiter or said[1]
    given = (
        [delimiter] if delimiter else [*DELIMITERS, *[" "] * bool(_OF_R.fullmatch(lines[first]))]
    )
    heads = [_head_by(each, lines[first:], first) for each in given]
    found = max(heads, key=lambda head: (head.n_fitting, len(head.names) * bool(head.n_fitting)))
    if said and not found.lacks_one:
        found = replace(found, n_skipped=first)
    return _below_titles(found, lines, first)


def _below_titles(head: _Head, lines: Sequence[str], first: int) -> _Head:
    """The header below lines of one cell each, as spreadsheet programs write lines of a title.

    A row of names must follow. If it has only two names, a column of numbers must stand below it,
    since the first line may also be the header of a column with a name and one without.

    Parameters
    ----------
    head : the header if it is the first line that is not blank
    lines : the first lines of the file
    first : place of the first line that is not blank
    """
    titles = [name.strip() for name in head.names]
    if not head.fits_all or head.lacks_one or not titles[0] or any(titles[1:]):
        return head
    above = titles[:1]
    for at in range(head.n_lines, min(first + _MOST_ABOVE, len(lines))):
        cells = [cell.strip() for cell in _head_by(head.delimiter, lines[at : at + 1], at).names]
        if not any(cells[1:]):
            above += filter(None, cells)
            continue
        below = _head_by(head.delimiter, lines[at:], at)
        names = [name.strip() for name in below.names]
        while not names[-1]:
            names.pop()
        rows = _first_rows(lines[at:], head.delimiter)[1:]
        if _are_names(names) and rows and (len(names) > _FEW_NAMES or _has_numbers(rows)):
            return replace(below, n_skipped=at, above=tuple(above), n_above=at - first)
        break
    return head


def says_delimiter(line: str) -> bool:
    """Whether a first line such as sep=; names the delimiter, so that the header follows it."""
    return _SAID.fullmatch(line) is not None


def find_delimiter(text: str) -> str:
    """The delimiter of the first lines, which may be the header alone."""
    return _head_of(text).delimiter


def _refuse_lines_above(path: Path, delimiter: str, *, is_given: bool) -> None:
    """Refuse a file whose table begins below other lines, such as a title or comments.

    The first lines then have another number of cells than all later lines. With another delimiter
    than theirs, the file may also be a table of one column, so more must speak for a header below.

    Parameters
    ----------
    path : of the file
    delimiter : that fits the first line best
    is_given : whether the user gave the delimiter
    """
    lines = _start_of(path).split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    for at in range(first + 1, min(first + _MOST_ABOVE, len(lines))):
        head = _head_of("\n".join(lines[at : at + _COMPARED_ROWS]), delimiter * is_given)
        if not head.fits_all or head.n_fitting < _FEWEST_BELOW or not lines[at].strip():
            continue
        above = [line for line in lines[first:at] if line.strip()]
        sizes = [len(row) for row in csv.reader(above, delimiter=head.delimiter)]
        names = [name.strip() for name in head.names]
        if len(names) in sizes or not _are_names(names):
            return
        are_comments = all(line.lstrip().startswith(_COMMENTS) for line in above)
        is_sure = head.delimiter == delimiter or are_comments
        rows = _first_rows(lines[at:], head.delimiter)
        has_cells = {*sizes} == {1} and not _are_sentences(rows, head.delimiter)
        if is_sure or has_cells or _has_numbers(rows[1:]):
            n_above = at - first
            what = counted(n_above, "line") if n_above > 1 else "line"
            raise TableError(
                f"Line {first + 1} of {path.name!r} does not look like the header: it is "
                f"{lines[first]!r:.60}, but each line from line {at + 1} on has {len(names)} "
                "cells.",
                f"Remove the {what} above the header.",
            )
        return


def _are_names(cells: Sequence[str]) -> bool:
    """Whether cells may be a header: all are different, and none is a number or blank."""
    return len({*cells}) == len(cells) and not any(map(_is_number_or_blank, cells))


def _is_number_or_blank(cell: str) -> bool:
    return not cell or cell in MISSING_MARKS or bool(_NUMBER.fullmatch(cell))


def _first_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The cells of the first rows that are not blank."""
    rows = filter(None, csv.reader(lines, delimiter=delimiter))
    return [list(map(str.rstrip, row)) for row in islice(rows, _COMPARED_ROWS)]


def _are_sentences(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Whether rows may be text with a comma in each, as in "Doe, Jane": a blank follows it."""
    return delimiter in ",;" and any(cell.startswith(" ") for row in rows for cell in row[1:])


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all cells of a column in the first rows are numbers, or missing."""
    columns = (list(map(str.strip, cells)) for cells in zip(*rows, strict=False))
    return any(any(cells) and all(map(_is_number_or_blank, cells)) for cells in columns)


def _head_by(delimiter: str, lines: Sequence[str], n_before: int) -> _Head:
    """The header for this delimiter, and the number of first rows that fit the delimiter."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    try:
        names = next(reader, [""])
        n_lines = n_before + reader.line_num
        rows = list(islice(filter(None, reader), _COMPARED_ROWS - 1))
    except csv.Error:
        names, n_lines, rows = lines[0].split(delimiter), n_before + 1, []
    n_cells = len(names)
    lacks_one = n_cells > 1 and _are_named(rows, n_cells)
    fitting = [
        len(row) == n_cells + lacks_one and not any(cell.count('"') % 2 for cell in row)
        for row in ([*names, *[""] * lacks_one], *rows)
    ]
    n_fitting = sum(fitting) if n_cells > 1 else 0
    return _Head(delimiter, names, 0, n_lines, n_fitting, n_fitting == len(fitting) > 1, lacks_one)


def _are_named(rows: Sequence[Sequence[str]], n_cells: int) -> bool:
    """Whether each row has one cell more than the header, because it begins with a unique name.

    Rows that end in a delimiter also have one cell more, but their last cell is empty.
    """
    names = {row[0].strip() for row in rows}
    return (
        bool(rows)
        and all(len(row) == n_cells + 1 for row in rows)
        and len(names - {""}) == len(rows)
        and any(row[-1].strip() for row in rows)
    )


def _parse(file: TableFile, as_text: Sequence[str], only: Sequence[str]) -> pa.Table:
    """All rows. After an error, a second reading in one thread, which is slower, finds the row."""
    options = (_cutting(file), _conversion(file, dict.fromkeys(as_text, pa.string()), only))
    read = _blocks(file, _WHOLE_BYTES)
    try:
        return pacsv.read_csv(file.source(), read, *options)
    except pa.ArrowInvalid:
        read.use_threads = False
        return pacsv.read_csv(file.source(), read, *options)


def _open(
    file: TableFile,
    wanted: Kinds | None = None,
    *,
    only: Sequence[str] = (),
    marks: bool = False,
) -> Any:
    """A reader of batches in one thread, so that errors name the row."""
    read = _blocks(file, _BATCH_BYTES)
    read.use_threads = False
    convert = _conversion(file, wanted, only)
    convert.strings_can_be_null = marks
    return pacsv.open_csv(file.source(), read, _cutting(file), convert)


def _blocks(file: TableFile, n_bytes: int) -> pacsv.ReadOptions:
    return pacsv.ReadOptions(
        block_size=n_bytes, skip_rows=file.skipped_lines, column_names=file.names or None
    )


def _cutting(file: TableFile) -> pacsv.ParseOptions:
    return pacsv.ParseOptions(delimiter=file.delimiter, newlines_in_values=True)


def _conversion(
    file: TableFile, wanted: Kinds | None, only: Sequence[str] = ()
) -> pacsv.ConvertOptions:
    marks = [*MISSING_MARKS, *spellings(file.missing)]
    return pacsv.ConvertOptions(  # Arrow strips blanks from numbers only
        null_values=[f"{before}{mark}{after}" for mark in marks for before, after in _BLANKS],
        column_types=wanted,
        include_columns=only,
    )


def _codes(file: TableFile, schema: pa.Schema) -> list[str]:
    """Columns that look like whole numbers but hold cells such as 04109 or 0x1F."""
    whole = [each.name for each in schema if pa.types.is_integer(each.type)]
    found: set[str] = set()
    for batch in _open(file, dict.fromkeys(whole, pa.string()), only=whole) if whole else ():
        for name, cells in zip(whole, batch.columns, strict=True):
            if name not in found and pc.any(pc.match_substring_regex(cells, CODE)).as_py():
                found.add(name)
    return [name for name in whole if name in found]


def _survey_as(file: TableFile, schema: pa.Schema, only: Sequence[str]) -> Survey:
    """The survey of a file whose columns have these types; only the columns `only` are read."""
    found = Survey(schema)
    kinds = dict(zip(schema.names, schema.types, strict=True))
    for batch in _open(file, kinds, only=only, marks=True):
        found.see(batch)
    return found


def _survey_of_text(file: TableFile, names: Sequence[str]) -> Survey:
    """The survey of a file in which later cells do not fit the types of the first cells."""
    possible = {name: _kinds() for name in names}
    found = Survey(pa.schema([]))
    for batch in _open(file, dict.fromkeys(names, pa.string()), marks=True):
        found.see(batch)
        for name, cells in zip(names, batch.columns, strict=True):
            possible[name] = [kind for kind in possible[name] if _looks_like(file, cells, kind)]
    found.schema = pa.schema([(name, possible[name][0]) for name in names])
    return found


def _kinds() -> list[pa.DataType]:
    """The types that Arrow tries: a column gets the first type that all its cells look like."""
    seconds, parts = pa.timestamp("s"), pa.timestamp("ns")
    zoned = [pa.timestamp("s", "UTC"), pa.timestamp("ns", "UTC")]
    times = [pa.date32(), pa.time32("s"), seconds, zoned[0], parts, zoned[1]]
    return [pa.null(), pa.int64(), pa.bool_(), *times, pa.float64(), pa.string()]


def _looks_like(file: TableFile, cells: pa.Array, kind: pa.DataType) -> bool:
    """Whether Arrow's CSV reader can read these text cells as this type."""
    if pa.types.is_string(kind):
        return True
    held = BytesIO()
    pacsv.write_csv(pa.table({"a": cells}), held)
    held.seek(0)
    convert = _conversion(file, {"a": kind})
    try:
        pacsv.read_csv(
            held, parse_options=pacsv.ParseOptions(newlines_in_values=True), convert_options=convert
        )
    except pa.ArrowInvalid:
        return False
    return True
