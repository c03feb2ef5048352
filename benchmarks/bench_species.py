"""Presence-only species of disdat, scored by independent surveys: mean AUC by region and method.

The positives of a species are its presence records. The unlabeled are 10,000 random points of the
background, or the sites at which records of other species of its group were made. The score is
the area under the ROC curve over the sites of a survey that looked for the species. What each
setting was chosen on is in `docs/species.rst`.
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, SplineTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from onesided import (
    PositiveNaiveBayes,
    PUBagging,
    WeightedLogisticRegression,
    hidden_positive_ranks,
)
from onesided.preprocessing import QuantileBinner

REGIONS = ("awt", "can", "sa")
NO_PREDICTORS = ("siteid", "spid", "x", "y", "presence", "group")
N_BLOCKS = 25


@dataclass(frozen=True)
class Region:
    """One region of disdat.

    Attributes
    ----------
    records : presence records of all species, and the background
    surveys : sites of the surveys, one 0/1 column a species, missing where it was not looked for
    """

    records: pd.DataFrame
    surveys: pd.DataFrame

    @property
    def species(self) -> list[str]:
        """The names of the species, in order."""
        return sorted(set(self.records["spid"]) - {"pseudo1"})

    @property
    def predictors(self) -> list[str]:
        """The columns that say what a site is like."""
        return [name for name in self.records if name not in NO_PREDICTORS]

    def labeled(self, species: str, unlabeled: str) -> tuple[pd.DataFrame, np.ndarray]:
        """Rows of the species and unlabeled ones, and which are of the species."""
        own = self.records[self.records["spid"] == species]
        if unlabeled == "background":
            others = self.records[self.records["presence"] == 0]
        else:
            of_group = self.records["group"] == own["group"].iloc[0]
            visited = pd.concat([own, self.records[of_group]]).drop_duplicates(["x", "y"])
            others = visited[visited["spid"] != species]
        rows = pd.concat([own, others])
        return rows, (rows["spid"] == species).to_numpy()

    def survey_auc(self, species: str, model: Any) -> float:
        """Area under the ROC curve over the sites that were surveyed for the species."""
        sites = self.surveys[self.surveys[species].notna()]
        return float(roc_auc_score(sites[species], scores_of(model, sites[self.predictors])))


class DownSampledForest(ClassifierMixin, BaseEstimator):
    """Random forest, each tree on a bootstrap of the presences and as many background points.

    Valavi et al. 2021, "down-sampled RF": trees at full depth, the square root of the features at
    each split.
    """

    def __init__(self, n_estimators: int = 1000, random_state: int = 0) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: Any, y: np.ndarray) -> Self:
        """Grow the trees."""
        rng = np.random.default_rng(self.random_state)
        self.classes_ = np.unique(y)
        kinds = [np.flatnonzero(y == label) for label in self.classes_]
        size = min(map(len, kinds))
        self.trees_ = []
        for seed in range(self.n_estimators):
            rows = np.concatenate([rng.choice(kind, size) for kind in kinds])
            tree = DecisionTreeClassifier(max_features="sqrt", random_state=seed)
            self.trees_.append(tree.fit(X[rows], y[rows]))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean of the trees, shape (n_rows, 2)."""
        return np.mean([tree.predict_proba(X) for tree in self.trees_], axis=0)


def scores_of(model: Any, X: pd.DataFrame) -> np.ndarray:
    """Higher is more positive, shape (n_rows,)."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


def features(numbers: Any, categories: Any) -> Any:
    """What becomes of the columns of numbers, and of the others."""
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (categories, make_column_selector(dtype_exclude="number")),
    )


def ours(n_trees: int) -> dict[str, Pipeline]:
    """Methods of this library."""
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    trees = features("passthrough", one_hot)
    forest_tree = DecisionTreeClassifier(max_features="sqrt", class_weight="balanced")

    def curves(degree: int) -> Pipeline:
        splines = SplineTransformer(degree=degree, knots="quantile")
        numbers = make_pipeline(splines, StandardScaler())
        return make_pipeline(features(numbers, one_hot), WeightedLogisticRegression(C=0.1))

    return {
        "PUBagging": make_pipeline(trees, PUBagging(n_estimators=n_trees, random_state=0)),
        "PUBagging of a forest's trees": make_pipeline(
            trees, PUBagging(forest_tree, n_trees, random_state=0)
        ),
        "splines, WeightedLogisticRegression": curves(3),
        "hinges, WeightedLogisticRegression": curves(1),
        "bins, PositiveNaiveBayes": make_pipeline(
            features(QuantileBinner(), OrdinalEncoder()), PositiveNaiveBayes(0.1)
        ),
    }


def theirs(n_trees: int) -> dict[str, Pipeline]:
    """What ecologists use, from scikit-learn alone."""
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    balanced = LogisticRegression(class_weight="balanced", max_iter=1000)
    return {
        "down-sampled forest": make_pipeline(
            features("passthrough", one_hot), DownSampledForest(n_trees)
        ),
        "balanced LogisticRegression": make_pipeline(features(StandardScaler(), one_hot), balanced),
    }


def survey_aucs(
    region: Region, species: list[str], unlabeled: str, methods: dict[str, Pipeline]
) -> pd.DataFrame:
    """One row a species, one column a method."""
    found = {}
    for each in species:
        rows, positive = region.labeled(each, unlabeled)
        found[each] = {
            name: region.survey_auc(each, model.fit(rows[region.predictors], positive))
            for name, model in methods.items()
        }
    return pd.DataFrame.from_dict(found, orient="index")


def fold_aucs(region: Region, species: list[str], model: Pipeline) -> tuple[float, float]:
    """Mean hidden-positive AUC by random folds and by folds of spatial blocks."""
    aucs = []
    for each in species:
        rows, positive = region.labeled(each, "visited")
        blocks = KMeans(N_BLOCKS, n_init=1, random_state=0).fit_predict(rows[["x", "y"]])
        aucs.append(
            [
                1 - hidden_positive_ranks(model, rows[region.predictors], positive, groups=g).mean()
                for g in (None, blocks)
            ]
        )
    at_random, by_block = np.mean(aucs, axis=0)
    return float(at_random), float(by_block)


def read_regions(names: tuple[str, ...]) -> dict[str, Region]:
    """The regions that the data folder has."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "tabular"
    return {
        name: Region(
            pd.read_parquet(folder / f"disdat_{name}_train.parquet"),
            pd.read_parquet(folder / f"disdat_{name}_test.parquet"),
        )
        for name in names
        if (folder / f"disdat_{name}_train.parquet").is_file()
    }


def report(aucs: dict[str, pd.DataFrame], n_ours: int) -> None:
    """Print mean AUC by method and region, and whether the best of ours reaches theirs."""
    table = pd.DataFrame({name: each.mean() for name, each in aucs.items()})
    table["regions"] = table.mean(axis=1)
    table["species"] = pd.concat(list(aucs.values())).mean()
    print(table.to_string(float_format="{:.4f}".format))
    best, target = table["regions"][:n_ours], table["regions"][n_ours:]
    met = "met" if best.max() >= target.max() else "MISSED"
    print(
        f"best of ours {best.max():.4f} ({best.idxmax()}), "
        f"at least {target.max():.4f} ({target.idxmax()}): {met}\n"
    )


def main() -> None:
    """Print a table for each kind of unlabeled rows, and what random folds flatter."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    regions = read_regions(("awt",) if quick else REGIONS)
    if not regions:
        print("species: no tabular/disdat_*.parquet in ONESIDED_DATA, not scored")
        return
    n_trees, every = (50, 10) if quick else (500, 1)
    methods = {**ours(n_trees), **theirs(n_trees)}
    chosen = {name: region.species[::every] for name, region in regions.items()}
    for unlabeled in ("background", "visited"):
        print(f"unlabeled: {unlabeled}; mean AUC on the surveys, {n_trees} trees")
        aucs = {
            name: survey_aucs(region, chosen[name], unlabeled, methods)
            for name, region in regions.items()
        }
        report(aucs, len(ours(n_trees)))
    model = ours(n_trees)["splines, WeightedLogisticRegression"]
    for name, region in regions.items():
        at_random, by_block = fold_aucs(region, chosen[name], model)
        print(
            f"{name}, splines, hidden-positive AUC: {at_random:.4f} in random folds, "
            f"{by_block:.4f} in folds of {N_BLOCKS} spatial blocks"
        )


if __name__ == "__main__":
    main()
