"""Text beside other columns: what noise costs, and what a column that matters brings.

Of ten groups of messages of Usenet each is ranked in turn: 120 of its messages, of which 40 are
labeled, among 1,900 of all other groups. The same messages stand in one column of text, in two
(the first 60 characters and the rest), and beside columns of noise. In the other tables the text
says nothing and the other columns decide, or both do.

    python benchmarks/bench_blocks.py [--quick] [--groups N] [--tables NAME ...] [--out FILE.csv]

prints the area under the true ROC curve of the unlabeled, by out-of-fold scores, the mean over the
groups: for each method, and for what `onesided rank` takes, mostly the average (*taken*). All
tables take an hour and a half on one core.
"""

import argparse
import os
import warnings
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.metrics import roc_auc_score

from onesided import PositiveKFold, compare
from onesided.methods import rankers_for
from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.tables import describe
from onesided.tables._features import used_columns

N_POSITIVE, N_LABELED, N_OTHERS, N_FEW_OTHERS = 120, 40, 1_900, 100
N_GROUPS, N_VALUES = 10, 8
METHODS = ("naive-bayes", "logistic", "text-first")
QUICK = ("two texts",)


def draw(
    news: pd.DataFrame, group: str, rng: np.random.Generator, n_others: int
) -> tuple[Any, Any, Any]:
    """Messages, which of them are of the group, and which of these are labeled."""
    is_of_group = (news["group"] == group).to_numpy()
    of_group = rng.choice(np.flatnonzero(is_of_group), N_POSITIVE, replace=False)
    rows = np.append(of_group, rng.choice(np.flatnonzero(~is_of_group), n_others, replace=False))
    rows = rng.permutation(rows)
    truth = is_of_group[rows]
    labeled = np.zeros(len(rows), dtype=bool)
    labeled[rng.choice(np.flatnonzero(truth), N_LABELED, replace=False)] = True
    return news["text"].str.partition("\n\n")[2].to_numpy()[rows], truth, labeled


def layouts(text: Any, truth: Any, rng: np.random.Generator) -> dict[str, dict[str, Any]]:
    """Tables of the same rows by their names."""
    n, other = len(text), rng.permutation(text)

    def normal(shift: float, n_columns: int) -> dict[str, Any]:
        return {f"x{j}": rng.normal(size=n) + shift * truth for j in range(n_columns)}

    def values(share: float, n_columns: int) -> dict[str, Any]:
        told = truth & (rng.random((n_columns, n)) < share)
        drawn = np.where(told, 0, rng.integers(N_VALUES, size=(n_columns, n)))
        return {f"c{j}": [f"value {each}" for each in column] for j, column in enumerate(drawn)}

    def dates(form: str) -> dict[str, Any]:
        days = rng.integers(9_000, size=(5, n))
        first = date(1980, 1, 1)
        return {
            f"d{j}": [f"{first + timedelta(days=int(day)):{form}}" for day in column]
            for j, column in enumerate(days)
        }

    halves = {"start": [each[:60] for each in text], "rest": [each[60:] for each in text]}
    skew = {name: np.exp(2 * column) for name, column in normal(0, 5).items()}
    return {
        "one text": {"text": text},
        "two texts": halves,
        "two texts, 5 numbers": {**halves, **normal(0, 5)},
        "two texts, one says nothing": {"text": text, "other": other},
        "a year": {"text": text, "year": rng.integers(1950, 2020, n)},
        "5 numbers": {"text": text, **normal(0, 5)},
        "50 numbers": {"text": text, **normal(0, 50)},
        "5 skew numbers": {"text": text, **skew},
        "5 categories": {"text": text, **values(0, 5)},
        "5 dates": {"text": text, **dates("%d %B %Y")},
        "5 short texts": {"text": text, **dates("on day %j in %Y")},
        "a number says more": {"text": text, **normal(1, 1)},
        "a category says more": {"text": text, **values(0.5, 1)},
        "a weak number decides": {"text": other, **normal(0.5, 1)},
        "a number decides": {"text": other, **normal(1, 1)},
        "a strong number decides": {"text": other, **normal(2, 1)},
        "5 numbers decide": {"text": other, **normal(0.7, 5)},
        "a category decides": {"text": other, **values(0.5, 1)},
    }


def measure(columns: Any, truth: Any, labeled: Any, methods: Sequence[str]) -> dict[str, float]:
    """True AUC by method, and of the method that `onesided rank` takes."""
    table = pa.table(columns)
    summary = describe(table)
    mixed = len(summary.used) > 1
    asked = [name for name in methods if mixed or name != "text-first"]  # the same as logistic
    rankers = rankers_for(summary, methods=asked, n_positive=N_LABELED * 4 // 5)
    table = used_columns(table, summary)
    folds = PositiveKFold(5, random_state=0)
    found = {}
    for name, ranker in rankers.items():
        scored = unlabeled_out_of_fold_scores(ranker, table, labeled, cv=5, random_state=0)
        found[name] = roc_auc_score(truth[scored.rows], -scored.ranks)
    compared = compare(rankers, table, labeled, cv=folds, average=True)
    scored = unlabeled_out_of_fold_scores(
        compared.best_estimator_, table, labeled, fitted=compared.best_estimator_
    )
    return {**found, "taken": roc_auc_score(truth[scored.rows], -scored.ranks)}


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one group, one table, few messages")
    parser.add_argument("--tables", nargs="*", help="the tables, by default all")
    parser.add_argument("--groups", type=int, default=N_GROUPS, help="number of groups")
    parser.add_argument("--methods", nargs="*", default=METHODS, help="the methods compared")
    parser.add_argument("--out", type=Path, help="file for the areas of each group")
    given = parser.parse_args()
    wanted = QUICK if given.quick else given.tables
    path = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "text" / "newsgroups.parquet"
    if not path.is_file():
        print("newsgroups: not in ONESIDED_DATA, left out")
        return
    warnings.simplefilter("ignore")  # of columns that are dropped
    news = pd.read_parquet(path)
    groups = sorted(news["group"].unique())[::2][: 1 if given.quick else given.groups]
    found = []
    for number, group in enumerate(groups):
        rng = np.random.default_rng(number)
        text, truth, labeled = draw(news, group, rng, N_FEW_OTHERS if given.quick else N_OTHERS)
        tables = layouts(text, truth, rng)
        for name in wanted or tables:
            columns = tables[name]
            areas = measure(columns, truth, labeled, given.methods)
            found.append({"group": group, "table": name, **areas})
            told = ", ".join(f"{method} {area:.4f}" for method, area in areas.items())
            print(f"{group}, {name}: {told}", flush=True)
    results = pd.DataFrame(found)
    by_table = results.drop(columns="group").groupby("table", sort=False).mean()
    one = results[results["table"] == "one text"].set_index("group")["taken"]
    gap = results["group"].map(one) - results["taken"]
    by_table["mean below one text"] = gap.groupby(results["table"]).mean()
    by_table["most"] = gap.groupby(results["table"]).max()
    print(by_table.round(4).to_string())
    if given.out:
        results.round(5).to_csv(given.out, index=False)


if __name__ == "__main__":
    main()
