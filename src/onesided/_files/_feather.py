"""Feather: batches of columns with types, as Arrow holds them in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onesided._files._arrow import pa
from onesided._files._format import Format, Survey, TableFile
from onesided._files._names import check_names
from onesided._files._packed import content_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onesided._files._format import Kinds

_FILE, _STREAM = b"ARROW1\0\0", b"\xff\xff\xff\xff"


class Feather(Format):
    """Files and streams of Arrow's format for other processes (IPC)."""

    name = "feather"
    title = "Feather"
    endings = (".feather", ".arrow", ".arrows", ".ipc")
    magic = (_FILE, _STREAM, b"FEA1")
    is_text = False

    def read(
        self, file: TableFile, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read a whole file, or only some columns."""
        schema = self.schema(file)
        names = list(only) or schema.names
        return pa.Table.from_batches(_batches(file.path), schema).select(names)

    def schema(self, file: TableFile) -> pa.Schema:
        """Columns and types; refuse two columns with the same name."""
        found = _reader(file.path).schema
        check_names(found.names, file.path)
        return found

    def survey(self, file: TableFile) -> Survey:
        """Columns, number of rows, and blank rows."""
        found = Survey(self.schema(file))
        for batch in _batches(file.path):
            found.see(batch, file.missing)
        return found

    def batches(
        self, file: TableFile, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with their own types."""
        for batch in _batches(file.path, groups):
            yield batch.select(list(wanted))

    def groups(self, path: Path) -> Sequence[int]:
        """Number of rows of each batch."""
        return [batch.num_rows for batch in _batches(path)]


def _reader(path: Path) -> Any:
    source = content_of(path)
    source = pa.memory_map(source) if isinstance(source, str) else source
    start = source.read(len(_FILE))
    source.seek(0)
    try:
        is_stream = start.startswith(_STREAM)
        return pa.ipc.open_stream(source) if is_stream else pa.ipc.open_file(source)
    except TypeError as error:  # raised by a library that registered its own type
        raise pa.ArrowInvalid(str(error)) from error


def _batches(path: Path, groups: Sequence[int] | None = None) -> Iterator[pa.RecordBatch]:
    """The batches of a file, each validated: Arrow would read beyond the end of a damaged batch."""
    reader = _reader(path)
    found: Iterator[pa.RecordBatch]
    if hasattr(reader, "get_batch"):
        numbers = range(reader.num_record_batches) if groups is None else groups
        found = map(reader.get_batch, numbers)
    else:  # a stream
        found = (each for n, each in enumerate(reader) if groups is None or n in groups)
    for batch in found:
        batch.validate(full=True)
        yield batch
