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


def lee_liu_regret(found, predicted, chosen, ratio):
    """Greatest r² / P of each candidate over that of the chosen, over all corners of the weights.

    Of two recalls of 0 each is as good as the other.
    """
    greatest = []
    for values, rows in zip(found, predicted, strict=True):
        quotients = []
        for weights in itertools.product([1.0, ratio], repeat=len(values)):
            mine, others = (
                sum(w * v for w, v in zip(weights, some, strict=True)) / sum(weights)
                for some in (values, found[chosen])
            )
            of_none = 1.0 if mine == 0 else float("inf")
            recalls = mine / others if others else of_none
            quotients.append(recalls**2 * predicted[chosen] / rows)
        greatest.append(max(quotients))
    return greatest
