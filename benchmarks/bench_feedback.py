"""What verdicts fed back into `onesided rank` do to the order of rows that nobody checked.

Of each table 100 positives are labeled and 2,900 rows are unlabeled, of which a tenth or a fiftieth
is positive. Labels are even, or twenty times as likely for the easier half of the positives: those
that score high by a forest that learned the true labels. Then 200 rows are checked and fed back:
drawn by `Audit` with the posterior of `rank`, or the first rows of the list. Area under the ROC
curve, by the true labels, of rows that neither of the two designs checks: before, after the rows
that were drawn, and after the first rows. A mean of several cells weighs these areas by the
positives that nobody checked, because some cells have less than one in a draw. `own` columns: of
rows that are not among the drawn rows, before and after. `told` is the AUC that `rank` gives for
the positives that are still hidden.

    python benchmarks/bench_feedback.py [--quick] [--draws 10] [--bags 300] [--only NAME ...]

takes about three hours on one core; with `--bags 60` half of that; with `--methods bagging
--bags 60 --draws 3` a few minutes.
"""

import argparse
import os
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from onesided.audit import Audit
from onesided.methods import _table
from onesided.methods._table import N_BAGS
from onesided.ranking import Ranking, plan_ranking, rank_problem, read_problem

N_LABELED, N_UNLABELED, N_CHECKED = 100, 2900, 200
SHARES, ODDS = (0.1, 0.02), (1, 20)
# The column of the truth and its positive values; of [] all values but the most common one.
TABLES: dict[str, tuple[str, list[str]]] = {
    "letter": ("letter", ["U"]),
    "spambase": ("spam", ["1"]),
    "bank_marketing": ("", []),
    "mushroom": ("edibility", ["p"]),
    "adult": ("", []),
    "page_blocks": ("", []),
}


def tables(folder: Path, only: list[str]) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """The tables that are there: name, rows, and which rows are positive."""
    for name, (column, values) in TABLES.items():
        path = folder / f"{name}.parquet"
        if path.exists() and (not only or name in only):
            rows = pd.read_parquet(path)
            truth = rows.pop(column or rows.columns[-1]).astype(str)
            for each in rows.select_dtypes(exclude="number"):
                rows[each] = rows[each].astype(object)
            common = truth.value_counts().index[0]
            yield name, rows, (truth.isin(values) if values else truth != common).to_numpy()


def easiness(rows: pd.DataFrame, truth: np.ndarray) -> np.ndarray:
    """Out-of-bag score of each row by a forest that learned the true labels."""
    X = pd.get_dummies(rows).astype(np.float32)
    forest = RandomForestClassifier(100, min_samples_leaf=3, oob_score=True, random_state=0)
    return forest.fit(X.fillna(X.median()), truth).oob_decision_function_[:, 1]


def labeled_rows(
    rng: np.random.Generator, truth: np.ndarray, easy: np.ndarray, share: float, odds: float
) -> tuple[np.ndarray, np.ndarray]:
    """Some rows, and which of them are labeled."""
    positives = rng.permutation(np.flatnonzero(truth))
    n_hidden = min(round(share * N_UNLABELED), len(positives) - N_LABELED)
    positives = positives[: N_LABELED + n_hidden]
    chance = np.where(easy[positives] > np.median(easy[positives]), odds, 1.0)
    others = rng.permutation(np.flatnonzero(~truth))[: N_UNLABELED - n_hidden]
    kept = rng.permutation(np.concatenate([positives, others]))
    chosen = rng.choice(positives, N_LABELED, replace=False, p=chance / chance.sum())
    return kept, np.isin(kept, chosen)


def ranked(table: pd.DataFrame, methods: list[str], verdicts: Path | None = None) -> Ranking:
    """The ranking of a table; before checks with its posterior."""
    problem = read_problem(table, "labeled", identifier="own_name", verdicts=verdicts)
    plan = plan_ranking(problem, methods=methods)
    return rank_problem(plan, scenario=None if verdicts else "case-control", for_page=False)


def scores_of(found: Ranking, n_rows: int) -> np.ndarray:
    """Scores of all rows of the table; NaN for the rows that are not listed."""
    scores = np.full(n_rows, np.nan)
    scores[found.scored.rows] = -found.scored.ranks
    return scores


def one_draw(
    rows: pd.DataFrame, truth: np.ndarray, labeled: np.ndarray, methods: list[str], seed: int
) -> dict[str, float]:
    """The areas of one draw."""
    n_rows = len(rows)
    table = rows.assign(labeled=labeled.astype(int), own_name=[f"r{n}" for n in range(n_rows)])
    before = ranked(table, methods)
    listed, scores = before.scored.rows, scores_of(before, n_rows)
    posterior = None
    if before.candidates.posterior is not None:
        posterior = np.empty(len(listed))
        posterior[before.candidates.order] = before.candidates.posterior
    audit = Audit(scores[listed], posterior=posterior, random_state=seed)
    audit.draw(N_CHECKED)
    audit.record(audit.drawn, truth[listed[audit.drawn]])
    checked = {
        "drawn": (listed[audit.checked], audit.weights()),
        "top": (listed[np.argsort(-scores[listed], kind="stable")[:N_CHECKED]], None),
    }
    after = {}
    with TemporaryDirectory() as folder:
        for design, (places, weights) in checked.items():
            sheet = pd.DataFrame({"own_name": table["own_name"].iloc[places]})
            sheet["verdict"] = np.where(truth[places], "yes", "no")
            sheet["stands_for"] = weights if weights is not None else 1
            path = Path(folder) / f"{design}.csv"
            sheet.to_csv(path, index=False)
            after[design] = ranked(table, methods, path)
    own = np.setdiff1d(listed, checked["drawn"][0])
    unchecked = np.setdiff1d(own, checked["top"][0])
    found = {"hidden": truth[unchecked].sum(), "verified": truth[checked["drawn"][0]].sum()}
    if 0 < found["hidden"] < len(unchecked):
        by_design = {"before": before, **after}
        for design, each in by_design.items():
            theirs = scores_of(each, n_rows)[unchecked]
            found[design] = roc_auc_score(truth[unchecked], theirs)
    for design, each in (("own before", before), ("own drawn", after["drawn"])):
        found[design] = roc_auc_score(truth[own], scores_of(each, n_rows)[own])
    told = after["drawn"].checked
    if told.auc is not None:
        # as `rank` has it: a hidden positive against all rows of the list
        share = truth[own].mean()
        found["told less own"] = told.auc - (share / 2 + (1 - share) * found["own drawn"])
        low, high = told.interval
        found["told holds"] = low <= told.auc - found["told less own"] <= high
    return found


def means_by(by: list[str], cells: pd.DataFrame) -> pd.DataFrame:
    """Means over cells; areas of unchecked rows weigh as many hidden positives as are left."""

    def of(part: pd.DataFrame) -> pd.Series:
        means = part.drop(columns=["table", "share", "odds"]).mean()
        for each in ("before", "drawn", "top"):
            there = part[each].notna() if each in part else []
            if any(there):
                means[each] = np.average(part[each][there], weights=part["hidden"][there])
        return means

    return cells.groupby(by)[cells.columns].apply(of)


def main() -> None:
    """Print the mean areas of each table, share and kind of labels."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10, help="draws of each problem")
    parser.add_argument("--methods", nargs="*", default=[], help="names of methods of rank")
    parser.add_argument("--bags", type=int, default=N_BAGS, help="bags of each bagging method")
    parser.add_argument("--only", nargs="*", default=[], help="names of tables")
    parser.add_argument("--quick", action="store_true", help="one draw of a part of one table")
    given = parser.parse_args()
    if given.quick:
        given.only, given.draws, given.methods = ["page_blocks"], 1, ["naive-bayes"]
    shares, odds_of = (SHARES[:1], ODDS[:1]) if given.quick else (SHARES, ODDS)
    _table.N_BAGS = given.bags
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "tabular"
    found = []
    for name, all_rows, all_truth in tables(folder, given.only):
        rows, truth = (all_rows[::2], all_truth[::2]) if given.quick else (all_rows, all_truth)
        easy = easiness(rows, truth)
        for share, odds in product(shares, odds_of):
            for draw in range(given.draws):
                rng = np.random.default_rng([draw, len(name), round(1 / share), odds])
                kept, labeled = labeled_rows(rng, truth, easy, share, odds)
                part = rows.iloc[kept].reset_index(drop=True)
                areas = one_draw(part, truth[kept], labeled, given.methods, draw)
                found.append({"table": name, "share": share, "odds": odds, **areas})
            part = pd.DataFrame(found[-given.draws :]).drop(columns="table").astype(float).mean()
            print(f"{name:<16}", part.round(3).to_dict(), flush=True)
    every = pd.DataFrame(found)
    every[every.columns[1:]] = every[every.columns[1:]].astype(float)
    cells = every.groupby(["table", "share", "odds"], sort=False).mean().reset_index()
    for by in (["table", "odds"], ["odds"]):
        print(f"\nMeans by {' and '.join(by)}\n{means_by(by, cells).round(4).to_string()}")


if __name__ == "__main__":
    main()
