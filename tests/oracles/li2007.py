"""LGN by loops (Li, Liu, Ng 2007, section 3.2)."""

import math


def artificial_document(positive, unlabeled, entropy):
    """q(w) and the expected counts of the artificial document; rows are lists of counts."""
    n_words = len(positive[0])
    totals = {}
    for name, rows in (("+", positive), ("-", unlabeled)):
        totals[name] = [sum(row[w] for row in rows) for w in range(n_words)]
    vocabulary = [w for w in range(n_words) if totals["+"][w] + totals["-"][w] > 0]
    pr = {
        c: {
            w: (1 + totals[c][w]) / (len(vocabulary) + sum(totals[c][v] for v in vocabulary))
            for w in vocabulary
        }
        for c in "+-"
    }
    H = {}
    for w in vocabulary:
        a, b = pr["+"][w], pr["-"][w]
        if entropy == "class":
            a, b = a / (a + b), b / (a + b)
        H[w] = -sum(p * math.log(p) for p in (a, b))
    highest = max(H.values())
    q = [1 - H[w] / highest if w in H else 0.0 for w in range(n_words)]
    return q, [q[w] * totals["-"][w] for w in range(n_words)]


def log_odds(positive, unlabeled, artificial, row, smoothing):
    """Log P(row | known) − log P(row | artificial), multinomial, equal priors."""
    known = [sum(each[w] for each in positive) for w in range(len(row))]
    seen = [w for w in range(len(row)) if any(each[w] for each in [*positive, *unlabeled])]
    total = 0.0
    for w in seen:
        for counts, sign in ((known, 1), (artificial, -1)):
            p = (smoothing + counts[w]) / (len(seen) * smoothing + sum(counts[v] for v in seen))
            total += sign * row[w] * math.log(p)
    return total


def gaussian_mean(counts_of_word, q):
    """Mean of the draws of one word: floor(|D| q) E max(0, N(μ, σ²))."""
    inside = [c for c in counts_of_word if c > 0]
    mu = sum(inside) / len(inside)
    variance = sum((c - mu) ** 2 for c in inside) / max(len(inside) - 1, 1)
    sigma = math.sqrt(variance)
    n = math.floor(len(inside) * q)
    if sigma == 0:
        return n * mu
    z = mu / sigma
    cdf, pdf = (1 + math.erf(z / math.sqrt(2))) / 2, math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return n * (mu * cdf + sigma * pdf)
