"""Problems that benchmarks and tests share."""

import numpy as np
from numpy.typing import NDArray


def categories(
    n_rows: int, n_features: int, n_values: int, *, share: float = 0.1, seed: int = 0
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Codes 0 to `n_values` − 1, the larger ones more common among the labeled positives."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < share).astype(np.int64)
    shift = rng.binomial(1, 0.3, (n_rows, n_features)).astype(bool) & (y[:, None] == 1)
    X = rng.integers(0, n_values, (n_rows, n_features))
    return np.minimum(X + shift, n_values - 1).astype(np.int8), y
