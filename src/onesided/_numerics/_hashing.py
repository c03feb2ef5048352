"""A number for the content of a row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_CELLS = 1 << 20  # that are hashed at a time


def row_hashes(X: Any, seed: int) -> NDArray[np.uint64]:
    """A random number in [0, 2^64) for each row that depends on its values alone.

    The sum, modulo 2^64, of a mixed number for each value that is not zero and its column, so a
    sparse row has the number of the same row written out, and no order or cut of the rows
    changes it.

    Parameters
    ----------
    X : shape (n_rows, n_features), dense or CSR, without NaN
    seed : another seed, other numbers

    Returns
    -------
    shape (n_rows,)
    """
    start = _mixed(np.array([seed], np.uint64))
    keys = _mixed(np.arange(X.shape[1], dtype=np.uint64) + start)
    if sparse.issparse(X):
        values = np.where(X.data == 0, np.uint64(0), _of(X.data, keys[X.indices]))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
        return _mixed((sums[X.indptr[1:]] - sums[X.indptr[:-1]]) ^ start)
    found = np.empty(len(X), np.uint64)
    step = max(1, _CELLS // max(X.shape[1], 1))
    for first in range(0, len(X), step):
        part = X[first : first + step]
        values = np.where(part == 0, np.uint64(0), _of(part, keys))
        found[first : first + step] = values.sum(axis=1, dtype=np.uint64)
    return _mixed(found ^ start)


def _of(values: Any, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return _mixed(np.ascontiguousarray(values, dtype=np.float64).view(np.uint64) ^ keys)


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finishing steps of SplitMix64: each bit of the input moves half of the output's.

    Source: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014.
    """
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
