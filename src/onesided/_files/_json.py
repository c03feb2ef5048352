"""JSON lines: one object on each line."""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING

from onesided._files._arrow import np, pa, pajson
from onesided._files._encoding import decoded, open_text, utf16_decoder
from onesided._files._format import BATCH_ROWS, Format, Survey, TableFile, first_bytes
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
    """Tables of objects, which may lack the keys of missing cells."""

    name = "json"
    title = "JSON-lines"
    endings = (".jsonl", ".ndjson", ".json")
    may_lack = True
    mend = "Write one object on each line, {...}, with the same type of value under each name."

    def check_start(self, path: Path, start: bytes) -> None:
        """Refuse a JSON array."""
        if start.lstrip().startswith(b"["):
            raise TableError(
                f"{str(path)!r} holds one JSON array.",
                "Write one object on each line, {...}, without an array around them.",
            )

    def check_all(self, file: TableFile) -> None:
        """Refuse objects that are nested too deep for Arrow; brackets in strings do not nest."""
        steps = np.zeros(256, dtype=np.int64)
        steps[list(b"{[")], steps[list(b"}]")] = 1, -1
        depth = 0
        with contextlib.suppress(OSError):  # the reader reports it later
            for lines in _blocks_of_lines(file, _LONGEST):
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
        """Read a whole file."""
        return pajson.read_json(file.source(), pajson.ReadOptions(block_size=_LONGEST))

    def schema(self, file: TableFile) -> pa.Schema:
        """Columns of the first lines."""
        return next(_tables(file, None)).schema

    def survey(self, file: TableFile) -> Survey:
        """Columns of all lines."""
        found = Survey(pa.schema([]))
        for table in _tables(file, None):
            found.schema = _together(found.schema, table.schema)
            found.see(table)
        return found

    def batches(
        self, file: TableFile, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with the types that are wanted."""
        for table in _tables(file, pa.schema(list(wanted.items()))):
            yield from table.select(list(wanted)).combine_chunks().to_batches(BATCH_ROWS)

    def column_names(self, path: Path) -> list[str]:
        """Names in the first line."""
        start = first_bytes(path, _BATCH_BYTES)
        decoder = utf16_decoder(start)
        text = decoder.decode(start) if decoder else decoded(start.partition(b"\n")[0])[0]
        return list(json.loads(text.removeprefix("\ufeff").splitlines()[0]))


def _tables(file: TableFile, schema: pa.Schema | None) -> Iterator[pa.Table]:
    """The rows of a file in blocks, with the types of a schema or those that each block has."""
    parse = pajson.ParseOptions(
        explicit_schema=schema,
        unexpected_field_behavior="infer" if schema is None else "ignore",
    )
    for lines in _blocks_of_lines(file, _BATCH_BYTES):
        read = pajson.ReadOptions(block_size=len(lines) + 1)
        yield pajson.read_json(pa.BufferReader(lines), read, parse)


def _together(one: pa.Schema, other: pa.Schema) -> pa.Schema:
    """The columns of two blocks; a column of times in one block may be text in the other."""
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
