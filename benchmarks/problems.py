"""Problems that benchmarks and tests share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def categories(
    n_rows: int, n_features: int, n_values: int, *, share: float = 0.1, seed: int = 0
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Codes 0 to `n_values` − 1, the larger ones more common among the labeled positives."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < share).astype(np.int64)
    shift = rng.binomial(1, 0.3, (n_rows, n_features)).astype(bool) & (y[:, None] == 1)
    X = rng.integers(0, n_values, (n_rows, n_features))
    return np.minimum(X + shift, n_values - 1).astype(np.int8), y


def words(
    n_rows: int, n_words: int, n_a_row: int, *, seed: int = 0
) -> tuple[Any, NDArray[np.int64]]:
    """Words in texts, the k-th with frequency falling as 1 / k; 20 of them make a row positive."""
    rng = np.random.default_rng(seed)
    frequency = 1 / np.arange(10, n_words + 10)
    drawn = rng.choice(n_words, (n_rows, n_a_row), p=frequency / frequency.sum())
    rows = np.repeat(np.arange(n_rows), n_a_row)
    X = sparse.csr_array((np.ones(rows.size), (rows, drawn.ravel())), shape=(n_rows, n_words))
    X.sum_duplicates()
    X.data[:] = 1.0
    causes = X[:, 100:120].sum(axis=1)
    return X, (rng.random(n_rows) < 1 - 0.5**causes).astype(np.int64)
