"""The variance of the sum of two means, with what its degrees of freedom take."""

from __future__ import annotations

import numpy as np

from onesided._typing import Floats


def variance_of_means(
    first: Floats, second: Floats, weights: tuple[Floats, Floats] | None = None
) -> tuple[float, float]:
    """Of the mean of one sample and that of another, which are independent.

    Parameters
    ----------
    first, second : shapes (n_first,) and (n_second,)
    weights : how many rows each row of both stands for; one by default

    Returns
    -------
    variance : s1² / n1 + s2² / n2; NaN where there is a single row in one
    within : (s1² / n1)² / (n1 - 1) + (s2² / n2)² / (n2 - 1); the square of the variance over it are
        the degrees of freedom of Welch and Satterthwaite
    """
    counts = (np.ones(len(first)), np.ones(len(second))) if weights is None else weights
    sizes = np.array([each.sum() for each in counts])
    if sizes.min() <= 1:  # one row has no variance
        return float("nan"), float("nan")
    parts = np.array(
        [
            each @ (values - np.average(values, weights=each)) ** 2
            for values, each in zip((first, second), counts, strict=True)
        ]
    )
    parts /= (sizes - 1) * sizes
    return float(parts.sum()), float((parts**2 / (sizes - 1)).sum())
