"""Loaders follow scikit-learn's convention, and what they load is shipped."""

import inspect
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from numpy.testing import assert_array_equal

from onesided import datasets
from onesided.datasets import load_partly_labeled, load_yeast
from onesided.datasets._load import _HERE, _POSITIVE
from onesided.exceptions import DataError

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "yeast"
LOADERS = {"yeast": load_yeast} | {
    name: lambda name=name, **how: load_partly_labeled(name, **how) for name in _POSITIVE
}


@pytest.mark.parametrize("name", LOADERS)
def test_as_scikit_learn_does(name):
    plain, framed = LOADERS[name](), LOADERS[name](as_frame=True)
    X, y = LOADERS[name](return_X_y=True)
    assert_array_equal(X, plain.data)
    assert_array_equal(y, plain.target)
    assert X.shape == (len(y), len(plain.feature_names))
    assert set(np.unique(y)) == {0, 1}
    assert list(plain.target_names) == ["unlabeled", "positive"]
    assert plain.frame is None
    assert plain.DESCR
    assert isinstance(framed.data, pd.DataFrame)
    assert isinstance(framed.target, pd.Series)
    assert_array_equal(framed.data, X)
    assert_array_equal(framed.frame[framed.target.name], y)
    assert list(framed.frame.columns) == [*plain.feature_names, framed.target.name]
    X, y = LOADERS[name](return_X_y=True, as_frame=True)
    pd.testing.assert_frame_equal(X, framed.data)


def test_every_loader_has_the_arguments():
    loaders = [name for name in datasets.__all__ if name.startswith("load_")]
    assert loaders
    for name in loaders:
        asked = inspect.signature(getattr(datasets, name)).parameters
        assert {"return_X_y", "as_frame"} <= {*asked}


def test_the_genes_are_those_of_the_table():
    table = pd.read_csv(FOLDER / "genes.csv.gz", index_col="gene")
    pd.testing.assert_frame_equal(
        load_yeast(as_frame=True).frame,
        table[[*table.columns.drop("known_target"), "known_target"]],
        check_names=False,
        check_column_type=False,
    )
    assert "Artistic License" in load_yeast().DESCR


def test_the_wheel_has_the_table():
    """The gate loads it from the built wheel."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    included = build["targets"]["wheel"]["force-include"]
    placed = {(ROOT / "src" / place).resolve(): ROOT / held for held, place in included.items()}
    assert placed[_HERE] == FOLDER
    assert {"genes.csv.gz", "README.md"} <= {each.name for each in FOLDER.iterdir()}
    assert "/examples/yeast" in build["targets"]["sdist"]["include"]
    assert "load_yeast" in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize(("name", "positive"), [*_POSITIVE.items(), ("digits", 3), ("wine", 2)])
def test_the_truth_is_beside_the_labels(name, positive):
    found = load_partly_labeled(name, positive=positive, label_frequency=0.25)
    given = getattr(sklearn.datasets, f"load_{name}")()
    names = list(given.target_names)
    number = names.index(positive) if positive in names else positive
    assert_array_equal(found.truth, given.target == number)
    assert_array_equal(found.data, given.data)
    assert (found.truth[found.target == 1] == 1).all()
    assert found.target.sum() == round(0.25 * found.truth.sum())
    assert found.class_prior == found.truth[found.target == 0].mean()


def test_the_draw_is_repeatable_and_may_be_biased():
    size = sklearn.datasets.load_wine().data[:, 0]
    even, again, biased = (
        load_partly_labeled("wine", propensity=chance) for chance in (None, None, size**20)
    )
    assert_array_equal(even.target, again.target)
    assert biased.data[biased.target == 1, 0].mean() > even.data[even.truth == 1, 0].mean()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"name": "diabetes"}, "Choose one of breast_cancer, digits"),
        ({"name": "olivetti_faces"}, "needs no network"),
        ({"name": "iris", "positive": "rose"}, "positive='rose' is not a class of iris. Choose"),
        ({"name": "digits", "positive": 10}, "positive=10 is not a class of digits"),
    ],
)
def test_what_cannot_be_loaded(asked, said):
    with pytest.raises(DataError, match=said):
        load_partly_labeled(**asked)
