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

from onesided._typing import Array, Bools
from onesided.exceptions import CalibrationWarning, DuplicateWarning

Keys: TypeAlias = NDArray[np.uint64]
"""A number for each row, the same for equal rows."""

_CELLS = 1_000_000  # of a dense matrix at a time, so that its keys take little memory


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
        (found.positive, f"of {n_positive:,} positive rows", "an earlier positive row"),
        (found.unlabeled, f"of {len(positive) - n_positive:,} unlabeled rows", "a positive row"),
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
        f"Rows of one group are similar, but {what} them as independent rows. With groups "
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

    Sums over the columns of mixed bits of the cells, each times an odd random number, modulo 2^64:
    two of a million different rows have the same key with a chance of 1 in 10 million. A sparse
    row has the key of the dense one, as the bits of 0 are mixed into 0. Cells other than numbers
    count as text.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
    """
    if sparse.issparse(X):
        rows = sparse.csr_array(X, dtype=np.float64, copy=True)
        rows.sum_duplicates()
        parts = _mixed(rows.data) * _weights(rows.shape[1])[rows.indices]
        sums = np.append(np.uint64(0), np.cumsum(parts, dtype=np.uint64))
        return sums[rows.indptr[1:]] - sums[rows.indptr[:-1]]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _summed(_cells(column) for column in frame.iter_columns())
    values = np.asarray(X)
    values = values.reshape(len(values), math.prod(values.shape[1:]))
    if values.dtype.kind not in "biuf":
        return _summed(values.T)
    n_rows = max(1, _CELLS // max(1, values.shape[1]))
    weights = _weights(values.shape[1])
    keys = np.empty(len(values), dtype=np.uint64)
    for start in range(0, len(values), n_rows):
        part = slice(start, start + n_rows)
        keys[part] = (_mixed(values[part]) * weights).sum(axis=1, dtype=np.uint64)
    return keys


def _cells(column: Any) -> Array:
    """The cells of a column of a frame, numbers as such."""
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return np.asarray(column.to_numpy())
    return np.array(column.to_list(), dtype=object)


def _summed(columns: Iterable[Array]) -> Keys:
    """Keys of rows that are given by column."""
    given = list(columns)
    keys = np.zeros(len(given[0]) if given else 0, dtype=np.uint64)
    for cells, weight in zip(given, _weights(len(given)), strict=True):
        if cells.dtype.kind in "biuf":
            keys += _mixed(cells) * weight
        else:
            known: dict[str, int] = {}
            codes = [known.setdefault(str(each), hash(str(each))) for each in cells.tolist()]
            keys += _mixed(np.array(codes, dtype=np.int64).view(np.uint64)) * weight
    return keys


def _weights(n_columns: int) -> Keys:
    drawn = np.random.default_rng(0).integers(2**63, size=n_columns, dtype=np.uint64)
    return 2 * drawn + np.uint64(1)


def _mixed(cells: Array) -> Keys:
    """Bits of numbers in which each depends on all, 0 for 0: the last step of splitmix64."""
    bits = cells
    if bits.dtype != np.uint64:
        numbers = np.asarray(cells, dtype=np.float64) + 0.0  # -0.0 is 0.0
        bits = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)  # one kind of NaN
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
