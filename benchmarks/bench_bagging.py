"""`PUBagging`: time beside a forest, and AUC on hidden truth beside a forest and a linear model."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _timing import in_turn, median_ratio, report
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import WeightedLogisticRegression
from onesided.models.composite import PUBagging

_MOST_ROWS, _TEST_SHARE, _LABEL_FREQUENCY = 5_000, 0.4, 0.1
_POSITIVES = 100  # of the table that is timed
_TABLES = ("letter", "mushroom", "spambase")


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Name, numbers and truth of each table that the data folder has."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data"))
    for name in _TABLES:
        found = sorted(folder.rglob(f"{name}.parquet"))
        if not found:
            print(f"{name}: no {name}.parquet in ONESIDED_DATA, not measured")
            continue
        frame = pd.read_parquet(found[0])
        target = frame.pop(frame.columns[-1]).astype(str).to_numpy()
        truth = target <= "M" if name == "letter" else target == max(target)
        yield name, pd.get_dummies(frame).to_numpy(dtype=float), truth


def aucs(X: Any, truth: Any, models: dict[str, Any], seed: int) -> list[float]:
    """AUC of each model on the test part; a tenth of the training positives are labeled."""
    most = min(_MOST_ROWS, len(truth))
    rows = np.random.default_rng(seed).permutation(len(truth))
    if most < len(rows):
        rows, _ = train_test_split(rows, train_size=most, stratify=truth[rows], random_state=seed)
    train, test = train_test_split(
        rows, test_size=_TEST_SHARE, stratify=truth[rows], random_state=seed
    )
    positives = train[truth[train]]
    y = np.isin(train, positives[: round(_LABEL_FREQUENCY * len(positives))])
    found = []
    for model in models.values():
        model.fit(X[train], y)
        if hasattr(model, "decision_function"):
            scores = model.decision_function(X[test])
        else:
            scores = model.predict_proba(X[test])[:, 1]
        found.append(float(roc_auc_score(truth[test], scores)))
    return found


def quality(n_seeds: int, n_bags: int) -> None:
    """Print the mean AUCs, and how far bagging is above the others."""
    means = []
    for name, X, truth in tables():
        found = []
        for seed in range(n_seeds):
            models = {
                "bagging": PUBagging(n_estimators=n_bags, random_state=seed),
                "random forest": RandomForestClassifier(random_state=seed),
                "logistic": make_pipeline(StandardScaler(), WeightedLogisticRegression(1.0)),
            }
            found.append(aucs(X, truth, models, seed))
        means.append(np.mean(found, axis=0))
        figures = ", ".join(
            f"{each} {auc:.3f}" for each, auc in zip(models, means[-1], strict=True)
        )
        print(f"AUC at label frequency 0.1, {name}: {figures}")
    if not means:
        return
    bagging, forest, logistic = np.mean(means, axis=0)
    for peer, auc, target in (("random forest", forest, 0.05), ("logistic", logistic, 0.02)):
        met = "met" if bagging - auc > target else "MISSED"
        what = f"mean AUC of bagging {bagging:.3f}, less that of {peer} {auc:.3f}"
        print(f"{what:<66} {bagging - auc:6.3f}  (more than {target:g}: {met})")


def main() -> None:
    """Print the ratio and the differences."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n_rows, n_features, n_bags = (1_000, 20, 20) if quick else (20_000, 500, 1_000)
    X = np.random.default_rng(0).normal(size=(n_rows, n_features))
    y = np.arange(n_rows) < _POSITIVES
    X[y, :10] += 1

    def ours() -> None:
        PUBagging(n_estimators=n_bags, random_state=0).fit(X, y)

    def peer() -> None:
        ExtraTreesClassifier(n_estimators=100, random_state=0).fit(X, y)

    times = in_turn(ours, peer, repeats=1 if quick else 3)
    what = f"PUBagging, {n_bags:,} bags, {n_rows:,} x {n_features} / 100 extra trees"
    report(what, median_ratio(*times), 60)
    quality(1 if quick else 5, 20 if quick else 300)


if __name__ == "__main__":
    main()
