"""What takes an estimator hands it rows of the user's frame: of its kind, with its types."""

import importlib
import inspect
import pkgutil
from importlib.util import find_spec

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import onesided
from onesided import PUBagging, compare
from onesided.exceptions import DataError
from onesided.model_selection._estimators import scores_of
from onesided.prior import SubtypePrior

N = 240
LABELS = (np.arange(N) < 40).astype(int)
SIZE = np.random.default_rng(0).normal(size=N)
KIND = np.where(np.random.default_rng(1).uniform(size=N) < 0.2 + 0.5 * LABELS, "hen", "cow")
_PASSED = {"y": LABELS, "scenario": "case-control", "cv": 2, "n_repeats": 2, "n_draws": 20}
FEW = {"n_estimators": 9, "n_unlabeled_per_bag": 60, "random_state": 0}
_PASSED |= FEW | {"class_prior": 0.2}


class Watching(ClassifierMixin, BaseEstimator):
    """Takes nothing but frames like the one that it is made with."""

    def __init__(self, like=None):
        self.like = like

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = 2
        self.mean_ = self.seen(X)[np.asarray(y) == self.classes_[1]].mean(axis=0)
        return self

    def decision_function(self, X):
        return -np.abs(self.seen(X) - self.mean_).sum(axis=1)

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > -1).astype(int)]

    def seen(self, X):
        assert type(X) is type(self.like)
        found = nw.from_native(X)
        assert found.schema == nw.from_native(self.like).schema
        is_hen = found["kind"].cast(nw.String()).to_numpy() == "hen"
        return np.column_stack([found["size"].to_numpy(), is_hen])


FRAMES = {
    "pandas": pd.DataFrame({"size": SIZE, "kind": pd.Categorical(KIND)}),
    "polars": pl.DataFrame({"size": SIZE, "kind": pl.Series(KIND, dtype=pl.Enum(["cow", "hen"]))}),
}


def takers():
    """Public classes and functions that take an estimator, and X and y."""
    found = {}
    for module in pkgutil.walk_packages(onesided.__path__, "onesided."):
        if any(part.startswith("_") or part == "cli" for part in module.name.split(".")):
            continue
        package = importlib.import_module(module.name)
        for name in getattr(package, "__all__", []):
            each = getattr(package, name)
            own = inspect.isfunction(each) or hasattr(each, "fit")
            asked = {*inspect.signature(each).parameters} if own else set()
            if not asked & {"estimator", "estimators"}:
                continue
            of_fit = inspect.signature(each.fit).parameters if hasattr(each, "fit") else asked
            if {"X", "y"} <= {*of_fit}:
                found[name] = each
    return found


TAKERS = takers()
OWN_USE = {"SubtypePrior", "neg_adjusted_p_value"}  # one clusters the rows, one knows its ranker


def made(each, frame):
    """A call of a function, or of the constructor of a class, with what it asks for."""
    asked = inspect.signature(each).parameters
    model = Watching(frame)
    many = {"watching": model} if "X" in asked else [("watching", model)]
    given = _PASSED | {"estimator": model, "estimators": many, "X": frame}
    return each(**{name: given[name] for name in asked if name in given})


def test_takers_are_seen():
    assert {"PUBagging", "RankAverage", "compare", "ElkanNotoPrior", "scar_test"} <= {*TAKERS}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", sorted(TAKERS.keys() - OWN_USE))
def test_frames_stay_as_they_are(name, kind):
    found = made(TAKERS[name], FRAMES[kind])
    if hasattr(found, "fit"):
        found.fit(FRAMES[kind], LABELS)
        if hasattr(found, "decision_function"):
            assert found.decision_function(FRAMES[kind]).shape == (N,)


def test_a_prior_that_clusters_the_rows_says_what_it_needs():
    with pytest.raises(DataError, match="encode what is not a number"):
        SubtypePrior(Watching(FRAMES["pandas"])).fit(FRAMES["pandas"], LABELS)


def categorical_learners():
    """Learners that take categories by their types; those of others only where they are there."""
    yield HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype")
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier  # noqa: PLC0415 - may not be installed

        yield LGBMClassifier(n_estimators=3, verbose=-1)
    if find_spec("xgboost"):
        from xgboost import XGBClassifier  # noqa: PLC0415 - may not be installed

        yield XGBClassifier(n_estimators=3, enable_categorical=True)
    by_type = make_column_selector(dtype_include="category")
    columns = make_column_transformer((OneHotEncoder(), by_type), remainder="passthrough")
    yield make_pipeline(columns, LogisticRegression())


@pytest.mark.parametrize("base", [*categorical_learners()], ids=lambda base: type(base).__name__)
@pytest.mark.parametrize("bagged", [False, True])
def test_learners_take_categories(base, bagged):
    frame = FRAMES["pandas"]
    model = PUBagging(base, **FEW) if bagged else base
    others = frame.assign(kind=frame["kind"].cat.rename_categories({"hen": "cow", "cow": "hen"}))
    scores = scores_of(clone(model).fit(frame, LABELS), frame)
    assert scores[KIND == "hen"].mean() > scores[KIND == "cow"].mean()
    assert scores_of(clone(model).fit(others, LABELS), frame)[KIND == "hen"].mean() < scores.mean()
    assert compare({"it": model}, frame, LABELS, cv=2).hidden["it"].auc > 0.5


def test_scores_do_not_depend_on_the_library_of_the_frame(tmp_path):
    """Rows that come from elsewhere become rows of the frame that there was in the fit."""
    base = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"),
        LogisticRegression(),
    )
    frame = FRAMES["pandas"].astype({"kind": str})
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    model = PUBagging(base, **FEW).fit(frame, LABELS)
    expected = model.decision_function(frame)
    others = [FRAMES["polars"].cast({"kind": pl.String}), tmp_path / "t.parquet"]
    for X in (*others, frame[["kind", "size"]], frame.iloc[:7]):
        found = model.decision_function(X)
        assert_allclose(found, expected[: len(found)])
    labeled = frame.assign(known=LABELS)
    again = PUBagging(base, **FEW).fit(labeled, "known")
    assert_allclose(again.decision_function(frame), expected)


@pytest.mark.parametrize("kind", FRAMES)
def test_categories_come_from_files_too(kind, tmp_path):
    base = HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype")
    model = PUBagging(base, **FEW).fit(FRAMES[kind], LABELS)
    FRAMES["pandas"].to_csv(tmp_path / "t.csv", index=False)
    expected = model.decision_function(FRAMES[kind])
    assert_allclose(model.decision_function(tmp_path / "t.csv"), expected)
    other = FRAMES["polars" if kind == "pandas" else "pandas"]
    assert_allclose(model.decision_function(other), expected)


def test_a_learner_of_numbers_says_which_column_it_may_not_take():
    with pytest.raises(ValueError, match="could not convert") as raised:
        PUBagging(LogisticRegression()).fit(FRAMES["pandas"], LABELS)
    assert "Column 'kind' holds Categorical values" in raised.value.__notes__[0]


@pytest.mark.parametrize("kind_of", [pd.DataFrame, pl.DataFrame])
def test_contributions_of_the_columns_of_a_frame(kind_of):
    X = np.column_stack([SIZE, KIND == "hen"])
    model = PUBagging(LogisticRegression(), **FEW)
    plain = model.fit(X, LABELS).contributions(X)
    frame = kind_of(dict(zip("ab", X.T, strict=True)))
    assert_allclose(model.fit(frame, LABELS).contributions(frame), plain, atol=1e-6)
