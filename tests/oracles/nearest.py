"""Similarity to the nearest known rows by loops, and the cut by trying each."""

import math

import numpy as np


def weights(rows):
    """log(1 + count) log((1 + n) / n_w), for each row a list."""
    n, n_words = len(rows), len(rows[0])
    documents = [sum(row[w] > 0 for row in rows) for w in range(n_words)]
    return [
        [math.log(1 + row[w]) * math.log((1 + n) / max(documents[w], 1)) for w in range(n_words)]
        for row in rows
    ]


def cosine(a, b):
    norm = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / norm if norm else 0.0


def similarity(row, known, kinds, k, leave_out=None):
    """Largest over the kinds of the mean of the k largest cosines to known rows of the kind."""
    best = 0.0
    for kind in set(kinds):
        cosines = sorted(
            (
                cosine(row, known[i])
                for i in range(len(known))
                if kinds[i] == kind and i != leave_out
            ),
            reverse=True,
        )[:k]
        if cosines:
            best = max(best, sum(cosines) / len(cosines))
    return best


def scores(known_similarity, known_length, of_similarity, of_length, degree):
    """Residual of log(s + .01) on a polynomial of log length, over its expected size."""
    x, y = np.log(known_length), np.log(np.array(known_similarity) + 0.01)
    mean = np.polyfit(x, y, degree)
    spread = np.polyfit(x, np.log(abs(y - np.polyval(mean, x)) + 1e-3), degree)
    at = np.clip(np.log(of_length), x.min(), x.max())
    residual = np.log(np.array(of_similarity) + 0.01) - np.polyval(mean, at)
    return residual / np.exp(np.polyval(spread, at))


def best_cut(known, unlabeled):
    """Which of the unlabeled are flagged, and the estimated share of those that are not known."""
    n = len(unlabeled)
    at = np.quantile(known, 0.1)
    share = 1 - (sum(u > at for u in unlabeled) / n) / (sum(k > at for k in known) / len(known))
    share = max(share, 1 / n)
    best, flagged_at_best = 0, [False] * n
    for cut in sorted(unlabeled):
        flagged = [u <= cut for u in unlabeled]
        explained = (1 + sum(k <= cut for k in known)) / (1 + len(known))
        error = math.sqrt(0.1 * 0.9 / n + 0.1 * 0.9 / len(known)) / 0.9
        hits = min(sum(flagged) - (1 - share) * n * explained, n * (share + error))
        f = 2 * hits / (sum(flagged) + share * n)
        if f > best and explained <= 0.5:
            best, flagged_at_best = f, flagged
    return flagged_at_best, share
