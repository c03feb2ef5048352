"""Conformal p-values and the step-up procedure by loops."""

from itertools import product


def largest_weighted_p_value(calibration, score, ratio):
    """The greatest p-value of weighted conformal prediction (Tibshirani and others 2019) over all
    weights of 1 or `ratio`, of the calibration scores and of the row."""
    best = 0.0
    for weights in product([1.0, ratio], repeat=len(calibration) + 1):
        *of_known, own = weights
        as_low = own + sum(w for w, c in zip(of_known, calibration, strict=True) if c <= score)
        best = max(best, as_low / sum(weights))
    return best


def p_value(calibration, score):
    """(1 + held-out scores as low or lower) / (1 + n)."""
    return (1 + sum(each <= score for each in calibration)) / (1 + len(calibration))


def step_up(p_values, fdr):
    """Benjamini, Hochberg 1995: the largest k with p_(k) <= k fdr / m; who is flagged."""
    m = len(p_values)
    ordered = sorted(p_values)
    k = max((i for i in range(1, m + 1) if ordered[i - 1] <= i * fdr / m), default=0)
    return [k > 0 and p <= ordered[k - 1] for p in p_values]


def storey(p_values, fdr):
    """The same at fdr over the estimated share of true nulls."""
    m = len(p_values)
    share = (1 + sum(p > 0.5 for p in p_values)) / (m * 0.5)
    return step_up(p_values, fdr / share)
