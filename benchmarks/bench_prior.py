"""The class prior: what it costs, the error of each method, and what bound and interval keep.

Protocol: labels are hidden in data whose classes are known, a share of the unlabeled being
positive; 100 to 1,000 positives, at most 4,000 unlabeled rows. The interval is held against two
normal laws, whose largest possible prior is known; the scorer is fitted anew in each half.
"""

import argparse
import os
import warnings
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _timing import in_turn, median_ratio, report
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided.datasets import hide_labels, make_gaussians
from onesided.exceptions import OnesidedWarning
from onesided.prior import estimate_class_prior, out_of_fold_scores

_PRIORS = (0.05, 0.25, 0.5, 0.75)
_N_POSITIVE = {
    "mushroom": 1000,
    "spambase": 400,
    "page_blocks": 100,
    "letter": 1000,
    "twonorm": 1000,
}
_MOST_UNLABELED = 4000


def read(name: str) -> tuple[pd.DataFrame, pd.Series] | None:
    """Columns and classes of a table; None where the file is not in ONESIDED_DATA."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data"))
    found = sorted(folder.rglob(f"{name}.parquet"))
    if not found:
        print(f"{name}: not in ONESIDED_DATA, left out")
        return None
    table = pd.read_parquet(found[0])
    label = table.pop("letter" if name == "letter" else table.columns[-1]).astype(str)
    return table, label


def data(name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows, and which are positive; None where the file is not in ONESIDED_DATA."""
    if name == "twonorm":
        rng = np.random.default_rng(0)
        positive = np.arange(12_000) < 6_000  # noqa: PLR2004 - half of them
        return rng.normal(
            np.where(positive, 2, -2)[:, None] / np.sqrt(20), 1, (12_000, 20)
        ), positive
    found = read(name)
    if found is None:
        return None
    table, label = found
    positive = {
        "mushroom": label == "p",
        "spambase": label == "1",
        "page_blocks": label != "1",
        "letter": label.between("A", "M"),
    }[name]
    return pd.get_dummies(table).to_numpy(float), positive.to_numpy()


def cost(n_rows: int, repeats: int, scorer: Any) -> None:
    """Print the time of an estimate in times of one cross-validation of its scorer."""
    problem = make_gaussians(2.0, n_features=20, class_prior=0.2)
    drawn = problem.sample(n_rows // 10, n_rows - n_rows // 10, random_state=0)
    X, y = drawn.X, drawn.y
    ours, theirs = in_turn(
        lambda: estimate_class_prior(X, y, scenario="case-control", estimator=scorer),
        lambda: out_of_fold_scores(X, y, estimator=scorer),
        repeats=repeats,
    )
    report(
        f"an estimate over a cross-validation, {n_rows:,} rows x 20", median_ratio(ours, theirs), 4
    )


def errors(
    names: Sequence[str],
    n_draws: int,
    n_subsamples: int,
    priors: tuple[float, ...],
    scorer: Any,
    most_unlabeled: int = _MOST_UNLABELED,
) -> None:
    """Print the mean absolute error of each method, and the bound, a line a data set."""
    by_set = {}
    for name in names:
        n_positive = _N_POSITIVE[name]
        problem = data(name)
        if problem is None:
            continue
        X, positive = problem
        rows = defaultdict(list)
        hidden, negative = positive.sum() - n_positive, (~positive).sum()
        for draw in range(n_draws):
            for number, prior in enumerate(priors):
                seed = 100 * draw + number
                n_unlabeled = int(min(most_unlabeled, hidden / prior, negative / (1 - prior)))
                drawn = hide_labels(
                    X,
                    positive,
                    n_positive=n_positive,
                    n_unlabeled=n_unlabeled,
                    class_prior=prior,
                    random_state=seed,
                )
                found = estimate_class_prior(
                    drawn.X,
                    drawn.y,
                    scenario="case-control",
                    estimator=scorer,
                    confidence=0.95,
                    n_subsamples=n_subsamples,
                    random_state=seed,
                )
                for method, point in found.by_method.items():
                    rows[method].append(abs(point - drawn.class_prior))
                rows["excess of the bound"].append(found.upper_bound - drawn.class_prior)
                rows["bound held"].append(found.upper_bound >= drawn.class_prior)
        by_set[name] = {what: np.mean(values) for what, values in rows.items()}
        print(f"{name}: best bin errs by {by_set[name]['best-bin']:.3f}", flush=True)
    table = pd.DataFrame(by_set).T
    table.loc["mean"] = table.mean()
    print(f"Mean absolute error, and the bound at .95; {n_draws} draws at {priors}")
    print(table.round(3).to_string())


def coverage(n_runs: int) -> None:
    """Print how often intervals of .9 cover the prior of two normal laws, and their length."""
    print(f"Intervals of .9, {n_runs} runs, logistic regression in two columns")
    for apart, prior, n_positive, n_unlabeled in (
        (1.5, 0.3, 400, 1200),
        (2.0, 0.3, 400, 1200),
        (3.0, 0.1, 200, 1000),
    ):
        rng = np.random.default_rng(0)
        inside, lengths = [], []
        for run in range(n_runs):
            hidden = rng.random(n_unlabeled) < prior
            labels = np.repeat([1, 0], [n_positive, n_unlabeled])
            X = rng.normal(size=(len(labels), 2))
            X[:, 0] += apart * np.append(np.ones(n_positive), hidden)
            low, high = estimate_class_prior(
                X,
                labels,
                scenario="case-control",
                estimator=LogisticRegression(),
                random_state=run,
            ).interval
            inside.append(low <= prior <= high)
            lengths.append(high - low)
        print(
            f"{apart:g} deviations apart, prior {prior}, {n_positive} + {n_unlabeled} rows: "
            f"covered {np.mean(inside):.3f}, mean length {np.mean(lengths):.3f}",
            flush=True,
        )


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)  # duplicates are many in some of the sets
        if quick:
            scorer = make_pipeline(StandardScaler(), LogisticRegression())
            cost(600, 1, scorer)
            errors(["spambase"], 1, 2, _PRIORS[1:2], scorer, most_unlabeled=400)
        else:
            cost(3000, 3, None)
            errors(list(_N_POSITIVE), 5, 2, _PRIORS, None)
        coverage(2 if quick else 200)


if __name__ == "__main__":
    main()
