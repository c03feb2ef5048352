"""Reviews read until 95 % of the papers to include are found: papers read, and recall.

Of each systematic review up to ten included papers are known; logistic regression on tf-idf ranks
the others. `Audit` draws batches for the share found, until it is certain that .95 is. The floor is
the least, over stopping points of the ranking, of the papers read so far plus the share of the rest
that must be drawn by chance even if no further paper turns up: 1 - .05^(1 / (m + 1)), where m
papers may be missed. It does not count the papers that the ranking leaves among the rest, so that a
ranking with a long tail cannot reach it.

    python benchmarks/bench_screening.py [--runs 20]
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from onesided.audit import Audit

RECALL, ERROR, N_KNOWN = 0.95, 0.05, 10
FILES = {
    "drug_reviews": ("review", "label_included"),
    "clef_topics": ("topic", "label"),
}


def reviews() -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """Name, records, and which papers are included; none without the data."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "screening"
    for name, (group, label) in FILES.items():
        path = folder / f"{name}.parquet"
        if not path.exists():
            print(f"{name}: not in ONESIDED_DATA, left out")
            continue
        for review, rows in pd.read_parquet(path).groupby(group):
            yield str(review), rows, rows[label].to_numpy().astype(bool)


def floor(included: np.ndarray) -> float:
    """Papers that must be read; `included` in the order of the ranking."""
    read = np.arange(len(included) + 1)
    may_miss = np.floor(np.append(0, included.cumsum()) * (1 - RECALL) / RECALL + 1e-9)
    return float((read + (1 - ERROR ** (1 / (may_miss + 1))) * (len(included) - read)).min())


def one_run(texts: pd.Series, included: np.ndarray, seed: int) -> tuple[float, float, float]:
    """Papers read, the floor, and the recall among the papers that were not known."""
    rng = np.random.default_rng(seed)
    positives = np.flatnonzero(included)
    known = np.zeros(len(included), dtype=bool)
    known[rng.choice(positives, max(2, min(N_KNOWN, len(positives) // 3)), replace=False)] = True
    ranker = make_pipeline(
        TfidfVectorizer(sublinear_tf=True, min_df=2),
        LogisticRegression(C=10, class_weight="balanced"),
    ).fit(texts, known)
    scores, truth = ranker.decision_function(texts[~known]), included[~known]
    audit = Audit(scores, random_state=seed)
    while len(audit.checked) < audit.n_rows and audit.found().interval[0] < RECALL:
        rows = audit.draw(max(10, audit.n_rows // 50), what="found", recall=RECALL)
        audit.record(rows, truth[rows])
    least = floor(truth[np.argsort(-scores, kind="stable")])
    return len(audit.checked), least, truth[audit.checked].sum() / truth.sum()


def main() -> None:
    """Print the figures of each review, and of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="runs of each review")
    parser.add_argument("--quick", action="store_true", help="one run of one review")
    given = parser.parse_args()
    ratios, kept = [], []
    for name, records, included in reviews():
        texts = records["title"].fillna("") + " " + records["abstract"].fillna("")
        runs = range(1 if given.quick else given.runs)
        found = np.array([one_run(texts, included, seed) for seed in runs])
        read, least, recall = found.mean(axis=0)
        ratios.append(read / least)
        kept.append((found[:, 2] >= RECALL).mean())
        print(
            f"{name:20} {len(texts):5} papers, {included.sum():3} included: read {read:6.0f}, "
            f"floor {least:6.0f}, {ratios[-1]:4.2f} times; recall {recall:.3f}, "
            f"kept {kept[-1]:.2f}",
            flush=True,
        )
        if given.quick:
            break
    if ratios:
        print(
            f"mean: {np.mean(ratios):.2f} times the floor, at most {max(ratios):.2f}; recall of "
            f"{RECALL} kept in {np.mean(kept):.3f} of the runs"
        )


if __name__ == "__main__":
    main()
