"""Audits of real tables whose truth is known: rows to check against a simple random sample.

Of each table 100 positives are labeled and 2,900 rows are unlabeled, of which a tenth or a fiftieth
is positive; labels are even, or twenty times as likely for easy positives (as in
`bench_feedback.py`). A random forest scores the unlabeled rows out of fold. Each draw is audited
several times, planned and anytime, for the number of positives plus or minus 20 %.

    python benchmarks/bench_audit_tables.py [--quick] [--draws 5] [--audits 20] [--only NAME ...]
        [--mode planned]

Audits of one draw share its labels and scores, so the standard error of a share that holds is
computed from the means of the draws.
"""

import argparse
import os
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from bench_audit import HALF_WIDTH, anytime, guessed, planned
from bench_feedback import ODDS, SHARES, easiness, labeled_rows, tables
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from onesided.audit import Audit
from onesided.audit._limits import stratum_limits

GOOD_AUC = 0.9
MODES = ("planned", "anytime")
SCORER = RandomForestClassifier(100, min_samples_leaf=3, class_weight="balanced", random_state=0)


def simple_random(n_rows: int, n_positive: int) -> int:
    """Rows of a simple random sample that is expected to reach the half width."""
    checked = np.arange(1, n_rows + 1)
    positive = np.round(checked * n_positive / n_rows).astype(int)
    low, high = stratum_limits(positive, checked, np.full(n_rows, n_rows), 0.05)
    wide = (high - low) / 2 > HALF_WIDTH * n_rows * positive / checked
    return int(checked[wide].max(initial=0)) + 1


def audits(rows, truth, labeled, n_audits, seed, modes=MODES):
    """AUC, and for each mode the rows over those of a random sample, reached and holds."""
    X = pd.get_dummies(rows).astype(np.float32)
    X = X.fillna(X.median()).to_numpy()
    scores = cross_val_predict(SCORER, X, labeled, cv=5, method="predict_proba")[:, 1]
    hidden, known = truth[~labeled], scores[labeled]
    scores = scores[~labeled] + 1e-9 * np.random.default_rng(seed).random((~labeled).sum())
    random = simple_random(len(hidden), int(hidden.sum()))
    found = []
    for number in range(n_audits):
        rng = np.random.default_rng([seed, number])
        posterior = guessed(scores, known, hidden.mean() * np.exp(rng.uniform(-0.7, 0.7)))
        for mode in modes:
            audit = Audit(scores, posterior=posterior, mode=mode, random_state=number)
            run = planned(hidden, audit) if mode == "planned" else anytime(hidden, audit, 25)
            found.append((mode, len(audit.checked) / random, *run))
    return roc_auc_score(hidden, scores), found


def main() -> None:
    """Print the figures of each table, and their means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=5, help="draws of labels")
    parser.add_argument("--audits", type=int, default=20, help="audits of each draw")
    parser.add_argument("--only", nargs="*", default=[], help="names of tables")
    parser.add_argument("--mode", nargs="*", choices=MODES, default=MODES, help="modes of audits")
    parser.add_argument("--quick", action="store_true", help="one audit of one table")
    given = parser.parse_args()
    if given.quick:
        given.draws, given.audits, given.only = 1, 1, ["page_blocks"]
        SCORER.set_params(n_estimators=10)
    shares, odds_of = (SHARES[:1], ODDS[:1]) if given.quick else (SHARES, ODDS)
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "tabular"
    everything = []
    for name, rows, truth in tables(folder, given.only):
        easy = easiness(rows, truth)
        for share, odds in product(shares, odds_of):
            aucs, found = [], []
            for draw in range(given.draws):
                rng = np.random.default_rng([draw, int(1000 * share), odds])
                kept, labeled = labeled_rows(rng, truth, easy, share, odds)
                part = rows.iloc[kept], truth[kept]
                auc, runs = audits(*part, labeled, given.audits, draw, given.mode)
                aucs.append(auc)
                found += [(auc, *run) for run in runs]
            everything += found
            line = f"{name:15} share {share:4} labels {odds:2}:1  AUC {np.mean(aucs):.3f}"
            for mode in given.mode:
                of_mode = np.array([each[2:] for each in found if each[1] == mode], dtype=float)
                rows_, reached, holds = of_mode.mean(axis=0)
                line += f"  {mode} {rows_:.2f} of random, reached {reached:.2f}, holds {holds:.3f}"
                of_draws = of_mode[:, 2].reshape(given.draws, -1).mean(axis=1)
                if given.draws > 1:
                    line += f" ± {of_draws.std(ddof=1) / given.draws**0.5:.3f}"
            print(line, flush=True)
    for mode in given.mode:
        of_mode = [each for each in everything if each[1] == mode]
        good = [each[2] for each in of_mode if each[0] >= GOOD_AUC]
        print(
            f"{mode}: holds in {np.mean([each[4] for each in of_mode]):.4f}; where the AUC is .9 "
            f"or more, rows {np.mean(good) if good else np.nan:.3f} of a random sample"
        )


if __name__ == "__main__":
    main()
