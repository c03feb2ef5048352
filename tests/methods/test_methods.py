"""The table of methods, and methods of strangers."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from command_line import passed, refused, run
from onesided.exceptions import TableError
from onesided.methods import METHODS, TABLE, find_method, method_names, rankers_for
from onesided.ranking import rank_table
from onesided.tables import describe

CODE = """
import numpy as np
from sklearn.base import BaseEstimator
from onesided.methods import Method

class Sum(BaseEstimator):
    def __init__(self, sign=1.0):
        self.sign = sign

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.sign * np.asarray(X).sum(axis=1)

DOWN = Method("down", {"sum, turned around": {"sign": -1.0}}, Sum)
NOTHING = 3
"""


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    """A package with two entry points, as if it were installed."""
    (tmp_path / "strangers_sums.py").write_text(CODE)
    info = tmp_path / "strangers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[onesided.methods]\ndown = strangers_sums:DOWN\nsum = strangers_sums:Sum\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("strangers_sums", None)


@pytest.fixture
def frame(rng):
    known = np.arange(80) < 20
    found = pd.DataFrame(rng.normal(size=(80, 2)) + 2.0 * known[:, None], columns=["a", "b"])
    return found.assign(known=known.astype(int))


def test_names_and_titles_differ():
    titles = [title for each in TABLE for title in each.models]
    assert len({*METHODS}) == len(TABLE)
    assert len({*titles}) == len(titles)


@pytest.mark.parametrize("name", METHODS)
def test_each_method_is_made_of_its_row(name):
    words = ["red apple", "green pear", "red pear", "green apple"] * 5
    numbers = [[float(row), float(row % 7)] for row in range(20)]
    table = (
        pa.table({"t": words})
        if name == "multinomial"
        else pa.table({"a": [x for x, _ in numbers], "b": [y for _, y in numbers]})
    )
    summary = describe(table, text=["t"] if name == "multinomial" else [])
    made = rankers_for(summary, methods=[name], class_prior=0.3)
    method = find_method(name)
    assert list(made) == list(method.models)
    for pipeline in made.values():
        model = pipeline["model"]
        assert isinstance(model, BaseEstimator)
        for passed_on, value in (("class_prior", 0.3), ("random_state", 0)):
            if passed_on in method.passes:
                assert model.get_params()[passed_on] == value


def test_the_names_of_strangers_come_last(stranger):
    assert stranger.exists()
    assert method_names() == [*METHODS, "down", "sum"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("down", "sum, turned around"),
        ("sum", "sum"),
        ("strangers_sums:Sum", "strangers_sums:Sum"),
        ("strangers_sums:DOWN", "sum, turned around"),
    ],
)
def test_a_strangers_method(stranger, frame, name, title):
    assert stranger.exists()
    found = rank_table(frame, "known", methods=[name])
    assert list(found.comparison.hidden) == [title]
    auc = found.comparison.hidden[title].auc
    assert auc < 0.2 if "turned" in title else auc > 0.8


def test_a_strangers_method_on_the_command_line(stranger, frame):
    frame.to_csv(stranger / "t.csv", index=False)
    ask = ["rank", "t.csv", "--positive", "known", "--report", "r.html"]
    done = passed(*ask, "--method", "sum", "--method", "logistic", cwd=stranger)
    assert "  sum  " in done.stderr
    assert "sum" in (stranger / "r.html").read_text(encoding="utf-8")
    done = run(*ask, "--method", "summ", cwd=stranger)
    refused(done, "There is no method 'summ'", "cross-fit-svm, down, sum.")


def test_a_learner_that_draws_gets_the_seed(frame):
    trees = "sklearn.ensemble:ExtraTreesClassifier"
    found, again, other = (
        rank_table(frame, "known", methods=[trees], random_state=seed) for seed in (1, 1, 2)
    )
    assert found.model["model"].random_state == 1
    assert again.table.equals(found.table)
    assert not other.table.equals(found.table)
    assert found.report().data["methods"][0]["name"] == trees


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module:Sum", "cannot be loaded: No module named 'no_such_module'"),
        ("strangers_sums:Product", "cannot be loaded"),
        ("strangers_sums:NOTHING", "neither a Method of onesided nor the class"),
        ("sklearn.ensemble:VotingClassifier", "without its parameter 'estimators'"),
        ("summ", "There is no method 'summ'"),
    ],
)
def test_what_is_no_method(stranger, name, said):
    assert stranger.exists()
    with pytest.raises(TableError, match=said):
        find_method(name)
