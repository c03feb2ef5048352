"""Methods on several tasks: the tables of Geurts 2011."""

import itertools
import statistics

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided import (
    CenterOfMassRanker,
    CorrelationRanker,
    SignificanceRanker,
    compare,
    hidden_positive_ranks,
)
from onesided.exceptions import DataError, LabelError
from onesided.model_selection import TaskComparison
from oracles import geurts2011

METHODS = {
    "PU": SignificanceRanker(n_subsets=50, random_state=0),
    "CML": CenterOfMassRanker(),
    "CORR": CorrelationRanker(),
}


@pytest.fixture
def tasks(rng):
    """Three sets of positives among the same rows, the last of four."""
    X = rng.normal(size=(90, 5))
    y = {}
    for number, n_positive in enumerate((12, 8, 4)):
        labels = np.zeros(90, dtype=int)
        labels[rng.choice(90, n_positive, replace=False)] = 1
        X[labels == 1, number] += 1.5
        y[f"task {number}"] = labels
    return X, y


def test_each_task_is_compared_as_alone(tasks):
    X, y = tasks
    found = compare(METHODS, X, y, random_state=3)
    assert isinstance(found, TaskComparison)
    assert_array_equal(found.n_positive, [12, 8, 4])
    for i, labels in enumerate(y.values()):
        for j, method in enumerate(METHODS.values()):
            ranks = hidden_positive_ranks(method, X, labels, random_state=3)
            assert_allclose(found.auc[i, j], 1 - ranks.mean())
            assert_allclose(found.average_rank[i, j], ranks.mean())
            alone = compare({"it": method}, X, labels, random_state=3).hidden["it"]
            assert_allclose(found.lee_liu[i, j], alone.lee_liu)
    assert found.best_ == found.methods[int(np.argmax(found.auc.mean(axis=0)))]


def test_tables(tasks):
    X, y = tasks
    found = compare(METHODS, X, y)
    tidy = found.to_frame("pandas")
    auc = {name: part.hidden_positive_auc.tolist() for name, part in tidy.groupby("method")}
    assert (tidy.seconds > 0).all()
    for row in found.summary("pandas").itertuples():
        assert_allclose(row.auc_mean, statistics.mean(auc[row.method]))
        assert_allclose(row.auc_sd, statistics.stdev(auc[row.method]))
        assert_allclose(row.rank_mean, 1 - row.auc_mean)
        places = [
            sum(other[task] > auc[row.method][task] for other in auc.values())
            + sum(other[task] == auc[row.method][task] for other in auc.values()) / 2
            + 0.5
            for task in range(3)
        ]
        assert_allclose(row.place_mean, statistics.mean(places))
        shares = [
            part.lee_liu[part.method == row.method].item() / part.lee_liu.max()
            for _, part in tidy.groupby("task")
        ]
        assert_allclose(row.lee_liu_share, statistics.mean(shares))
        assert row.n_tasks == 3
    pairs = found.pairwise("pandas")
    assert len(pairs) == 6
    for row in pairs.itertuples():
        n_better, gain = geurts2011.table2_cell(auc[row.method], auc[row.other])
        assert row.n_better == n_better
        assert_allclose(100 * row.mean_gain, np.nan if gain is None else gain)


def test_printed_table_adds_up():
    """The wins of Table 2 for yeast: PU is better than CML on 62 of 80, CML on 18."""
    auc = np.array([[0.9, 0.8]] * 62 + [[0.7, 0.8]] * 18)
    found = TaskComparison(range(80), ["PU", "CML"], np.full(80, 9), auc, 1 - auc, 0 * auc)
    pairs = found.pairwise("pandas")
    assert pairs.n_better.tolist() == [62, 18]
    assert_allclose(pairs.mean_gain, [0.125, 1 / 7])
    assert (pairs.wilcoxon_p < 1e-4).all()
    assert "lee_liu" not in found.to_frame("pandas")  # not known
    assert "lee_liu_share" not in found.summary("pandas")


def test_wilcoxon_over_tasks_by_all_signs():
    """Among all signs of the ranks of the differences, those as far from the middle."""
    auc = np.array([[0.9, 0.8], [0.7, 0.75], [0.9, 0.7], [0.95, 0.65], [0.5, 0.5], [0.9, 0.5]])
    found = TaskComparison(range(6), ["a", "b"], np.full(6, 9), auc, 1 - auc, 0 * auc)
    sums = [
        sum(rank for rank, sign in zip((1, 2, 3, 4, 5), signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=5)
    ]
    seen = 2 + 3 + 4 + 5  # ahead by .1, .2, .3 and .4, behind by .05
    expected = np.mean([abs(each - 7.5) >= abs(seen - 7.5) for each in sums])
    assert_allclose(found.pairwise("pandas").wilcoxon_p, [expected, expected])
    last = auc[:, :1] - np.arange(1, 7)[:, None] / 1000  # behind the first on all six
    more = TaskComparison(
        range(6), ["a", "b", "c"], np.full(6, 9), np.hstack([auc, last]), auc, auc
    )
    p_value = more.pairwise("pandas").set_index(["method", "other"]).wilcoxon_p
    assert_allclose([p_value["a", "c"], p_value["c", "a"]], 2 / 2**6)
    assert_allclose([p_value["a", "b"], p_value["b", "a"]], expected)
    few = TaskComparison(range(2), ["a", "b"], np.full(2, 9), auc[3:5], auc[3:5], auc[3:5])
    assert few.pairwise("pandas").wilcoxon_p.isna().all()


def test_wilcoxon_over_tasks_with_ties():
    """Ahead by .1 three times and by .2, behind by .1: normal, of ranks 2.5, 2.5, 2.5, 2.5 and 5.

    The sum of signed ranks has their squares for variance.
    """
    auc = np.array([[0.9, 0.8], [0.8, 0.7], [0.7, 0.6], [0.9, 0.7], [0.6, 0.7]])
    found = TaskComparison(range(5), ["a", "b"], np.full(5, 9), auc, 1 - auc, 0 * auc)
    z = (3 * 2.5 + 5 - 2.5) / (4 * 2.5**2 + 5**2) ** 0.5
    expected = 2 * statistics.NormalDist().cdf(-z)
    assert_allclose(found.pairwise("pandas").wilcoxon_p, [expected, expected])


def test_tasks_on_which_nothing_is_found_tell_nothing():
    auc = np.full((1, 2), 0.5)
    found = TaskComparison(["t"], ["a", "b"], np.array([3]), auc, auc, auc, np.zeros((1, 2)))
    assert found.summary("pandas").lee_liu_share.isna().all()
    two, lee_liu = np.full((2, 2), 0.5), np.array([[0, 0], [1, 4]])
    found = TaskComparison(["t", "u"], ["a", "b"], np.array([3, 3]), two, two, two, lee_liu)
    assert found.summary("pandas").lee_liu_share.tolist() == [0.25, 1]
    found = TaskComparison(["t"], ["a", "b"], np.array([3]), auc, auc, auc, np.zeros((1, 2)))
    assert found.summary("pandas").place_mean.tolist() == [1.5, 1.5]


def test_one_table_a_task(tasks):
    X, y = tasks
    each = {name: X[: 90 - i] for i, name in enumerate(y)}
    labels = {name: y[name][: 90 - i] for i, name in enumerate(y)}
    groups = {name: np.arange(90 - i) // 2 for i, name in enumerate(y)}
    found = compare({"CML": CenterOfMassRanker()}, each, labels, groups=groups)
    for i, name in enumerate(y):
        ranks = hidden_positive_ranks(
            CenterOfMassRanker(), each[name], labels[name], groups=groups[name]
        )
        assert_allclose(found.auc[i, 0], 1 - ranks.mean())


def test_one_task_has_no_deviation(tasks):
    X, y = tasks
    found = compare({"CML": CenterOfMassRanker()}, X, {"only": y["task 0"]})
    assert np.isnan(found.summary("pandas").auc_sd[0])
    assert len(found.pairwise("pandas")) == 0


def test_plot(tasks):
    X, y = tasks
    chart = compare(METHODS, X, y).plot().to_dict()
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["circle", "tick"]


def test_bad_tasks(tasks):
    X, y = tasks
    with pytest.raises(DataError, match="no tasks"):
        compare(METHODS, X, {})
    with pytest.raises(DataError, match="no task 'task 1'"):
        compare(METHODS, {"task 0": X}, {name: y[name] for name in ("task 0", "task 1")})
    with pytest.raises(LabelError):
        compare(METHODS, X, {"one": np.arange(90) == 3})


def test_a_frame_of_labels_is_a_task_a_column(tasks):
    X, y = tasks
    frame = pd.DataFrame(y)
    found = compare({"CML": CenterOfMassRanker()}, X, dict(frame.items()))
    assert_allclose(found.auc, compare({"CML": CenterOfMassRanker()}, X, y).auc)
