"""The numbers of positives along a list."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from onesided._candidates import Candidates, gains_table, posteriors_with_sums
from onesided.exceptions import DataError
from onesided.model_selection import OutOfFoldScores, PlacedPositives
from onesided.prior import ClassPriorEstimate
from onesided.ranking._counted import count_class_prior
from oracles import label_bias
from oracles import promises as oracle


def posterior_with_sum(odds, of_all, total):
    """The probabilities of one of several totals; the others make no difference."""
    return posteriors_with_sums(odds, of_all, {"_low": 0.0, "": total})[""]


@pytest.mark.parametrize("share", [1e-4, 0.05, 0.3, 0.8, 0.97])
@pytest.mark.parametrize("skew", [1, 5])
def test_probabilities_add_up(rng, share, skew):
    odds = np.sort(rng.random(200) ** skew)[::-1]
    odds[:20] = odds[0]
    total = share * len(odds)
    found = posterior_with_sum(odds, odds, total)
    assert_allclose(found, oracle.shares_with_sum(odds, total), rtol=1e-9)
    assert_allclose(found.sum(), total)
    some = rng.random(200) < 0.5
    assert_allclose(posterior_with_sum(odds[some], odds, total), found[some])


@pytest.mark.parametrize("total", [0, 30, 50, 80, 200])
def test_rows_without_odds_share_what_is_left(total):
    odds = np.repeat([3.0, 0.0], [50, 150])
    found = posterior_with_sum(odds, odds, total)
    assert_allclose(found.sum(), total)
    assert_allclose(found[:50], min(1, total / 50))
    assert_allclose(found[50:], max(0, total - 50) / 150)


def list_of(rng, prior=None):
    """A list of 400 candidates, 80 of them positive, by scores of normal law."""
    scores = rng.normal(size=400) + 2 * (np.arange(400) < 80)
    ranks = (np.argsort(np.argsort(-scores)) + 0.5) / 400
    known = rng.normal(2, 1, 60)
    above = (scores > known[:, None]).sum(axis=1)
    placed = PlacedPositives(above, np.zeros_like(above), known, len(scores))
    scored = OutOfFoldScores(np.arange(400), ranks, scores)
    return Candidates.of(scored, placed, scored, prior)


def estimate(point, interval):
    return ClassPriorEstimate(
        point, interval, 0.95, 0.4, 0.9, "best-bin",
        {"binormal": 0.15, "best-bin": 0.25}, "case-control", 60, 400, 0,
        upper_bounds={1.0: 0.4}, spread=0.05,
    )  # fmt: skip


def test_recall_is_near_the_share_of_known_positives_without_a_prior(rng):
    listed = list_of(rng)
    assert listed.posterior is None
    assert listed.at([400])[0]["positives"] is None
    assert_allclose(listed.recall[-1], 1)
    assert np.all(np.diff(listed.recall, 2) <= 1e-12), "no later row holds more than one before"
    truth = (listed.rows < 80).cumsum() / 80
    assert np.abs(listed.recall - truth).mean() < 0.06


def test_an_estimate_with_an_interval(rng):
    listed = list_of(rng, estimate(0.2, (0.15, 0.3)))
    assert listed.posterior_name == "posterior"
    (whole,) = listed.at([400])
    assert_allclose([whole[f"positives{end}"] for end in ("_low", "", "_high")], [60, 80, 120])
    for point in listed.at([10, 50, 100]):
        assert point["positives_low"] <= point["positives"] <= point["positives_high"]
        assert_allclose(point["positives"], 80 * point["recall"])
        assert point["positives_at_most"] is point["precision_plausible"] is None
    gains = gains_table(listed.tenths()).to_pydict()
    assert_allclose(sum(gains["expected_positives"]), 80, atol=0.06)


def test_an_upper_bound_is_named_as_one(rng):
    listed = list_of(rng, estimate(0.2, (0.0, 0.3)))
    assert listed.posterior_name == "posterior_at_most"
    (whole,) = listed.at([400])
    assert whole["positives"] is whole["positives_low"] is None
    assert_allclose([whole["positives_at_most"], whole["positives_plausible"]], [120, 60])
    ends = ("_low", "", "_high")
    assert_allclose([whole[f"positives_plausible{end}"] for end in ends], [40, 60, 80])
    for point in listed.at([10, 50, 100]):
        assert_allclose(point["positives_plausible"], 60 * point["recall"])
        inside = [point[f"positives_plausible{end}"] for end in ends]
        assert inside == sorted(inside)
        assert inside[-1] <= point["positives_at_most"]
    assert "positives_at_most" in gains_table(listed.tenths()).column_names


@pytest.mark.parametrize("ratio", [1.5, 3.0, 20.0])
def test_uneven_labels_bound_all_numbers_of_a_list(ratio):
    """Seven of ten known positives lie in the first half; each stands for 1 to `ratio` others."""
    ranks = np.repeat([0.25, 0.75], 5)
    scored = OutOfFoldScores(np.arange(10), ranks, -ranks)
    above, total = np.repeat([0, 5], [7, 3]), 4.0
    known = PlacedPositives(above, np.full_like(above, 5), -above.astype(float), len(ranks))
    prior = replace(estimate(0.2, (0.0, 0.4)), label_odds_ratio=ratio)
    listed = Candidates.of(scored, known, scored, prior, label_odds_ratio=ratio)
    half, whole = listed.at([5, 10])
    low, high = label_bias.band([1] * 7 + [0] * 3, ratio)
    assert_allclose((half["recall_low"], half["recall"], half["recall_high"]), (low, 0.7, high))
    assert_allclose(half["positives_at_most"], high * total)
    assert_allclose((whole["recall_low"], whole["positives_at_most"]), (1, total))
    for weights in itertools.product([1, ratio], repeat=2):
        hidden = np.multiply(weights, [7, 3])
        hidden = total * hidden / hidden.sum()
        assert hidden[0] <= half["positives_at_most"] + 1e-9
        assert np.all(np.repeat(hidden / 5, 5) <= listed.posterior + 1e-9)
    even = Candidates.of(scored, known, scored, prior)
    assert even.at([5])[0]["recall_low"] is None
    assert_allclose(even.posterior.sum(), total)


def test_a_list_that_finds_a_share_does_so_for_uneven_labels(rng):
    listed = replace(list_of(rng), label_odds_ratio=3.0)
    n_listed = listed.n_to_find(0.9)
    lows = [point["recall_low"] for point in listed.at([n_listed - 1, n_listed])]
    assert lows[0] < 0.9 <= lows[1]
    assert n_listed > list_of(np.random.default_rng(0)).n_to_find(0.9)


def test_the_order_within_a_tie_says_nothing():
    """Two folds tie the first 60 rows, at other ranks; 30 known positives lie in the tie."""
    ranks = np.repeat([0.25, 0.3, 0.8], [30, 30, 40])
    scored = OutOfFoldScores(np.arange(100), ranks, -ranks)
    above, tied = np.repeat([[0, 60], [60, 40]], [30, 10], axis=1)
    prior = count_class_prior(40, 60, 100)
    known = PlacedPositives(above, tied, np.zeros(40), 100)
    listed = Candidates.of(scored, known, scored, prior)
    expected = listed.positives[""]
    assert_allclose(np.diff(expected[:60]), expected[0])
    assert_allclose(expected[[59, 99]], [30, 40])
    lows, highs = prior.counted_limits(np.array([0, 30, 40]))
    assert lows[0] < lows[1] < 30 < highs[1] < highs[2]
    assert_allclose(listed.positives["_low"], np.repeat(lows, [59, 40, 1]))
    most = np.minimum(np.arange(1, 101), np.repeat(highs[1:], [60, 40]))
    assert_allclose(listed.positives["_high"], most)


def test_untied_positives_count_from_the_row_below_them():
    """One known positive stands above all rows, one below the third of five."""
    scored = OutOfFoldScores(np.arange(5), (np.arange(5) + 0.5) / 5, -np.arange(5.0))
    known = PlacedPositives(np.array([0, 3]), np.zeros(2, dtype=int), np.zeros(2), 5)
    prior = count_class_prior(2, 3, 5)
    limits = prior.counted_limits(np.array([1, 1, 1, 2, 2]))
    listed = Candidates.of(scored, known, scored, prior)
    for end, expected in zip(("_low", "_high"), limits, strict=True):
        assert_allclose(listed.positives[end], np.minimum(expected, np.arange(1, 6)))


def test_the_tenths_of_uneven_labels_are_bounds():
    """Of 16 known positives, each stands for 1 to 3 others; the bounds hold in all cases."""
    ratio, total = 3.0, 12.0
    counts, ends = np.array([4, 3, 2, 1, 1, 1, 1, 1, 1, 1]), np.arange(10, 101, 10)
    ranks = np.repeat(ends / 100 - 0.05, 10)
    scored = OutOfFoldScores(np.arange(100), ranks, -ranks)
    above = np.repeat(ends - 10, counts)
    known = PlacedPositives(above, np.full_like(above, 10), -above.astype(float), 100)
    prior = replace(estimate(0.05, (0.0, total / 100)), label_odds_ratio=ratio)
    listed = Candidates.of(scored, known, scored, prior, label_odds_ratio=ratio)
    found = listed.gains().to_pydict()
    assert not {"share_of_positives", "share_so_far", "lift", "lift_so_far"} & found.keys()
    hidden = np.array(list(itertools.product([1, ratio], repeat=10))) * counts
    shares = hidden / hidden.sum(axis=1, keepdims=True)
    for name, each in (("share_of_positives", shares), ("share_so_far", shares.cumsum(axis=1))):
        assert_allclose(found[f"{name}_low"], each.min(axis=0), atol=1e-6)
        assert_allclose(found[f"{name}_high"], each.max(axis=0), atol=1e-6)
    assert_allclose(found["lift_high"], shares.max(axis=0) / 0.1, atol=1e-4)
    assert_allclose(found["positives_at_most"], total * shares.max(axis=0), atol=0.01)
    assert_allclose(found["lift_so_far_low"][-1], 1)
    assert_allclose(found["positives_at_most_so_far"][-1], total)
    points = listed.tenths()
    assert "positives_at_most" not in gains_table(points, ratio).column_names
    for wrong, of in ((1.0, points), (ratio, list_of(np.random.default_rng(0)).tenths())):
        with pytest.raises(DataError, match="is not the ratio of these points"):
            gains_table(of, wrong)


def test_bounds_of_uneven_labels_where_more_are_positive_than_the_known_tell():
    """No known positive lies in the last half, but 60 of 100 rows may be positive."""
    ranks = (np.arange(100) + 0.5) / 100
    scored = OutOfFoldScores(np.arange(100), ranks, -ranks)
    above = np.arange(5, 51, 5)
    known = PlacedPositives(above, np.zeros_like(above), -above.astype(float), 100)
    prior = replace(estimate(0.2, (0.0, 0.6)), label_odds_ratio=2.0)
    listed = Candidates.of(scored, known, scored, prior, label_odds_ratio=2.0)
    even = Candidates.of(scored, known, scored, prior)
    gains, bound = listed.gains().to_pydict(), listed.posterior
    assert_allclose(even.posterior[50:], 0.2)
    assert_allclose(bound[50:], 0.4)
    lists = [point["positives_at_most"] for point in listed.tenths()]
    assert_allclose(lists[-1], 60)
    assert np.all(lists <= bound.cumsum()[9::10] + 1e-9)
    assert np.all(lists >= even.posterior.cumsum()[9::10] - 1e-9)
    last = 60 * (2 * 2) / (2 * 2 + 58)  # of 60 positives, if these 2 count twice as much
    assert_allclose(gains["positives_at_most"], np.repeat([10, last], 5), atol=0.01)
