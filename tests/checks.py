"""scikit-learn's checks, and our own, over every public estimator.

`EXPECTED_FAILURES` names each check of scikit-learn that fails on purpose, and why.
"""

import inspect
from typing import Any

from sklearn.base import BaseEstimator

import onesided
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.preprocessing import QuantileBinner

_OUR_MESSAGE = "the message says what to do with the third value, in the words of the field"
# What scikit-learn's checks need: they label all positives, so that an estimated prior is 0, and
# some have two features, among which two parents cannot be chosen.
PARAMETERS: dict[str, dict[str, Any]] = {
    "PositiveAODE": {"class_prior": 0.5},
    "PositiveKDB": {"class_prior": 0.5, "k": 1},
    "PositiveNaiveBayes": {"class_prior": 0.5},
    "PositiveTAN": {"class_prior": 0.5},
}
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "PositiveUnlabeledClassifier": {
        "check_classifier_not_supporting_multiclass": _OUR_MESSAGE,
    },
    "PositiveMultinomialNB": {
        "check_decision_proba_consistency": "it draws negative features, which are no counts",
    },
}


def public_estimators() -> list[BaseEstimator]:
    """One of each public estimator, with its defaults."""
    found = [
        member()
        for name in onesided.__all__
        if inspect.isclass(member := getattr(onesided, name)) and issubclass(member, BaseEstimator)
    ]
    return [*found, QuantileBinner()]


def checked_estimators() -> list[BaseEstimator]:
    """One of each public estimator, with parameters that suit scikit-learn's checks."""
    return [
        each.set_params(**PARAMETERS.get(type(each).__name__, {})) for each in public_estimators()
    ]


def public_classifiers() -> list[PositiveUnlabeledClassifier]:
    """Those that learn from positive and unlabeled rows."""
    return [each for each in public_estimators() if isinstance(each, PositiveUnlabeledClassifier)]


def expected_failures(estimator: Any) -> dict[str, str]:
    """Checks that the estimator fails on purpose, with reasons."""
    return {
        check: reason
        for kind in type(estimator).__mro__
        for check, reason in EXPECTED_FAILURES.get(kind.__name__, {}).items()
    }
