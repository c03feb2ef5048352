"""Weighted logistic regression and its criterion, row by row (Lee, Liu 2003)."""

import math


def objective(w, rows, labels, C, row_weight=None):
    """C · Σ weight · log(1 + exp(−y x·w)) + ½|w|²; the last weight is the bias."""
    row_weight = row_weight or [1.0] * len(rows)
    n1 = sum(u for u, label in zip(row_weight, labels, strict=True) if label == 1)
    nu = sum(u for u, label in zip(row_weight, labels, strict=True) if label == 0)
    total = 0.0
    for row, label, u in zip(rows, labels, row_weight, strict=True):
        margin = sum(a * b for a, b in zip([*row, 1.0], w, strict=True))
        if label == 1:
            total += u * nu / (n1 + nu) * math.log1p(math.exp(-margin))
        else:
            total += u * n1 / (n1 + nu) * math.log1p(math.exp(margin))
    return C * total + sum(a * a for a in w) / 2


def criterion(labels, predicted, *, population):
    """r² / P(f = 1); `population` is "all" rows or the "unlabeled" ones."""
    found = sum(1 for a, b in zip(labels, predicted, strict=True) if a == 1 and b == 1)
    recall = found / sum(labels)
    counted = [b for a, b in zip(labels, predicted, strict=True) if population == "all" or a == 0]
    share = sum(counted) / len(counted)
    return recall**2 / share if share else 0.0


def log_variance(labels, predicted, *, population, step=1e-5):
    """Variance of log r² / P(f = 1), by no algebra: row by row, the slope of the logarithm in
    the weight of the row; the squares of the slopes add up (the infinitesimal jackknife)."""

    def log_criterion(weight):
        rows = list(zip(labels, predicted, weight, strict=True))
        recall = sum(w for a, b, w in rows if a == 1 and b == 1) / sum(w for a, _, w in rows if a)
        counted = [(b, w) for a, b, w in rows if population == "all" or a == 0]
        share = sum(w for b, w in counted if b == 1) / sum(w for _, w in counted)
        return math.log(recall**2 / share)

    total = 0.0
    for row in range(len(labels)):
        more, less = ([1.0] * len(labels) for _ in range(2))
        more[row] += step
        less[row] -= step
        total += ((log_criterion(more) - log_criterion(less)) / (2 * step)) ** 2
    return total
