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
from narwhals.exceptions import DuplicateError, NarwhalsError

from onesided._text import first_line
from onesided.exceptions import TableError

_CHANGE = "Leave this column out of the data frame, or change its values to numbers or text."
_UNREADABLE = (pa.ArrowException, NarwhalsError, OverflowError)


@contextmanager
def table_file(table: str | PathLike[str] | Any) -> Iterator[Path]:
    """The path of a table; a data frame is written into a file that exists within the context."""
    if isinstance(table, str | PathLike):
        yield Path(table)
        return
    try:
        rows = nw.from_native(table, eager_only=True).to_arrow()
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
    for field in rows.schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if isinstance(kind, pa.BaseExtensionType):
            raise TableError(
                f"Column {field.name!r} of the data frame holds values of type {kind}.", _CHANGE
            )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        pq.write_table(rows, path)
        yield path


def table_title(table: str | PathLike[str] | Any) -> str:
    """The name of the file or folder; a data frame is called "table"."""
    return Path(table).resolve().name if isinstance(table, str | PathLike) else "table"
