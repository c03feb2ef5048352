"""Data frames: results as frames of the user's kind, and frames with types that Arrow has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import compress, count
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import NarwhalsError
from scipy import sparse

from onesided._text import first_line, first_repeated, is_missing
from onesided._typing import Array
from onesided.exceptions import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_KINDS = ("pandas", "polars", "pyarrow")
_UNREADABLE = (NarwhalsError, OverflowError, TypeError, ValueError, NotImplementedError)
"""Errors of a conversion to Arrow; those of pyarrow derive from them."""
_WIDE = (nw.Int128, nw.UInt128)
_WIDE_FROM = 2**63


def frame_of(columns: Mapping[str, Sequence[Any] | Array], backend: str | None = None) -> Any:
    """Columns as a data frame.

    Parameters
    ----------
    columns : names and values
    backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
        (pyarrow always is)
    """
    kind: Any = backend or next(name for name in _KINDS if find_spec(name))
    return nw.from_dict(dict(columns), backend=kind).to_native()


def frame_of_table(table: Any, backend: str | None = None) -> Any:
    """An Arrow table as a data frame.

    Parameters
    ----------
    table : an Arrow table
    backend : as for `frame_of`
    """
    kind: Any = backend or next(name for name in _KINDS if find_spec(name))
    return nw.from_arrow(table, backend=kind).to_native()


def in_memory(X: Any, *, dense: bool = False, any_names: bool = False) -> Any:
    """Rows as an array of numpy, or as a frame that can be read at once.

    A lazy frame is collected. An array of another library, which `array_api_dispatch` of
    scikit-learn would keep, becomes an array of numpy. Sparse columns of pandas become dense where
    they cannot make a sparse matrix. Batches of Arrow, and frames of other libraries that Arrow can
    read, become tables of Arrow, and a frame of narwhals becomes the frame within it.

    Parameters
    ----------
    X : rows of any kind; other kinds are returned as they are
    dense : whether sparse columns become dense in any case
    any_names : whether names of columns may be of several types, and equal

    Raises
    ------
    DataError : if numpy cannot read the array, or the names of columns cannot be used
    """
    if isinstance(X, np.matrix | memoryview):
        return np.asarray(X)
    if isinstance(X, np.ndarray) or sparse.issparse(X) or hasattr(X, "__dask_graph__"):
        return X
    if hasattr(X, "__array_namespace__") or type(X).__module__.partition(".")[0] == "torch":
        try:
            return np.asarray(X)
        except Exception as error:  # of whatever library the array is
            raise DataError(
                f"An array of {type(X).__module__.partition('.')[0]} cannot become an array of "
                f"numpy: {first_line(error)}.",
                "Pass an array of numpy.",
            ) from error
    X = nw.to_native(X, pass_through=True)
    if not nw.dependencies.is_into_dataframe(X):
        X = _of_arrow(X)
    if not nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, pass_through=True)
        return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X
    if not any_names:
        _check_names_of(X)
    return plain_frame(X) if dense or not is_sparse_frame(X) else X


def _of_arrow(X: Any) -> Any:
    """A batch, or an object that hands its columns to Arrow, as a table; others as they are."""
    is_one = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    if not is_one or hasattr(X, "to_batches"):  # as a dataset has, which may not fit into memory
        return X
    import pyarrow as pa  # noqa: PLC0415 - only frames pay for it

    try:
        return pa.table(X)
    except (TypeError, ValueError):  # it has no columns, as an array
        return X


def column_names(frame: Any) -> list[Any]:
    """Names of the columns of a frame of any kind."""
    is_table = nw.dependencies.is_pyarrow_table(frame)
    return list(frame.column_names if is_table else getattr(frame, "columns", ()))


def check_names(names: Iterable[Any]) -> None:
    """Refuse two columns with the same name.

    Raises
    ------
    DataError : if two columns have the same name
    """
    if (repeated := first_repeated(names)) is not None:
        raise DataError(f"Two columns are named {repeated!r}.", "Give each column its own name.")


def _check_names_of(frame: Any) -> None:
    """Refuse equal names of columns, and names of several types, which scikit-learn refuses."""
    names = column_names(frame)
    check_names(names)
    other = next((each for each in names if not isinstance(each, str)), None)
    text = next((each for each in names if isinstance(each, str)), None)
    if text is not None and any(not isinstance(each, str) for each in names):
        raise DataError(
            f"Names of columns of X are of several types: {text!r} is text, {other!r} is not.",
            "Make all names text: `X.columns = X.columns.map(str)`.",
        )


def plain_frame(frame: Any) -> Any:
    """A pandas frame whose intervals and periods are categories of text, and sparse columns dense.

    Parameters
    ----------
    frame : returned as it is if it is of another kind, or has no such columns
    """
    if not nw.dependencies.is_pandas_dataframe(frame):
        return frame
    pd: Any = nw.dependencies.get_pandas()
    columns = {}
    for place, kind in enumerate(frame.dtypes):
        of_values = kind.categories.dtype if isinstance(kind, pd.CategoricalDtype) else kind
        if isinstance(of_values, pd.IntervalDtype | pd.PeriodDtype):
            cells = frame.iloc[:, place].astype("category")
            columns[place] = cells.cat.rename_categories(str)
        elif isinstance(kind, pd.SparseDtype):
            columns[place] = frame.iloc[:, place].astype(kind.subtype)
    if not columns:
        return frame
    plain = [columns.get(place, frame.iloc[:, place]) for place in range(frame.shape[1])]
    return pd.concat(plain, axis=1)


def as_table(frame: nw.DataFrame[Any], *, wide_as_text: bool) -> pa.Table:
    """A frame as an Arrow table.

    Parameters
    ----------
    frame : a frame of any kind
    wide_as_text : whether whole numbers beyond 64 bits become text; otherwise they are refused

    Raises
    ------
    DataError : if a column holds values that Arrow has no type for, or values of several types
    """
    import pyarrow as pa  # noqa: PLC0415 - only frames pay for it

    of_objects = frame.implementation.is_polars() and nw.Object in frame.schema.values()
    if not of_objects:  # which polars gives as addresses in memory
        try:
            return frame.to_arrow()
        except _UNREADABLE:
            pass  # the column that causes the error is named below
    columns = [
        _cells_of(frame.get_column(name), wide_as_text=wide_as_text) for name in frame.columns
    ]
    return pa.table(columns, names=[str(name) for name in frame.columns])


def _cells_of(column: nw.Series[Any], *, wide_as_text: bool) -> pa.Array | pa.ChunkedArray:
    """The cells of one column for `as_table`."""
    import pyarrow as pa  # noqa: PLC0415 - only frames pay for it

    try:
        if column.dtype not in (nw.Object, *_WIDE):
            return column.to_arrow()
        values = column.to_list()
        if column.dtype not in _WIDE:
            return pa.array(values, from_pandas=True)
    except _UNREADABLE:
        values = column.to_list()
    first: dict[type, tuple[int, Any]] = {}
    for row, value in enumerate(values, start=1):
        if not is_missing(value):
            kind = int if isinstance(value, np.integer) else type(value)
            first.setdefault(kind, (row, value))
    if [*first] == [int] and wide_as_text:
        return pa.array([None if is_missing(each) else str(each) for each in values])
    raise _refused(column.name, values, first)


def _refused(name: str, values: Sequence[Any], first: Mapping[type, tuple[int, Any]]) -> DataError:
    """The error for a column that is not read; `first` are the first row and value of each type."""
    kinds = [
        f"{value!r:.60} ({kind.__name__}) in row {row:,}" for kind, (row, value) in first.items()
    ]
    if len(kinds) > 1:
        return DataError(
            f"Column {name!r} holds values of several types: {kinds[0]} and {kinds[1]}.",
            "Convert them to text, or to numbers with None where a value is missing, or leave the "
            "column out.",
        )
    if [*first] == [int]:
        wide = (not is_missing(each) and abs(each) >= _WIDE_FROM for each in values)
        row = next(compress(count(1), wide), 1)
        return DataError(
            f"Column {name!r} holds {values[row - 1]} in row {row:,}, which has more than 64 bits.",
            "Convert the column to floating-point numbers or to text, or leave it out.",
        )
    return DataError(
        f"Column {name!r} holds {kinds[0]}, which is neither a number nor text nor a date.",
        "Convert the column to numbers or text, or leave it out.",
    )


def is_sparse_frame(frame: Any) -> bool:
    """Whether all columns of a frame are sparse columns of pandas that leave out zeros."""
    kinds = frame.dtypes if nw.dependencies.is_pandas_dataframe(frame) else ()
    return len(kinds) > 0 and all(getattr(each, "fill_value", None) == 0 for each in kinds)
