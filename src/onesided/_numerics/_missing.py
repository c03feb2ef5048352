"""Missing values in matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onesided._typing import Floats, Matrix


def filled(X: Matrix, fill: Floats | float) -> Any:
    """X with `fill` in place of NaN; X itself if it has no NaN.

    Parameters
    ----------
    X : shape (n_rows, n_features), dense or CSR
    fill : one number, or shape (n_features,)
    """
    values: Any = X.data if sparse.issparse(X) else X
    missing = np.isnan(values)
    if not missing.any():
        return X
    if not sparse.issparse(X):
        return np.where(missing, fill, X)
    matrix: Any = X
    of_cell = fill[matrix.indices] if isinstance(fill, np.ndarray) else fill
    parts = np.where(missing, of_cell, values), matrix.indices, matrix.indptr
    return type(matrix)(parts, shape=matrix.shape)
