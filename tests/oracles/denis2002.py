"""Multinomial naive Bayes from positive and unlabeled documents (Denis et al. 2002)."""

import math


def word_tables(positives, unlabeled, p, smoothing=1):
    """(P(w | 0), P(w | 1)) for each word; documents are lists of counts."""
    n_words = len(positives[0])
    n1 = [sum(document[w] for document in positives) for w in range(n_words)]
    nu = [sum(document[w] for document in unlabeled) for w in range(n_words)]
    mass1, mass_u = sum(n1), sum(nu)
    ratio = (mass1 / len(positives)) / (mass_u / len(unlabeled))
    share = p * ratio
    p1 = [(n + smoothing) / (mass1 + smoothing * n_words) for n in n1]
    rest = [max(0.0, nu[w] - share * p1[w] * mass_u) for w in range(n_words)]
    scale = (1 - share) * mass_u / sum(rest)
    p0 = [
        (smoothing + each * scale) / (smoothing * n_words + (1 - share) * mass_u) for each in rest
    ]
    return list(zip(p0, p1, strict=True))


def log_odds(tables, p, document):
    """log P(1 | document) / P(0 | document)."""
    odds = math.log(p) - math.log(1 - p)
    for count, (p0, p1) in zip(document, tables, strict=True):
        odds += count * (math.log(p1) - math.log(p0))
    return odds
