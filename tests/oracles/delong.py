"""Variance of areas under ROC curves, pair by pair (DeLong, DeLong, Clarke-Pearson 1988).

A positive is compared with the unlabeled rows by the scores of its own fold.
"""

import math
import statistics


def wins(hidden_scores, unlabeled_scores):
    """ψ of each positive and unlabeled row: 1 where the positive is above, ½ where tied, else 0.

    `unlabeled_scores` has one list for each positive, that of its fold.
    """
    return [
        [1.0 if score > other else 0.5 if score == other else 0.0 for other in others]
        for score, others in zip(hidden_scores, unlabeled_scores, strict=True)
    ]


def area(psi):
    return sum(sum(row) for row in psi) / (len(psi) * len(psi[0]))


def of_positives(psi):
    """V10: mean of ψ over the unlabeled, for each positive."""
    return [sum(row) / len(row) for row in psi]


def of_unlabeled(psi):
    """V01: mean of ψ over the positives, for each unlabeled row."""
    return [sum(column) / len(column) for column in zip(*psi, strict=True)]


def variance(psi):
    """S10 / m + S01 / n."""
    return sum(
        statistics.variance(each) / len(each) for each in (of_positives(psi), of_unlabeled(psi))
    )


def p_value(psi, other):
    """Two-sided, of the difference of two areas: L S Lᵀ with L = (1, -1), by covariances."""
    of_difference = variance(psi) + variance(other)
    for component in (of_positives, of_unlabeled):
        ours, theirs = component(psi), component(other)
        of_difference -= 2 * statistics.covariance(ours, theirs) / len(ours)
    return math.erfc(abs(area(psi) - area(other)) / math.sqrt(2 * of_difference))
