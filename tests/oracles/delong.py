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
    """Two-sided, of the difference of two areas: L S Lᵀ with L = (1, -1), by covariances; Student's
    t, whose degrees of freedom are Satterthwaite's for the two parts of the variance."""
    parts = []
    for component in (of_positives, of_unlabeled):
        ours, theirs = component(psi), component(other)
        of_difference = statistics.variance(ours) + statistics.variance(theirs)
        of_difference -= 2 * statistics.covariance(ours, theirs)
        parts.append(of_difference / len(ours))
    deviation = abs(area(psi) - area(other)) / math.sqrt(sum(parts))
    return 2 * student_tail(deviation, satterthwaite(*parts, len(psi), len(psi[0])))


def satterthwaite(first, second, m, n):
    return (first + second) ** 2 / (first**2 / (m - 1) + second**2 / (n - 1))


def student_tail(deviation, freedom, steps=200_000):
    """P(t > deviation), by the trapezoid rule in the angle: t = √freedom · tan(angle)."""
    start, end = math.atan(deviation / math.sqrt(freedom)), math.pi / 2
    width = (end - start) / steps
    heights = [math.cos(start + width * i) ** (freedom - 1) for i in range(steps + 1)]
    inside = width * (sum(heights) - (heights[0] + heights[-1]) / 2)
    whole = math.sqrt(math.pi) * math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom + 1) / 2))
    return inside / whole


def student_quantile(freedom, tail=0.025):
    """By halves: the deviation that is exceeded with probability `tail`."""
    low, high = 0.0, 100.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        above = student_tail(middle, freedom, steps=10_000) > tail
        low, high = (middle, high) if above else (low, middle)
    return low


def interval(psi, z=1.959964):
    """Newcombe 2006, method 5, with the factor by which DeLong's reach is larger.

    Of a grid of areas those from which the one found is at most z errors away.
    """
    m, n, found = len(psi), len(psi[0]), area(psi)

    def error(theta):
        star = (m + n) / 2 - 1
        inner = 1 + star * (1 - theta) / (2 - theta) + star * theta / (1 + theta)
        return theta * (1 - theta) * inner / (m * n)

    factor = 1.0
    if n > 1 and variance(psi) > 0:
        parts = [statistics.variance(v) / len(v) for v in (of_positives(psi), of_unlabeled(psi))]
        reach = student_quantile(satterthwaite(*parts, m, n)) ** 2 * sum(parts)
        factor = max(1.0, reach / (z**2 * error(found)))
    grid = [i / 200_000 for i in range(200_001)]
    inside = [theta for theta in grid if (found - theta) ** 2 <= z**2 * factor * error(theta)]
    return inside[0], inside[-1]
