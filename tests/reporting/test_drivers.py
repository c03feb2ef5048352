"""What drives a score is called what it is called in the table."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from onesided import tables
from onesided.methods import _columns, rankers_for
from onesided.reporting._drivers import find_drivers


@pytest.mark.parametrize("telling", ["b", "another"])
def test_values_of_a_category_with_rare_ones(rng, monkeypatch, telling):
    """Shares counted by hand, up to the smoothing of the model."""
    monkeypatch.setattr(_columns, "MOST_VALUES", 3)
    n = 2000
    known = np.arange(n) < 600
    rare = rng.choice([f"a{i}" for i in range(30)], n)  # before b in the order of the values
    other = rng.choice(["b", "c"], n)
    is_rare = rng.random(n) < np.where(known & (telling == "another"), 0.8, 0.2)
    color = np.where(is_rare, rare, np.where(known & (telling == "b"), "b", other))
    table = pa.table({"color": color, "known": known.astype(int)})
    summary = tables.describe(table, without=["known"])
    (ranker,) = rankers_for(summary, methods=["naive-bayes"], class_prior=0.1).values()
    (driver,) = find_drivers(ranker.fit(table.select(["color"]), known))
    assert driver["value"] == telling
    expected = is_rare[known].mean() if telling == "another" else (color[known] == "b").mean()
    assert_allclose(driver["positive_share"], expected, atol=0.01)


def test_the_weight_of_a_number_is_that_of_a_standard_deviation(rng):
    """Beside text too, where the numbers that the model gets are smaller."""
    n = 200
    known = np.arange(n) < 60
    words = rng.choice(["red", "green", "blue"], (n, 4))
    table = pa.table({"text": [" ".join(row) for row in words], "x": rng.normal(size=n) + known})
    summary = tables.describe(table, text=["text"])
    ranker = rankers_for(summary, methods=["text-first"])["logistic regression, text first"]
    (effect,) = (
        each["effect"] for each in find_drivers(ranker.fit(table, known)) if each["feature"] == "x"
    )
    more = table.set_column(1, "x", [table["x"].to_numpy() + np.std(table["x"].to_numpy())])
    raised = ranker.decision_function(more) - ranker.decision_function(table)
    assert_allclose(raised, effect)
