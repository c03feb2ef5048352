"""Conformal p-values and the step-up procedure by loops."""

import math
from itertools import combinations, product


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


def estimated_prior(calibration, scores, ratio):
    """(1 + rows among the positives but the lowest three quarters) / (m (1 - cut)), at the p-values
    that uneven labels make of the rows and of the cut."""
    n = len(calibration)
    place = min(n, math.ceil(0.75 * (n + 1)))
    cut = ratio * place / (ratio * place + n + 1 - place)
    high = [p_value(calibration, each) >= place / (n + 1) - 1e-9 for each in scores]
    return (1 + sum(high)) / (len(scores) * (1 - cut))


def discarded(calibration, scores, share, ratio):
    """The largest k with p_(k) <= k share / (estimate m), of p-values below one half; with an
    estimate that is no more than the share, p_(k) < k / m."""
    m = len(scores)
    rate = min(share / estimated_prior(calibration, scores, ratio), 1 - 1e-9)
    plain = [p_value(calibration, each) for each in scores]
    uneven = [ratio * p / (1 - p + ratio * p) for p in plain]
    asked = sorted(u for u, p in zip(uneven, plain, strict=True) if p < 0.5)
    fits = [u for k, u in enumerate(asked, 1) if u <= k * rate / m]
    return [bool(fits) and u <= max(fits) and p < 0.5 for u, p in zip(uneven, plain, strict=True)]


def positive_share(positives, negatives, n_held_out, odds, procedure):
    """The expected share of positives among the rows that a procedure discards, over all choices of
    the positives that are held out; each choice has a chance in proportion to the product of their
    odds of being labeled."""
    mean = total = 0.0
    for chosen in combinations(range(len(positives)), n_held_out):
        weight = math.prod(odds[i] for i in chosen)
        hidden = [s for i, s in enumerate(positives) if i not in chosen]
        gone = procedure([positives[i] for i in chosen], [*hidden, *negatives])
        mean += weight * sum(gone[: len(hidden)]) / max(1, sum(gone))
        total += weight
    return mean / total
