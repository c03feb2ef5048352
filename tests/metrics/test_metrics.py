"""Criteria against counting, and their identities in both sampling stories."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import precision_score, recall_score

from onesided._labels import prior_among_unlabeled
from onesided.exceptions import LabelError
from onesided.metrics import lee_liu_score, rank_shares, recall_at
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
    ranks = rank_shares(hidden, unlabeled)
    recall = recall_at(np.arange(1, len(unlabeled) + 1), ranks, len(unlabeled))
    assert_allclose(recall.mean(), 1 - ranks.mean())
    assert (np.diff(recall) >= 0).all()


def test_recall_by_hand():
    """Four unlabeled; positives above all, below one, tied with the third, below all."""
    ranks = rank_shares([9, 6.5, 4, 1], [8, 6, 4, 2])
    assert_allclose(recall_at([1, 2, 3, 4], ranks, 4), [0.25, 0.5, 0.625, 0.75])


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


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
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
        prior_among_unlabeled(share, frequency, scenario=scenario),
        truth[~labeled].mean(),
        rtol=0.02,
    )


def test_nothing_predicted_positive_is_zero():
    assert lee_liu_score([1, 0, 0], [0, 0, 0], scenario="case-control") == 0
    assert lee_liu_score([1, 0, 0], [0, 0, 0], scenario="single-training-set") == 0


def test_predictions_in_the_coding_of_y():
    y = np.array(["unknown", "buyer", "buyer", "unknown"])
    predicted = np.array(["unknown", "buyer", "unknown", "buyer"])
    found = lee_liu_score(y, predicted, scenario="case-control", positive_label="buyer")
    assert_allclose(found, 0.25 / 0.5)


def test_arguments():
    with pytest.raises(TypeError, match="scenario"):
        lee_liu_score([1, 0], [1, 0])
    with pytest.raises(LabelError, match="is not a sampling story"):
        lee_liu_score([1, 0], [1, 0], scenario="both")
    with pytest.raises(LabelError, match="y has 2 rows, y_pred has 3"):
        lee_liu_score([1, 0], [1, 0, 0], scenario="case-control")
