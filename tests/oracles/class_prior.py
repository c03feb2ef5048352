"""Estimators of the share of positives among the unlabeled, threshold by threshold."""

import math
from itertools import combinations, pairwise
from statistics import NormalDist

from scipy.integrate import quad
from scipy.stats import beta, binomtest


def share_at_least(scores, threshold):
    """Share of the scores at or above a threshold."""
    return sum(1 for score in scores if score >= threshold) / len(scores)


def best_bin(positive, unlabeled, gamma=0.01, delta=0.1):
    """Garg et al. 2021, algorithm 1: q_u / q_p at the threshold c that minimises
    q_u(c) / q_p(c) + (1 + gamma) / q_p(c) · (√(log(4/δ) / 2 n_u) + √(log(4/δ) / 2 n_p))."""
    error = math.sqrt(math.log(4 / delta) / (2 * len(unlabeled)))
    error += math.sqrt(math.log(4 / delta) / (2 * len(positive)))
    least, best = math.inf, None
    for threshold in sorted({*positive, *unlabeled}, reverse=True):
        q_p = share_at_least(positive, threshold)
        q_u = share_at_least(unlabeled, threshold)
        if q_p == 0:
            continue
        bound = q_u / q_p + (1 + gamma) / q_p * error
        if bound < least:
            least, best = bound, q_u / q_p
    return best


def dkw_bound(positive, unlabeled, confidence):
    """The least (q_u + ε_u) / (q_p − ε_p), where ε = √(log(2 / (1 − confidence)) / 2n): each of
    the two bands of Dvoretzky, Kiefer, Wolfowitz, one-sided, fails with half of the error."""
    log = math.log(2 / (1 - confidence))
    e_p, e_u = (math.sqrt(log / (2 * len(scores))) for scores in (positive, unlabeled))
    bounds = [1.0]
    for threshold in {*positive, *unlabeled}:
        q_p = share_at_least(positive, threshold) - e_p
        if q_p > 0:
            bounds.append((share_at_least(unlabeled, threshold) + e_u) / q_p)
    return min(bounds)


def tree_bound(n_labeled, n_rows, label_frequency, delta):
    """Bekker, Davis 2018: what the labeled share of a region says of the label frequency, by the
    inequality of Cantelli: L/T − √(c (1 − c) (1 − δ) / (δ T))."""
    c = min(max(label_frequency, 0.0), 1.0)
    return n_labeled / n_rows - math.sqrt(c * (1 - c) * (1 - delta) / (delta * n_rows))


def best_region(X, labeled, label_frequency, delta, fewest=10):
    """The highest `tree_bound` of all boxes with sides at the values of the rows, by enumeration.

    X has few columns; a box takes the rows between two values of each column."""
    sides = []
    for column in zip(*X, strict=True):
        values = sorted(set(column))
        sides.append([(a, b) for a in values for b in values if a <= b])
    best = -math.inf

    def walk(box, rest):
        nonlocal best
        if rest:
            for side in rest[0]:
                walk([*box, side], rest[1:])
            return
        inside = [
            label
            for row, label in zip(X, labeled, strict=True)
            if all(a <= value <= b for value, (a, b) in zip(row, box, strict=True))
        ]
        if len(inside) >= fewest:
            best = max(best, tree_bound(sum(inside), len(inside), label_frequency, delta))

    walk([], sides)
    return best


def elkan_noto(labeled_probs, n_positive, n_unlabeled):
    """Elkan, Noto 2008, e1: c is the mean of P(labeled | x) over held-out labeled rows; then
    n_positive / c rows are positive, and all but n_positive of these are unlabeled."""
    frequency = sum(labeled_probs) / len(labeled_probs)
    return (n_positive / frequency - n_positive) / n_unlabeled


def rarest_value(features, error=0.05, least=0.001, most=0.9):
    """P(value | unlabeled) / P(value | positive) at the value where the ratio of the one-sided
    limits of Clopper and Pearson, upper over lower, is least; half an unlabeled row more.

    Features are lists of (unlabeled, positive) rows, one a value; the error is split over all
    limits. A value that no positive has, or of a feature that one kind lacks, says nothing."""
    values = []
    for feature in features:
        n_unlabeled, n_positive = (sum(pair[kind] for pair in feature) for kind in (0, 1))
        if n_unlabeled and n_positive:
            values += [(u, n_unlabeled, k, n_positive) for u, k in feature if k > 0]
    best, found = math.inf, most
    for u, n_unlabeled, k, n_positive in values:
        level = 1 - error / (2 * len(values))
        upper = binomtest(u, n_unlabeled, alternative="less").proportion_ci(level).high
        lower = binomtest(k, n_positive, alternative="greater").proportion_ci(level).low
        if upper / lower < best:
            best, found = upper / lower, (u + 0.5) / n_unlabeled / (k / n_positive)
    return min(max(found, least), most)


def density_ratio(positive, unlabeled, bandwidth=0.2, step=0.005, arm=8):
    """DEDPUL's form (Ivanov 2020) on normal scores: the α of a grid at which the second difference
    of D(α) = α − mean over the unlabeled of min(α f_p / f_u, 1) is largest, over `arm` steps to
    each side; f_p and f_u are means of Gaussian kernels, one at each row."""
    both = [*positive, *unlabeled]
    normal = []
    for score in both:
        below, same = sum(s < score for s in both), sum(s == score for s in both)
        normal.append(NormalDist().inv_cdf((below + same / 2) / len(both)))  # the middle of ties
    known, rest = normal[: len(positive)], normal[len(positive) :]

    def density(at, rows):
        return sum(NormalDist(row, bandwidth).pdf(at) for row in rows) / len(rows)

    ratios = [density(at, known) / density(at, rest) for at in rest]

    def exceeding(prior):
        return prior - sum(min(prior * ratio, 1) for ratio in ratios) / len(ratios)

    priors = [step * k for k in range(1, round(1 / step) + 1)]
    bends = [
        exceeding(prior + arm * step) - 2 * exceeding(prior) + exceeding(prior - arm * step)
        for prior in priors
    ]
    return priors[bends.index(max(bends))]


def binormal_log_likelihood(positive, unlabeled, prior, mean, deviation, top=0.8, n_cells=25):
    """Mean log-likelihood of the unlabeled rows' cells: of a mixture of positives, which are
    normal (0, 1) on the scale of their ranks, and of negatives, normal (mean, deviation).

    The best `top` of the positives are cut into cells that hold as many of them, by the highest
    score at or above which a cell's share lies; all below is one cell, and cuts that no positive
    is below are none."""
    order = sorted(positive)
    cuts = []
    for k in range(1, n_cells + 1):
        height = 1 - top * k / n_cells
        position = max(math.ceil(height * len(order) - 1e-9) - 1, 0)
        cut = order[position]
        if cut not in cuts and share_at_least(positive, cut) < 1:
            cuts.append(cut)
    ends = [(0.0, 0.0, 0.0)]
    for cut in cuts:
        recall = share_at_least(positive, cut)
        above = 1 - NormalDist(mean, deviation).cdf(NormalDist().inv_cdf(1 - recall))
        ends.append((recall, share_at_least(unlabeled, cut), above))
    ends.append((1.0, 1.0, 1.0))
    total = 0.0
    for (p, u, n), (q, v, m) in pairwise(ends):
        if v > u:
            total += (v - u) * math.log(prior * (q - p) + (1 - prior) * (m - n))
    return total


def upper_bound(positive, unlabeled, confidence, fewest=8, odds_ratio=1.0):
    """The least of the bounds at the cuts that have n, n/2, n/4, ..., eight positives at or above:
    there the ratio V / S exceeds it with the cut's share of the error, V of Beta(j + 1, m − j), B
    of Beta(k, n − k + 1) and S = B / (B + Γ (1 − B)) (`prior_upper_bound`). For Γ above 1 the cuts
    at n less n/4, n/8, ... are joined."""
    n, m = len(positive), len(unlabeled)
    ks = [n]
    while ks[-1] // 2 >= fewest:
        ks.append(ks[-1] // 2)
    if odds_ratio > 1:
        ks += [n - part for part in ks[2:]]
    error = (1 - confidence) / len(ks)
    best = 1.0
    for k in ks:
        cut = sorted(positive, reverse=True)[k - 1]
        j = sum(score >= cut for score in unlabeled)
        if j == m:
            continue
        of_unlabeled, of_positives = beta(j + 1, m - j), beta(k, n - k + 1)
        low, high = 0.0, 1.0
        while high - low > 1e-7:
            ratio = (low + high) / 2
            chance, _ = quad(
                lambda b: (
                    of_positives.pdf(b)  # noqa: B023 - used at once
                    * of_unlabeled.sf(min(ratio * b / (b + odds_ratio * (1 - b)), 1.0))  # noqa: B023 - used at once
                ),
                0,
                1,
                points=[of_positives.mean()],
                limit=200,
            )
            low, high = (ratio, high) if chance > error else (low, ratio)
        best = min(best, high)
    return best


def tice(X, labeled, folds, max_splits, fewest=10, smoothing=5):
    """Bekker, Davis 2018, with two-way splits: class prior among the unlabeled.

    `folds` are pairs (rows that judge, rows that grow). The tree's densest open node is split, by
    the growing rows, where a child is densest (`smoothing` rows added); each node with `fewest`
    judging rows bounds the label frequency by Cantelli."""
    n_labeled = sum(labeled)
    n_judging = len(labeled) * (len(folds) - 1) / len(folds)
    delta = max(0.025, 1 / (1 + 0.004 * n_judging))

    def density(rows):
        return sum(labeled[row] for row in rows) / (len(rows) + smoothing)

    def best_split(rows):
        """Of equals that with the fewest rows below, then the first column."""
        found = {}
        for column in range(len(X[0])):
            for value in {X[row][column] for row in rows}:
                below = [r for r in rows if X[r][column] <= value]
                above = [r for r in rows if X[r][column] > value]
                if above:
                    share = max(density(below), density(above))
                    found[column, value] = -share, len(below), column
        return min(found, key=found.get, default=None)

    nodes = []  # of each fold, the judging rows of its nodes
    for judge, grow in folds:
        kept = [list(judge)]
        leaves = [(list(grow), list(judge))]
        for _ in range(max_splits):
            if not leaves:
                break
            densest = max(leaves, key=lambda leaf: density(leaf[0]))
            leaves.remove(densest)
            split = best_split(densest[0])
            if split is None:
                continue
            column, value = split
            for above in (False, True):
                rows, judges = ([r for r in p if (X[r][column] > value) == above] for p in densest)
                if len(judges) >= fewest:
                    kept.append(judges)
                    leaves.append((rows, judges))
        nodes.append(kept)
    frequency = 0.5
    for _ in range(2):
        of_folds = [
            max(
                tree_bound(sum(labeled[r] for r in rows), len(rows), frequency, delta)
                for rows in kept
            )
            for kept in nodes
        ]
        frequency = sum(of_folds) / len(of_folds)
    frequency = max(frequency, n_labeled / len(labeled))
    return (n_labeled / frequency - n_labeled) / (len(labeled) - n_labeled)


def cell_log_likelihood(positive, unlabeled, n_hidden, shares, gaps, deviations, n_bins=4):
    """Log of the mean of Π_b (μ d_b + ν e_b)^n_b · exp(−μ − ν), with μ hidden positives expected
    among the n unlabeled rows of the cell and ν = max(n − μ, 0) negatives.

    Bins end at a quarter, a half, ... of the positives; the last is below all. The mean is over the
    `shares` d of positives in the bins, and over laws of the negatives: normal with mean z − gap
    and a deviation, where the positives are standard normal and z is the lowest cut on their
    scale."""
    order = sorted(positive, reverse=True)
    cuts = []
    for k in range(1, n_bins + 1):
        cut = order[math.ceil(k * len(order) / n_bins) - 1]
        if cut not in cuts:
            cuts.append(cut)
    counts = [
        sum(low <= score < high for score in unlabeled)
        for high, low in pairwise([math.inf, *cuts, -math.inf])
    ]
    mu, nu = n_hidden, max(len(unlabeled) - n_hidden, 0.0)
    terms = []
    for d in shares:
        z = [NormalDist().inv_cdf(1 - sum(d[: b + 1])) for b in range(len(cuts))]
        for gap in gaps:
            for deviation in deviations:
                law = NormalDist(z[-1] - gap, deviation)
                above = [0.0, *(1 - law.cdf(cut) for cut in z), 1.0]
                term = -mu - nu
                for n, d_b, (a, b) in zip(counts, d, pairwise(above), strict=True):
                    if n:
                        term += n * math.log(mu * d_b + nu * (b - a))
                terms.append(term)
    top = max(terms)
    return top + math.log(math.fsum(math.exp(term - top) for term in terms) / len(terms))


def best_levels(likelihoods, n_levels):
    """The highest Σ_cells max_levels of all sets of `n_levels` levels, by enumeration."""
    columns = range(len(likelihoods[0]))
    return max(
        sum(max(cell[level] for level in levels) for cell in likelihoods)
        for levels in combinations(columns, n_levels)
    )


def combined(positive, unlabeled, of_curve):
    """b · b + (1 − b) · n of the best-bin estimate b and the binormal one n; 0 where b is 0."""
    b = best_bin(positive, unlabeled)
    return b * b + (1 - b) * of_curve if b > 0 else 0.0


def combined_error(positive, unlabeled, of_curve):
    """1.5 times the root of: the variance of a ratio q_u / q_p by the delta method, at the
    threshold of the best bin, shares (k + 1) / (n + 2); and the square of b − n."""
    b = best_bin(positive, unlabeled)
    thresholds = sorted(set(positive), reverse=True)
    at = min(
        thresholds,
        key=lambda t: (
            (share_at_least(unlabeled, t) + _slack(positive, unlabeled))
            / share_at_least(positive, t)
        ),
    )
    shares, variances = [], []
    for scores in (unlabeled, positive):
        k, n = sum(score >= at for score in scores), len(scores)
        q = (k + 1) / (n + 2)
        shares.append(q)
        variances.append(q * (1 - q) / (n + 2))
    q_u, q_p = shares
    variance = variances[0] / q_p**2 + variances[1] * q_u**2 / q_p**4
    return 1.5 * math.sqrt(variance + (b - of_curve) ** 2)


def _slack(positive, unlabeled, gamma=0.01, delta=0.1):
    log = math.log(4 / delta) / 2
    return (1 + gamma) * (math.sqrt(log / len(unlabeled)) + math.sqrt(log / len(positive)))
