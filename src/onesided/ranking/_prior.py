"""How many of the unlabeled rows of a table are positive."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from onesided._labels import Scenario, check_scenario
from onesided._text import as_percent, counted_of
from onesided._typing import Ints, OnProgress
from onesided._validation import check_object
from onesided.exceptions import LabelError, PriorWarning
from onesided.methods import table_scorer
from onesided.model_selection import Comparison, scores_out_of_bag
from onesided.prior import ClassPriorEstimate, estimate_class_prior
from onesided.prior._facts import tells_nothing
from onesided.ranking import _effort as effort
from onesided.ranking._counted import count_class_prior
from onesided.ranking._plan import Plan, plan_ranking
from onesided.ranking._progress import within
from onesided.ranking._promises import Promises
from onesided.tables import Problem

_MOST_POSITIVE, _MOST_UNLABELED = 2000, 10_000  # rows of a rough estimate


def estimate_prior(
    problem: Problem,
    scenario: Scenario,
    *,
    confidence: float = 0.9,
    label_odds_ratio: float = 1.0,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
) -> ClassPriorEstimate:
    """Estimate how many of the unlabeled rows are positive.

    Parameters
    ----------
    problem : the table
    scenario : how the rows were collected, "single-training-set" or "case-control"
    confidence : confidence level of the interval and of the upper bound, between 0 and 1
    label_odds_ratio : greatest odds of being labeled over the least odds, among positives; 1 means
        that labels are even
    random_state : seed of all random draws
    on_progress : called with the stage, the number of finished steps, and the number of all steps

    Raises
    ------
    DataError, PriorError : if the confidence is not between 0 and 1, or the ratio is below 1

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.ranking import estimate_prior, read_problem
    >>> size, known = np.random.default_rng(0).normal(size=40), np.arange(40) < 10
    >>> problem = read_problem(pd.DataFrame({"size": size, "known": known}), "known")
    >>> estimate_prior(problem, "case-control")  # doctest: +SKIP

    The estimate takes some seconds. A confidence that cannot be one is refused at once:

    >>> estimate_prior(problem, "case-control", confidence=95)
    Traceback (most recent call last):
        ...
    onesided.exceptions.DataError: `confidence` 95 is not between 0 and 1. Pass a share above 0
        and below 1, 0.95 for example.
    """
    check_object(problem, "problem", Problem, by="onesided.tables.read_problem")
    check_scenario(scenario)
    asked = Promises.of(confidence=confidence, label_odds_ratio=label_odds_ratio)
    plan = plan_ranking(problem, promises=asked, random_state=random_state)
    return prior_by(plan, plan.compare(on_progress, refit=False), scenario, on_progress)


def prior_by(
    plan: Plan, best: Comparison, scenario: Scenario | None, on_progress: OnProgress | None
) -> ClassPriorEstimate:
    """Estimate the class prior by the best method from a part of the rows, so that it is not slow.

    Of an average it is the method with the largest weight. Extra-trees replace bagging, which would
    take a minute.
    """
    problem, seed = plan.problem, plan.random_state
    rng = np.random.default_rng(seed)
    candidate = ~problem.positive & ~problem.negative
    kinds = ((problem.positive, _MOST_POSITIVE), (candidate, _MOST_UNLABELED))
    drawn = [rng.permutation(np.flatnonzero(is_kind))[:most] for is_kind, most in kinds]
    ranker = plan.rankers[best.leading]
    if scores_out_of_bag(ranker):
        ranker = table_scorer(problem.summary, n_trees=effort.N_TREES, random_state=seed)
    with plan.fits_side_by_side():
        found = _estimate(
            problem,
            np.sort(np.concatenate(drawn)),
            on_progress,
            estimator=ranker,
            scenario=scenario or "case-control",  # both give the same share among the unlabeled
            confidence=plan.promises.confidence,
            label_odds_ratio=plan.promises.label_odds_ratio,
            random_state=seed,
        )
    return replace(
        found,
        scenario=scenario,
        n_positive=int(problem.positive.sum()),
        n_unlabeled=int(candidate.sum()),
        n_negative=int(problem.negative.sum()),
    )


def find_prior(
    plan: Plan, best: Comparison, scenario: Scenario | None, on_progress: OnProgress | None
) -> tuple[ClassPriorEstimate | None, str]:
    """Count or estimate the class prior, or say why it cannot be known."""
    problem = plan.problem
    if problem.screened_at_random:
        n_positive, n_negative = int(problem.positive.sum()), int(problem.negative.sum())
        n_unlabeled = len(problem.positive) - n_positive - n_negative
        confidence = plan.promises.confidence
        return count_class_prior(n_positive, n_negative, n_unlabeled, confidence=confidence), ""
    if scenario is None and plan.problem.negative.any():
        return None, (
            "Some rows were checked and found negative. If these rows came from the top of a "
            "list, the remaining positives are not a random sample of all positives, so an "
            "estimate of their number may be wrong."
        )
    try:
        with warnings.catch_warnings():  # what they say follows in other words
            warnings.simplefilter("ignore", PriorWarning)
            found = prior_by(plan, best, scenario, on_progress)
    except LabelError as error:
        return None, str(error)
    if found.point == 0:
        return None, _why_zero(found, best)
    if found.point == 1:
        return None, "The columns do not distinguish the known positives from the other rows."
    return found, ""


def _why_zero(found: ClassPriorEstimate, best: Comparison) -> str:
    """Why an estimate of 0 is not shown: the highest scores belong to known positives alone."""
    hidden = best.hidden[best.best_]
    n_first, n_known = hidden.n_first, len(hidden.above)
    who = f"{counted_of(n_first, n_known, 'known positive', 'rank')} above all other rows"
    said = (
        f"{who if n_first else 'Only known positives have the highest scores'}, as "
        f"{'it' if n_first == 1 else 'they'} would if a column gave the labels away. Check that no "
        "column was filled in because a row is positive."
    )
    if tells_nothing(0.0, found.upper_bound):
        return said
    return (
        f"{said} If the known positives are like the other positives, at most "
        f"{as_percent(found.upper_bound)} of the unlabeled rows are positive "
        f"({as_percent(found.confidence)} confidence)."
    )


def _estimate(
    problem: Problem, rows: Ints, on_progress: OnProgress | None, **settings: Any
) -> ClassPriorEstimate:
    """Estimate from some rows, with further arguments of `estimate_class_prior`."""
    return estimate_class_prior(
        problem.features.take(rows),
        problem.positive[rows],
        groups=None
        if problem.groups is None or problem.time  # all rows count, earlier and later
        else problem.groups[rows],
        on_progress=within(on_progress, "estimating how many are positive"),
        **settings,
    )
