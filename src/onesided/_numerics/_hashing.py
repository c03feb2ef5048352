"""Hashes of the content of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

SINGLE, DOUBLE = 24, 53  # binary digits of float32 and float64
_CELLS = 1 << 20  # number of cells that are hashed at a time
_EXACT = 2.0**DOUBLE  # from here on float64 does not hold every integer


def row_hashes(X: Any, seed: int = 0, bits: int = DOUBLE) -> NDArray[np.uint64]:
    """A hash of each row: a random number in [0, 2^64) that depends only on the row's values.

    Each value that is not zero is mixed with its column into a number, and these numbers are summed
    modulo 2^64. So a sparse row has the same hash as its dense form. The hash does not depend on
    the other rows, their order or their division into blocks. NaN counts as a value. Different
    integers have different hashes, also those that float64 cannot tell apart.

    Parameters
    ----------
    X : shape (n_rows, n_features), dense or CSR
    seed : seed of the hashes; other seeds give other hashes
    bits : number of binary digits that values are rounded to first, `SINGLE` or `DOUBLE`. With
        `SINGLE`, a number has the same hash as float64 and as float32

    Returns
    -------
    shape (n_rows,)
    """
    start, keys = _start_and_keys(X.shape[1], seed)
    if sparse.issparse(X):
        values = _of(X.data, keys[X.indices], bits)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
        return _mixed((sums[X.indptr[1:]] - sums[X.indptr[:-1]]) ^ start)
    found = np.empty(len(X), np.uint64)
    step = max(1, _CELLS // max(X.shape[1], 1))
    for first in range(0, len(X), step):
        values = _of(X[first : first + step], keys, bits)
        found[first : first + step] = values.sum(axis=1, dtype=np.uint64)
    return _mixed(found ^ start)


def hashes_of_columns(columns: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """As `row_hashes` of numbers whose columns have different types; shape (n_rows,).

    Parameters
    ----------
    columns : each of shape (n_rows,)
    """
    start, keys = _start_and_keys(len(columns), 0)
    found = np.zeros(len(columns[0]) if columns else 0, np.uint64)
    for column, key in zip(columns, keys, strict=True):
        found += _of(column, key, DOUBLE)
    return _mixed(found ^ start)


def _start_and_keys(n_columns: int, seed: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """What is mixed into each row, of shape (1,), and into each column."""
    start = _mixed(np.array([seed], np.uint64))
    return start, _mixed(np.arange(n_columns, dtype=np.uint64) + start)


def _of(values: Any, keys: Any, bits: int) -> NDArray[np.uint64]:
    """Values mixed with the keys of their columns; 0 for 0."""
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    missing = np.isnan(numbers)
    if missing.any():
        numbers = np.where(missing, np.nan, numbers)  # NaN has many bit patterns; keep only one
    pattern = numbers.view(np.uint64)
    if bits < DOUBLE:  # round half to even, as a conversion to float32 does
        dropped = np.uint64(DOUBLE - bits)
        half = (np.uint64(1) << (dropped - np.uint64(1))) - np.uint64(1)
        pattern = (pattern + half + ((pattern >> dropped) & np.uint64(1))) >> dropped
    elif values.dtype.kind in "iu" and (np.abs(numbers) >= _EXACT).any():
        own = _mixed(np.ascontiguousarray(values).astype(np.uint64))
        pattern = np.where(np.abs(numbers) >= _EXACT, own, pattern)
    return np.where(numbers == 0, np.uint64(0), _mixed(pattern ^ keys))


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The last steps of SplitMix64: each bit of the input changes about half of the output bits.

    Source: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014.
    """
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
