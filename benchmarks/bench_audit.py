"""Audits of populations whose truth is known: rows to check, and how often intervals hold.

Scores are normal, of equal spread in both classes; 10,000 unlabeled rows. The guessed posterior
comes from 100 known positives and a share of positives that is guessed wrong by a factor of up to
two. Cells: the share of positives by the AUC of the scores. Worlds: labels drawn evenly; labels
about 20 times as likely for easy positives; scores that are worth nothing; reversed scores; a third
of the positives among the lowest scores.

Planned: a first part of two fifths of the expected cost, then the cost that the audit names, for
the number of positives plus or minus 20 %. Anytime: batches until that half width is reached; an
interval that misses at any look counts as a miss.

    python benchmarks/bench_audit.py --runs 2000 --out docs/audit_cells.csv

takes four hours of one core. It goes on from the cells that the file already has; `docs/audit.rst`
shows this file.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import norm
from sklearn.isotonic import IsotonicRegression

from onesided.audit import Audit

N_ROWS, N_KNOWN, HALF_WIDTH = 10_000, 100, 0.2
SHARES, AUCS = (0.02, 0.1, 0.3), (0.8, 0.9, 0.97)
WORLDS = ("even labels", "uneven labels", "useless", "reversed", "a third lowest")
UNEVEN = np.log(20) / 2  # easy positives lie two deviations above hard ones
TWO_STAGE = dict(
    zip(product(SHARES, AUCS), (3107, 2464, 1982, 836, 595, 438, 211, 170, 113), strict=True)
)
"""Rows that a first prototype of the planned audit took with even labels."""
BATCH = {0.02: 100, 0.1: 25, 0.3: 10}


def population(rng, world, share, auc):
    """Truth, scores and guessed posterior of the unlabeled rows."""
    apart = np.sqrt(2) * norm.ppf(auc)
    truth = np.arange(N_ROWS) < rng.binomial(N_ROWS, share)
    scores = rng.normal(apart * truth, 1)
    pool = rng.normal(apart, 1, 4000)
    chance = np.exp((UNEVEN if world == "uneven labels" else 0) * (pool - apart))
    known = rng.choice(pool, N_KNOWN, replace=False, p=chance / chance.sum())
    if world == "useless":
        scores, known = rng.normal(size=N_ROWS), rng.normal(size=N_KNOWN)
    if world == "a third lowest":
        positives = np.flatnonzero(truth)
        lowest = positives[: len(positives) // 3]
        scores[lowest] = scores.min() - rng.random(len(lowest))
    posterior = guessed(scores, known, share * np.exp(rng.uniform(-0.7, 0.7)))
    if world == "reversed":
        scores = -scores  # a posterior that rises with the wrong end
        posterior = np.sort(posterior)[np.argsort(np.argsort(scores))]
    return truth, scores, posterior


def guessed(scores, known, share):
    """A posterior by isotonic regression of known positives against unlabeled rows."""
    label = np.repeat([1.0, 0.0], [len(known), len(scores)])
    fit = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    p = np.clip(fit.fit(np.append(known, scores), label).predict(scores), 0, 0.98)
    odds = share * len(scores) / len(known) * p / (1 - p)
    return np.clip(odds, 0.02 * share, 0.95)


def planned(truth, audit):
    """Rows, whether the half width was reached, and whether the interval holds."""
    for part in (0.4, 1.0):
        check(audit, truth, max(int(part * audit.cost(HALF_WIDTH)), 30 if part < 1 else 0))
    found = audit.count()
    return reached(found), holds(found, truth)


def anytime(truth, audit, batch):
    """As `planned`; the interval must hold at each look."""
    all_hold = True
    while len(audit.checked) < audit.n_rows:
        check(audit, truth, batch)
        found = audit.count()
        all_hold &= holds(found, truth)
        if reached(found):
            break
    return reached(found), all_hold


def check(audit, truth, n):
    """Draw rows and record the truth of them."""
    rows = audit.draw(n)
    audit.record(rows, truth[rows])


def reached(found):
    """Whether the interval is as narrow as it should be."""
    return found.half_width <= HALF_WIDTH * found.point


def holds(found, truth):
    """Whether the interval holds; rounding apart."""
    low, high = found.interval
    return low - 1e-6 <= truth.sum() <= high + 1e-6


def run(mode, world, share, auc, seed):
    """One audit: rows, reached, holds."""
    rng = np.random.default_rng([seed, WORLDS.index(world), int(1000 * share), int(100 * auc)])
    truth, scores, posterior = population(rng, world, share, auc)
    audit = Audit(scores, posterior=posterior, mode=mode, random_state=seed)
    found = planned(truth, audit) if mode == "planned" else anytime(truth, audit, BATCH[share])
    return len(audit.checked), *found


def cell(mode, world, share, auc, runs):
    """Means over the audits of one cell, as a row of the table."""
    seeds = range(runs)
    found = Parallel(n_jobs=-1)(delayed(run)(mode, world, share, auc, seed) for seed in seeds)
    rows, reach, hold = np.mean(found, axis=0).tolist()
    return {
        "mode": mode,
        "scores and labels": world,
        "share": share,
        "AUC": auc,
        "audits": runs,
        "rows": round(rows),
        "rows / prototype": round(rows / TWO_STAGE[share, auc], 3),
        "reached": round(reach, 4),
        "held": round(hold, 4),
    }


def summary(table):
    """Coverage by mode and world, and rows against the prototype with even labels."""
    held = table.groupby(["mode", "scores and labels"], sort=False)["held"]
    yield held.agg(["size", "min", "mean", "max"]).round(4).to_string()
    for mode, cells in table[table["scores and labels"] == WORLDS[0]].groupby("mode"):
        ratio = cells["rows / prototype"]
        yield f"{mode}: rows / prototype {ratio.mean():.3f} in the mean, at most {ratio.max():.3f}"


def main():
    """Print the table and its summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--out", type=Path, help="CSV file of the cells; it is continued")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    worlds, cells, runs = WORLDS, list(product(SHARES, AUCS)), given.runs
    if given.quick:
        worlds, cells, runs = WORLDS[:1], cells[-1:], 2
    found = pd.DataFrame()
    if given.out is not None and given.out.exists():
        found = pd.read_csv(given.out)
    for mode, world, (share, auc) in product(("planned", "anytime"), worlds, cells):
        asked = {"mode": mode, "scores and labels": world, "share": share, "AUC": auc}
        if len(found) and (found[list(asked)] == list(asked.values())).all(axis=1).any():
            continue
        row = cell(mode, world, share, auc, runs)
        print(row, flush=True)
        found = pd.concat([found, pd.DataFrame([row])], ignore_index=True)
        if given.out is not None:
            found.to_csv(given.out, index=False)
    print(*summary(found), sep="\n")


if __name__ == "__main__":
    main()
