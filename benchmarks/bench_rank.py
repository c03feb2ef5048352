"""`onesided rank` as it comes against its members and plain scikit-learn, by the true labels.

Of each table 3,000 rows are kept, of which some positives are labeled at random. Each unlabeled row
is scored by a model that did not learn from it. Area under the ROC curve and average precision over
the unlabeled rows.

    python benchmarks/bench_rank.py [--quick] [--labeled 100] [--only NAME ...]

takes some twenty minutes on one core.
"""

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.ranking import plan_ranking, rank_problem, read_problem

Problem: TypeAlias = tuple[str, pd.DataFrame, np.ndarray]
"""Its name, its rows, and which of them are positive."""

N_ROWS, N_FEWEST_HIDDEN = 3000, 100
N_TREES, N_FEW_TREES = 200, 10
# The column of the truth and its positive values; of "" the second most common value of the last.
TABLES: dict[str, tuple[str, list[str]]] = {
    "letter": ("letter", list("ABCDEFGHIJKLM")),
    "mushroom": ("edibility", ["p"]),
    "spambase": ("spam", ["1"]),
    "nursery": ("recommendation", ["spec_prior"]),
    "splice_junctions": ("junction", ["IE"]),
    **dict.fromkeys(("adult", "bank_marketing", "kr_vs_kp", "tic_tac_toe", "car"), ("", [])),
}
CLUSTERS = ((25, 10), (10, 5), (60, 20))  # features, of which some matter


def problems(folder: Path) -> Iterator[Problem]:
    """The tables that are there, and those that scikit-learn has or makes."""
    for name, (column, values) in TABLES.items():
        path = folder / f"{name}.parquet"
        if not path.exists():
            continue
        rows = pd.read_parquet(path).drop(columns="instance", errors="ignore")
        truth = rows.pop(column or rows.columns[-1]).astype(str)
        for each in rows.select_dtypes(exclude="number"):
            rows[each] = rows[each].astype(object)
        yield name, rows, truth.isin(values or [truth.value_counts().index[1]]).to_numpy()
    X, y = load_digits(return_X_y=True, as_frame=True)
    yield "digits: 8", X, (y == 8).to_numpy()  # noqa: PLR2004 - the digit
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    yield "breast: malignant", X, (y == 0).to_numpy()
    for seed, (n_features, n_informative) in enumerate(CLUSTERS):
        X, y = make_classification(
            8000,
            n_features=n_features,
            n_informative=n_informative,
            weights=[0.85],
            flip_y=0.02,
            random_state=seed,
        )
        rows = pd.DataFrame(X, columns=[f"x{j}" for j in range(n_features)])
        yield f"clusters: {n_informative} of {n_features}", rows, y == 1


def peers(n_trees: int) -> dict[str, Any]:
    """What one writes with scikit-learn: balanced forests and logistic regression."""
    numbers = make_column_selector(dtype_include=np.number)
    others = make_column_selector(dtype_exclude=np.number)
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    plain = make_column_transformer(
        (SimpleImputer(strategy="median"), numbers), (indicators, others)
    )
    scaled = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        (indicators, others),
    )
    forest = {"n_estimators": n_trees, "min_samples_leaf": 3, "random_state": 0}
    return {
        "random forest": make_pipeline(
            plain, RandomForestClassifier(**forest, class_weight="balanced_subsample")
        ),
        "extra trees": make_pipeline(
            plain, ExtraTreesClassifier(**forest, class_weight="balanced")
        ),
        "logistic": make_pipeline(
            scaled, LogisticRegression(class_weight="balanced", max_iter=1000)
        ),
    }


def scored(rows: pd.DataFrame, labeled: np.ndarray, n_trees: int) -> dict[str, np.ndarray]:
    """Scores of the unlabeled by what `rank` takes, by each of its methods, and by the peers."""
    problem = read_problem(rows.assign(labeled=labeled.astype(int)), "labeled")
    plan = plan_ranking(problem)
    ranking = rank_problem(plan, for_page=False)
    places = ranking.scored.rows
    found = {"rank": -ranking.scored.ranks}
    for name, ranker in plan.rankers.items():
        scores = unlabeled_out_of_fold_scores(ranker, problem.features, plan.positive)
        found[name] = -scores.ranks
    hidden = {name: each.auc for name, each in ranking.comparison.hidden.items() if name in found}
    found["best hidden"] = found[max(hidden, key=hidden.__getitem__)]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    by_peer = {}
    for name, peer in peers(n_trees).items():
        scores = cross_val_predict(peer, rows, labeled, cv=folds, method="predict_proba")[:, 1]
        found[name] = scores[places]
        by_peer[name] = roc_auc_score(labeled, scores), rankdata(scores)[places]
    found["mean of the peers"] = np.sum([ranks for _, ranks in by_peer.values()], axis=0)
    return found


def main() -> None:
    """Print one table for the area under the ROC curve, and one for average precision."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labeled", type=int, default=100, help="number of labeled positives")
    parser.add_argument("--only", nargs="*", default=[], help="names of tables")
    parser.add_argument("--quick", action="store_true", help="one small table")
    given = parser.parse_args()
    given.only = ["breast"] if given.quick else given.only
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "tabular"
    areas, precisions = {}, {}
    for name, table, positive in problems(folder):
        rng = np.random.default_rng(len(name) + given.labeled)
        kept = rng.permutation(len(table))[:N_ROWS]
        rows, truth = table.iloc[kept].reset_index(drop=True), positive[kept]
        known = np.flatnonzero(truth)
        is_chosen = not given.only or any(each in name for each in given.only)
        if not is_chosen or len(known) < given.labeled + N_FEWEST_HIDDEN:
            continue
        labeled = np.zeros(len(rows), dtype=bool)
        labeled[rng.choice(known, given.labeled, replace=False)] = True
        found = scored(rows, labeled, N_FEW_TREES if given.quick else N_TREES)
        hidden = truth[~labeled]
        areas[name] = {each: roc_auc_score(hidden, found[each]) for each in found}
        precisions[name] = {each: average_precision_score(hidden, found[each]) for each in found}
        print(name, {each: round(area, 3) for each, area in areas[name].items()}, flush=True)
    for what, figures in (("AUC", areas), ("average precision", precisions)):
        table = pd.DataFrame(figures).T
        summary = pd.DataFrame(
            {"mean": table.mean(), "least gain of rank": -table.sub(table["rank"], axis=0).max()}
        )
        print(f"\n{what}, {given.labeled} labeled\n{summary.round(4).to_string()}")


if __name__ == "__main__":
    main()
