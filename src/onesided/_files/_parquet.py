"""Parquet: columns with types, in groups of rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from onesided._files._arrow import pa, pq
from onesided._files._format import BATCH_ROWS, Format, Survey, TableFile, filled_end
from onesided._files._names import check_names
from onesided._files._packed import content_of, unpacked_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onesided._files._format import Kinds


class Parquet(Format):
    """Tables whose last bytes list the columns and the groups of rows."""

    name = "parquet"
    title = "Parquet"
    endings = (".parquet", ".pq")
    magic = (b"PAR1",)
    is_text = False

    def read(
        self, file: TableFile, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read a whole file, or only some columns."""
        self.schema(file)  # Arrow would not say which names are equal
        return pq.read_table(content_of(file.path), columns=list(only) or None)

    def schema(self, file: TableFile) -> pa.Schema:
        """Columns and types, from the end of the file; refuse two columns of one name."""
        found = pq.read_schema(content_of(file.path))
        check_names(found.names, file.path)
        return found

    def survey(self, file: TableFile) -> Survey:
        """Columns and number of rows from the end of the file, and the last row with a cell."""
        with pq.ParquetFile(content_of(file.path)) as opened:
            start = n_rows = opened.metadata.num_rows
            n_filled = 0
            for group in reversed(range(opened.num_row_groups if n_rows else 0)):
                start -= opened.metadata.row_group(group).num_rows
                for at in range(opened.metadata.num_columns):
                    column = opened.metadata.schema.column(at).path
                    n_filled = max(n_filled, filled_end(opened.read_row_group(group, [column])))
                    if start + n_filled == n_rows:
                        break
                if n_filled:
                    break
            return Survey(opened.schema_arrow, n_rows, start + n_filled if n_filled else 0)

    def batches(
        self, file: TableFile, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with their own types; a damaged page is found if it has a checksum."""
        with pq.ParquetFile(content_of(file.path), page_checksum_verification=True) as opened:
            alone = groups is None  # else other processes read other groups
            for batch in opened.iter_batches(BATCH_ROWS, groups, list(wanted), use_threads=alone):
                yield batch.select(list(wanted))

    def groups(self, path: Path) -> Sequence[int]:
        """Number of rows of each row group."""
        metadata = pq.read_metadata(content_of(path))
        return [metadata.row_group(each).num_rows for each in range(metadata.num_row_groups)]

    def count_rows(self, file: TableFile) -> int:
        """Number of rows, from the end of the file."""
        return int(pq.read_metadata(content_of(file.path)).num_rows)

    def n_bytes(self, path: Path, enough: float) -> float:
        """Bytes of the file, or of its cells in memory if that is more: equal rows take no room."""
        n_bytes = unpacked_bytes(path, enough)
        with contextlib.suppress(pa.ArrowException, OSError):  # the reader reports it later
            found = pq.read_metadata(content_of(path))
            bits = [_bits(kind) for kind in found.schema.to_arrow_schema().types]
            n_bytes = max(n_bytes, found.num_rows * sum(bits) / 8)
        return n_bytes


def _bits(kind: pa.DataType) -> int:
    """Bits that each cell takes at least; one of text has a place of 32 bits."""
    try:
        return int(kind.bit_width)
    except ValueError:
        return 32
