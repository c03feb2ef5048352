"""Bounds and promises where labels are uneven: how often they hold, and what even labels lose.

Scores are normal, of equal spread; 2,000 unlabeled rows, a tenth of them positive. Of the positives
those that score above a cut have the odds of being labeled of the others times a factor, which is
the worst that the declared ratio allows: the cut is at the lowest tenth, the median or the highest
tenth. In case-control data the known positives are drawn apart, in a single training set they are
taken out of the sample.

    python benchmarks/bench_uneven.py [--quick] [--draws 500] [--tables]

prints for each cell how often the upper bound of the prior is above the prior, how often the
shortlist reaches its recall among all positives, and the share of positives among the discarded
rows; in the lines of even labels also how much is lost by declaring a ratio that is not there.
`--tables` prints instead how often the bound holds on real tables of which easy positives are
labeled about 20 times as often, at the ratio of the odds of the draw.
"""

import argparse
import os
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from bench_feedback import easiness
from bench_feedback import tables as read
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesClassifier

from onesided.exceptions import OnesidedWarning
from onesided.prior import prior_upper_bound
from onesided.prior._estimate import halve
from onesided.promises import ConformalTest, recall_shortlist

N_ROWS, PRIOR, RECALL, SHARE, CONFIDENCE = 2000, 0.1, 0.9, 0.02, 0.95
RATIOS, APART, N_KNOWN = (1, 3, 10), (1.0, 2.0, 3.5), (30, 100, 500)
CUTS = (0.1, 0.5, 0.9)  # shares of the positives below them
SCENARIOS = ("case-control", "single-training-set")
N_LABELED, N_UNLABELED, MOST_PRIOR, EASY, MOST_CHANCE = 100, 2900, 0.45, 20, 0.9
TABLES = ("spambase", "mushroom", "page_blocks", "letter")


def draw(rng, scenario, apart, n_known, ratio, cut):
    """Scores of known positives and of unlabeled rows, and which of these are positive."""
    easy = norm.ppf(cut)
    if scenario == "case-control":
        pool = rng.normal(size=30 * n_known * ratio)
        is_known = rng.random(len(pool)) < np.where(pool > easy, 1, 1 / ratio)
        known = pool[is_known][:n_known]
        hidden = rng.normal(size=rng.binomial(N_ROWS, PRIOR))
    else:  # as many are labeled as wanted, on average; the odds differ by the ratio
        n_hidden = int(PRIOR * N_ROWS)
        positives = rng.normal(size=n_known + n_hidden)
        is_easy = positives > easy

        def excess(level):
            return expit(level + np.log(ratio) * is_easy).mean() - n_known / len(positives)

        level = brentq(excess, -20, 20)
        is_known = rng.random(len(positives)) < expit(level + np.log(ratio) * is_easy)
        known, hidden = positives[is_known], positives[~is_known]
    negative = rng.normal(size=N_ROWS - len(hidden))
    rest = np.append(hidden + apart, negative)
    return known + apart, rest, np.arange(len(rest)) < len(hidden)


def one(scenario, apart, n_known, true_ratio, ratio, cut, seed):
    """What one draw says of the bound, the shortlist and the discarded rows.

    Whether the bound holds, and the bound; whether recall is kept, and the share that is listed;
    the positive share of the discarded rows, and the share that is discarded.
    """
    rng = np.random.default_rng([seed, int(10 * apart), n_known, true_ratio, int(10 * cut)])
    known, rest, positive = draw(rng, scenario, apart, n_known, true_ratio, cut)
    bound = prior_upper_bound(known, rest, CONFIDENCE, label_odds_ratio=ratio)
    listed = reached = np.nan
    try:
        short = recall_shortlist(
            known, rest, recall=RECALL, confidence=CONFIDENCE, label_odds_ratio=ratio
        )
    except ValueError:  # too few positives
        pass
    else:
        listed = short.selected.mean()
        reached = kept(scenario, short.threshold - apart, known - apart, cut, true_ratio) >= RECALL
    gone = ConformalTest.of_scores(known, rest).discarded(SHARE, label_odds_ratio=ratio)
    false = (gone & positive).sum() / max(gone.sum(), 1)
    return bound >= positive.mean(), bound, reached, listed, false, gone.mean()


def kept(scenario, threshold, known, cut, ratio):
    """Share of the hidden positives above a threshold, of the law that they are drawn from."""
    if scenario == "case-control":
        return norm.sf(threshold)
    n_hidden = int(PRIOR * N_ROWS)
    share = len(known) / (len(known) + n_hidden)

    def labeled(level):
        return cut * expit(level) + (1 - cut) * expit(level + np.log(ratio)) - share

    level = brentq(labeled, -20, 20)
    hidden_low, hidden_high = expit(-level), expit(-level - np.log(ratio))
    low = max(0.0, cut - norm.cdf(threshold)) * hidden_low
    high = min(1 - cut, norm.sf(threshold)) * hidden_high
    return (low + high) / (cut * hidden_low + (1 - cut) * hidden_high)


def simulate(n_draws, ratios, aparts, sizes):
    """Print the table, and how rare the worst cell is."""
    worst = {"bound": 1.0, "recall": 1.0}
    for scenario, apart, n_known, ratio in product(SCENARIOS, aparts, sizes, ratios):
        for true_ratio in {1, ratio}:
            cuts = CUTS if true_ratio > 1 else CUTS[:1]
            cells = np.array(
                [
                    [one(scenario, apart, n_known, true_ratio, ratio, cut, i) for cut in cuts]
                    for i in range(n_draws)
                ],
                dtype=float,
            )
            holds, bound, reached, listed, false, gone = np.nanmean(cells, axis=0).T
            worst["bound"] = min(worst["bound"], holds.min())
            if not np.isnan(reached).any():
                worst["recall"] = min(worst["recall"], reached.min())
            print(
                f"{scenario:19} apart {apart:3} known {n_known:3}  declared {ratio:2} true "
                f"{true_ratio:2}  bound holds {holds.min():.3f}, mean {bound.mean():.3f}  recall "
                f"{RECALL} kept {reached.min():.3f}, listed {listed.mean():.3f}  discarded "
                f"{gone.mean():.3f}, positive of them {false.max():.4f}",
                flush=True,
            )
    error = 2 * np.sqrt(CONFIDENCE * (1 - CONFIDENCE) / n_draws)
    for what, share in worst.items():
        limit = CONFIDENCE - error
        print(f"least share of draws in which the {what} holds: {share:.3f} (at least {limit:.3f})")


def tables(n_draws, names):
    """Print how often the bound holds on tables, at the ratio of the odds that were drawn with."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "tabular"
    for name, frame, truth in read(folder, names):
        easy = easiness(frame, truth)
        X = np.asarray(np.nan_to_num(_numbers(frame)), dtype=np.float32)
        found = []
        for seed in range(n_draws):
            rng = np.random.default_rng(seed)
            share = min(MOST_PRIOR, truth.mean())
            n_positive = int(share * N_UNLABELED) + N_LABELED
            rows = np.append(
                rng.choice(np.flatnonzero(truth), min(n_positive, truth.sum()), replace=False),
                rng.choice(
                    np.flatnonzero(~truth), min(N_UNLABELED, int((~truth).sum())), replace=False
                ),
            )
            positive = truth[rows]
            labeled, ratio = _labels(rng, positive, easy[rows])
            half = halve(labeled, None, np.random.RandomState(seed))
            scorer = ExtraTreesClassifier(
                200, min_samples_leaf=5, class_weight="balanced", random_state=seed, n_jobs=1
            ).fit(X[rows][~half], labeled[~half])
            scores = scorer.predict_proba(X[rows][half])[:, 1]
            known, rest = scores[labeled[half]], scores[~labeled[half]]
            prior = positive[~labeled].mean()
            found.append(
                [prior, ratio]
                + [
                    prior_upper_bound(known, rest, CONFIDENCE, label_odds_ratio=each)
                    for each in (1.0, 3.0, ratio)
                ]
            )
        prior, ratio, *bounds = np.array(found).T
        held = [float((each >= prior).mean()) for each in bounds]
        print(
            f"{name:12} prior {prior.mean():.3f}  ratio of odds {ratio.mean():.0f}  bound at 1: "
            f"{bounds[0].mean():.3f}, holds {held[0]:.2f}; at 3: {bounds[1].mean():.3f}, "
            f"{held[1]:.2f}; at the ratio of the draw: {bounds[2].mean():.3f}, {held[2]:.2f}",
            flush=True,
        )


def _numbers(frame):
    return pd.get_dummies(frame).astype(float).to_numpy()


def _labels(rng, positive, easy):
    """Which rows are labeled, N_LABELED on average, and the ratio of the odds among positives.

    Positives that are easier than the median one are EASY times as likely to be labeled.
    """
    chance = np.where(easy > np.median(easy[positive]), EASY, 1.0)
    low = min(N_LABELED / chance[positive].sum(), MOST_CHANCE / EASY)
    odds = [each / (1 - each) for each in (low, EASY * low)]
    return positive & (rng.random(len(positive)) < low * chance), odds[1] / odds[0]


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)
        if given.tables:
            tables(*((2, TABLES[:1]) if given.quick else (min(given.draws, 100), TABLES)))
        elif given.quick:
            simulate(4, (3,), (2.0,), (100,))
        else:
            simulate(given.draws, RATIOS, APART, N_KNOWN)


if __name__ == "__main__":
    main()
