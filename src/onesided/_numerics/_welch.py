"""The variance of a sum of two independent means, with numbers for its degrees of freedom."""

from __future__ import annotations

import numpy as np

from onesided._typing import Floats


def variance_of_means(
    first: Floats, second: Floats, weights: tuple[Floats, Floats] | None = None
) -> tuple[float, float]:
    """The variance of the sum, or of the difference, of the means of two independent samples.

    Parameters
    ----------
    first, second : shape (n_first,) and (n_second,), the samples
    weights : for each sample, the number of rows that each of its rows stands for; by default 1

    Returns
    -------
    variance : s1² / n1 + s2² / n2; NaN if a sample has only one row
    within : (s1² / n1)² / (n1 - 1) + (s2² / n2)² / (n2 - 1). The degrees of freedom of Welch and
        Satterthwaite are the square of `variance` divided by `within`
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
