"""Gaps in numbers."""

from typing import Any

import numpy as np

from onesided._typing import Array, Floats


def filled(X: Array, fill: Floats | float) -> Any:
    """X with `fill` for each NaN; X itself where there is none.

    Parameters
    ----------
    X : shape (n_rows, n_features)
    fill : a number, or one a feature
    """
    missing = np.isnan(X)
    return np.where(missing, fill, X) if missing.any() else X
