"""The average of ranks, pair by pair: loops over rows, without numpy's order functions."""


def share_below(score, others):
    """Share of the others that score lower, ties half."""
    return sum((other < score) + 0.5 * (other == score) for other in others) / len(others)


def weights(ranks, votes, power=8, least=0.05, errors=3):
    """v · (max(0, a - 1/2) / (b - 1/2)) to the power, without those that are surely worse.

    `ranks` has for each method the share of the unlabeled below each positive, whose mean is a.
    """
    n = len(ranks[0])
    aucs = [sum(of_method) / n for of_method in ranks]
    best = max(range(len(aucs)), key=aucs.__getitem__)
    found = []
    for auc, v, of_method in zip(aucs, votes, ranks, strict=True):
        skill = 1.0
        if aucs[best] > 0.5:
            skill = (max(0.0, auc - 0.5) / (aucs[best] - 0.5)) ** power
        behind = [b - each for b, each in zip(ranks[best], of_method, strict=True)]
        mean = sum(behind) / n
        spread = sum((each - mean) ** 2 for each in behind)
        is_worse = n > 1 and spread > 0 and mean >= errors * (spread / (n - 1) / n) ** 0.5
        found.append(0.0 if is_worse else v * skill)
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
        by = weights([[method[row] for row in others] for method in below], votes)
        score = averaged([hidden_shares(fits, fold, unlabeled) for fits in fits_of], by)
        rest = [score[row] for row in unlabeled]
        ranks |= {row: 1 - share_below(score[row], rest) for row in fold}
    return [ranks[row] for row in sorted(ranks)]
