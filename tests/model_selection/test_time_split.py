"""Splits in the order of time."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TimeSeriesSplit, cross_val_score

from onesided import WeightedLogisticRegressionCV
from onesided.exceptions import DataError, LabelError
from onesided.metrics import lee_liu_score
from onesided.model_selection import LeeLiuScorer, PositiveTimeSplit


def test_is_scikit_learns_where_all_times_differ_and_every_second_row_is_positive():
    y = np.tile([1, 0], 12)
    expected = TimeSeriesSplit(3).split(y)
    for (train, test), (before, after) in zip(
        PositiveTimeSplit(3).split(None, y, groups=np.arange(24)), expected, strict=True
    ):
        assert_array_equal(train, before)
        assert_array_equal(test, after)


@pytest.mark.parametrize("kind", ["numbers", "dates"])
def test_nothing_learned_from_is_later_than_what_is_held_out(rng, kind):
    """Two hundred rows in no order, of 30 days; all but those of the first part are once out."""
    y = (rng.random(200) < 0.2).astype(int)
    day = rng.integers(0, 30, 200)
    time = day if kind == "numbers" else np.datetime64("2026-01-01") + day
    times_out, n_out = np.zeros(200, dtype=int), []
    for train, test in PositiveTimeSplit(4).split(None, y, groups=time):
        assert day[train].max() < day[test].min()
        assert set(train) | set(test) == set(np.flatnonzero(day <= day[test].max()))
        times_out[test] += 1
        n_out.append(y[test].sum())
    assert (times_out == (day >= day[times_out > 0].min())).all()
    assert max(n_out) - min(n_out) <= 2 * np.bincount(day[y == 1]).max()
    assert sum(n_out) < y.sum()


def test_in_a_search_and_in_the_choice_of_a_penalty(rng):
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 1).astype(int)
    time = np.arange(300)
    found = cross_val_score(
        LogisticRegression(),
        X,
        y,
        groups=time,
        cv=PositiveTimeSplit(3),
        scoring=LeeLiuScorer("case-control"),
    )
    splits = list(PositiveTimeSplit(3).split(X, y, groups=time))
    expected = [
        lee_liu_score(
            y[test],
            LogisticRegression().fit(X[train], y[train]).predict(X[test]),
            scenario="case-control",
        )
        for train, test in splits
    ]
    assert_array_equal(found, expected)
    model = WeightedLogisticRegressionCV([0.1, 1.0], validation=splits).fit(X, y)
    assert model.scores_.shape == (3, 2)


@pytest.mark.parametrize(
    ("y", "time", "error", "message"),
    [
        (
            [1, 0, 1, 0],
            [1, 1, 1, 2],
            DataError,
            "times of the 2 positives is 1, but n_splits=1 needs at least 2",
        ),
        ([1, 0, 1, 0], [1, 1, 2], DataError, r"groups has shape \(3,\), y has 4 rows"),
        ([1, 0, 1, 0], [1, 1, np.nan, 2], DataError, "groups has no time in row 2"),
        ([1, 0, 1, 0], np.array(["NaT"] * 4, "M8[D]"), DataError, "groups has no time in row 0"),
        ([1, 1, 1, 0], [1, 1, 2, 2], LabelError, "no unlabeled row before the time .* split 1"),
        ([1, 0, 1, 1], [1, 1, 2, 2], LabelError, "no unlabeled row in the time .* split 1"),
    ],
)
def test_times_that_will_not_do(y, time, error, message):
    with pytest.raises(error, match=message):
        list(PositiveTimeSplit(1).split(None, y, groups=time))


@pytest.mark.parametrize(
    ("n_of_day", "n_splits", "starts"),
    [
        ([9, 1, 1, 1], 3, [1, 2, 3]),  # the cuts at a quarter and a half fall into the first day
        ([1, 1, 1, 9], 3, [1, 2, 3]),
        ([4, 4, 4, 4], 1, [2]),
        ([1, 5, 1, 1], 1, [2]),  # 6 of 8 before it; the day before has 1, which is further from 4
        ([3, 3, 3, 3, 3, 3], 2, [2, 4]),
    ],
)
def test_parts_are_as_even_as_whole_days_allow(n_of_day, n_splits, starts):
    day = np.repeat(np.arange(len(n_of_day)), 2)
    day = np.append(day, np.repeat(np.arange(len(n_of_day)), n_of_day))
    y = np.repeat([0, 1], [2 * len(n_of_day), sum(n_of_day)])
    found = [day[test].min() for _, test in PositiveTimeSplit(n_splits).split(None, y, groups=day)]
    assert found == starts


def test_number_of_splits():
    assert PositiveTimeSplit(7).get_n_splits() == 7
    with pytest.raises(DataError, match="n_splits=0 is not a whole number of at least 1"):
        list(PositiveTimeSplit(0).split(None, [1, 0], groups=[1, 2]))
