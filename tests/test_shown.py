"""What a console shows of public names: signatures that a person can read, and short results."""

import importlib
import inspect
import pkgutil
from dataclasses import is_dataclass

import numpy as np
import pandas as pd
import pytest

import onesided
from onesided import CenterOfMassRanker, WeightedLogisticRegression, compare, rank_table
from onesided.datasets import make_gaussians
from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.promises import conformal_test, recall_shortlist

MODULES = [
    importlib.import_module(each.name)
    for each in pkgutil.walk_packages(onesided.__path__, "onesided.")
    if not any(part.startswith("_") for part in each.name.split("."))
    and not each.name.startswith("onesided.cli")
]
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in getattr(module, "__all__", ())
}
CLASSES = {name: each for name, each in PUBLIC.items() if inspect.isclass(each)}


def callables():
    """Public functions and classes, and the public methods of the latter."""
    for name, each in PUBLIC.items():
        if inspect.isclass(each) or inspect.isfunction(each):
            yield name, each
    for name, each in CLASSES.items():
        for method, function in inspect.getmembers(each, inspect.isroutine):
            home = getattr(function, "__module__", None) or ""
            if not method.startswith("_") and home.startswith("onesided"):
                yield f"{name}.{method}", function


def test_signatures_show_types_as_they_are_written():
    expanded, n_seen = [], 0
    for name, each in callables():
        try:
            parameters = inspect.signature(each).parameters.values()
        except ValueError:  # a class of Python's own
            continue
        for parameter in parameters:
            n_seen += 1
            annotation = parameter.annotation
            if annotation is not parameter.empty and not isinstance(annotation, str):
                expanded.append(f"{name}: {parameter}")
            assert " object at 0x" not in repr(parameter.default), f"{name}: {parameter}"
    assert n_seen > 1000
    assert not expanded, "from __future__ import annotations"


def test_results_say_their_words():
    """Every public dataclass: in words where it has some, else by its fields without their data."""
    shows_all = [
        name
        for name, each in CLASSES.items()
        if is_dataclass(each) and hasattr(each.__repr__, "__wrapped__")  # as dataclass makes it
    ]
    assert not shows_all
    assert sum(map(is_dataclass, CLASSES.values())) > 30


@pytest.fixture(scope="module")
def results():
    drawn = make_gaussians(2.0, n_features=4, class_prior=0.2).sample(60, 400, random_state=0)
    X, y = drawn.X, drawn.y
    linear = WeightedLogisticRegression()
    table = pd.DataFrame(X, columns=list("abcd")).assign(known=y)
    ranking = rank_table(table, "known", methods=["center-of-mass"], random_state=0)
    rng = np.random.default_rng(0)
    return [
        drawn,
        compare({"a": linear, "b": CenterOfMassRanker()}, X, y),
        unlabeled_out_of_fold_scores(linear, X, y),
        conformal_test(linear, X, y),
        recall_shortlist(rng.random(60), rng.random(400), recall=0.5),
        ranking,
        ranking.problem,
        ranking.problem.summary,
    ]


def test_results_are_short(results):
    for each in results:
        shown = repr(each)
        assert shown.count("\n") < 10, shown
        if type(each).__str__ is not object.__str__:
            assert shown == str(each)
        else:
            assert shown.startswith(f"{type(each).__name__}(")
            assert len(shown) < 1500
    assert "X=<ndarray of shape (460, 4)>" in repr(results[0])
