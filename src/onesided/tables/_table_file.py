"""A table in a file, given as a path or as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError

from onesided._files._find import check_file_name
from onesided._files._format import BATCH_ROWS
from onesided._files._formats import own_folder
from onesided._files._marks import plain_cells
from onesided._frames import as_table, in_memory
from onesided._text import kind_of_value
from onesided.exceptions import DataError, TableError

_NAME = "table"  # of a data frame, in errors


@contextmanager
def table_file(table: str | PathLike[str] | Any) -> Iterator[Path]:
    """The path of a table; a data frame is written into a file that exists within the context."""
    if isinstance(table, str | PathLike):
        check_file_name(Path(table))
        yield Path(table)
        return
    try:
        frame = nw.from_native(in_memory(table, dense=True, any_names=True), eager_only=True)
    except DuplicateError as error:
        raise TableError(
            "The data frame has two columns of the same name.", "Give each column its own name."
        ) from error
    except TypeError as error:
        is_elsewhere = hasattr(table, "__dask_graph__")
        raise TableError(
            f"The table is {_kind_of(table)}, which is neither a path nor a data frame in memory.",
            "Pass what its compute() returns, or the path of its files."
            if is_elsewhere
            else "Pass a path, or a data frame of pandas, polars or Arrow.",
        ) from error
    try:
        rows = as_table(frame, wide_as_text=True)
    except DataError as error:
        raise TableError(error.problem, error.mend) from error
    if not rows.num_rows:
        raise TableError("The data frame has no rows.", "Pass a data frame that has rows.")
    pairs = zip(rows.column_names, rows.columns, strict=True)
    plain = [plain_cells(name, cells, None) for name, cells in pairs]
    rows = pa.table(plain, names=rows.column_names)
    with own_folder() as folder:
        path = folder / _NAME
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=BATCH_ROWS)
        yield path


def _kind_of(table: Any) -> str:
    """What an error calls a table that is no table: a Dask DataFrame, or a list."""
    if hasattr(table, "__dask_graph__"):
        return f"a Dask {type(table).__name__}"
    return kind_of_value(table)


def table_title(table: str | PathLike[str] | Any) -> str:
    """The name of the file or folder; a data frame is called "table"."""
    return Path(table).resolve().name if isinstance(table, str | PathLike) else _NAME
