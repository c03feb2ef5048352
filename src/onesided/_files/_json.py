"""JSON lines: an object a line."""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING

from onesided._files._arrow import np, pa, pajson
from onesided._files._encoding import UTF8, decoded, open_text, utf16_decoder
from onesided._files._format import BATCH_ROWS, Format, Survey, TableFiles, first_bytes
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onesided._files._format import Kinds

_LONGEST = 1 << 26  # bytes of a line
_BATCH_BYTES = 1 << 22
_DEEPEST = 100  # levels; at some ten thousand Arrow has no end, at more it takes the process down
_STRING = re.compile(rb'"[^"]*"')
_NOT_NESTING = bytes(set(range(256)) - set(b'{}[]"'))


class JsonLines(Format):
    """Tables of objects, which may leave out what is missing."""

    name = "json"
    endings = (".jsonl", ".ndjson", ".json")
    may_lack = True
    mend = "Write one object on each line, {...}, with the same type of value under each name."

    def check_start(self, path: Path, start: bytes) -> None:
        """Refuse an array."""
        if start.lstrip().startswith(b"["):
            raise TableError(
                f"{str(path)!r} holds one JSON array.",
                "Write one object on each line, {...}, without an array around them.",
            )

    def check_all(self, path: Path, encoding: str) -> None:
        """Refuse objects that are nested so deep that no table was meant.

        Brackets in strings do not nest.
        """
        steps = np.zeros(256, dtype=np.int64)
        steps[list(b"{[")], steps[list(b"}]")] = 1, -1
        depth = 0
        with contextlib.suppress(OSError):  # the reader says why
            for lines in _blocks_of_lines(path, encoding, _LONGEST):
                plain = (
                    lines.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NOT_NESTING)
                )
                nesting = np.frombuffer(_STRING.sub(b"", plain.replace(b'""', b"")), dtype=np.uint8)
                depths = depth + np.cumsum(steps[nesting])
                if depths.max(initial=0) > _DEEPEST:
                    raise TableError(
                        f"{path.name!r} contains objects nested more than {_DEEPEST} deep.",
                        "Write one flat object on each line, {...}.",
                    )
                depth = int(depths[-1]) if len(depths) else depth

    def read(
        self, path: Path, files: TableFiles, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read one file whole."""
        return pajson.read_json(files.source(path), pajson.ReadOptions(block_size=_LONGEST))

    def schema(self, path: Path, files: TableFiles) -> pa.Schema:
        """Columns of the first lines."""
        return next(_tables(path, files, None)).schema

    def survey(self, path: Path, files: TableFiles) -> Survey:
        """Columns of all lines."""
        found = Survey(pa.schema([]))
        for table in _tables(path, files, None):
            found.schema = _together(found.schema, table.schema)
            found.see(table)
        return found

    def batches(
        self, path: Path, files: TableFiles, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with the types that are wanted."""
        schema = pa.schema(list(wanted.items()))
        for table in _tables(path, files, schema):
            yield from table.select(list(wanted)).combine_chunks().to_batches(BATCH_ROWS)

    def column_names(self, path: Path) -> list[str]:
        """Names in the first line."""
        start = first_bytes(path, _BATCH_BYTES)
        decoder = utf16_decoder(start)
        text = decoder.decode(start) if decoder else decoded(start.partition(b"\n")[0])[0]
        return list(json.loads(text.removeprefix("\ufeff").splitlines()[0]))


def _tables(path: Path, files: TableFiles, schema: pa.Schema | None) -> Iterator[pa.Table]:
    """The lines of a file, some at a time."""
    parse = pajson.ParseOptions(
        explicit_schema=schema,
        unexpected_field_behavior="infer" if schema is None else "ignore",
    )
    for lines in _blocks_of_lines(path, files.encodings.get(path, UTF8), _BATCH_BYTES):
        read = pajson.ReadOptions(block_size=len(lines) + 1)
        yield pajson.read_json(pa.BufferReader(lines), read, parse)


def _together(one: pa.Schema, other: pa.Schema) -> pa.Schema:
    """The columns of two blocks of lines; text that looks like a time may be text elsewhere."""
    kinds = dict(zip(one.names, one.types, strict=True))
    for each in other:
        both = [kinds.get(each.name, each.type), each.type]
        if any(map(pa.types.is_string, both)) and any(map(pa.types.is_timestamp, both)):
            kinds[each.name] = pa.string()
        else:
            schemas = [pa.schema([(each.name, kind)]) for kind in both]
            kinds[each.name] = pa.unify_schemas(schemas, promote_options="permissive").types[0]
    return pa.schema(list(kinds.items()))


def _blocks_of_lines(path: Path, encoding: str, n_bytes: int) -> Iterator[bytes]:
    """The content of a file, unpacked, in parts that end where a line does."""
    rest = b""
    with open_text(path, encoding) as stream:
        content = stream.read(n_bytes)
        while content:
            lines, content = rest + content, stream.read(n_bytes)
            if content:
                lines, _, rest = lines.rpartition(b"\n")
            if len(rest) > _LONGEST:
                raise TableError(
                    f"{path.name!r} has a line of more than {_LONGEST / 1e6:,.0f} MB.",
                    "Write one object on each line, {...}.",
                )
            if lines.strip():
                yield lines
