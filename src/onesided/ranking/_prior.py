"""How many of the unlabeled rows of a table are positive."""

from dataclasses import replace

import numpy as np
from sklearn.pipeline import Pipeline

from onesided._labels import Scenario
from onesided._text import argument
from onesided._typing import Ints, OnProgress
from onesided.exceptions import LabelError
from onesided.methods import table_scorer
from onesided.prior import ClassPriorEstimate, estimate_class_prior
from onesided.ranking import _effort as effort
from onesided.ranking._progress import step_of
from onesided.ranking._promised import check_share
from onesided.tables import Problem

_MOST_POSITIVE, _MOST_UNLABELED = 2000, 10_000  # rows of a rough estimate


def estimate_prior(
    problem: Problem,
    scenario: Scenario,
    *,
    confidence: float = 0.9,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
) -> ClassPriorEstimate:
    """Estimate how many of the unlabeled rows are positive.

    Parameters
    ----------
    problem : the table
    scenario : the sampling story, "single-training-set" or "case-control"
    confidence : of the interval and of the upper bound
    random_state : of what draws
    on_progress : called with the stage, the number of steps done, and of all

    Raises
    ------
    DataError : if the confidence is no share
    """
    check_share("confidence", confidence)
    scorer = table_scorer(problem.summary, n_trees=effort.N_TREES, random_state=random_state)
    return _estimate(
        problem,
        np.flatnonzero(~problem.negative),
        scorer,
        scenario,
        confidence,
        random_state,
        effort.N_HALVES,
        on_progress,
    )


def prior_by(
    problem: Problem,
    ranker: Pipeline,
    scenario: Scenario | None,
    confidence: float,
    random_state: int,
    on_progress: OnProgress | None,
) -> ClassPriorEstimate:
    """The same by a ranker, from a part of the rows, so that it is not slow.

    Without a scenario the interval rests on fewer halves; point and bound are the same. Bagging
    is replaced by its like: it would take a minute.

    Parameters
    ----------
    ranker : as `rankers_for` makes it
    problem, scenario, confidence, random_state, on_progress : as for `estimate_prior`
    """
    rng = np.random.default_rng(random_state)
    candidate = ~problem.positive & ~problem.negative
    kinds = ((problem.positive, _MOST_POSITIVE), (candidate, _MOST_UNLABELED))
    drawn = [rng.permutation(np.flatnonzero(is_kind))[:most] for is_kind, most in kinds]
    if getattr(ranker["model"], "scores_out_of_bag", False):
        ranker = table_scorer(
            problem.summary, n_trees=effort.N_FEW_TREES, random_state=random_state
        )
    found = _estimate(
        problem,
        np.sort(np.concatenate(drawn)),
        ranker,
        scenario or "case-control",  # of the share among the unlabeled they say the same
        confidence,
        random_state,
        effort.N_HALVES if scenario else effort.N_FEW_HALVES,
        on_progress,
    )
    return replace(
        found,
        n_positive=int(problem.positive.sum()),
        n_unlabeled=int(candidate.sum()),
        n_negative=int(problem.negative.sum()),
    )


def sketch_prior(
    problem: Problem,
    ranker: Pipeline,
    confidence: float,
    random_state: int,
    on_progress: OnProgress | None,
) -> tuple[ClassPriorEstimate | None, str]:
    """How many are positive, roughly and without a scenario; or why it cannot be told.

    Parameters
    ----------
    problem, ranker, confidence, random_state, on_progress : as for `prior_by`
    """
    if problem.negative.any():
        return None, (
            "Some rows were checked and found negative. If these rows came from the top of a "
            "list, the remaining positives are not a random sample of all positives, so an "
            f"estimate of their number may be wrong. {argument('scenario')} estimates the "
            "number anyway."
        )
    try:
        found = prior_by(problem, ranker, None, confidence, random_state, on_progress)
    except LabelError as error:
        return None, str(error)
    if found.point == 0:
        return None, (
            "The known positives rank above all other rows, as they would if a column gave "
            "the labels away. Check that no column was filled in because a row is positive."
        )
    if found.point == 1:
        return None, "The columns do not distinguish the known positives from the other rows."
    return found, ""


def _estimate(
    problem: Problem,
    rows: Ints,
    scorer: Pipeline,
    scenario: Scenario,
    confidence: float,
    random_state: int,
    n_halves: int,
    on_progress: OnProgress | None,
) -> ClassPriorEstimate:
    return estimate_class_prior(
        problem.features.take(rows),
        problem.positive[rows],
        scenario=scenario,
        estimator=scorer,
        confidence=confidence,
        n_subsamples=n_halves,
        groups=None if problem.groups is None else problem.groups[rows],
        random_state=random_state,
        on_fit=step_of(on_progress, "estimating how many are positive"),
    )
