"""The public names are a list."""

import copy
import inspect
import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module

import cloudpickle
import pytest
import skops.io
from sklearn.base import BaseEstimator, clone

import onesided
from checks import public_estimators
from onesided import models

PUBLIC = [
    "BetaPrior",
    "CenterOfMassRanker",
    "CenteredOneClassSVM",
    "CorrelationRanker",
    "CrossFitSVM",
    "ICIClassifier",
    "LGN",
    "NearestKnown",
    "NoisyOrClassifier",
    "PEBL",
    "PUBagging",
    "PositiveAODE",
    "PositiveKDB",
    "PositiveKFold",
    "PositiveMultinomialNB",
    "PositiveNaiveBayes",
    "PositiveTAN",
    "RankAverage",
    "RocchioSVM",
    "SignificanceRanker",
    "SpyEM",
    "TwoStep",
    "WeightedLogisticRegression",
    "WeightedLogisticRegressionCV",
    "__version__",
    "apparent_p_value",
    "audit",
    "base",
    "checking",
    "compare",
    "datasets",
    "enriched",
    "enrichment",
    "exceptions",
    "hidden_positive_ranks",
    "methods",
    "metrics",
    "model_selection",
    "preprocessing",
    "prior",
    "promises",
    "rank_table",
    "ranking",
    "scoring",
    "tables",
    "unexpected",
]


PACKAGES = [
    *(
        "audit",
        "datasets",
        "exceptions",
        "metrics",
        "model_selection",
        "preprocessing",
        "prior",
        "promises",
    ),
    *(f"models.{each.name}" for each in pkgutil.iter_modules(models.__path__) if each.ispkg),
]
CLASSES = {
    f"{package}.{name}": found
    for package in PACKAGES
    for name in import_module(f"onesided.{package}").__all__
    if inspect.isclass(found := getattr(import_module(f"onesided.{package}"), name))
}


def test_public_names():
    assert onesided.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(onesided, name) is not None


def test_every_name_is_there_for_a_type_checker():
    source = onesided.__loader__.get_source("onesided")
    for name in onesided._HOMES:
        assert f" {name} as {name}" in source


def loaded_by(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_import_loads_nothing_heavy():
    assert not loaded_by("import onesided") & {"numpy", "sklearn", "pyarrow", "altair", "typer"}


def test_learners_load_no_table_reader_and_no_plots():
    heavy = {"pyarrow", "altair", "vl_convert", "typer", "rich", "jinja2", "pandas", "polars"}
    by_scikit_learn = loaded_by("import sklearn.model_selection, sklearn.utils.validation")
    found = loaded_by("from onesided import PositiveNaiveBayes, compare")
    assert not (found - by_scikit_learn) & heavy


def test_a_ranking_and_a_model_load_no_page_and_no_plots():
    found = loaded_by("import onesided.ranking, onesided.scoring, onesided.tables")
    assert not found & {"onesided.reporting", "altair", "vl_convert", "jinja2", "typer"}


def test_help_loads_no_learner():
    heavy = {"numpy", "sklearn", "pyarrow", "altair", "scipy"}
    assert not loaded_by("import onesided.cli.__main__") & heavy


@pytest.mark.parametrize("path", CLASSES)
def test_a_class_is_of_the_module_that_it_is_imported_from(path):
    found = CLASSES[path]
    is_at_the_top = found.__name__ in PUBLIC
    assert found.__module__ == (
        "onesided" if is_at_the_top else f"onesided.{path}"[: -len(found.__name__) - 1]
    )
    assert getattr(import_module(found.__module__), found.__name__) is found
    assert pickle.loads(pickle.dumps(found)) is found
    assert cloudpickle.loads(cloudpickle.dumps(found)) is found


def test_the_classes_are_seen():
    assert len(CLASSES) > 50
    assert {each.__module__ for each in CLASSES.values()} >= {"onesided", "onesided.prior"}


@pytest.mark.parametrize("model", public_estimators(), ids=lambda model: type(model).__name__)
def test_an_estimator_is_stored_by_its_public_name(model):
    kind, stored = type(model), skops.io.dumps(model)
    trusted = skops.io.get_untrusted_types(data=stored)
    assert f"{kind.__module__}.{kind.__name__}" in trusted
    for other in (skops.io.loads(stored, trusted), copy.deepcopy(model), clone(model)):
        assert isinstance(other, BaseEstimator)
        assert type(other) is kind
        assert repr(other) == repr(model)


@pytest.mark.parametrize(
    ("module", "before", "now"),
    [
        ("model_selection", "cross_fit_scores", "unlabeled_out_of_fold_scores"),
        ("promises", "held_out_scores", "hidden_positive_scores"),
        ("prior", "default_scorer", "balanced_classifier"),
    ],
)
def test_names_of_before_are_found_with_a_warning(module, before, now):
    found = import_module(f"onesided.{module}")
    with pytest.warns(FutureWarning, match=f"{before} is now named {now}"):
        assert getattr(found, before) is getattr(found, now)
    with pytest.raises(AttributeError, match="no attribute 'never_there'"):
        _ = found.never_there
