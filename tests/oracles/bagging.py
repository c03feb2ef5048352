"""Out-of-bag scores, one row and one bag at a time."""

import math
import statistics


def out_of_bag(scores, bags, n_rows):
    """Mean score of each row over the bags without it; scores[b][i] is of row i by bag b."""
    found = []
    for row in range(n_rows):
        without = [by[row] for by, bag in zip(scores, bags, strict=True) if row not in bag]
        found.append(sum(without) / len(without) if without else math.nan)
    return found


def median_positive(scores, bags, positives):
    """Median of their out-of-bag scores; of one that is in every bag, its mean over all."""
    known = []
    for row, score in enumerate(out_of_bag(scores, bags, len(scores[0]))):
        if row in positives:
            everywhere = sum(by[row] for by in scores) / len(scores)
            known.append(everywhere if math.isnan(score) else score)
    return statistics.median(known)
