"""Presence-only species of disdat, scored by independent surveys: mean AUC by region and method.

The positives of a species are its presence records. The models learn them against 10,000 random
points of the region, or against a borrowed background: the records of other species of its group,
as `onesided rank --background others` takes them. The score is the area under the ROC curve over
the sites of a survey that looked for the species. For each region and each method the table has
both backgrounds side by side, and the gain. What each setting was chosen on is in
`docs/species.rst`.
"""

import argparse
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from onesided import WeightedLogisticRegression, hidden_positive_ranks
from onesided.model_selection import RankAverage
from onesided.ranking import Plan, plan_ranking, read_problem

REGIONS = ("awt", "can", "sa")
BACKGROUNDS = {"random points": None, "other species": "others"}
NO_PREDICTORS = ("siteid", "spid", "x", "y", "presence", "group")
SPLINES, TAKEN, FOREST = "splines", "what rank takes", "down-sampled forest"
QUICK_METHODS = ("naive-bayes", "logistic")
N_BLOCKS = 25
FEW_ROWS = (20, 50, 100, 200)
FOLDS = {"places learned": "none", "random folds": None, "spatial blocks": "x,y"}
TARGETED = ("random points, spatial blocks", "other species, random folds")  # by default
MOST_APART = 0.05
LEAST_GAIN, MOST_LOSS = 0.03, 0.01


@dataclass(frozen=True)
class Region:
    """One region of disdat.

    Attributes
    ----------
    records : presence records of all species, and random points; `spid` is missing for a point
    surveys : sites of the surveys, one 0/1 column a species, missing where it was not looked for
    """

    records: pd.DataFrame
    surveys: pd.DataFrame

    @classmethod
    def read(cls, folder: Path, name: str) -> Self:
        """Read one region; categories are text that no reader takes for numbers."""
        records, surveys = (
            pd.read_parquet(folder / f"disdat_{name}_{part}.parquet") for part in ("train", "test")
        )
        for table in (records, surveys):
            for column in table.select_dtypes("category"):
                is_predictor = column not in NO_PREDICTORS
                table[column] = f"{column} " * is_predictor + table[column].astype(str)
        records["spid"] = records["spid"].where(records["presence"] == 1)
        return cls(records, surveys)

    @property
    def species(self) -> list[str]:
        """The names of the species, in order."""
        return sorted(self.records["spid"].dropna().unique())

    @property
    def predictors(self) -> list[str]:
        """The columns that say what a site is like."""
        return [name for name in self.records if name not in NO_PREDICTORS]

    def of_group(self, species: str) -> pd.DataFrame:
        """Records of the group of a species, and random points."""
        (group,) = self.records.loc[self.records["spid"] == species, "group"].unique()
        return self.records[(self.records["group"] == group) | self.records["spid"].isna()]

    def plan(
        self, species: str, background: Any, methods: tuple[str, ...], *, space: str | None = None
    ) -> Plan:
        """What `onesided rank` learns from, and by what, with one of the backgrounds.

        Without a borrowed background the records of other species are left out, so that random
        points are all that is unlabeled. The table has coordinates only with `space`.
        """
        rows = self.of_group(species)
        if background is None:
            rows = rows[rows["spid"].isna() | (rows["spid"] == species)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few records
            problem = read_problem(
                rows[["spid", *(("x", "y") if space else ()), *self.predictors]],
                f"spid={species}",
                background=background,
                space=space,
            )
        return plan_ranking(problem, methods=methods)

    def survey_auc(self, species: str, model: Any, *, of_frames: bool = True) -> float:
        """Area under the ROC curve over the sites that were surveyed for the species."""
        sites = self.surveys[self.surveys[species].notna()]
        X = sites[self.predictors]
        if not of_frames:
            X = pa.Table.from_pandas(sites[["x", "y", *self.predictors]], preserve_index=False)
        return float(roc_auc_score(sites[species], scores_of(model, X)))


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


def scores_of(model: Any, X: Any) -> np.ndarray:
    """Higher is more positive, shape (n_rows,)."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


def features(numbers: Any) -> Any:
    """What becomes of the columns of numbers; the others become indicators."""
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (one_hot, make_column_selector(dtype_exclude="number")),
    )


def curves(degree: int) -> Pipeline:
    """Weighted logistic regression of a curve for each number."""
    numbers = make_pipeline(SplineTransformer(degree=degree, knots="quantile"), StandardScaler())
    return make_pipeline(features(numbers), WeightedLogisticRegression(C=0.1))


def theirs(n_trees: int) -> dict[str, Pipeline]:
    """What ecologists use, from scikit-learn alone."""
    balanced = LogisticRegression(class_weight="balanced", max_iter=1000)
    return {
        FOREST: make_pipeline(features("passthrough"), DownSampledForest(n_trees)),
        "balanced LogisticRegression": make_pipeline(features(StandardScaler()), balanced),
    }


def survey_aucs(region: Region, species: str, background: Any, *, quick: bool) -> dict[str, float]:
    """AUC on the survey by method: those that `onesided rank` compares, and what it takes first."""
    plan = region.plan(species, background, QUICK_METHODS if quick else ())
    rows, positive = plan.lesson.problem.features, plan.lesson.positive
    found = plan.compare().best_estimator_
    fitted = {TAKEN: found}
    if isinstance(found, RankAverage):
        fitted |= dict(zip(found.names_, found.estimators_, strict=True))
    for name, ranker in plan.rankers.items():
        fitted[name] = fitted.get(name) or clone(ranker).fit(rows, positive)
    frame = rows.to_pandas()
    others = {SPLINES: curves(3), "hinges": curves(1), **theirs(20 if quick else 300)}
    aucs = {
        name: region.survey_auc(species, model, of_frames=False) for name, model in fitted.items()
    }
    for name, model in others.items():
        aucs[name] = region.survey_auc(species, model.fit(frame, positive))
    return aucs


def claimed_and_true(
    region: Region, species: str, background: Any, space: str | None, *, quick: bool
) -> tuple[float, float]:
    """The hidden-positive AUC that rank prints, and the AUC of the same model on the survey."""
    plan = region.plan(species, background, QUICK_METHODS if quick else (), space=space)
    found = plan.compare()
    true = region.survey_auc(species, found.best_estimator_, of_frames=False)
    return float(found.hidden[found.best_].auc), true


def report_claims(regions: dict[str, Region], chosen: dict[str, list[str]], *, quick: bool) -> None:
    """Print claimed against true AUC by region, for both backgrounds and both kinds of folds."""
    claims = [
        (
            f"{named}, {folds}",
            name,
            *claimed_and_true(region, species, background, space, quick=quick),
        )
        for name, region in regions.items()
        for species in chosen[name]
        for named, background in BACKGROUNDS.items()
        for folds, space in FOLDS.items()
    ]
    table = pd.DataFrame(claims, columns=["judged", "region", "claimed", "true"])
    table["difference"] = table["claimed"] - table["true"]
    table["absolute"] = table["difference"].abs()
    for judged, of_all in table.groupby("judged", sort=False):
        means = of_all.groupby("region", sort=False).mean(numeric_only=True)
        means.loc["mean of species"] = of_all.mean(numeric_only=True)
        print(f"{judged}\n{means.to_string(float_format='{:+.3f}'.format)}\n")
    for judged in TARGETED:
        mean = table.loc[table["judged"] == judged, "difference"].mean()
        met = said(met=abs(mean) <= MOST_APART)
        print(f"{judged}: claimed less true {mean:+.3f}, at most {MOST_APART}: {met}")


def aucs_of_few(region: Region, species: list[str]) -> dict[int, float]:
    """Mean AUC of splines on the survey by the rows drawn from the borrowed background."""
    found = {n_rows: [] for n_rows in FEW_ROWS}
    for each in species:
        lesson = region.plan(each, "others", QUICK_METHODS).lesson
        frame, positive = lesson.problem.features.to_pandas(), lesson.positive
        others = np.random.default_rng(0).permutation(np.flatnonzero(~positive))
        for n_rows, aucs in found.items():
            rows = np.r_[np.flatnonzero(positive), others[:n_rows]]
            aucs.append(region.survey_auc(each, curves(3).fit(frame.iloc[rows], positive[rows])))
    return {n_rows: float(np.mean(aucs)) for n_rows, aucs in found.items()}


def fold_aucs(region: Region, species: list[str]) -> tuple[float, float]:
    """Mean hidden-positive AUC of splines by random folds and by folds of spatial blocks."""
    aucs = []
    for each in species:
        rows = region.of_group(each)
        rows = rows[rows["spid"].notna()]
        rows = rows.iloc[np.argsort(rows["spid"] != each, kind="stable")]
        rows = rows.drop_duplicates(["x", "y"])
        blocks = KMeans(N_BLOCKS, n_init=1, random_state=0).fit_predict(rows[["x", "y"]])
        X, positive = rows[region.predictors], (rows["spid"] == each).to_numpy()
        aucs.append(
            [
                1 - hidden_positive_ranks(curves(3), X, positive, groups=groups).mean()
                for groups in (None, blocks)
            ]
        )
    at_random, by_block = np.mean(aucs, axis=0)
    return float(at_random), float(by_block)


def read_regions(names: tuple[str, ...]) -> dict[str, Region]:
    """The regions that the data folder has."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "tabular"
    return {
        name: Region.read(folder, name)
        for name in names
        if (folder / f"disdat_{name}_train.parquet").is_file()
    }


def report(aucs: pd.DataFrame) -> None:
    """Print both backgrounds side by side and the gain, and whether the targets are met.

    Parameters
    ----------
    aucs : one row a species, method and background, with columns region, species, method,
        background and auc
    """
    table = aucs.pivot_table("auc", ["region", "method"], "background", sort=False)
    table = table.assign(gain=table["other species"] - table["random points"])
    for name, of_region in table.groupby("region", sort=False):
        print(f"{name}\n{of_region.droplevel('region').to_string(float_format='{:.4f}'.format)}\n")
    regions = table.groupby("method", sort=False).mean()
    print(f"mean of regions\n{regions.to_string(float_format='{:.4f}'.format)}\n")
    gain, worst = regions.loc[SPLINES, "gain"], table["gain"].min()
    where = " with ".join(table["gain"].idxmin())
    print(
        f"gain of splines {gain:+.4f}, at least {LEAST_GAIN}: {said(met=gain >= LEAST_GAIN)}\n"
        f"lowest gain of a method in a region {worst:+.4f} ({where}), at least {-MOST_LOSS}: "
        f"{said(met=worst >= -MOST_LOSS)}\n"
    )
    by_species = aucs.pivot_table("auc", ["region", "species"], ["background", "method"])
    for background in BACKGROUNDS:
        of_both = by_species[background]
        less = of_both[TAKEN] - of_both[FOREST]
        print(
            f"{TAKEN} less {FOREST}, {background}: {less.mean():+.4f}, standard error "
            f"{less.sem():.4f}, {len(less)} species"
        )
    print()


def said(*, met: bool) -> str:
    """Say whether a target is met."""
    return "met" if met else "MISSED"


def main() -> None:
    """Print a table for each region, and what random folds flatter."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--claims", action="store_true", help="claimed against true AUC only")
    parser.add_argument("--every", type=int, help="take each n-th species")
    given = parser.parse_args()
    quick = given.quick
    regions = read_regions(("awt",) if quick else REGIONS)
    if not regions:
        print("species: no tabular/disdat_*.parquet in ONESIDED_DATA, not scored")
        return
    every = given.every or (20 if quick else 1)
    chosen = {name: region.species[::every] for name, region in regions.items()}
    if given.claims:
        report_claims(regions, chosen, quick=quick)
        return
    aucs = [
        (region, species, method, named, auc)
        for region, of_region in regions.items()
        for species in chosen[region]
        for named, background in BACKGROUNDS.items()
        for method, auc in survey_aucs(of_region, species, background, quick=quick).items()
    ]
    print("mean AUC on the surveys, by the background that the methods learn from\n")
    report(pd.DataFrame(aucs, columns=["region", "species", "method", "background", "auc"]))
    for name, region in regions.items():
        at_random, by_block = fold_aucs(region, chosen[name])
        print(
            f"{name}, splines, hidden-positive AUC: {at_random:.4f} in random folds, "
            f"{by_block:.4f} in folds of {N_BLOCKS} spatial blocks"
        )
        few = aucs_of_few(region, chosen[name])
        parts = ", ".join(f"{auc:.4f} with {n_rows}" for n_rows, auc in few.items())
        print(f"{name}, splines, by rows drawn from the borrowed background: {parts}")


if __name__ == "__main__":
    main()
