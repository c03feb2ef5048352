"""Which method when: the rankers of the command line on real sets whose truth is known.

Of each set 2,000 rows are learned from, with a share of the positives labeled, and 2,000 others are
kept for the truth. Two areas under the ROC curve: of labeled positives hidden in turn among the
unlabeled, which is all that a user can have, and of the true classes of the kept rows.

    python benchmarks/bench_methods.py --out docs/methods

writes what the page `docs/methods.rst` shows, in a quarter of an hour on one core.
"""

import argparse
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from onesided import LGN, PositiveKFold, RocchioSVM, SpyEM, compare
from onesided.datasets import hide_labels
from onesided.methods import rankers_for
from onesided.tables import TableSummary, describe
from onesided.tables._features import used_columns

Problem: TypeAlias = tuple[str, str, pd.DataFrame, np.ndarray]
"""What it is called, the kind of its columns, the rows, and which are positive."""

N_ROWS = 2_000
FREQUENCIES = (0.1, 0.3, 0.5)
# The file, the column of the truth, its positive values, columns that are no features.
TABLES = {
    "car": ("acceptability", ["acc", "good", "vgood"], []),
    "spambase": ("spam", ["1"], []),
    "mushroom": ("edibility", ["p"], []),
    "tic_tac_toe": ("x_wins", ["positive"], []),
    "kr_vs_kp": ("outcome", ["won"], []),
    "nursery": ("recommendation", ["spec_prior"], []),
    "splice_junctions": ("junction", ["EI"], ["instance"]),
    "page_blocks": ("block_class", ["2", "3", "4", "5"], []),
    "letter": ("letter", ["D", "O", "Q"], []),
    "adult": ("income", [">50K"], []),
    "bank_marketing": ("subscribed", ["yes"], ["duration"]),
}
WORDS = {
    "reuters: crude": "crude",
    "reuters: acq": "acq",
    "newsgroups: sci.med": "sci.med",
    "newsgroups: rec.autos": "rec.autos",
}
ON_CATEGORIES = ("naive-bayes", "tree", "one-dependence", "logistic", "bagging")
ON_NUMBERS = (*ON_CATEGORIES, "splines", "significance", "center-of-mass")


def tables(folder: Path) -> Iterator[Problem]:
    """The tables that are there."""
    for name, (label, positive, dropped) in TABLES.items():
        if not (folder / f"{name}.parquet").is_file():
            print(f"{name}: not in ONESIDED_DATA, left out")
            continue
        table = pd.read_parquet(folder / f"{name}.parquet").drop(columns=dropped)
        truth = table.pop(label).isin(positive).to_numpy()
        table = table.astype(dict.fromkeys(table.select_dtypes("category"), object))
        n_numbers = len(table.select_dtypes("number").columns)
        kinds = {0: "categories", table.shape[1]: "numbers"}
        yield name, kinds.get(n_numbers, "both"), table, truth


def texts(folder: Path) -> Iterator[Problem]:
    """The documents that are there."""
    for name, positive in WORDS.items():
        corpus = name.partition(":")[0]
        if not (folder / f"{corpus}.parquet").is_file():
            print(f"{name}: not in ONESIDED_DATA, left out")
            continue
        read = pd.read_parquet(folder / f"{corpus}.parquet")
        if corpus == "reuters":
            read = read[read["topics"].map(len) > 0]
            text = read["title"] + "\n" + read["body"]
            truth = [positive in topics for topics in read["topics"]]
        else:
            text = read["text"].str.partition("\n\n")[2]
            truth = read["group"] == positive
        yield name, "text", pd.DataFrame({"text": text}), np.array(truth)


def methods(summary: TableSummary, kind: str, n_positive: int) -> dict[str, Any]:
    """Pipelines by name."""
    wanted = {"categories": ON_CATEGORIES, "both": ON_NUMBERS[:-2], "numbers": ON_NUMBERS}
    found = rankers_for(summary, methods=wanted.get(kind, ()), n_positive=n_positive)
    if kind == "text":
        counts = found["multinomial naive Bayes"]
        for name, model in {
            "LGN": LGN(),
            "spies and EM": SpyEM(random_state=0),
            "Rocchio and SVM": RocchioSVM(),
        }.items():
            found[name] = clone(counts).set_params(model=model)
    return found


def measure(problem: Problem, frequency: float) -> pd.DataFrame:
    """One row a method: both areas, and the seconds of one fit and its scores."""
    name, kind, rows, truth = problem
    n_rows = min(N_ROWS, len(rows) // 2)
    learned, kept = np.split(np.random.default_rng(0).permutation(len(rows))[: 2 * n_rows], 2)
    drawn = hide_labels(
        rows.iloc[learned], truth[learned], label_frequency=frequency, random_state=0
    )
    table, others = (
        pa.Table.from_pandas(part, preserve_index=False) for part in (drawn.X, rows.iloc[kept])
    )
    codes = [] if kind == "text" else list(rows.select_dtypes(object))
    summary = describe(table, categorical=codes)
    given = methods(summary, kind, int(drawn.y.sum()) * 4 // 5)
    table, others = used_columns(table, summary), used_columns(others, summary)
    folds = PositiveKFold(5, random_state=0)
    hidden = compare(given, table, drawn.y, cv=folds, refit=False).hidden
    found = []
    for method, pipeline in given.items():
        start = time.perf_counter()
        scores = clone(pipeline).fit(table, drawn.y).decision_function(others)
        seconds = time.perf_counter() - start
        found.append((method, hidden[method].auc, roc_auc_score(truth[kept], scores), seconds))
    columns = ["method", "hidden_auc", "true_auc", "seconds"]
    measured = pd.DataFrame(found, columns=columns)
    measured.insert(0, "data", name)
    measured.insert(1, "kind", kind)
    measured.insert(2, "label_frequency", frequency)
    measured.insert(3, "n_labeled", int(drawn.y.sum()))
    return measured.assign(place=measured["true_auc"].rank(ascending=False))


def by_kind(results: pd.DataFrame) -> pd.DataFrame:
    """True AUC by kind of columns and method, the mean over sets, one column a frequency."""
    groups = results.groupby(["kind", "method"], sort=False)
    areas = results.pivot_table("true_auc", ["kind", "method"], "label_frequency", sort=False)
    areas = areas.rename(columns=lambda frequency: f"AUC, {frequency:.0%} labeled").round(3)
    more = groups.agg(place=("place", "mean"), seconds=("seconds", "median")).round(1)
    found = areas.join(more).reset_index()
    kinds = {kind: n for n, kind in enumerate(["categories", "numbers", "both", "text"])}
    return found.sort_values(
        ["kind", "place"], key=lambda column: column.map(kinds) if column.name == "kind" else column
    )


def of_choice(results: pd.DataFrame) -> pd.DataFrame:
    """What it costs to take the method with the highest hidden-positive AUC."""
    problems = results.groupby(["kind", "label_frequency"], sort=False)
    found = []
    for (kind, frequency), of_kind in problems:
        sets = of_kind.groupby("data")
        best = sets["true_auc"].max()
        chosen = of_kind.loc[sets["hidden_auc"].idxmax()].set_index("data")["true_auc"]
        fixed = of_kind.groupby("method")["true_auc"].mean().max()
        found.append((kind, frequency, best.mean(), chosen.mean(), fixed))
    columns = ["kind", "label_frequency", "best", "chosen", "best of one method"]
    return pd.DataFrame(found, columns=columns).round(3)


def picture(results: pd.DataFrame) -> alt.Chart:
    """How far each method is below the best of a problem."""
    best = results.groupby(["data", "label_frequency"])["true_auc"].transform("max")
    rows = results.assign(below=best - results["true_auc"])
    rows = rows.groupby(["kind", "method"], sort=False)["below"].mean().reset_index()
    return (
        alt.Chart(rows)
        .mark_bar(color="#5b7795")
        .encode(
            x=alt.X("below:Q", title="true AUC below the best method of a problem, mean"),
            y=alt.Y("method:N", title=None, sort="x", axis=alt.Axis(labelLimit=260)),
            row=alt.Row("kind:N", title=None, sort=["categories", "numbers", "both", "text"]),
        )
        .properties(width=360)
        .resolve_scale(y="independent")
    )


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="the first table, one frequency")
    parser.add_argument("--out", type=Path, help="folder for the tables and the picture")
    given = parser.parse_args()
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data"))
    problems = tables(folder / "tabular")
    if given.quick:
        problems, frequencies = iter(list(problems)[:1]), FREQUENCIES[1:2]
    else:
        problems, frequencies = iter([*problems, *texts(folder / "text")]), FREQUENCIES
    warnings.simplefilter("ignore")  # of the estimates of the prior, where kinds overlap
    found = []
    for problem in problems:
        for frequency in frequencies:
            found.append(measure(problem, frequency))
            print(found[-1].to_string(index=False, float_format="%.3f"), flush=True)
    if not found:
        return
    results = pd.concat(found)
    print(by_kind(results).to_string(index=False), of_choice(results).to_string(index=False))
    if given.out:
        given.out.mkdir(exist_ok=True)
        results.round(4).to_csv(given.out / "results.csv", index=False)
        by_kind(results).to_csv(given.out / "by_kind.csv", index=False)
        of_choice(results).to_csv(given.out / "of_choice.csv", index=False)
        picture(results).save(given.out / "below_best.svg")


if __name__ == "__main__":
    main()
