"""The table of methods, and methods of strangers."""

import json
import re
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

class Deaf(BaseEstimator):
    def fit(self, X, y):
        return self

DOWN = Method("down", {"sum, turned around": {"sign": -1.0}}, Sum)
LESS = Sum(sign=-0.5)
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
    (tmp_path / "strangers_needs.py").write_text("import not_there_at_all")
    (tmp_path / "strangers_slip.py").write_text("def (")
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
        ("strangers_sums:LESS", "strangers_sums:LESS"),
    ],
)
def test_a_strangers_method(stranger, frame, name, title):
    assert stranger.exists()
    found = rank_table(frame, "known", methods=[name])
    assert list(found.comparison.hidden) == [title]
    auc = found.comparison.hidden[title].auc
    assert auc < 0.2 if "turned" in title or "LESS" in title else auc > 0.8


def test_a_strangers_method_on_the_command_line(stranger, frame):
    frame.to_csv(stranger / "t.csv", index=False)
    ask = ["rank", "t.csv", "--positive", "known", "--report", "r.html"]
    done = passed(*ask, "--method", "sum", "--method", "logistic", cwd=stranger)
    assert "  sum  " in done.stderr
    assert "sum" in (stranger / "r.html").read_text(encoding="utf-8")
    done = run(*ask, "--method", "summ", cwd=stranger)
    refused(done, "There is no method 'summ'", "cross-fit-svm, down, sum. ")


def test_a_learner_that_draws_gets_the_seed(frame):
    trees = "sklearn.tree:ExtraTreeClassifier"
    found, again, other = (
        rank_table(frame, "known", methods=[trees], random_state=seed) for seed in (1, 1, 2)
    )
    assert found.model["model"].random_state == 1
    assert again.table.equals(found.table)
    assert not other.table.equals(found.table)
    assert found.report().data["methods"][0]["name"] == trees


def test_a_method_in_a_file_of_the_folder_of_work(frame, tmp_path, monkeypatch):
    """The folder is not on the path of Python, as for the installed command."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "strangers_file.py").write_text(CODE)
    frame.to_csv(tmp_path / "t.csv", index=False)
    ask = ["--positive", "known", "--method", "strangers_file:Sum"]
    done = passed("rank", "t.csv", *ask, "--save-config", "run.json", cwd=tmp_path)
    assert "strangers_file:Sum   " in done.stderr
    again = passed("rank", "t.csv", "--config", "run.json", cwd=tmp_path)
    assert again.stderr.splitlines() == [
        line for line in done.stderr.splitlines() if not line.startswith("Config: ")
    ]
    passed("compare", "t.csv", *ask, "--quiet", cwd=tmp_path)
    assert "strangers_file:Sum" in (tmp_path / "t-comparison.csv").read_text(encoding="utf-8")
    done = run("fit", "t.csv", *ask, cwd=tmp_path)
    refused(done, "may not hold 'strangers_file.Sum'", "keeps no model")
    sys.modules.pop("strangers_file")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module:Sum", "There is no module 'no_such_module'"),
        ("sklearn.no_such:Sum", "There is no module 'sklearn.no_such'"),
        ("strangers_needs:Sum", "cannot be imported: ModuleNotFoundError: No module named 'not_th"),
        ("strangers_slip:Sum", "cannot be imported: SyntaxError"),
        ("strangers_sums:Product", "has no 'Product'. Its estimators are Sum, LESS."),
        ("strangers_sums:NOTHING", "neither a Method of onesided nor an estimator"),
        ("strangers_sums:Deaf", "neither a Method of onesided nor an estimator that gives scores"),
        ("sklearn.preprocessing:StandardScaler", "nor an estimator that gives scores"),
        ("sklearn.ensemble:VotingClassifier", "without its parameter 'estimators'"),
        ("summ", "There is no method 'summ'"),
        ("strangers_sums.Sum", "module:Class"),
        ("strangers_sums:", "does not name a module and a class"),
        (":Sum", "does not name a module and a class"),
        ("./strangers_sums.py:Sum", "does not name a module and a class"),
    ],
)
def test_what_is_no_method(stranger, name, said):
    assert stranger.exists()
    with pytest.raises(TableError, match=re.escape(said)):
        find_method(name)


BROKEN = """
import sys
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Works(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        print("a line of a method")
        self.classes_ = np.array([0, 1])

    def decision_function(self, X):
        return np.asarray(X, float).sum(1)


class Plain:
    fit, decision_function = Works.fit, Works.decision_function


class Words(Works):
    def decision_function(self, X):
        return np.array(["high"] * len(X))


class Endless(Works):
    def decision_function(self, X):
        return np.full(len(X), np.inf)


class Unmarked(BaseEstimator):
    def fit(self, X, y):
        return self

    decision_function = Works.decision_function


class Fails(Works):
    def fit(self, X, y):
        raise ValueError("the matrix is singular")


class FailsLater(Works):
    def decision_function(self, X):
        raise KeyError("depth")


class Asserts(Works):
    def fit(self, X, y):
        assert False


class Leaves(Works):
    def fit(self, X, y):
        sys.exit(7)
"""


@pytest.fixture
def broken(tmp_path, frame):
    (tmp_path / "broken_methods.py").write_text(BROKEN)
    (tmp_path / "broken_leaves.py").write_text("import sys; sys.exit(3)")
    frame.to_csv(tmp_path / "t.csv", index=False)
    yield tmp_path
    sys.modules.pop("broken_methods", None)


@pytest.mark.parametrize(
    ("name", "problem", "mend"),
    [
        ("broken_methods:Plain", "'broken_methods:Plain' has no get_params", "BaseEstimator"),
        ("broken_methods:Words", "Words() gives scores that are not numbers", "one number for"),
        ("broken_methods:Endless", "Endless() returns inf as the score of all 80 rows", "finite"),
        (
            "broken_methods:Unmarked",
            "The fit of Unmarked() sets no attribute whose name",
            "classes_",
        ),
        ("broken_methods:Fails", ":Fails ended with ValueError: the matrix is singular.", "-vv"),
        ("broken_methods:FailsLater", ":FailsLater ended with KeyError: 'depth'.", "-vv shows"),
        ("broken_methods:Asserts", ":Asserts ended with AssertionError.", "Correct the class; "),
        ("broken_methods:Leaves", "Leaves() called sys.exit(7), which would", "raise an error"),
        ("broken_leaves:Any", "'broken_leaves' cannot be imported: SystemExit: 3", "Mend the"),
        ("sklearn.naive_bayes:MultinomialNB", "ValueError: Negative values in data", "-vv shows"),
    ],
)
def test_a_broken_method_of_a_stranger(broken, name, problem, mend):
    """Two lines name the method and what it did, in each verb, and the exit code is 2."""
    for verb in ("rank",) if name.endswith("Unmarked") else ("rank", "compare"):
        ask = (verb, "t.csv", "--positive", "known", "--method", name)
        refused(run(*ask, cwd=broken), problem, mend)
    many = ("rank", "t.csv", "--positive", "known", "--method", "naive-bayes", "--method", name)
    refused(run(*many, cwd=broken), problem, mend)


def test_the_traceback_of_a_method_of_a_stranger(broken):
    ask = ("rank", "t.csv", "--positive", "known", "--method", "broken_methods:Fails")
    done = run(*ask, "-vv", cwd=broken)
    assert done.returncode == 2
    assert "broken_methods.py" in done.stderr
    assert "Traceback" not in run(*ask, cwd=broken).stderr


@pytest.mark.parametrize("verb", ["rank", "compare"])
def test_what_a_method_prints_is_not_the_result(broken, verb):
    """Its fit returns nothing, which is no fault: the estimator itself is fitted."""
    ask = (verb, "t.csv", "--positive", "known", "--method", "broken_methods:Works", "--json")
    done = passed(*ask, cwd=broken)
    assert json.loads(done.stdout)["verb"] == verb
    assert "a line of a method" in done.stderr
