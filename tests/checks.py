"""scikit-learn's checks, and our own, over every public estimator."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import Interval, make_constraint
from sklearn.utils.validation import has_fit_parameter

import onesided
from onesided._validation import merged_tables
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models.bayes import BetaPrior
from onesided.models.composite import TwoStep
from onesided.models.logistic import WeightedLogisticRegression
from onesided.models.significance import _significance_ranker, _sources

# What scikit-learn's checks run with beside the defaults, since it is another path of the code.
OTHERWISE: dict[str, list[dict[str, Any]]] = {
    "BestBinPrior": [{"estimator": LogisticRegression()}],
    "PositiveAODE": [{"class_prior": 0.5}],
    "PositiveKDB": [{"class_prior": BetaPrior(2, 2), "k": 1}],
    "PositiveNaiveBayes": [{"class_prior": 0.5}],
    "PositiveTAN": [{"class_prior": 0.5}],
    "PUBagging": [{"class_prior": 0.5}],
    "SignificanceRanker": [
        {"n_subsets": 50, "kernel": "rbf"},
        {"n_subsets": 20, "sources": {"first": [0], "all": slice(None)}},
    ],
    "TwoStep": [{"first": "rocchio", "second": "svm"}],
    "WeightedLogisticRegression": [{"class_prior": 0.2}],
}
# Parameters that only make a fit shorter.
_SHORTER: dict[str, dict[str, Any]] = {"PUBagging": {"n_estimators": 10}}
# What our checks need, whose data are codes of four features: 0 and 1 for those that take no more,
# one base for dense and sparse, and steps that do not need many words.
_FOR_CODES: dict[str, dict[str, Any]] = {
    "ICIClassifier": {"binarize": 1.0},
    "NoisyOrClassifier": {"binarize": 1.0},
    "PUBagging": {"estimator": WeightedLogisticRegression(), "n_estimators": 10},
    "SignificanceRanker": {"n_subsets": 100},
    "TwoStep": {"first": "rocchio", "second": "svm"},
}
# Those that our checks leave out; test_two_step.py has checks of their own, on documents.
_NEED_MANY_WORDS = {
    "PEBL": "no row of codes is without a typical word, of which it warns",
    "SpyEM": "EM of documents of four words comes to one class",
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "RankAverage": {
        "estimators": [
            ("weak", WeightedLogisticRegression(0.01)),
            ("strong", WeightedLogisticRegression(1.0)),
        ]
    }
}
"""What a class cannot be made without."""


def public_estimators() -> list[BaseEstimator]:
    """One of each estimator of the public modules, with its defaults, by name."""
    return [_seeded(each) for each in configurable() if hasattr(each, "fit")]


def configurable() -> list[BaseEstimator]:
    """One of each public class with scikit-learn's parameters, those without `fit` too."""
    modules = [
        importlib.import_module(each.name)
        for each in pkgutil.walk_packages(onesided.__path__, "onesided.")
        if not any(part.startswith("_") for part in each.name.split("."))
    ]
    members = {
        name: getattr(module, name) for module in modules for name in getattr(module, "__all__", ())
    }
    return [
        each(**ARGUMENTS.get(each.__name__, {}))
        for _, each in sorted(members.items())
        if inspect.isclass(each) and hasattr(each, "get_params") and not inspect.isabstract(each)
    ]


def constraints_of(estimator: BaseEstimator) -> dict[str, Any]:
    """The constraints of each parameter, by its own tables and those of the steps it makes."""
    steps = estimator._steps() if isinstance(estimator, TwoStep) else ()
    return {
        name: entry
        for each in (*steps, estimator)
        for name, entry in merged_tables(type(each), "_parameter_constraints").items()
    }


def values_outside() -> Iterator[Any]:
    """A public estimator, a parameter and values that its constraints do not allow."""
    for estimator in configurable():
        constraints = constraints_of(estimator)
        for name in estimator.get_params(deep=False):
            if constraints[name] == "no_validation":
                continue
            allowed = [make_constraint(each) for each in constraints[name]]
            case = f"{type(estimator).__name__}-{name}"
            yield pytest.param(estimator, name, _suspects(allowed), id=case)


def _suspects(allowed: list[Any]) -> list[Any]:
    """Values of a wrong kind, and those beyond each end of a range, that nothing allows."""
    found: list[Any] = ["of no kind", object(), 1j, float("nan")]
    for each in allowed:
        if isinstance(each, Interval):
            beyond = (
                (each.left, -1, each.closed in ("left", "both")),
                (each.right, 1, each.closed in ("right", "both")),
            )
            for end, step, inside in beyond:
                if end is None:
                    found.append(step * float("inf"))
                else:
                    found += [end + step] if inside else [end, end + step]
            found += [1.5] if each.type is Integral else [True]
    return [value for value in found if not any(each.is_satisfied_by(value) for each in allowed)]


def _seeded(estimator: BaseEstimator) -> BaseEstimator:
    return (
        estimator.set_params(random_state=0)
        if "random_state" in estimator.get_params()
        else estimator
    )


def takes_weights(estimator: BaseEstimator) -> bool:
    """Whether rows can be weighted."""
    return has_fit_parameter(estimator, "sample_weight")


def checked_estimators() -> list[BaseEstimator]:
    """One of each public estimator with its defaults, and some with other parameters.

    Ensembles have fewer members than by default.
    """
    shorter = [
        each.set_params(**_SHORTER.get(type(each).__name__, {})) for each in public_estimators()
    ]
    return [
        *shorter,
        *(
            clone(each).set_params(**parameters)
            for each in shorter
            for parameters in OTHERWISE.get(type(each).__name__, [])
        ),
    ]


def public_classifiers() -> list[PositiveUnlabeledClassifier]:
    """Those that learn from positive and unlabeled rows, with parameters that suit our checks."""
    found = [each for each in public_estimators() if isinstance(each, PositiveUnlabeledClassifier)]
    return [configured(each) for each in found if type(each).__name__ not in _NEED_MANY_WORDS]


def configured(estimator: BaseEstimator) -> BaseEstimator:
    """The estimator with parameters that suit our checks, whose rows are codes."""
    return estimator.set_params(**_FOR_CODES.get(type(estimator).__name__, {}))


def few_significance_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few steps of distances, of which those of 0 take all, and few sets to standardize them."""
    monkeypatch.setattr(_sources, "_DISTANCE_STEPS", 100)
    monkeypatch.setattr(_significance_ranker, "_N_COMPARED", 30)
