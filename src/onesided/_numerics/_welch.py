"""The variance of the sum of two means, with what its degrees of freedom take."""

from __future__ import annotations

import numpy as np

from onesided._typing import Floats


def variance_of_means(first: Floats, second: Floats) -> tuple[float, float]:
    """Of the mean of one sample and that of another, which are independent.

    Parameters
    ----------
    first, second : shapes (n_first,) and (n_second,)

    Returns
    -------
    variance : s1² / n1 + s2² / n2; NaN where there is a single row in one
    within : (s1² / n1)² / (n1 - 1) + (s2² / n2)² / (n2 - 1); the square of the variance over it are
        the degrees of freedom of Welch and Satterthwaite
    """
    sizes = np.array([len(first), len(second)])
    if sizes.min() < 2:  # noqa: PLR2004 - one row has no variance
        return float("nan"), float("nan")
    parts = np.array([np.var(first, ddof=1), np.var(second, ddof=1)]) / sizes
    return float(parts.sum()), float((parts**2 / (sizes - 1)).sum())
