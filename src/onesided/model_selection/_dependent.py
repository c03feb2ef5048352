"""Rows that say less than as many independent ones: duplicates, and rows of one group."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from onesided._numerics._hashing import hashes_of_columns, row_hashes
from onesided._text import counted
from onesided._typing import Array, Bools, Ints
from onesided.exceptions import CalibrationWarning, DuplicateWarning

Keys: TypeAlias = NDArray[np.uint64]
"""A number for each row, the same for equal rows."""


class Duplicates(NamedTuple):
    """Rows that equal others in all columns.

    Attributes
    ----------
    positive : positive rows that equal an earlier one, of another group where there are groups
    unlabeled : unlabeled rows that equal a positive row
    """

    positive: int
    unlabeled: int


def warn_of_duplicates(
    keys: Keys, positive: Bools, groups: ArrayLike | None = None, *, stacklevel: int = 3
) -> Duplicates:
    """Count duplicates, and warn if there are any.

    Parameters
    ----------
    keys : shape (n_rows,), as `row_keys` gives them
    positive : shape (n_rows,)
    groups : shape (n_rows,); rows of one group are learned from or held out together, and may equal
        each other
    stacklevel : of the warning

    Warns
    -----
    DuplicateWarning : with the number of rows of each kind
    """
    found = count_duplicates(keys, positive, groups)
    n_positive = int(np.count_nonzero(positive))
    kinds = (
        (found.positive, f"of {counted(n_positive, 'positive row')}", "an earlier positive row"),
        (
            found.unlabeled,
            f"of {counted(len(positive) - n_positive, 'unlabeled row')}",
            "a positive row",
        ),
    )
    if any(found):
        said = " and ".join(
            f"{count:,} {of_rows} {'equals' if count == 1 else 'equal'} {other}"
            for count, of_rows, other in kinds
            if count
        )
        warnings.warn(
            f"{said} in all columns. If equal rows describe the same object, keep one row of each "
            "object: a model recognizes copies of the rows that it learned from, and copies do "
            "not add evidence, so the results look better than they are.",
            DuplicateWarning,
            stacklevel=stacklevel,
        )
    return found


def warn_of_groups(what: str, failure: str, *, stacklevel: int = 3) -> None:
    """Warn that rows of one group count as independent rows.

    Parameters
    ----------
    what : that counts them, and "counts" or "count"
    failure : what happens more often than it is said to, as a sentence

    Warns
    -----
    CalibrationWarning : always
    """
    warnings.warn(
        f"Rows of one group or spatial block are similar, but {what} them as independent rows. So "
        f"{failure}.",
        CalibrationWarning,
        stacklevel=stacklevel,
    )


def count_duplicates(keys: Keys, positive: Bools, groups: ArrayLike | None = None) -> Duplicates:
    """Positive and unlabeled rows that equal a positive row; parameters are as above."""
    known = keys[positive]
    distinct = np.unique(known)
    units = known
    if groups is not None:
        _, codes = np.unique(np.asarray(groups)[positive], return_inverse=True)
        units = np.unique(np.column_stack([known, codes.astype(np.uint64)]), axis=0)
    n_unlabeled = int(np.isin(keys[~positive], distinct).sum())
    return Duplicates(len(units) - len(distinct), n_unlabeled)


def row_keys(X: Any) -> Keys:
    """A number for each row, the same for equal rows; shape (n_rows,).

    Two of a million different rows have the same key with a chance of 1 in 10 million. A sparse row
    has the key of the dense one. Cells other than numbers count as text.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
    """
    if sparse.issparse(X):
        rows = sparse.csr_array(X, copy=True)
        rows.sum_duplicates()
        return row_hashes(rows)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return hashes_of_columns([_cells(column) for column in frame.iter_columns()])
    values = np.asarray(X)
    values = values.reshape(len(values), math.prod(values.shape[1:]))
    if values.dtype.kind in "biuf":
        return row_hashes(values)
    return hashes_of_columns([_numbered(column.tolist()) for column in values.T])


def _cells(column: Any) -> Array:
    """The cells of a column of a frame, numbers as such."""
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        cells = np.asarray(column.to_numpy())
        is_rounded = column.dtype.is_integer() and cells.dtype.kind == "f"  # as some are missing
        if cells.dtype.kind in "biuf" and not is_rounded:  # not decimals
            return cells
    return _numbered(column.to_list())


def _numbered(cells: Iterable[Any]) -> Ints:
    """A number for each cell, the same for cells of the same text."""
    return np.array([hash(str(each)) for each in cells], dtype=np.int64)
