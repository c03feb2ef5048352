"""A wrong argument of a metric is named, with what to pass instead."""

import inspect

import numpy as np
import pytest

from onesided import metrics
from onesided.exceptions import OnesidedError

Y = np.repeat([1, 0], [15, 45])
GIVEN = {
    "y_score": np.random.default_rng(0).normal(size=60),
    "y_pred": np.repeat([1, 0], 30),
    "class_prior": 0.3,
    "scenario": "case-control",
    "k": 10,
    "fraction": 0.1,
}
WRONG = {
    "y": (None, 5, "labels", np.zeros((2, 2))),
    "y_score": (None, 5, "scores", ["a"] * 60, {"a": 1}, np.ones(60) * 1j, object()),
    "y_pred": (None, 0.5, "labels", np.zeros((60, 2)), object()),
    "propensity": ("even", {"a": 1}, np.ones(3)),
    "sample_weight": ("balanced", -1, np.ones(3)),
    "positive_label": ([1], {"a": 1}, 7),
    "scenario": ("two samples", 5, ["case-control"]),
}


def metrics_of_rows():
    found = {}
    for name in metrics.__all__:
        function = getattr(metrics, name)
        if inspect.isfunction(function) and {"y", "positive_label"} <= {
            *inspect.signature(function).parameters
        }:
            found[name] = function
    return found


FOUND = metrics_of_rows()


def test_all_are_found():
    assert {"pu_roc_auc", "pu_recall", "lee_liu_score", "bedroc_score"} <= {*FOUND}
    assert len(FOUND) >= 12


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("argument", WRONG)
def test_a_wrong_argument_is_named_with_what_to_pass(name, argument):
    names = inspect.signature(FOUND[name]).parameters
    if argument not in names:
        return
    right = {"y": Y, **{each: value for each, value in GIVEN.items() if each in names}}
    FOUND[name](**right)
    for value in WRONG[argument]:
        with pytest.raises(OnesidedError) as raised:
            FOUND[name](**{**right, argument: value})
        assert argument in str(raised.value)
        assert raised.value.mend
