"""Promises, SCAR and posteriors by loops, from the formulas."""

import math


def missed_at_most(k, n, missed):
    """P(Beta(k, n - k + 1) <= missed): k or more of n uniforms lie below it."""
    return sum(math.comb(n, j) * missed**j * (1 - missed) ** (n - j) for j in range(k, n + 1))


def recall_cut(calibration, recall, confidence, label_odds_ratio=1):
    """The k-th smallest score, for the largest k that keeps the promise; None if none does.

    `label_odds_ratio`: the odds of the share that is missed are divided by it.
    """
    odds = (1 - recall) / recall / label_odds_ratio
    ordered = sorted(calibration)
    fits = [
        k
        for k in range(1, len(ordered) + 1)
        if missed_at_most(k, len(ordered), odds / (1 + odds)) >= confidence
    ]
    return ordered[max(fits) - 1] if fits else None


def positives_needed(recall, confidence):
    """The least n with recall^n <= 1 - confidence."""
    n = 1
    while recall**n > 1 - confidence:
        n += 1
    return n


def reached_among(m, k, n, may_miss):
    """Chance that of m + n exchangeable scores so few of the m lie below the k-th of the n.

    Of the scores below, the k-th of the n comes after j of the m in C(j + k - 1, j) C(m - j + n -
    k, m - j) of C(m + n, m) orders.
    """
    orders = sum(
        math.comb(j + k - 1, j) * math.comb(m - j + n - k, m - j) for j in range(may_miss + 1)
    )
    return orders / math.comb(m + n, m)


def lift(calibration, scores, cut):
    """Share of the positives over that of the rows at or above the cut."""
    q_p = sum(each >= cut for each in calibration) / len(calibration)
    q_u = sum(each >= cut for each in scores) / len(scores)
    return q_p / q_u


def one_error_lower(found, n):
    """The share at which `found` or more of n have a chance of one tail of a standard error."""
    low, high = 0.0, 1.0 if found else 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if missed_at_most(found, n, middle) < 0.159 else (low, middle)
    return low


def longest_list(calibration, scores, fdr, prior, odds_ratio=1):
    """Rows above the lowest cut at which 1 - prior · q_p / q_u is at most fdr, q_p taken low.

    For uneven labels q_p is the share whose odds are those of the held-out over `odds_ratio`.
    """
    n = len(calibration)
    fits = []
    for cut in scores:
        q_p = one_error_lower(sum(each >= cut for each in calibration), n)
        q_p = q_p / (q_p + odds_ratio * (1 - q_p))
        q_u = sum(each >= cut for each in scores) / len(scores)
        if 1 - prior * q_p / q_u <= fdr:
            fits.append(cut)
    return [bool(fits) and each >= min(fits) for each in scores]


def least_false(calibration, scores, cut, prior, error):
    """1 - m (prior (q_p + d_n) + d_m) / listed, each band failing with probability `error`."""
    n, m = len(calibration), len(scores)
    band = {rows: math.sqrt(math.log(1 / error) / (2 * rows)) for rows in (n, m)}
    q_p = sum(each >= cut for each in calibration) / n
    listed = sum(each >= cut for each in scores)
    return max(0, 1 - m * (prior * (q_p + band[n]) + band[m]) / listed)


def scar_statistic(positive_scores, unlabeled_scores, prior):
    """The largest q_p - q_u / prior over all cuts, 0 at least."""
    best = 0
    for cut in [*positive_scores, *unlabeled_scores]:
        q_p = sum(each >= cut for each in positive_scores) / len(positive_scores)
        q_u = sum(each >= cut for each in unlabeled_scores) / len(unlabeled_scores)
        best = max(best, q_p - q_u / prior)
    return best


def isotonic(scores, labels):
    """Least squares under monotonicity at each distinct score: the max-min formula."""
    distinct = sorted(set(scores))
    sums = [sum(y for s, y in zip(scores, labels, strict=True) if s == at) for at in distinct]
    counts = [sum(s == at for s in scores) for at in distinct]
    fitted = {}
    for i, at in enumerate(distinct):
        fitted[at] = max(
            min(sum(sums[a : b + 1]) / sum(counts[a : b + 1]) for b in range(i, len(distinct)))
            for a in range(i + 1)
        )
    return fitted


def error_at_the_best_bin(known, rest, gamma=0.01, delta=0.1):
    """Standard error of q_u / q_p over its value, at the cut of algorithm 1 of Garg and others:
    (1 - q_p) / k and (1 - q_u) / j are the relative variances of shares of k and of j rows."""
    log = math.log(4 / delta) / 2
    slack = (1 + gamma) * (math.sqrt(log / len(known)) + math.sqrt(log / len(rest)))
    best = None
    for cut in sorted(known, reverse=True):
        k, j = sum(each >= cut for each in known), sum(each >= cut for each in rest)
        limit = (j / len(rest) + slack) / (k / len(known))
        if best is None or limit < best[0]:
            best = limit, (1 - k / len(known)) / k + (1 - j / len(rest)) / max(j, 1)
    return math.sqrt(best[1])


def shares_with_sum(odds, total):
    """min(1, c · odds) with the c for which they add up to a number, by halving an interval."""
    low, high = 0.0, 1e18
    for _ in range(300):
        middle = (low * high) ** 0.5 if low > 0 else high / 4 if high > 1e-18 else 0.0
        if sum(min(1.0, middle * each) for each in odds) < total:
            low = max(middle, 1e-18)
        else:
            high = middle
    return [min(1.0, high * each) for each in odds]
