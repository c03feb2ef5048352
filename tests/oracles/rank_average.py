"""The average of ranks, pair by pair: loops over rows, without numpy's order functions."""


def share_below(score, others):
    """Share of the others that score lower, ties half."""
    return sum((other < score) + 0.5 * (other == score) for other in others) / len(others)


def auc(positive_scores, unlabeled_scores):
    """Share of the pairs in which the positive scores higher, ties half."""
    return sum(share_below(each, unlabeled_scores) for each in positive_scores) / len(
        positive_scores
    )


def weights(aucs, votes, power=10, least=0.05):
    """v · (max(0, a - 1/2) / (b - 1/2)) to the power, without those far below the largest."""
    best = max(aucs)
    if best <= 0.5:
        found = list(votes)
    else:
        found = [
            v * (max(0.0, a - 0.5) / (best - 0.5)) ** power
            for a, v in zip(aucs, votes, strict=True)
        ]
    return [w if w >= least * max(found) else 0.0 for w in found]


def averaged(shares, weights):
    """Weighted mean over the methods; `shares` has a list of rows for each method."""
    total = sum(weights)
    return [
        sum(w * method[row] for w, method in zip(weights, shares, strict=True)) / total
        for row in range(len(shares[0]))
    ]


def hidden_shares(fits, hidden, unlabeled):
    """Of a method: share of the unlabeled below each row, by the fit in which `hidden` were."""
    (scores,) = [scores for rows, scores in fits if set(hidden) <= set(rows)]
    rest = [scores[row] for row in unlabeled]
    return [share_below(score, rest) for score in scores]


def hidden_ranks(fits_of, votes, folds, unlabeled):
    """Share of the unlabeled above each hidden positive, by the average, fold by fold.

    `fits_of` has for each method its fits, (hidden rows, scores of all rows). The weights of a fold
    come from the positives of the other folds.
    """
    below = []
    for fits in fits_of:
        of_method = {}
        for hidden, scores in fits:
            rest = [scores[row] for row in unlabeled]
            of_method |= {row: share_below(scores[row], rest) for row in hidden}
        below.append(of_method)
    ranks = {}
    for fold in folds:
        others = [row for each in folds for row in each if row not in set(fold)]
        aucs = [sum(method[row] for row in others) / len(others) for method in below]
        by = weights(aucs, votes)
        score = averaged([hidden_shares(fits, fold, unlabeled) for fits in fits_of], by)
        rest = [score[row] for row in unlabeled]
        ranks |= {row: 1 - share_below(score[row], rest) for row in fold}
    return [ranks[row] for row in sorted(ranks)]
