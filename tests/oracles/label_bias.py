"""Weights of positives that were labeled unevenly, one by one."""

import itertools


def band(values, ratio):
    """Least and greatest weighted mean, of all ways to give each value the weight 1 or the ratio.

    A quotient of two linear functions of the weights has its extremes at corners of their box.
    """
    means = [
        sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
        for weights in itertools.product([1.0, ratio], repeat=len(values))
    ]
    return min(means), max(means)
