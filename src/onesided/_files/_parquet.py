"""Parquet: columns with types, in groups of rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from onesided._files._arrow import pa, pq
from onesided._files._blank import blank_in
from onesided._files._format import BATCH_ROWS, Format, Survey, TableFile
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
        """Columns and types, from the end of the file; refuse two columns with the same name."""
        found = pq.read_schema(content_of(file.path))
        check_names(found.names, file.path)
        return found

    def survey(self, file: TableFile) -> Survey:
        """Columns and number of rows from the end of the file, and the blank rows.

        A group of rows is not searched for blank rows if the end of the file shows a column of the
        group without missing cells.
        """
        with pq.ParquetFile(content_of(file.path)) as opened:
            found = Survey(opened.schema_arrow)
            kinds = dict(zip(found.schema.names, found.schema.types, strict=True))
            for group in range(opened.num_row_groups):
                about = opened.metadata.row_group(group)
                parts = [about.column(at) for at in range(about.num_columns)]
                paths = [part.path_in_schema for part in parts]
                is_sure = not file.missing and any(_lacks_none(part, kinds) for part in parts)
                if len(kinds) > 1 and not is_sure:
                    columns = (opened.read_row_group(group, [path]).column(0) for path in paths)
                    blank = blank_in(columns, about.num_rows, file.missing)
                    found.blanks.append(found.n_rows + blank)
                found.n_rows += about.num_rows
            return found

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
        """Bytes of the file or of its cells in memory, whichever is more: files pack equal rows."""
        n_bytes = unpacked_bytes(path, enough)
        with contextlib.suppress(pa.ArrowException, OSError):  # the reader reports it later
            found = pq.read_metadata(content_of(path))
            bits = [_bits(kind) for kind in found.schema.to_arrow_schema().types]
            n_bytes = max(n_bytes, found.num_rows * sum(bits) / 8)
        return n_bytes


def _lacks_none(part: Any, kinds: Kinds) -> bool:
    """Whether a column of a row group certainly has no missing cell.

    A column of text or of fractions never qualifies: text may mean a missing value, and NaN does.
    """
    kind = kinds.get(part.path_in_schema)
    is_sure = kind is not None and (pa.types.is_integer(kind) or pa.types.is_boolean(kind))
    return is_sure and part.is_stats_set and part.statistics.null_count == 0


def _bits(kind: pa.DataType) -> int:
    """The least number of bits of a cell in memory; a text cell has an offset of 32 bits."""
    try:
        return int(kind.bit_width)
    except ValueError:
        return 32
