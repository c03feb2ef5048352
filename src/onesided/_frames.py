"""Data frames: results as frames of the user's kind, and frames with types that Arrow has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from onesided._text import first_line
from onesided._typing import Array
from onesided.exceptions import DataError

_KINDS = ("pandas", "polars", "pyarrow")


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


def in_memory(X: Any, *, dense: bool = False) -> Any:
    """Rows as an array of numpy, or as a frame that can be read at once.

    A lazy frame is collected. An array of another library, which `array_api_dispatch` of
    scikit-learn would keep, becomes an array of numpy. Sparse columns of pandas become dense where
    they cannot make a sparse matrix.

    Parameters
    ----------
    X : rows of any kind; other kinds are returned as they are
    dense : whether sparse columns become dense in any case

    Raises
    ------
    DataError : if numpy cannot read the array
    """
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
    if nw.dependencies.is_into_dataframe(X):
        return plain_frame(X) if dense or not is_sparse_frame(X) else X
    frame = nw.from_native(X, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


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


def is_sparse_frame(frame: Any) -> bool:
    """Whether all columns of a frame are sparse columns of pandas that leave out zeros."""
    kinds = frame.dtypes if nw.dependencies.is_pandas_dataframe(frame) else ()
    return len(kinds) > 0 and all(getattr(each, "fill_value", None) == 0 for each in kinds)
