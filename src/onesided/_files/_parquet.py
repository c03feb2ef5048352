"""Parquet: columns with types, in groups of rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from onesided._files._arrow import pa, pq
from onesided._files._format import BATCH_ROWS, Format, Survey, TableFiles, filled_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onesided._files._format import Kinds


class Parquet(Format):
    """Tables whose end says what they hold."""

    name = "parquet"
    title = "Parquet"
    endings = (".parquet", ".pq")
    magic = b"PAR1"
    is_text = False

    def read(
        self, path: Path, files: TableFiles, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read one file whole."""
        return pq.read_table(path, columns=list(only) or None)

    def schema(self, path: Path, files: TableFiles) -> pa.Schema:
        """Columns as the end of the file says them."""
        return pq.read_schema(path)

    def survey(self, path: Path, files: TableFiles) -> Survey:
        """The same, and the last row that has a cell."""
        with pq.ParquetFile(path) as file:
            n_rows = file.metadata.num_rows
            n_filled, start = 0, n_rows
            for group in reversed(range(file.num_row_groups)):
                start -= file.metadata.row_group(group).num_rows
                for at in range(file.metadata.num_columns if n_rows else 0):
                    column = file.metadata.schema.column(at).path
                    n_filled = max(n_filled, filled_end(file.read_row_group(group, [column])))
                    if start + n_filled == n_rows:
                        break
                if n_filled:
                    break
            return Survey(file.schema_arrow, n_rows, start + n_filled if n_filled else 0)

    def batches(
        self, path: Path, files: TableFiles, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns with the types that the file has; damage to pages with checksums is seen."""
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            alone = groups is None  # else other processes read other groups
            for batch in file.iter_batches(BATCH_ROWS, groups, list(wanted), use_threads=alone):
                yield batch.select(list(wanted))

    def groups(self, path: Path) -> Sequence[int]:
        """Rows of each row group."""
        metadata = pq.read_metadata(path)
        return [metadata.row_group(each).num_rows for each in range(metadata.num_row_groups)]

    def count_rows(self, path: Path, files: TableFiles) -> int:
        """Number of rows, as the end of the file says it."""
        return int(pq.read_metadata(path).num_rows)

    def n_bytes(self, path: Path, enough: float) -> float:
        """Bytes of the file, or a bit a cell, which is the least: equal rows take no room."""
        with contextlib.suppress(pa.ArrowException, OSError):  # the reader says why
            found = pq.read_metadata(path)
            return max(float(path.stat().st_size), found.num_rows * found.num_columns / 8)
        return float(path.stat().st_size)
