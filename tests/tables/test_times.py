"""A column of times: dates in many notations, and methods that are judged on later rows."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from onesided import hidden_positive_ranks, rank_table
from onesided._files._dates import read_dates
from onesided.exceptions import DataError, OnesidedError, TableError
from onesided.model_selection import PositiveTimeSplit, compare
from onesided.models.logistic import WeightedLogisticRegression
from onesided.ranking import plan_ranking, read_problem
from onesided.reporting import render
from onesided.scoring import fit_table

N_ROWS = 300
MAY = (dt.date(2024, 5, 1) - dt.date(1970, 1, 1)).days
OF_MAY = [
    "2024-05-01",
    "2024/5/1",
    "2024-05-01 00:00",
    "2024-05-01T00:00:00Z",
    "2024-05-01T02:00:00+02:00",
    "1.5.2024",
    "01.05.24",
    "01/05/2024",
    "1 May 2024",
    "1st May 2024",
    "01-May-24",
    "May 1, 2024",
    "Wed, 01 May 2024 00:00:00 GMT",
    "May 1 2024 12:00 AM",
]
KINDS = [
    pa.date32(),
    pa.date64(),
    pa.timestamp("s"),
    pa.timestamp("ns"),
    pa.timestamp("us", tz="UTC"),
]


@pytest.mark.parametrize("cell", OF_MAY)
def test_a_date_is_the_same_in_every_notation(cell):
    assert read_dates(pa.chunked_array([[cell, None]])).days[0] == MAY


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_date_is_the_same_in_every_type(kind):
    cells = pa.array([dt.date(2024, 5, 1), None], pa.date32()).cast(kind)
    days = read_dates(pa.chunked_array([cells])).days
    assert days[0] == MAY
    assert np.isnan(days[1])


def test_a_number_above_twelve_tells_what_comes_first():
    for cells, order, first in (
        (["05/13/2024", "05/01/2024"], "month", MAY + 12),
        (["13/05/2024", "01/05/2024"], "day", MAY + 12),
        (["01/05/2024"], "day", MAY),
    ):
        found = read_dates(pa.chunked_array([cells]))
        assert (found.order, found.days[0]) == (order, first)
    assert read_dates(pa.chunked_array([["05/01/2024"]]), "month").days[0] == MAY


NO_TIMES = ("10:00 +99:00", "10:00 +05:75", "10:00:75", "10:75", "25:00")


@pytest.mark.parametrize(
    "cell",
    [
        "soon",
        "2024-02-30",
        "13/13/2024",
        "2024",
        "12:30",
        "",
        *(f"2024-05-01 {t}" for t in NO_TIMES),
    ],
)
def test_what_is_no_date_is_said_to_be_odd(cell):
    assert read_dates(pa.chunked_array([["2024-05-01", cell]])).odd == 1


def drifting(rng):
    """What is positive turns from one column to the other in time."""
    day = rng.integers(0, 400, N_ROWS)
    X = rng.normal(size=(N_ROWS, 2))
    score = np.where(day < 200, X[:, 0], X[:, 1])
    when = np.datetime64("2020-01-01") + day.astype("timedelta64[D]")
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "when": when, "known": score > 1})


def test_methods_learn_from_earlier_rows_and_are_judged_on_later_ones(rng):
    table = drifting(rng)
    problem = read_problem(table, "known", time="when")
    assert "when" not in problem.features.column_names
    plan = plan_ranking(problem, methods=["logistic"])
    times = table["when"].to_numpy()
    for fold in plan.folds.deal(plan.positive, problem.groups):
        held_out = np.r_[fold.hidden, fold.among]
        assert times[fold.learned].max() < times[held_out].min()
    found = plan.compare()
    n_later = sum(plan.fold_sizes)
    assert {len(each.ranks) for each in found.hidden.values()} == {n_later}
    assert n_later < table["known"].sum()
    assert f"the {n_later:,} later of the" in plan.sentence


def test_the_list_is_learned_from_all_rows_and_the_claim_is_of_later_ones(rng):
    table = drifting(rng)
    judged = {
        time: rank_table(
            table.drop(columns=[] if time else ["when"]), "known", time=time, methods=["logistic"]
        )
        for time in (None, "when")
    }
    claims = {time: each.comparison.taken["hidden_positive_auc"] for time, each in judged.items()}
    assert claims["when"] < claims[None]
    assert {each.table.num_rows for each in judged.values()} == {int((~table["known"]).sum())}
    assert "time='when'" in judged["when"].command
    page = re.sub(r"\s+", " ", render(judged["when"].report().data))
    assert "learned from earlier rows" in page


@pytest.mark.parametrize("as_written", [str, lambda day: day.strftime("%d.%m.%Y"), pd.Timestamp])
def test_the_split_is_the_same_in_every_notation(rng, as_written):
    table = drifting(rng)
    problems = [
        read_problem(each, "known", time="when")
        for each in (table, table.assign(when=table["when"].map(as_written)))
    ]
    assert np.array_equal(problems[0].times, problems[1].times)


def test_a_model_does_not_ask_for_the_time(rng):
    model = fit_table(drifting(rng), "known", time="when", methods=["logistic", "naive-bayes"])
    assert [column.name for column in model.features] == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"group": "a"}, "both say which rows are held out together"),
        ({"space": "a,b"}, "both say which rows are held out together"),
        ({"recall": 0.9}, "A promise is checked on known positives that are drawn at random"),
        ({"resamples": 9}, "Random label sets cannot exchange the times"),
        ({"time": "word"}, "holds 'one' in row 1, which is not a date"),
        ({"time": "gap"}, "Column 'gap' has no time in row 1"),
        ({"time": "yes"}, "bool values, which are not times"),
        ({"time": "same"}, "known positives have the same time in column 'same'"),
        ({"time": "wen"}, "Did you mean 'when'"),
    ],
)
def test_what_makes_no_sense_with_a_time_split_is_refused(rng, given, sentence):
    table = drifting(rng)
    table = table.assign(word=["one", "two"] * (N_ROWS // 2), yes=table["known"], same=3)
    table["gap"] = [None, *table["when"][1:]]
    with pytest.raises(OnesidedError, match=sentence):
        rank_table(table, "known", **{"time": "when", **given})


def test_arrays_are_judged_by_time_too(rng):
    table = drifting(rng)
    X, y, time = table[["a", "b"]].to_numpy(), table["known"].to_numpy(), table["when"].to_numpy()
    model, split = WeightedLogisticRegression(), PositiveTimeSplit(3)
    ranks = hidden_positive_ranks(model, X, y, cv=split, groups=time)
    assert len(ranks) == sum(len(fold.hidden) for fold in split.deal(y, time))
    found = compare(
        {"one": model, "other": WeightedLogisticRegression(9.0)},
        X,
        y,
        cv=split,
        groups=time,
        average=True,
    )
    assert np.array_equal(found.hidden["one"].ranks, ranks)
    with pytest.raises(DataError, match="Pass one time for each row"):
        hidden_positive_ranks(model, X, y, cv=split)


def test_a_time_column_without_dates_is_a_table_error(rng):
    with pytest.raises(TableError, match="Write dates as 2024-05-01"):
        read_problem(drifting(rng).assign(when="later"), "known", time="when")
