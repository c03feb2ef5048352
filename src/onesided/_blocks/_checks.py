"""Checks of X, of labels and of names, which all sources share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from onesided._blocks._block import numbers_of
from onesided._text import counted, first_line, kind_of_value, no_such_column
from onesided._typing import Bools, Floats, Matrix
from onesided.exceptions import DataError, LabelError

if TYPE_CHECKING:
    import pyarrow as pa

Numeric: TypeAlias = bool | Literal["allow-nan"]


def checked_matrix(X: Any, *, numeric: Numeric, names: Sequence[str] | None = None) -> Matrix:
    """X as a dense array or a canonical CSR matrix, after scikit-learn's checks and ours.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of numbers; it may have no rows
    numeric : as for `check_finite`; False for any values
    names : of the features, for errors

    Raises
    ------
    DataError : if X is not a matrix, or holds values that `numeric` excludes
    """
    pandas: Any = nw.dependencies.get_pandas()
    if pandas is not None and isinstance(X, np.ndarray) and X.dtype == object:
        X = np.where(pandas.isna(X), np.nan, X)
    try:
        checked = check_array(
            X,
            accept_sparse="csr",
            dtype="numeric" if numeric else None,
            ensure_all_finite=False,
            ensure_min_samples=0,
            input_name="X",
        )
        if numeric and checked.dtype == object:  # a table with missing cells, for example
            checked = checked.astype(np.float64)
    except ValueError as error:
        if not np.ndim(X):
            raise DataError(
                f"X is {kind_of_value(X)}, which has no rows and columns.",
                "Pass an array, a sparse matrix, a data frame, or the path of a file.",
            ) from error
        why = first_line(error).rstrip(":")
        raise DataError(
            f"X cannot be read as a matrix{' of numbers' if numeric else ''}: {why}.",
            "Reshape your data to rows and columns, and encode what is not a number.",
        ) from error
    if sparse.issparse(checked) and not checked.has_canonical_format:
        checked = checked.copy()
        checked.sum_duplicates()
    found = cast("Matrix", checked)
    if numeric:
        check_finite(found, numeric, names)
    return found


def checked_numbers(batch: pa.RecordBatch, numeric: Numeric) -> Floats:
    """The columns of a record batch as numbers; parameters as for `check_finite`."""
    found = numbers_of(batch)
    check_finite(found, numeric, batch.schema.names)
    return found


def check_finite(X: Matrix, numeric: Numeric, names: Sequence[str] | None) -> None:
    """Refuse infinite numbers, and missing values if the learner takes none, in dense and sparse X.

    Parameters
    ----------
    X : shape (n_rows, n_features), dense or canonical CSR
    numeric : True refuses missing values, "allow-nan" accepts them
    names : of the features, or None
    """
    matrix: Any = X
    values = matrix.data if sparse.issparse(X) else matrix
    with np.errstate(over="ignore", invalid="ignore"):
        if values.dtype.kind != "f" or np.isfinite(values.sum()):
            return
    odd = np.isinf(values) if numeric == "allow-nan" else ~np.isfinite(values)
    if not odd.any():
        return
    first = int(np.argmax(odd))
    column = matrix.indices[first] if sparse.issparse(X) else first % matrix.shape[1]
    of_column = f"Column {int(column) if names is None else repr(names[column])} of X"
    if np.isnan(values.flat[first]):
        raise DataError(
            f"{of_column} has a missing value (NaN); this learner takes no missing values.",
            "Fill them first, with SimpleImputer in a pipeline for example, or drop the rows.",
        )
    raise DataError(
        f"{of_column} has an infinite value.",
        "Replace it with a finite number"
        + (", or with NaN, which counts as missing." if numeric == "allow-nan" else "."),
    )


def check_has_rows(n_rows: int) -> None:
    """Raise a DataError if X has no rows."""
    if not n_rows:
        raise DataError("X has no rows.", "Pass one row or more.")


def check_length(labels: Bools, n_rows: int) -> None:
    """Refuse labels whose number differs from the number of rows."""
    if len(labels) != n_rows:
        raise LabelError(
            f"y has {counted(len(labels), 'label')}, X has {counted(n_rows, 'row')}.",
            "Pass one label for each row, or the name of the column that holds the labels.",
        )


def positions_of(names: Sequence[str], known: Sequence[str] | None) -> list[int]:
    """The position of each name among the known names."""
    if known is None:
        raise DataError(
            f"X has no column names, but {', '.join(map(repr, names))} are asked for.",
            "Pass a data frame.",
        )
    where = {name: position for position, name in enumerate(known)}
    for name in names:
        if name not in where:
            raise no_column(name, known)
    return [where[name] for name in names]


def no_column(name: str, known: Sequence[str]) -> DataError:
    """The error for the name of an unknown column."""
    return DataError(*no_such_column(name, known))


def without_columns(X: Any, name: str) -> LabelError:
    """The error if y names a column of labels, but X has no named columns."""
    return LabelError(
        f"y={name!r} names a column, but X is {type(X).__name__} and has no named columns.",
        "Pass the labels themselves as y.",
    )
