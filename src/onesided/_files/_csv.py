"""CSV and TSV: text cells below a header, with a delimiter between them."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any

from onesided._files._arrow import pa, pacsv, pc
from onesided._files._encoding import decoded, open_text, utf16_decoder
from onesided._files._format import Format, Survey, TableFile, first_bytes, inner_ending
from onesided._files._names import MISSING_MARKS
from onesided._text import first_line
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onesided._files._format import Kinds

DELIMITERS = ("\t", ";", "|", ",")
"""If several delimiters fit equally well, the first of them is taken."""
_COMPARED_ROWS = 20
_SNIFFED = 65_536
_START_BYTES = 1 << 20  # codes are looked for in these bytes, which must hold a whole row
_WHOLE_BYTES = 1 << 26  # of a block; a cell of text must fit into one
_BATCH_BYTES = 1 << 22  # of a block of what is read in batches; a row must fit into one


class Csv(Format):
    """Tables whose cells are text; a column has the type that all its cells look like."""

    name = "csv"
    title = "CSV, TSV"
    endings = (".csv", ".tsv", ".tab", ".txt")
    endings_alone = (".txt",)
    has_types = False
    mend = (
        "Give each row as many cells as the header, with quotes around text that holds the "
        "delimiter."
    )

    def settle(self, file: TableFile, delimiter: str | None) -> TableFile:
        """Find the delimiter and the header in the first lines."""
        try:
            with open_text(file.path, file.encoding) as stream:
                head = stream.read(_SNIFFED)
        except OSError as error:
            raise TableError(
                f"{str(file.path)!r} cannot be decompressed: {first_line(error)}.",
                "Check that the file is complete.",
            ) from error
        text = head.decode("utf-8-sig", errors="replace")
        found, n_skipped, _ = _header_of(file.path, text, is_cut=len(head) == _SNIFFED)
        return replace(file, delimiter=delimiter or found, skipped_lines=n_skipped)

    def read(
        self, file: TableFile, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read a whole file, or only some columns; codes such as 04109 stay text."""
        table = _parse(file, as_text, only)
        codes = _codes(file, table.schema, table.num_rows)
        return _parse(file, [*as_text, *codes], only) if codes else table

    def schema(self, file: TableFile) -> pa.Schema:
        """Columns, and the types that the first rows look like."""
        return _open(file).schema

    def survey(self, file: TableFile) -> Survey:
        """Columns, and the types that all rows look like, as Arrow finds them in a whole file."""
        schema = self.schema(file)
        others = [each.name for each in schema if not pa.types.is_string(each.type)]
        try:
            found = _survey_as(file, schema, others)  # text stays text: it need not be looked at
            if found.n_filled < found.n_rows:  # unless the last rows hold nothing else
                found = _survey_as(file, schema, schema.names)
        except pa.ArrowInvalid as error:
            if "conversion error" not in str(error):
                raise
            found = _survey_of_text(file, schema.names)
        for name in _codes(file, found.schema, found.n_rows):
            at = found.schema.names.index(name)
            found.schema = found.schema.set(at, pa.field(name, pa.string()))
        return found

    def batches(
        self, file: TableFile, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with the types that are wanted."""
        yield from _open(file, wanted, only=list(wanted))

    def column_names(self, path: Path) -> list[str]:
        """Names in the header."""
        start = first_bytes(path)
        decoder = utf16_decoder(start)
        if decoder is None and b"\0" in start:
            return []
        text = decoder.decode(start) if decoder else decoded(start.rpartition(b"\n")[0] or start)[0]
        delimiter, _, header = _header_of(path, text.removeprefix("\ufeff"), is_cut=False)
        return next(csv.reader([header], delimiter=delimiter))


def _header_of(path: Path, text: str, *, is_cut: bool) -> tuple[str, int, str]:
    """The delimiter, the number of lines to skip, and the header, by the start of a file."""
    lines = text.splitlines()
    if is_cut and len(lines) > 1:
        lines.pop()
    lines = [line for line in lines if line.strip()] or [""]
    if lines[0].lower().startswith("sep=") and len(lines[0]) == len("sep=;"):  # as Excel does
        return lines[0][-1], 1, lines[1] if len(lines) > 1 else ""
    if inner_ending(path) in (".tsv", ".tab"):
        return "\t", 0, lines[0]
    return max(DELIMITERS, key=lambda delimiter: _fit_of(delimiter, lines)), 0, lines[0]


def _fit_of(delimiter: str, lines: Sequence[str]) -> tuple[int, int]:
    """Number of rows with as many cells as the header, if these are two or more, and of cells."""
    rows = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    try:
        first = list(islice(rows, _COMPARED_ROWS))
    except csv.Error:
        first = [lines[0].split(delimiter)]
    n_cells = len(first[0])
    if n_cells == 1:
        return 0, 0
    fits = (len(row) == n_cells and not any(cell.count('"') % 2 for cell in row) for row in first)
    return sum(fits), n_cells


def _parse(file: TableFile, as_text: Sequence[str], only: Sequence[str]) -> pa.Table:
    """All rows; after an error a second, slower reading tells which row is wrong."""
    options = (_cutting(file), _conversion(dict.fromkeys(as_text, pa.string()), only))
    read = pacsv.ReadOptions(block_size=_WHOLE_BYTES, skip_rows=file.skipped_lines)
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
    n_bytes: int = _BATCH_BYTES,
) -> Any:
    """A reader of batches in one thread, so that errors tell which row is wrong."""
    read = pacsv.ReadOptions(use_threads=False, block_size=n_bytes, skip_rows=file.skipped_lines)
    convert = _conversion(wanted, only)
    convert.strings_can_be_null = marks
    return pacsv.open_csv(file.source(), read, _cutting(file), convert)


def _cutting(file: TableFile) -> pacsv.ParseOptions:
    return pacsv.ParseOptions(delimiter=file.delimiter, newlines_in_values=True)


def _conversion(wanted: Kinds | None, only: Sequence[str] = ()) -> pacsv.ConvertOptions:
    return pacsv.ConvertOptions(
        null_values=list(MISSING_MARKS), column_types=wanted, include_columns=only
    )


def _codes(file: TableFile, schema: pa.Schema, n_rows: int) -> list[str]:
    """Columns that look like whole numbers but start with cells such as 04109."""
    whole = [each.name for each in schema if pa.types.is_integer(each.type)]
    if not whole or n_rows == 0:
        return []
    as_it_is = dict.fromkeys(whole, pa.string())
    start = _open(file, as_it_is, only=whole, n_bytes=_START_BYTES).read_next_batch()
    return [
        name
        for name, cells in zip(whole, start.columns, strict=True)
        if pc.any(pc.match_substring_regex(cells, r"^\s*0\d")).as_py()
    ]


def _survey_as(file: TableFile, schema: pa.Schema, only: Sequence[str]) -> Survey:
    """The survey of a file whose columns have these types; only some columns are looked at."""
    found = Survey(schema)
    kinds = dict(zip(schema.names, schema.types, strict=True))
    for batch in _open(file, kinds, only=only, marks=True):
        found.see(batch)
    return found


def _survey_of_text(file: TableFile, names: Sequence[str]) -> Survey:
    """The survey of a file in which later cells have another type than the first cells."""
    possible = {name: _kinds() for name in names}
    found = Survey(pa.schema([]))
    for batch in _open(file, dict.fromkeys(names, pa.string()), marks=True):
        found.see(batch)
        for name, cells in zip(names, batch.columns, strict=True):
            possible[name] = [kind for kind in possible[name] if _looks_like(cells, kind)]
    found.schema = pa.schema([(name, possible[name][0]) for name in names])
    return found


def _kinds() -> list[pa.DataType]:
    """The types that Arrow tries: a column gets the first type that all its cells look like."""
    seconds, parts = pa.timestamp("s"), pa.timestamp("ns")
    zoned = [pa.timestamp("s", "UTC"), pa.timestamp("ns", "UTC")]
    times = [pa.date32(), pa.time32("s"), seconds, zoned[0], parts, zoned[1]]
    return [pa.null(), pa.int64(), pa.bool_(), *times, pa.float64(), pa.string()]


def _looks_like(cells: pa.Array, kind: pa.DataType) -> bool:
    """Whether Arrow's reader of CSV reads text as this type."""
    if pa.types.is_string(kind):
        return True
    held = BytesIO()
    pacsv.write_csv(pa.table({"a": cells}), held)
    held.seek(0)
    convert = _conversion({"a": kind})
    try:
        pacsv.read_csv(
            held, parse_options=pacsv.ParseOptions(newlines_in_values=True), convert_options=convert
        )
    except pa.ArrowInvalid:
        return False
    return True
