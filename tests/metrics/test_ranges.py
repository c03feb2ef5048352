"""No interval and no band holds a value that a population cannot have."""

import inspect
import math

import numpy as np
import pytest

from onesided import metrics
from onesided.exceptions import OnesidedWarning
from onesided.metrics import CorrectedScore, LeeLiuScore

CHOICES = {
    "class_prior": [0.05, 0.5, 0.9],
    "scenario": ["single-training-set", "case-control"],
    "fraction": [0.02, 0.5, 1.0],
    "k": [1, 9],
    "ratio": [1, 4],
}
PARAMETERS = {
    name: inspect.signature(metric).parameters
    for name in metrics.__all__
    if inspect.isfunction(metric := getattr(metrics, name))
}
OF_PREDICTIONS = [name for name, named in PARAMETERS.items() if {"y_pred", "y_score"} & set(named)]
NO_SHARES = {"lift": lambda _: math.inf, "enrichment_factor": lambda asked: 1 / asked["fraction"]}


def drawn(rng, named):
    """Few rows, in any order, with a class prior that may be far too high."""
    y = np.repeat([1, 0], rng.integers(2, 40, size=2))
    scores = rng.normal(size=len(y)).round(rng.integers(0, 4)) + rng.choice([-3, 0, 3]) * y
    asked = {name: rng.choice(CHOICES[name]) for name in CHOICES if name in named}
    return y, (scores > rng.normal()).astype(int) if "y_pred" in named else scores, asked


@pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning")
@pytest.mark.parametrize("name", OF_PREDICTIONS)
def test_an_interval_ends_where_the_metric_ends(name, rng):
    for _ in range(60):
        y, given, asked = drawn(rng, PARAMETERS[name])
        found = getattr(metrics, name)(y, given, **asked)
        most = NO_SHARES.get(name, lambda _: 1.0)(asked)
        if isinstance(found, LeeLiuScore):
            low, high, most = *found.interval(0.999), math.inf
        elif isinstance(found, CorrectedScore):
            low, high = found.interval(0.999)
            assert found.greatest == most
        else:
            low, high = found.band(np.linspace(0, 1, 9), confidence=0.999)
        assert np.all(np.asarray(low) >= 0)
        assert np.all(np.asarray(low) <= high)
        assert np.all(np.asarray(high) <= most)


def test_every_metric_of_predictions_is_walked():
    assert {"pu_precision", "bedroc_score", "lee_liu_score", "pu_roc_curve"} < set(OF_PREDICTIONS)


@pytest.mark.parametrize(("times", "may_be_chance"), [(1, True), (100, False)])
def test_a_value_beyond_the_range_says_whether_it_may_be_chance(times, may_be_chance):
    y, predicted = ([1, 1, 1, 1, 0, 0, 0, 0] * times, [1, 1, 1, 0, 1, 0, 0, 0] * times)
    with pytest.warns(OnesidedWarning, match=r"comes out at 1\.5") as said:
        found = metrics.pu_precision(y, predicted, class_prior=0.5, scenario="case-control")
    assert found == 1.5
    assert ("or it is chance" in str(said[-1].message)) == may_be_chance
    assert (found.interval()[0] == 1) != may_be_chance
