"""JSON lines: one object on each line."""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING

from onesided._files._arrow import np, pa, pajson
from onesided._files._encoding import lines_of, open_text
from onesided._files._format import BATCH_ROWS, Format, Survey, TableFile
from onesided._files._packed import first_bytes
from onesided._text import first_line
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onesided._files._format import Kinds

_LONGEST = 1 << 26  # bytes of a line
_BATCH_BYTES = 1 << 22
_DEEPEST = 100  # levels; at about ten thousand Arrow never ends, at more it crashes
_CHANGED = re.compile(r"Column\(/(.*)\) changed from (\w+) to (\w+)")
_ROW = re.compile(r" in row (\d+)")
_PANDAS = 'pandas does so by to_json(FILE, orient="records", lines=True).'
_KINDS = {"string": "text", "number": "a number", "boolean": "true or false", "null": "null"}
_KINDS |= {"object": "an object", "array": "an array"}
_NO_BLANK = re.compile(r"\S|$")
_BEGINS = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{])')
_OF_PANDAS = re.compile(
    r'\s*\{\s*"(columns"\s*:\s*\[|schema"\s*:\s*\{|'
    r'index"\s*:\s*\[[^\[\]{}]*(\]\s*,\s*"(columns|data)"\s*:\s*\[|\Z))'
)
_STRING = re.compile(rb'"[^"]*"')
_NULL_ROW = re.compile(rb"(\A|[\n}]|null)\s*null")  # perhaps null is in a string or object
_NOT_NESTING = bytes(set(range(256)) - set(b'{}[]"'))


class JsonLines(Format):
    """Tables of objects, which may lack the keys of missing cells."""

    name = "json"
    title = "JSON-lines"
    endings = (".jsonl", ".ndjson", ".json")
    may_lack = True
    mend = "Write one object on each line, {...}, with the same type of value under each name."

    def holds(self, start: bytes, text: str) -> bool:
        """Whether the first line begins as an object, or as an array, which is refused later."""
        return bool(_BEGINS.match(text))

    def check_start(self, path: Path, start: str) -> None:
        """Refuse a JSON array, and one object with all columns."""
        if _OF_PANDAS.match(start):
            raise _one_object(path)
        first = start.lstrip().partition("\n")[0].rstrip()
        if first.endswith("},") and _is_json(first.rstrip(",")):
            raise TableError(
                f"{str(path)!r} holds one JSON object on each line, but with a comma after it.",
                "Remove the comma at the end of each line.",
            )
        if start.lstrip().startswith("["):
            raise TableError(
                f"{str(path)!r} holds one JSON array.",
                f"Write one object on each line, {{...}}, without an array around them. {_PANDAS}",
            )

    def check_all(self, file: TableFile) -> None:
        """Refuse deep nesting, and rows that are only null: both make Arrow crash the process.

        Brackets in strings do not count as nesting.
        """
        steps = np.zeros(256, dtype=np.int64)
        steps[list(b"{[")], steps[list(b"}]")] = 1, -1
        depth = 0
        with contextlib.suppress(OSError):  # the reader reports it later
            for lines in _blocks_of_lines(file, _LONGEST):
                if depth == 0 and _NULL_ROW.search(lines):
                    _check_no_row_is_null(file, lines)
                plain = (
                    lines.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NOT_NESTING)
                )
                nesting = np.frombuffer(_STRING.sub(b"", plain.replace(b'""', b"")), dtype=np.uint8)
                depths = depth + np.cumsum(steps[nesting])
                if depths.max(initial=0) > _DEEPEST:
                    raise TableError(
                        f"{file.path.name!r} contains objects nested more than {_DEEPEST} deep.",
                        "Write one flat object on each line, {...}.",
                    )
                depth = int(depths[-1]) if len(depths) else depth

    def read(
        self, file: TableFile, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read a whole file, or only some columns; `as_text` keeps fractions and times: 1.10."""
        try:
            table = pajson.read_json(file.source(), pajson.ReadOptions(block_size=_LONGEST))
        except pa.ArrowInvalid:
            for _ in _tables(file, None):  # its error names the row
                pass
            raise
        _check_is_table(file, table)
        fields = {each.name: each for each in table.schema}
        names = [name for name in as_text if name in fields and _has_letters(fields[name].type)]
        if names:
            blocks = [_letters(lines, names) for lines in _blocks_of_lines(file, _BATCH_BYTES)]
            for name in names:
                cells = pa.chunked_array([block[name] for block in blocks], pa.string())
                table = table.set_column(table.column_names.index(name), name, cells)
        return table.select(only) if only else table

    def schema(self, file: TableFile) -> pa.Schema:
        """Columns of the first lines."""
        first = next(_tables(file, None))
        _check_is_table(file, first)
        return first.schema

    def survey(self, file: TableFile) -> Survey:
        """Columns of all lines."""
        found = Survey(pa.schema([]))
        for table in _tables(file, None):
            found.schema = _together(found.schema, table.schema)
            if not found.n_rows:
                _check_is_table(file, table)
            found.see(table, file.missing)
        return found

    def batches(
        self, file: TableFile, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with the wanted types; fractions can be read as text."""
        found = self.schema(file)
        names = [
            name
            for name, kind in wanted.items()
            if pa.types.is_string(kind)
            and name in found.names
            and _is_fraction(found.field(name).type)
        ]
        as_they_are = {name: kind for name, kind in wanted.items() if name not in names}
        for table in _tables(file, pa.schema(list(as_they_are.items())), names):
            yield from table.select(list(wanted)).combine_chunks().to_batches(BATCH_ROWS)

    def named_as(self, kind: pa.DataType) -> pa.DataType:
        """Text for fractions and times: 1.10 must not become 1.1, nor must a day get an hour."""
        return pa.string() if _has_letters(kind) else super().named_as(kind)

    def column_names(self, path: Path) -> list[str]:
        """Names in the first line."""
        text = lines_of(first_bytes(path, _BATCH_BYTES), is_cut=False)
        return list(json.loads(text.partition("\n")[0]))


def _is_json(text: str) -> bool:
    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text)
        return True
    return False


def _check_no_row_is_null(file: TableFile, lines: bytes) -> None:
    """Refuse null in place of an object; lines that are not JSON are refused later."""
    text, place, decoder = lines.decode(errors="replace"), 0, json.JSONDecoder()
    with contextlib.suppress(json.JSONDecodeError, RecursionError):
        while found := _NO_BLANK.search(text, place):
            if found.start() == len(text):
                return
            place = found.start()
            value, place = decoder.raw_decode(text, place)
            if value is None:
                raise TableError(
                    f"{file.path.name!r} holds null in place of an object.",
                    "Write one object on each line, {...}.",
                )


def _check_is_table(file: TableFile, table: pa.Table) -> None:
    """Refuse one object that holds all columns, each as an object or an array."""
    if table.num_rows == 1 and all(map(pa.types.is_nested, table.schema.types)):
        raise _one_object(file.path)


def _one_object(path: Path) -> TableError:
    return TableError(
        f"{path.name!r} holds one JSON object with all columns, but each row should be an object.",
        f"Write one object on each line, {{...}}. {_PANDAS}",
    )


def _tables(
    file: TableFile, schema: pa.Schema | None, letters: Sequence[str] = ()
) -> Iterator[pa.Table]:
    """The rows of a file in blocks, with the types of a schema, or else with types of each block.

    Numbers in the columns `letters` are text, as written in the file.
    """
    n_before = 0
    parse = pajson.ParseOptions(
        explicit_schema=schema,
        unexpected_field_behavior="infer" if schema is None else "ignore",
    )
    for lines in _blocks_of_lines(file, _BATCH_BYTES):
        read = pajson.ReadOptions(block_size=len(lines) + 1)
        try:
            table = pajson.read_json(pa.BufferReader(lines), read, parse)
        except pa.ArrowInvalid as error:
            raise _in_row(file, error, n_before) from error
        for name, cells in _letters(lines, letters).items() if letters else ():
            table = table.append_column(name, cells)
        n_before += table.num_rows
        yield table


def _in_row(file: TableFile, error: pa.ArrowInvalid, n_before: int) -> Exception:
    """An error of Arrow with the row of the file, from 1; Arrow counts from 0 in each block."""
    said = first_line(error).removeprefix("JSON parse error: ")
    found = _ROW.search(said)
    if found is None:
        return pa.ArrowInvalid(said)
    row, before = n_before + int(found[1]) + 1, said[: found.start()]
    changed = _CHANGED.fullmatch(before)
    if changed is None:
        return pa.ArrowInvalid(f"{before.rstrip('.')} in row {row}")
    names = [each for each in changed[1].split("/") if each != "[]"]
    expected, here = (_KINDS.get(kind, kind) for kind in changed.groups()[1:])
    return TableError(
        f"Column {'.'.join(names)!r} of {file.path.name!r} holds {here} in row {row}, where "
        f"{expected} is expected.",
        JsonLines.mend,
    )


def _letters(lines: bytes, names: Sequence[str]) -> dict[str, pa.Array]:
    """Some columns as text, with numbers as written; values of other types are null."""
    read = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    text, at = lines.decode("utf-8", errors="replace").removeprefix("\ufeff").strip(), 0
    found: dict[str, list[str | None]] = {name: [] for name in names}
    while at < len(text):
        row, end = read.raw_decode(text, at)
        blanks = _NO_BLANK.search(text, end)
        at = blanks.start() if blanks else len(text)
        for name, cells in found.items():
            cell = row.get(name)
            cells.append(cell if isinstance(cell, str) else None)
    return {name: pa.array(cells, pa.string()) for name, cells in found.items()}


def _has_letters(kind: pa.DataType) -> bool:
    """Whether a value of this type may be written in several ways, as 1.1 and 1.10."""
    return _is_fraction(kind) or bool(pa.types.is_timestamp(kind))


def _is_fraction(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind))


def _together(one: pa.Schema, other: pa.Schema) -> pa.Schema:
    """The columns of two blocks; times in one block and text in the other together are text."""
    kinds = dict(zip(one.names, one.types, strict=True))
    for each in other:
        both = [kinds.get(each.name, each.type), each.type]
        if any(map(pa.types.is_string, both)) and any(map(pa.types.is_timestamp, both)):
            kinds[each.name] = pa.string()
        else:
            schemas = [pa.schema([(each.name, kind)]) for kind in both]
            kinds[each.name] = pa.unify_schemas(schemas, promote_options="permissive").types[0]
    return pa.schema(list(kinds.items()))


def _blocks_of_lines(file: TableFile, n_bytes: int) -> Iterator[bytes]:
    """The unpacked content of a file in blocks of whole lines."""
    rest = b""
    with open_text(file.path, file.encoding) as stream:
        content = stream.read(n_bytes)
        while content:
            lines, content = rest + content, stream.read(n_bytes)
            if content:
                lines, _, rest = lines.rpartition(b"\n")
            if len(rest) > _LONGEST:
                raise TableError(
                    f"{file.path.name!r} has a line of more than {_LONGEST / 1e6:,.0f} MB.",
                    "Write one object on each line, {...}.",
                )
            if lines.strip():
                yield lines
