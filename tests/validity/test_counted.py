"""Limits of the number of positives in a list, if they were counted in rows screened at random.

Rows of two normal laws, with ties in some tables. The limits must hold in as many draws as their
confidence says, less three standard errors of the simulation. Seeds are fixed.
"""

import numpy as np
import pandas as pd
import pytest

from onesided._candidates import Candidates
from onesided.model_selection import OutOfFoldScores
from onesided.ranking import plan_ranking, rank_problem, read_problem
from onesided.ranking._counted import count_class_prior

N_ROWS, N_POSITIVE, N_SCREENED = 1500, 300, 300
LENGTHS = [10, 25, 50, 100, 200, 400, 800, 1200]


def drawn(rng, distance, decimals, confidence, n_found=0):
    """A list of the rows that were not screened, and which of its rows are positive.

    Of the positives in the list, `n_found` with the highest scores are known by a check.
    """
    truth = rng.permutation(N_ROWS) < N_POSITIVE
    scores = (rng.normal(size=N_ROWS) + distance * truth).round(decimals)
    screened = rng.permutation(N_ROWS) < N_SCREENED
    rest = scores[~screened]
    above, least = (np.searchsorted(np.sort(-rest), -scores, side) for side in ("left", "right"))
    ranks = (above + least) / 2 / len(rest)
    hidden = np.flatnonzero(truth & ~screened)
    found = hidden[np.argsort(-scores[hidden], kind="stable")][:n_found]
    listed = np.setdiff1d(np.flatnonzero(~screened), found)
    known = truth & screened
    prior = count_class_prior(
        int(known.sum()), int((screened & ~truth).sum()), len(rest), confidence=confidence
    )
    scored = OutOfFoldScores(listed, ranks[listed], scores[listed])
    unlabeled, known, found = (
        OutOfFoldScores(rows, ranks[rows], scores[rows])
        for rows in (np.flatnonzero(~screened), np.flatnonzero(known), found)
    )
    made = Candidates.of(scored, known, unlabeled, prior, found)
    return made, truth[made.rows].cumsum()


@pytest.mark.parametrize(
    ("distance", "decimals", "confidence", "n_found"),
    [(0.0, 9, 0.95, 0), (1.0, 1, 0.9, 0), (1.0, 0, 0.9, 0), (1.0, 9, 0.9, 80), (1.0, 0, 0.9, 80)],
)
def test_the_limits_of_each_list_hold(distance, decimals, confidence, n_found):
    rng, held, width = np.random.default_rng(4), [], []
    for _ in range(75):
        listed, truth = drawn(rng, distance, decimals, confidence, n_found)
        low, point, high = (listed.positives[end] for end in ("_low", "", "_high"))
        assert (low <= point).all()
        assert (point <= high).all()
        assert (np.diff([low, point, high]) >= -1e-9).all(), "a longer list holds no fewer"
        points = listed.at([n for n in LENGTHS if n <= len(truth)])
        limits = np.array([[each["positives_low"], each["positives_high"]] for each in points])
        count = truth[[each["n_listed"] - 1 for each in points]]
        held.append((limits[:, 0] <= count) & (count <= limits[:, 1]))
        width.append(limits[-1, 1] - limits[-1, 0])
    slack = 3 * np.sqrt(confidence * (1 - confidence) / len(held))
    assert np.mean(held, axis=0).min() >= confidence - slack
    assert np.mean(width) < N_POSITIVE / 2, "limits that are always far apart would hold too"


def test_the_limits_hold_where_a_method_ties_many_rows():
    """Naive Bayes gives one score to all rows whose only column lies in one of a few intervals."""
    n_draws, n_listed = 40, N_ROWS - N_SCREENED
    rng = np.random.default_rng(8)
    held, off, width = (np.empty((n_draws, n_listed)) for _ in range(3))
    for draw in range(n_draws):
        truth = rng.permutation(N_ROWS) < N_POSITIVE
        size = (rng.normal(size=N_ROWS) + truth).round(9)
        screened = rng.permutation(N_ROWS) < N_SCREENED
        verdict = np.where(screened, np.where(truth, "yes", "no"), "")
        table = pd.DataFrame({"size": size, "verdict": verdict})
        marks = {"known_negative": "verdict=no", "screened_at_random": True}
        plan = plan_ranking(read_problem(table, "verdict=yes", **marks), methods=["naive-bayes"])
        listed = rank_problem(plan, for_page=False).candidates
        low, point, high = (listed.positives[end] for end in ("_low", "", "_high"))
        count = truth[listed.rows].cumsum()
        assert (low <= point).all()
        assert (point <= high).all()
        held[draw] = (low <= count) & (count <= high)
        off[draw], width[draw] = point - count, high - low
    confidence = plan.promises.confidence
    slack = 3 * np.sqrt(confidence * (1 - confidence) / n_draws)
    assert held.mean(axis=0).min() >= confidence - slack
    assert np.abs(off.mean(axis=0)).max() < N_POSITIVE / 20, "the number leans to one side"
    assert width.mean() < 0.6 * N_POSITIVE, "limits that are always far apart would hold too"
