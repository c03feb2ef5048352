"""Rank of hidden positives, the one-class problem and its p-values (Geurts 2011)."""

import itertools
from statistics import NormalDist

import numpy as np
from scipy.optimize import minimize


def rank_share(score, unlabeled_scores):
    """Share of the unlabeled above, ties counted half."""
    above = sum(1 for other in unlabeled_scores if other > score)
    ties = sum(1 for other in unlabeled_scores if other == score)
    return (above + ties / 2) / len(unlabeled_scores)


def area_under_roc(hidden_scores, unlabeled_scores):
    """Share of pairs in which the hidden positive is above."""
    won = sum(
        1.0 if a > b else 0.5 if a == b else 0.0 for a in hidden_scores for b in unlabeled_scores
    )
    return won / (len(hidden_scores) * len(unlabeled_scores))


def one_class_dual(z, nu):
    """min ½|Σ α z|² with Σ α = 1, 0 ≤ α ≤ 1/(νT), by a general solver; α, w, ρ/|w|."""
    T = len(z)
    found = minimize(
        lambda a: 0.5 * float((a @ z) @ (a @ z)),
        np.full(T, 1 / T),
        jac=lambda a: z @ (a @ z),
        bounds=[(0.0, 1 / (nu * T))] * T,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": lambda _: np.ones(T)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    w = found.x @ z
    # ρ is where ½|w|² + 1/(νT) Σ max(0, ρ − w·z) − ρ is least: a value of w·z.
    rho = max(
        (w @ each for each in z),
        key=lambda r: r - sum(max(0.0, r - w @ each) for each in z) / (nu * T),
    )
    return found.x, w, rho / np.linalg.norm(w)


def kernel_score(k, rows, positives, subsets, dual, row):
    """f(o) = Σ α_i [mean over S+ of k(o', o) − mean over S'_i of k(o', o)]."""
    own = np.mean([k(rows[o], row) for o in positives])
    return sum(
        a * (own - np.mean([k(rows[o], row) for o in subset]))
        for a, subset in zip(dual, subsets, strict=True)
    )


def exact_p_value(aggregate, scores, positives):
    """Share of all sets of the size whose aggregated scores are at least the positives'."""
    observed = aggregate([scores[o] for o in positives])
    values = [
        aggregate([scores[o] for o in chosen])
        for chosen in itertools.combinations(range(len(scores)), len(positives))
    ]
    return sum(1 for value in values if value >= observed - 1e-12) / len(values)


def enrichment_by_enumeration(X, positives, statistic, two_valued=(), strata=None):
    """Raw and step-down p-values of each feature over all sets of the size, or all matched sets.

    Max-T, where for the features in `two_valued` the normal deviate of the raw p-value of each
    set stands in place of its statistic.
    """
    n, d = X.shape
    sets = matched_sets([0] * n if strata is None else strata, positives)
    own = sets.index(tuple(positives))
    values = np.array([[abs(statistic(X[:, j], list(s))) for j in range(d)] for s in sets])
    raw = [(values[:, j] >= values[own, j] - 1e-9).mean() for j in range(d)]
    for j in two_valued:
        shares = [(values[:, j] >= value - 1e-9).mean() for value in values[:, j]]
        values[:, j] = [-NormalDist().inv_cdf(p / 2) for p in shares]
    order = sorted(range(d), key=lambda j: -values[own, j])
    adjusted, highest_so_far = [0.0] * d, 0.0
    for place, j in enumerate(order):
        rest = order[place:]
        share = (values[:, rest].max(axis=1) >= values[own, j] - 1e-9).mean()
        highest_so_far = max(highest_so_far, share)
        adjusted[j] = highest_so_far
    return raw, adjusted


def table2_cell(row_auc, column_auc):
    """Tasks on which the row method is better, and its mean relative gain in percent on them."""
    gains = [100 * (a - b) / b for a, b in zip(row_auc, column_auc, strict=True) if a > b]
    return len(gains), sum(gains) / len(gains) if gains else None


def matched_sets(strata, positives):
    """All sets that have as many rows of each stratum as the positives."""
    wanted = sorted(strata[o] for o in positives)
    return [
        chosen
        for chosen in itertools.combinations(range(len(strata)), len(positives))
        if sorted(strata[o] for o in chosen) == wanted
    ]


def hull_distance(point, means, nu):
    """How far a point is from the reduced hull of some means."""
    with np.errstate(invalid="ignore"):  # of a point in the hull, which has no margin
        _, w, _ = one_class_dual(point - means, nu)
    return np.linalg.norm(w)


def standardized_distances(blocks, chosen, subsets, calibration, nu):
    """Of one set in each source: in standard deviations from the mean over other random sets."""
    found = []
    for X in blocks:
        means = np.array([X[list(each)].mean(axis=0) for each in subsets])
        null = [hull_distance(X[list(each)].mean(axis=0), means, nu) for each in calibration]
        own = hull_distance(X[list(chosen)].mean(axis=0), means, nu)
        found.append((own - np.mean(null)) / np.std(null))
    return found


def best_direction(z):
    """max c·z with c ≥ 0, |c| = 1, by trying many; only for two sources."""
    angles = np.linspace(0, np.pi / 2, 20_001)
    tried = np.array([np.cos(angles), np.sin(angles)]).T
    return tried[np.argmax(tried @ np.array(z))]


def score_of_sources(blocks, weights, positives, subsets, nu):
    """Score by the sum of linear kernels, each over the spread of its means, times its weight."""
    spreads = []
    for X in blocks:
        means = np.array([X[list(each)].mean(axis=0) for each in subsets])
        spreads.append(
            np.mean([(m - means.mean(axis=0)) @ (m - means.mean(axis=0)) for m in means])
        )
    beside = np.hstack(
        [
            X * np.sqrt(weight * sum(spreads) / spread)
            for X, weight, spread in zip(blocks, weights, spreads, strict=True)
        ]
    )
    means = np.array([beside[list(each)].mean(axis=0) for each in subsets])
    _, w, _ = one_class_dual(beside[positives].mean(axis=0) - means, nu)
    return beside @ w


def sources_by_enumeration(z, own):
    """P-values over all sets: of the set as a whole, and raw and step-down ones of each source.

    `z` has a row for each set, `own` is the place of the positives.
    """
    best = np.array([best_direction(each) @ each for each in z])
    whole = (best >= best[own] - 1e-3).mean()
    raw = [(column >= column[own] - 1e-3).mean() for column in z.T]
    order = sorted(range(z.shape[1]), key=lambda s: -z[own, s])
    adjusted, highest_so_far = [0.0] * z.shape[1], 0.0
    for place, s in enumerate(order):
        share = (z[:, order[place:]].max(axis=1) >= z[own, s] - 1e-3).mean()
        highest_so_far = max(highest_so_far, share)
        adjusted[s] = highest_so_far
    return whole, raw, adjusted
