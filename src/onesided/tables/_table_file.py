"""A table in a file, given as a path or as a data frame."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.parquet as pq

from onesided._text import first_line
from onesided.exceptions import TableError


@contextmanager
def table_file(table: str | PathLike[str] | Any) -> Iterator[Path]:
    """The path of a table; a data frame is written into a file that exists within the context."""
    if isinstance(table, str | PathLike):
        yield Path(table)
        return
    try:
        rows = nw.from_native(table, eager_only=True).to_arrow()
    except (TypeError, pa.ArrowException) as error:
        raise TableError(
            f"The table is a {type(table).__name__}, which is neither a path nor a data frame that "
            f"can be read: {first_line(error)}.",
            "Pass a path, or a data frame of pandas, polars or Arrow.",
        ) from error
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        pq.write_table(rows, path)
        yield path


def table_title(table: str | PathLike[str] | Any) -> str:
    """The name of the file or folder; a data frame is called "table"."""
    return Path(table).resolve().name if isinstance(table, str | PathLike) else "table"
