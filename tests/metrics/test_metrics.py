"""Criteria against counting, and their identities in both sampling stories."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import precision_score, recall_score

from onesided._labels import population_prior
from onesided.exceptions import DataError, LabelError
from onesided.metrics import (
    LeeLiuScore,
    ResampledPValue,
    lee_liu_score,
    rank_counts,
    rank_shares,
    recall_at,
)
from oracles import geurts2011, lee_liu2003

scores = st.lists(st.integers(0, 5), min_size=1, max_size=12)


@given(scores, scores)
def test_rank_shares_by_pairs(hidden, unlabeled):
    expected = [geurts2011.rank_share(score, unlabeled) for score in hidden]
    found = rank_shares(hidden, unlabeled)
    assert_allclose(found, expected)
    assert_allclose(1 - found.mean(), geurts2011.area_under_roc(hidden, unlabeled))


@given(scores, scores)
def test_mean_recall_is_the_area(hidden, unlabeled):
    recall = recall_at(np.arange(1, len(unlabeled) + 1), *rank_counts(hidden, unlabeled))
    assert_allclose(recall.mean(), 1 - rank_shares(hidden, unlabeled).mean())
    assert (np.diff(recall) >= -1e-12).all()


def test_recall_by_hand():
    """Four unlabeled; positives above all, below one, tied with the third, below all."""
    counts = rank_counts([9, 6.5, 4, 1], [8, 6, 4, 2])
    assert_allclose(recall_at([1, 2, 3, 4], *counts), [0.25, 0.5, 0.625, 0.75])


def test_recall_of_many_is_the_mean_of_each(rng):
    """Of so many positives and ranks that they are not computed at once; half of them are tied."""
    above, tied = rng.integers(0, 800, 2000), rng.integers(0, 3, 2000) * (rng.random(2000) < 0.7)
    ranks, weight = np.arange(1, 801), rng.random(2000)
    each = [recall_at(ranks, [a], [t]) for a, t in zip(above, tied, strict=True)]
    found = recall_at(ranks, above, tied, sample_weight=weight)
    assert_allclose(found, weight @ np.array(each) / weight.sum(), rtol=1e-12)
    assert_allclose(recall_at(ranks, above, tied)[9], np.mean([one[9] for one in each]))


@pytest.mark.parametrize(
    ("scores", "unlabeled", "message"),
    [
        ([1.0], [], "There are no unlabeled scores"),
        ([1.0, np.nan], [2.0], "Some scores are NaN"),
        ([1.0], [np.nan, 2.0], "Some scores are NaN"),
    ],
)
def test_scores_that_have_no_ranks(scores, unlabeled, message):
    with pytest.raises(DataError, match=message):
        rank_counts(scores, unlabeled)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
    st.lists(st.integers(0, 3), min_size=1, max_size=5),
)
def test_recall_is_the_mean_over_orders_of_ties(hidden, unlabeled):
    """By enumeration: each hidden positive among the unlabeled, tied rows in every order."""
    n = len(unlabeled)
    expected = np.zeros(n)
    for score in hidden:
        orders = list(itertools.permutations(range(n + 1)))
        rows = [*unlabeled, score]
        for order in orders:
            placed = sorted(order, key=lambda row: -rows[row])
            place = placed.index(n)  # unlabeled rows before the positive
            expected += (np.arange(1, n + 1) > place) / len(orders) / len(hidden)
    found = recall_at(np.arange(1, n + 1), *rank_counts(hidden, unlabeled))
    assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(("hidden", "unlabeled"), [([np.nan], [1.0]), ([1.0], [np.nan]), ([1], [])])
def test_scores_that_rank_nothing(hidden, unlabeled):
    with pytest.raises(DataError, match="scores"):
        rank_shares(hidden, unlabeled)


SOME = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: 0 < sum(label for label, _ in rows) < len(rows)
)


@given(SOME)
def test_lee_liu_by_counting(rows):
    y, predicted = (np.array(column, dtype=int) for column in zip(*rows, strict=True))
    if y.sum() == 0 or y.sum() == len(y):
        return
    assert_allclose(
        lee_liu_score(y, predicted, scenario="single-training-set"),
        lee_liu2003.criterion(y.tolist(), predicted.tolist(), population="all"),
    )
    if predicted[y == 0].any():
        assert_allclose(
            lee_liu_score(y, predicted, scenario="case-control"),
            lee_liu2003.criterion(y.tolist(), predicted.tolist(), population="unlabeled"),
        )


SCENARIOS = {"single-training-set": "all", "case-control": "unlabeled"}


@given(SOME, st.sampled_from(sorted(SCENARIOS)))
def test_error_of_lee_liu_by_the_slope_of_each_row(rows, scenario):
    rows = [*rows, (True, True), (True, False), (False, True), (False, False)]  # off the edges
    y, predicted = (list(map(int, column)) for column in zip(*rows, strict=True))
    found = lee_liu_score(y, predicted, scenario=scenario)
    variance = lee_liu2003.log_variance(y, predicted, population=SCENARIOS[scenario])
    assert_allclose((found.standard_error / found) ** 2, variance, rtol=1e-5, atol=1e-9)
    low, high = found.interval(0.9)
    assert_allclose(
        [np.log(found / low), np.log(high / found)], 1.644854 * variance**0.5, atol=1e-4
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("n_found", [0, 4])
@pytest.mark.parametrize("n_predicted", [0, 9])
def test_all_or_none_predicted_has_an_error(scenario, n_found, n_predicted):
    found = LeeLiuScore(n_found, 4, n_predicted, 9, scenario=scenario)
    low, high = found.interval()
    assert low <= found < high
    assert (low == 0) == (n_found == 0)
    assert 0 < found.standard_error < np.inf


def test_a_score_is_copied_with_its_counts():
    found = LeeLiuScore(3, 4, 2, 9, scenario="case-control")
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert other == found
        assert other.interval() == found.interval()


@pytest.mark.parametrize("confidence", [0, 1, 95, "0.95"])
def test_confidence(confidence):
    with pytest.raises(DataError, match="confidence="):
        LeeLiuScore(3, 4, 2, 9, scenario="case-control").interval(confidence)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_lee_liu_is_precision_times_recall_over_prior(rng, scenario):
    """In each sampling story, in the limit; in the other story it is not."""
    n, share, frequency = 400_000, 0.3, 0.5
    truth = rng.random(n) < share
    x = rng.normal(size=n) + 1.5 * truth
    labeled = truth & (rng.random(n) < frequency)
    if scenario == "case-control":
        extra = rng.normal(size=100_000) + 1.5
        x = np.concatenate([x, extra])
        truth = np.concatenate([truth, np.ones(100_000, dtype=bool)])
        labeled = np.arange(len(x)) >= n
    predicted = x > 1.0
    population = np.ones(len(x), dtype=bool) if scenario == "single-training-set" else ~labeled
    expected = (
        precision_score(truth[population], predicted[population])
        * recall_score(truth[population], predicted[population])
        / truth[population].mean()
    )
    other = "case-control" if scenario == "single-training-set" else "single-training-set"
    found = lee_liu_score(labeled, predicted, scenario=scenario)
    assert_allclose(found, expected, rtol=0.02)
    assert abs(lee_liu_score(labeled, predicted, scenario=other) / expected - 1) > 0.1
    assert_allclose(
        population_prior(truth[~labeled].mean(), frequency, scenario=scenario),
        share,
        rtol=0.02,
    )


def test_nothing_predicted_positive_is_zero():
    assert lee_liu_score([1, 0, 0], [0, 0, 0], scenario="case-control") == 0
    assert lee_liu_score([1, 0, 0], [0, 0, 0], scenario="single-training-set") == 0


def test_found_positives_and_no_unlabeled_row_count_as_half_a_row():
    found = lee_liu_score([1, 1, 0, 0], [1, 0, 0, 0], scenario="case-control")
    assert found == 0.25 / (0.5 / 2)


def test_predictions_in_the_coding_of_y():
    y = np.array(["unknown", "buyer", "buyer", "unknown"])
    predicted = np.array(["unknown", "buyer", "unknown", "buyer"])
    found = lee_liu_score(y, predicted, scenario="case-control", positive_label="buyer")
    assert_allclose(found, 0.25 / 0.5)


def test_arguments():
    with pytest.raises(TypeError, match="scenario"):
        lee_liu_score([1, 0], [1, 0])
    with pytest.raises(LabelError, match="is neither 'single-training-set'"):
        lee_liu_score([1, 0], [1, 0], scenario="both")
    with pytest.raises(LabelError, match="y has 2 rows, y_pred has 3"):
        lee_liu_score([1, 0], [1, 0, 0], scenario="case-control")


@pytest.mark.parametrize(
    ("y_pred", "message"),
    [
        ([1, 0, 0, np.nan], r"y_pred has no value in row 3"),
        ([1, 0, 0, 2], r"y_pred\[3\] is 2, which is neither"),
    ],
)
def test_predictions_that_are_none(y_pred, message):
    with pytest.raises(LabelError, match=message):
        lee_liu_score([1, 1, 0, 0], y_pred, scenario="case-control")


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((3, 2, 1, 9), "n_found=3 is more than n_positive=2"),
        ((-1, 2, 1, 9), "n_found=-1 is not a finite number of at least 0"),
        ((1, 0, 1, 9), "n_positive=0 is not a finite number above 0"),
        ((1, 2, 10, 9), "n_predicted=10 is more than n_unlabeled=9"),
        ((1, 2, float("nan"), 9), "n_predicted=nan is not a finite number"),
    ],
)
def test_counts_that_cannot_be(counts, message):
    with pytest.raises(DataError, match=message):
        LeeLiuScore(*counts, scenario="case-control")


def test_a_resampled_p_value_pickles(rng):
    found = ResampledPValue.of(1.5, rng.normal(size=99))
    again = pickle.loads(pickle.dumps(found))
    assert (float(again), again.statistic, again.n_as_high) == (
        float(found),
        found.statistic,
        found.n_as_high,
    )
    assert again.exact == found.exact
    assert_allclose(again.null, found.null)
    assert len(found.null) == 99
