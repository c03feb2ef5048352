"""Shortlists with a recall that is promised."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided.exceptions import CalibrationWarning, DataError
from onesided.promises import positives_needed, recall_shortlist
from oracles import promises as oracle


@pytest.mark.parametrize(("recall", "confidence"), [(0.95, 0.9), (0.8, 0.95), (0.5, 0.6)])
@pytest.mark.parametrize("ratio", [1, 2.5])
def test_cut_against_loops(rng, recall, confidence, ratio):
    for n in (60, 75, 130, 200):
        calibration, scores = rng.integers(0, 90, n), rng.integers(-9, 99, 40)
        found_by = {"recall": recall, "confidence": confidence, "label_odds_ratio": ratio}
        cut = oracle.recall_cut(calibration, **found_by)
        if cut is None:
            with pytest.raises(DataError):
                recall_shortlist(calibration, scores, **found_by)
            continue
        found = recall_shortlist(calibration, scores, **found_by)
        assert found.threshold == cut
        assert found.n_calibration == n
        assert_array_equal(found.selected, scores >= cut)
        below = oracle.missed_at_most(found.n_below + 1, n, 1 - recall)
        assert_allclose(found.exact_level, below)
        assert found.exact_level >= confidence


def test_how_many_it_takes():
    """R3 of the reference values: 45, 59, 299."""
    asked = [(0.95, 0.9), (0.95, 0.95), (0.99, 0.95), (0.5, 0.75), (0.9, 0.99)]
    assert [positives_needed(recall=r, confidence=c) for r, c in asked[:3]] == [45, 59, 299]
    for recall, confidence in asked:
        needed = positives_needed(recall=recall, confidence=confidence)
        assert needed == oracle.positives_needed(recall, confidence)
        calibration = np.arange(float(needed))
        found = recall_shortlist(calibration, [0.0], recall=recall, confidence=confidence)
        assert found.threshold == 0
        assert found.n_below == 0
        with pytest.raises(
            DataError, match=rf"{needed - 1} held-out .* at least {needed} are needed\."
        ):
            recall_shortlist(calibration[1:], [0.0], recall=recall, confidence=confidence)


def test_bias_takes_more():
    assert positives_needed(label_odds_ratio=2) == 116  # odds 1/38: .0256 may be missed
    calibration = np.arange(400.0)
    even, biased = (
        recall_shortlist(calibration, [0.0], label_odds_ratio=ratio) for ratio in (1, 2)
    )
    assert biased.threshold < even.threshold


def test_ties_at_the_cut_are_kept():
    third = (0.1 + 0.2) / 3
    found = recall_shortlist(np.full(59, third), [third, 0.1, 0.1 - 1e-3, np.inf, -np.inf])
    assert found.selected.tolist() == [True, True, False, True, False]
    lowest = recall_shortlist(np.full(59, -np.inf), [0.0, -np.inf])
    assert lowest.selected.all()


@pytest.mark.parametrize(("n_hidden", "k_less_one"), [(1, 0), (20, 0), (33, 3), (100, 7)])
def test_level_among_some_against_orders(n_hidden, k_less_one):
    calibration = np.arange(150.0)
    found = recall_shortlist(calibration, [0.0], recall=0.9, confidence=0.9)
    assert found.n_below >= 7
    found = type(found)(found.scores, 0.0, 150, k_less_one, 0.9, 0.9, 1.0)
    expected = oracle.reached_among(n_hidden, k_less_one + 1, 150, n_hidden // 10)
    assert_allclose(found.level_among(n_hidden), expected)


def test_frame_and_words():
    found = recall_shortlist(np.arange(60.0), [5.0, -1.0, 30.0])
    frame = found.to_frame("pyarrow").to_pydict()
    assert frame == {"row": [2, 0, 1], "score": [30, 5, -1], "selected": [True, True, False]}
    said = str(found)
    assert said.startswith("2 of 3 rows are kept, those that score 0 or higher.")
    assert "95% of the positives or more, at 95% confidence" in said
    assert "SCAR" in found.assumes


@pytest.mark.parametrize(
    "odd",
    [
        {"recall": 1},
        {"recall": 0},
        {"confidence": 1.0},
        {"confidence": "0.9"},
        {"label_odds_ratio": 0.5},
    ],
    ids=str,
)
def test_what_cannot_be_promised(odd):
    with pytest.raises(DataError, match=f"^`?{next(iter(odd))}(=|` )"):
        recall_shortlist(np.arange(100.0), [0.0], **odd)


def test_scores_that_are_none():
    with pytest.raises(DataError, match="no calibration scores"):
        recall_shortlist([], [1.0])
    with pytest.raises(DataError, match="NaN"):
        recall_shortlist(np.arange(99.0), [np.nan])
    assert recall_shortlist(np.arange(99.0), []).selected.shape == (0,)


def test_heavy_ties_are_said():
    known, rest = np.repeat([0.0, 1.0], [10, 90]), np.repeat([0.0, 1.0], [500, 100])
    with pytest.warns(
        CalibrationWarning,
        match="500 of 600 rows have the same score as the last row of the list, so all of them",
    ):
        found = recall_shortlist(known, rest)
    assert found.selected.all()
