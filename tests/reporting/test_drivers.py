"""What drives a score is called what it is called in the table."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from onesided import tables
from onesided.methods import _columns, rankers_for
from onesided.reporting import render
from onesided.reporting._drivers import LabeledRows, find_drivers


def test_the_page_says_of_how_many_rows_a_share_is(report):
    driver = {"feature": "size", "value": "below 3", "effect": 2.0, "unit": "times as common"}
    driver |= {"positive_share": 0.5, "n_positive_with": 4, "n_positive": 8}
    driver |= {"unlabeled_share": 0.0, "n_unlabeled_with": 0, "n_unlabeled": 9}
    page = " ".join(render({**report, "drivers": [driver]}).split())
    assert "50 % <span>(4 of 8)</span>" in page
    assert "over 2.0" in page


@pytest.mark.parametrize("telling", ["b", "another"])
def test_values_of_a_category_with_rare_ones(rng, monkeypatch, telling):
    """The numbers are those of the rows of the table."""
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
    features = table.select(["color"])
    (driver,) = find_drivers(ranker.fit(features, known), LabeledRows(features, known, ~known))
    assert driver["value"] == telling
    with_value = is_rare if telling == "another" else color == "b"
    for kind, rows in (("positive", known), ("unlabeled", ~known)):
        assert driver[f"n_{kind}_with"] == with_value[rows].sum()
        assert driver[f"n_{kind}"] == rows.sum()
        assert_allclose(driver[f"{kind}_share"], with_value[rows].mean())
    assert_allclose(driver["effect"], with_value[known].mean() / with_value[~known].mean())


@pytest.mark.parametrize("method", ["naive-bayes", "tree"])
@pytest.mark.parametrize("telling", ["red", "missing"])
def test_numbers_of_a_small_table_are_those_of_its_rows(method, telling):
    """Smoothing changes shares of few rows a lot; checked rows are left out.

    Of 12 positive rows 9 have the value, and of 30 unlabeled rows 6.
    """
    with_value = np.repeat([True, False] * 3, [9, 3, 6, 24, 8, 2])
    kind = np.repeat([0, 1, 2], [12, 30, 10])
    value = None if telling == "missing" else telling
    color = [value if has else "blue" for has in with_value]
    features = pa.table({"color": color, "even": ["a", "b"] * 26})
    (ranker,) = rankers_for(tables.describe(features), methods=[method], class_prior=0.1).values()
    learned = kind < 2
    ranker.fit(features.filter(learned), kind[learned] == 0)
    driver = find_drivers(ranker, LabeledRows(features, kind == 0, kind == 1))[0]
    assert (driver["feature"], driver["value"]) == ("color", telling)
    assert (driver["n_positive_with"], driver["n_positive"]) == (9, 12)
    assert (driver["n_unlabeled_with"], driver["n_unlabeled"]) == (6, 30)
    assert_allclose([driver["positive_share"], driver["unlabeled_share"]], [9 / 12, 6 / 30])
    assert_allclose(driver["effect"], (9 / 12) / (6 / 30))


def test_rows_without_a_number_do_not_count_for_it():
    known = np.arange(60) < 20
    size = np.where(np.arange(60) % 4 == 0, np.nan, np.where(known, 5.0, np.arange(60) % 7))
    features = pa.table({"size": pa.array(size, from_pandas=True)})
    (ranker,) = rankers_for(tables.describe(features), methods=["naive-bayes"]).values()
    (driver,) = find_drivers(ranker.fit(features, known), LabeledRows(features, known, ~known))
    assert (driver["n_positive_with"], driver["n_positive"]) == (15, 15)
    assert driver["n_unlabeled"] == 30


def test_a_value_that_no_unlabeled_row_has_is_divided_by_one_row():
    known = np.arange(40) < 10
    features = pa.table({"color": np.where(known & (np.arange(40) > 1), "red", "blue")})
    (ranker,) = rankers_for(tables.describe(features), methods=["naive-bayes"]).values()
    (driver,) = find_drivers(ranker.fit(features, known), LabeledRows(features, known, ~known))
    assert (driver["n_positive_with"], driver["n_unlabeled_with"]) == (8, 0)
    assert driver["unlabeled_share"] == 0
    assert_allclose(driver["effect"], (8 / 10) / (1 / 30))


def test_the_weight_of_a_number_is_that_of_a_standard_deviation(rng):
    """Beside text too, where the numbers that the model gets are smaller."""
    n = 200
    known = np.arange(n) < 60
    words = rng.choice(["red", "green", "blue"], (n, 4))
    table = pa.table({"text": [" ".join(row) for row in words], "x": rng.normal(size=n) + known})
    summary = tables.describe(table, text=["text"])
    ranker = rankers_for(summary, methods=["text-first"])["logistic regression, text first"]
    (effect,) = (
        each["effect"]
        for each in find_drivers(ranker.fit(table, known), LabeledRows(table, known, ~known))
        if each["feature"] == "x"
    )
    more = table.set_column(1, "x", [table["x"].to_numpy() + np.std(table["x"].to_numpy())])
    raised = ranker.decision_function(more) - ranker.decision_function(table)
    assert_allclose(raised, effect)
