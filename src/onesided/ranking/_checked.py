"""What checked rows say of a list."""

from __future__ import annotations

import numpy as np

from onesided._ranked import CheckedPositives
from onesided.model_selection import OutOfFoldScores, PlacedPositives, place, weighted_auc
from onesided.tables import Problem

_FEWEST = 10  # verified positives from which on the interval covers


def judge_checked(
    candidates: OutOfFoldScores, problem: Problem, verified: OutOfFoldScores | PlacedPositives
) -> CheckedPositives | None:
    """Judge the list by verified positives, hidden in turn; None without verdicts.

    A row that was drawn with a known chance stands for some unchecked rows. So the verified
    positives, by the numbers of unchecked rows that they stand for, are a sample of the positives
    among the unchecked rows, however labels were given. A row that was not drawn by chance stands
    for itself alone.
    """
    if problem.verdicts is None:
        return None
    unchecked = problem.verdicts.stands_for[problem.verified] - 1
    n_positive, n_sampled = len(unchecked), int((unchecked > 0).sum())
    if n_sampled < _FEWEST:
        return CheckedPositives(n_positive, n_sampled, _FEWEST)
    auc, interval = weighted_auc(place(verified, candidates), unchecked)
    return CheckedPositives(n_positive, n_sampled, _FEWEST, auc, interval)


def before_checks(
    candidates: OutOfFoldScores,
    scored: OutOfFoldScores,
    problem: Problem,
    verified: OutOfFoldScores | PlacedPositives,
) -> OutOfFoldScores:
    """The candidates, and below them the checked rows, each by models that did not learn it.

    Together they are the unlabeled rows as they were before the checks, and the known positives are
    like the positives among these if labels are even. Among the candidates alone they are not:
    checks find the positives with high scores first.
    """
    if problem.verdicts is None:
        return candidates
    parts = [candidates, scored.only(problem.verdicts.negative)]
    if problem.verified.any():
        rows = np.flatnonzero(problem.verified)
        parts.append(OutOfFoldScores(rows, verified.ranks, verified.scores))
    return OutOfFoldScores(
        np.concatenate([each.rows for each in parts]),
        np.concatenate([each.ranks for each in parts]),
        np.concatenate([each.scores for each in parts]),
    )
