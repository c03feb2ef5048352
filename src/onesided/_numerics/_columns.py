"""Functions of the columns of a dense or CSR matrix; a CSR matrix is never made dense."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onesided._numerics._missing import filled
from onesided._typing import Array, Floats, Ints, Matrix

_FLAT = 1e-12  # a standard deviation below this part of the largest value is only rounding


def standardized(X: Matrix) -> tuple[Any, Floats]:
    """Columns divided by their standard deviation; the mean is subtracted only if X is dense.

    A missing value counts as the mean of its column. A constant column becomes zeros.

    Parameters
    ----------
    X : shape (n_rows, n_features); missing values are NaN. If X is dense, it is overwritten

    Returns
    -------
    rows : shape (n_rows, n_features), a CSR array if X is sparse
    center : shape (n_features,), means of the columns of `rows`; zeros if `rows` is dense
    """
    n_rows, stored = X.shape[0], _stored(X)
    missing = np.isnan(stored)
    mean = _sums(X, filled(stored, 0.0)) / np.maximum(n_rows - _sums(X, missing), 1)
    values = filled(stored, _each(X, mean))
    lowest, highest = _extremes(X, values)
    in_place = values if isinstance(X, np.ndarray) else None
    centered = np.subtract(values, _each(X, mean), out=in_place)
    squares = _sums(X, centered**2) + _unstored(X) * mean**2
    spread = np.sqrt(squares / max(n_rows - 1, 1))
    varies = spread > _FLAT * np.maximum(-lowest, highest)
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=varies)
    if isinstance(X, np.ndarray):
        return np.multiply(centered, scale, out=centered), np.zeros_like(mean)
    data = values * _each(X, scale)
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape), mean * scale


def count_high(X: Matrix) -> Ints:
    """Number of rows with the higher value, for columns with exactly two values.

    Parameters
    ----------
    X : shape (n_rows, n_features), without NaN

    Returns
    -------
    shape (n_features,); 0 for columns with fewer or more values
    """
    values = _stored(X)
    extremes = _extremes(X, values)
    low, high = (_sums(X, values == _each(X, end)) + _unstored(X) * (end == 0) for end in extremes)
    two_valued = (extremes[0] < extremes[1]) & (low + high == X.shape[0])
    return np.where(two_valued, high, 0).astype(np.int64)


def _stored(X: Any) -> Array:
    """The stored values: all of a dense matrix, or the data of a CSR matrix, shape (n_stored,)."""
    return X.data if sparse.issparse(X) else X


def _each(X: Any, of_columns: Array) -> Array:
    """For each stored value, the entry of `of_columns` for its column."""
    return of_columns[X.indices] if sparse.issparse(X) else of_columns


def _sums(X: Any, values: Array) -> Floats:
    """Sum over each column of values that belong to the stored values; shape (n_features,)."""
    if sparse.issparse(X):
        sums = np.bincount(X.indices, weights=values, minlength=X.shape[1])
    else:
        sums = values.sum(axis=0)
    return np.asarray(sums, dtype=np.float64)


def _unstored(X: Any) -> Ints | int:
    """Number of zeros in each column that a CSR matrix does not store."""
    if sparse.issparse(X):
        return X.shape[0] - np.bincount(X.indices, minlength=X.shape[1])
    return 0


def _extremes(X: Any, values: Array) -> tuple[Floats, Floats]:
    """Lowest and highest value of each column, including zeros that are not stored."""
    if not sparse.issparse(X):
        return values.min(axis=0), values.max(axis=0)
    start = np.where(_unstored(X) > 0, 0.0, np.inf)
    lowest, highest = start.copy(), -start
    np.minimum.at(lowest, X.indices, values)
    np.maximum.at(highest, X.indices, values)
    return lowest, highest
