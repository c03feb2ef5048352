"""A table in a file, given as a path or as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError, NarwhalsError

from onesided._files._find import check_file_name
from onesided._files._format import BATCH_ROWS
from onesided._files._formats import own_folder
from onesided._files._names import plain_cells
from onesided._frames import in_memory
from onesided._text import first_line
from onesided.exceptions import TableError

_NAME = "table"  # of a data frame, in errors
_CHANGE = "Leave this column out of the data frame, or change its values to numbers or text."
_UNREADABLE = (pa.ArrowException, NarwhalsError, OverflowError)


@contextmanager
def table_file(table: str | PathLike[str] | Any) -> Iterator[Path]:
    """The path of a table; a data frame is written into a file that exists within the context."""
    if isinstance(table, str | PathLike):
        check_file_name(Path(table))
        yield Path(table)
        return
    try:
        rows = nw.from_native(in_memory(table, dense=True), eager_only=True).to_arrow()
    except DuplicateError as error:
        raise TableError(
            "The data frame has two columns of the same name.", "Give each column its own name."
        ) from error
    except TypeError as error:
        raise TableError(
            f"The table is of type {type(table).__name__}, which is neither a path nor a data "
            "frame in memory.",
            "Pass a path, or a data frame of pandas, polars or Arrow.",
        ) from error
    except _UNREADABLE as error:
        raise TableError(
            f"The data frame has a column that cannot be read: {first_line(error)}.",
            _CHANGE,
        ) from error
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


def table_title(table: str | PathLike[str] | Any) -> str:
    """The name of the file or folder; a data frame is called "table"."""
    return Path(table).resolve().name if isinstance(table, str | PathLike) else _NAME
