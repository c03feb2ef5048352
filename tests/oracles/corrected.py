"""Figures of full labels by counting, the labels that could have been seen, slopes row by row."""

import itertools
import math
from statistics import NormalDist


def draws(truth, n_labeled):
    """Every y that labels so many of the positives."""
    positives = [row for row, label in enumerate(truth) if label]
    for labeled in itertools.combinations(positives, n_labeled):
        yield [int(row in labeled) for row in range(len(truth))]


def orders(scores):
    """Every order of the rows, the highest first, tied ones in any."""
    groups = [
        itertools.permutations([row for row, score in enumerate(scores) if score == value])
        for value in sorted(set(scores), reverse=True)
    ]
    for parts in itertools.product(*groups):
        yield [row for part in parts for row in part]


def enrichment_factor(truth, scores, fraction):
    """Share of the positives in the top over the share of the rows; a part of a row in part."""
    top = fraction * len(truth)
    found = []
    for order in orders(scores):
        in_top = [min(1, max(0, top - place)) for place in range(len(order))]
        hits = sum(part for part, row in zip(in_top, order, strict=True) if truth[row])
        found.append(hits / sum(truth) / fraction)
    return sum(found) / len(found)


def bedroc(truth, scores, alpha):
    """Truchon, Bayly 2007: between the sum of the worst ranking and that of the best."""
    n = len(truth)

    def weight(places):
        return sum(math.exp(-alpha * place / n) for place in places)

    least = weight(range(n - sum(truth) + 1, n + 1))
    most = weight(range(1, sum(truth) + 1))
    found = [
        weight(place for place, row in enumerate(order, start=1) if truth[row])
        for order in orders(scores)
    ]
    return (sum(found) / len(found) - least) / (most - least)


def average_precision(known, rest, prior, *, single, known_weight=None, rest_weight=None):
    """Mean over the positives of the precision at each, rows being weighed."""
    w, v = known_weight or [1.0] * len(known), rest_weight or [1.0] * len(rest)
    total = 0.0
    for row, (score, own) in enumerate(zip(known, w, strict=True)):
        others = [(known[i], w[i]) for i in range(len(known)) if i != row]
        above = sum(weight for other, weight in others if other >= score)
        r = above / sum(weight for _, weight in others)
        rank = 1 + sum(b for a, b in zip(rest, v, strict=True) if a >= score)
        if single:
            precision = (1 + (sum(w) - 1 + prior * sum(v)) * r) / (rank + above)
        else:
            precision = 1 / rank + prior * sum(v) * r / (rank + 1)
        total += own * precision
    return total / sum(w)


def weighed_bedroc(known, rest, prior, alpha, *, single, known_weight=None, rest_weight=None):
    """Mean over the positives of exp(−alpha x), between the ends of a share of positives.

    A positive stands at the middle of its own row.
    """
    w, v = known_weight or [1.0] * len(known), rest_weight or [1.0] * len(rest)
    n_rows = sum(v) + (sum(w) if single else 1)
    positives = (prior * sum(v) + (sum(w) if single else 1)) / n_rows
    total = 0.0
    for row, (score, own) in enumerate(zip(known, w, strict=True)):
        above = sum(b for a, b in zip(rest, v, strict=True) if a > score)
        if single:
            above += sum(w[i] for i in range(len(known)) if i != row and known[i] > score)
        total += own * math.exp(-alpha * (above + 0.5) / n_rows)
    most = (1 - math.exp(-alpha * positives)) / (alpha * positives)
    least = (math.exp(-alpha * (1 - positives)) - math.exp(-alpha)) / (alpha * positives)
    return (total / sum(w) - least) / (most - least)


def standard_error(figure, known, rest, step=1e-4):
    """From the slope of a figure in the weight of each row: the squares add up."""
    total = 0.0
    for rows, name in ((known, "known_weight"), (rest, "rest_weight")):
        for row in range(len(rows)):
            more, less = ([1.0] * len(rows) for _ in range(2))
            more[row] += step
            less[row] -= step
            ends = [figure(known, rest, **{name: weight}) for weight in (more, less)]
            total += ((ends[0] - ends[1]) / (2 * step)) ** 2
    return math.sqrt(total)


def top_interval(known, rest, fraction, confidence, *, single):
    """Share of the positives in the top of the ranking, and its interval.

    Three shares are uncertain: that of the positives and that of the unlabeled above the score
    where the top ends, and that of labeled rows. Each is set to the ends of its interval (Wilson
    1927); the top then ends at the score above which all together make up the fraction again. The
    distances add up as squares, each side on its own (Zou, Donner 2008)."""
    n_rows = len(rest) + (len(known) if single else 1)
    labeled = len(known) / n_rows if single else 0.0

    def recall_of(top):
        total = 0.0
        for row, score in enumerate(known):
            others = rest + (known[:row] + known[row + 1 :] if single else [])
            above, tied = (sum(f(o) for o in others) for f in (score.__lt__, score.__eq__))
            total += min(max((top * n_rows - above) / (tied + 1), 0.0), 1.0)
        return total / len(known)

    def wilson(share, n):
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        middle = share + z * z / (2 * n)
        reach = z * math.sqrt(share * (1 - share) / n + (z / n) ** 2 / 4)
        return [(middle + sign * reach) / (1 + z * z / n) for sign in (-1, 1)]

    recall = recall_of(fraction)
    unlabeled = min(max((fraction - labeled * recall) / (1 - labeled), 0.0), 1.0)
    figures = [
        [
            recall_of(fraction - labeled * (end - recall)) + end - recall
            for end in wilson(recall, len(known))
        ],
        [
            recall_of(fraction - (1 - labeled) * (end - unlabeled))
            for end in wilson(unlabeled, len(rest))
        ],
    ]
    if single:
        figures.append(
            [
                recall_of(fraction - (end - labeled) * (recall - unlabeled))
                for end in wilson(labeled, n_rows)
            ]
        )
    down = up = 0.0
    for ends in figures:
        down += min(0.0, *(each - recall for each in ends)) ** 2
        up += max(0.0, *(each - recall for each in ends)) ** 2
    return recall, recall - math.sqrt(down), recall + math.sqrt(up)


def curve(truth, scores):
    """Recall, false positive rate and precision of full labels, the highest threshold first."""
    points = []
    for threshold in sorted(set(scores), reverse=True):
        above = [label for label, score in zip(truth, scores, strict=True) if score >= threshold]
        n_negative = len(truth) - sum(truth)
        points.append(
            (
                sum(above) / sum(truth),
                (len(above) - sum(above)) / n_negative,
                sum(above) / len(above),
            )
        )
    return points
