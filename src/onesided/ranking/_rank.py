"""The main job: from a table and a plan to a ranking and the evidence for it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa

from onesided._candidates import Candidates
from onesided._files._memory import give_memory_back
from onesided._labels import Scenario
from onesided._ranked import KeptPromises
from onesided._text import first_line
from onesided._typing import Array, OnProgress
from onesided._validation import check_arguments, check_object
from onesided._worth import Worth
from onesided.exceptions import (
    DuplicateWarning,
    OnesidedError,
    OnesidedWarning,
    gathered_warnings,
)
from onesided.metrics import ResampledPValue
from onesided.model_selection import (
    Comparison,
    OutOfFoldScores,
    PlacedPositives,
    RankAverage,
    label_resampling_test,
    place,
    unlabeled_out_of_fold_scores,
)
from onesided.model_selection._folds import Folds
from onesided.models.significance import enrichment
from onesided.prior import ClassPriorEstimate
from onesided.ranking import _effort as effort
from onesided.ranking._checked import before_checks, judge_checked
from onesided.ranking._doubt import find_doubt
from onesided.ranking._plan import Plan, plan_ranking
from onesided.ranking._prior import find_prior
from onesided.ranking._progress import step_of, within
from onesided.ranking._ranking import Ranking
from onesided.tables import Problem
from onesided.tables._features import enrichment_table, feature_matrices

_MOST_TESTED, _MOST_CELLS = 2000, 20_000_000  # features, and cells, that are tested for enrichment


def rank_problem(
    problem: Problem | Plan,
    *,
    scenario: Scenario | None = None,
    top: int | None = None,
    worth: Worth | None = None,
    for_page: bool = True,
    notes: Sequence[str] = (),
    command: str = "",
    on_progress: OnProgress | None = None,
) -> Ranking:
    """Rank the unlabeled rows of a table.

    Parameters
    ----------
    problem : the table, or a plan for it that `plan_ranking` made
    scenario, top, on_progress : as for `rank_table`
    worth : what each row of the list costs and each positive brings; it gives the best length of
        the list
    for_page : whether to test each feature too, for the page of the report
    notes : warnings and remarks about the table; those of this function follow them
    command : the command that makes the same ranking

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.ranking import plan_ranking, rank_problem
    >>> from onesided.tables import read_problem
    >>> plan = plan_ranking(read_problem(table, "known"), methods=["naive-bayes"])
    >>> len(rank_problem(plan).to_frame("pandas"))
    240
    """
    check_object(problem, "problem", Problem, Plan, by="onesided.tables.read_problem")
    if worth is not None:
        check_object(worth, "worth", Worth, by="onesided.ranking.Worth")
    check_arguments(locals())
    with gathered_warnings() as own:
        plan = problem if isinstance(problem, Plan) else plan_ranking(problem)
        problem = plan.problem
        give_memory_back()
        comparison = plan.compare(on_progress)
        give_memory_back()
        scored = cross_fitted(plan, comparison, on_progress)
        chance = _test_chance(plan, on_progress)
        fields, columns = _judge(plan, comparison, scored, scenario, on_progress)
        enriched = None
        if for_page:
            give_memory_back()
            with _said_if_it_fails("The features are not tested one by one"):
                enriched = _test_features(plan, on_progress)
        rows = fields["scored"].rows
        beside = {name: cells[rows] for name, cells in problem.beside.items()}
        table = fields["candidates"].table(
            problem.ids,
            problem.identifier,
            beside | columns,
            with_posterior=scenario is not None,
        )
    return Ranking(
        problem=problem,
        comparison=comparison,
        **fields,
        table=table,
        scenario=scenario,
        enriched=enriched,
        chance=chance,
        doubt=find_doubt(
            comparison, tested="auc" in chance, borrowed=problem.background is not None
        ),
        notes=tuple(dict.fromkeys((*notes, *own))),
        command=command,
        top=top,
        label_odds_ratio=plan.promises.label_odds_ratio,
        confidence=plan.promises.confidence,
        worth=worth,
    )


@contextmanager
def _said_if_it_fails(what: str) -> Iterator[None]:
    """Warn that a part of the evidence fails, and go on: the ranking does not depend on it.

    Parameters
    ----------
    what : what is missing without this part, as the beginning of a sentence
    """
    try:
        yield
    except OnesidedError as error:
        warnings.warn(f"{what}. {error}", OnesidedWarning, stacklevel=3)
    except MemoryError:
        memory = "This machine does not have enough memory."
        warnings.warn(f"{what}. {memory}", OnesidedWarning, stacklevel=3)
    except Exception as error:  # noqa: BLE001 - whatever it is, the ranking is still right
        warnings.warn(
            f"{what}. This is a defect of onesided: {type(error).__name__}: {first_line(error)}.",
            OnesidedWarning,
            stacklevel=3,
        )


def cross_fitted(
    plan: Plan,
    found: Comparison,
    on_progress: OnProgress | None = None,
    hide: Folds | None = None,
    *,
    stage: str = "scoring",
) -> OutOfFoldScores:
    """Score each unlabeled row by models of the best method in which it was not unlabeled.

    Parameters
    ----------
    plan, found : the plan and what it found
    on_progress : as for `rank_table`
    hide : folds of the positives, to score these too by models that did not learn from them
    stage : what the progress is called
    """
    is_averaged = isinstance(found.best_estimator_, RankAverage)
    ranker = found.best_estimator_ if is_averaged else plan.rankers[found.best_]
    with plan.fits_side_by_side():
        return unlabeled_out_of_fold_scores(
            ranker,
            plan.problem.features,
            plan.positive,
            known_negative=plan.problem.known_negative,
            learned=plan.problem.learned,
            hide=hide,
            groups=None if hide is None else plan.problem.groups,
            cv=effort.N_FOLDS,
            random_state=plan.random_state,
            fitted=found.best_estimator_,
            on_progress=within(on_progress, stage),
        )


def scored_for_promises(plan: Plan, on_progress: OnProgress | None = None) -> OutOfFoldScores:
    """Score the unlabeled rows and the held-out positives, which count as unlabeled.

    The methods are compared anew: one that was chosen on the held-out positives would rank them
    higher than the positives that are hidden.

    Parameters
    ----------
    plan : for the promises
    on_progress : as for `rank_table`
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateWarning)  # the comparison warns of all known rows
        found = plan.compare(on_progress, stage="comparing for the promises")
        return cross_fitted(plan, found, on_progress, stage="scoring for the promises")


def hidden_among_all(
    plan: Plan, found: Comparison, on_progress: OnProgress | None = None
) -> tuple[PlacedPositives | OutOfFoldScores, PlacedPositives | OutOfFoldScores]:
    """Rank the known and the verified positives, when they are hidden, among all unlabeled rows.

    In a comparison positives are hidden among the rows that the methods learn from as unlabeled.
    If these are not all unlabeled rows, models that saw neither the positive nor the rows beside it
    rank it among all of them.
    """
    if plan.rows is None:
        hidden = found.hidden[found.best_]
        return hidden, found.apart.get(found.best_, hidden)
    scored = _scored_among_all(plan, found, on_progress)
    return scored.only(plan.problem.positive), scored.only(plan.problem.verified)


def placed_among_all(
    plan: Plan, found: Comparison, on_progress: OnProgress | None = None
) -> PlacedPositives:
    """Place the known positives, when they are hidden, among all unlabeled rows, with ties."""
    if plan.rows is None:
        return found.hidden[found.best_]
    scored = _scored_among_all(plan, found, on_progress)
    positive = plan.problem.positive
    return place(scored.only(positive), scored.only(~positive & ~plan.problem.negative))


def _scored_among_all(
    plan: Plan, found: Comparison, on_progress: OnProgress | None
) -> OutOfFoldScores:
    """Score the positives and all unlabeled rows by models that saw none of these."""
    stage = "ranking the positives among all unlabeled rows"
    return cross_fitted(plan, found, on_progress, plan.folds, stage=stage)


def _test_chance(plan: Plan, on_progress: OnProgress | None) -> dict[str, ResampledPValue]:
    """P-values of the best AUC, if asked for, and of the significance ranker, if compared."""
    plan = plan.lesson
    problem, found = plan.problem, {}
    if plan.resamples:
        with (
            _said_if_it_fails("The best AUC is not tested against random labels"),
            plan.fits_side_by_side(),
        ):
            found["auc"] = label_resampling_test(
                plan.rankers,
                problem.features,
                problem.positive,
                n_resamples=plan.resamples,
                cv=plan.folds,
                groups=problem.groups,
                match=problem.strata,
                random_state=plan.random_state,
                average=plan.votes,
                on_progress=within(on_progress, "testing against random labels"),
            )
    for pipeline in plan.rankers.values():
        if hasattr(pipeline["model"], "adjusted_p_value") and problem.groups is None:
            with _said_if_it_fails("The distance of the known positives is not tested"):
                rows = pipeline[:-1].fit_transform(problem.features, problem.positive)
                model = pipeline["model"].fit(rows, problem.positive, match=problem.strata)
                with warnings.catch_warnings():  # the estimate of the prior warns of all known rows
                    warnings.simplefilter("ignore", DuplicateWarning)
                    found["distance"] = model.adjusted_p_value(
                        effort.N_RANDOM_SETS,
                        random_state=plan.random_state,
                        on_step=step_of(on_progress, "testing against random sets"),
                    )
    return found


def _judge(
    plan: Plan,
    found: Comparison,
    scored: OutOfFoldScores,
    scenario: Scenario | None,
    on_progress: OnProgress | None,
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Place the positives among the candidates; return fields of `Ranked` and further columns."""
    problem = plan.problem
    candidates = scored.only(problem.listed)
    hidden, apart = hidden_among_all(plan, found, on_progress)
    n_candidates = len(candidates.rows)
    unlabeled = before_checks(candidates, scored, problem, apart)
    if isinstance(hidden, PlacedPositives) and n_candidates == len(scored.rows):
        placed = hidden  # all unlabeled rows are candidates
    else:
        placed = place(hidden, candidates)
    columns: dict[str, Array] = {}
    prior, promises, no_prior = None, None, ""
    with _said_if_it_fails("The number of positives is not estimated"):
        prior, no_prior = find_prior(plan, found, scenario, on_progress)
    if plan.for_promises is not None:
        with _said_if_it_fails("The promises could not be measured, so no row is marked"):
            promises = _keep_promises(plan, plan.for_promises, prior, on_progress)
            kept = [each for each in promises.kept.values() if each is not None]
            columns |= {each.column: each.rows for each in kept}
    fields = {
        "scored": candidates,
        "placed": placed,
        "prior": prior,
        "candidates": Candidates.of(
            candidates,
            hidden,
            unlabeled,
            prior,
            apart if problem.verified.any() else None,
            plan.promises.label_odds_ratio,
        ),
        "no_prior": no_prior,
        "promises": promises,
        "checked": judge_checked(candidates, problem, apart),
    }
    return fields, columns


def _keep_promises(
    plan: Plan,
    for_promises: Plan,
    prior: ClassPriorEstimate | None,
    on_progress: OnProgress | None,
) -> KeptPromises:
    """Measure the promises on the held-out positives; the marked rows are candidates."""
    problem, scored = plan.problem, scored_for_promises(for_promises, on_progress)
    unlabeled = scored.only(~problem.positive & ~problem.negative)
    negative = scored.only(problem.negative)
    promises = plan.promises.keep(
        scored.only(plan.held_out), unlabeled, negative, prior, plan.random_state
    )
    listed = problem.listed[unlabeled.rows]
    return replace(
        promises,
        kept={name: each and each.only(listed) for name, each in promises.kept.items()},
    )


def _test_features(plan: Plan, on_progress: OnProgress | None) -> pa.Table | None:
    """Which features set the positives apart; None where there are too many features to test."""
    plan = plan.lesson
    positive = plan.problem.positive
    names, parts = feature_matrices(plan.problem.features, plan.problem.summary)
    if len(names) > _MOST_TESTED or len(positive) * len(names) > _MOST_CELLS:
        return None
    found = enrichment(
        parts,
        positive,
        n_resamples=effort.N_RANDOM_SETS,
        random_state=plan.random_state,
        on_step=step_of(on_progress, "testing features"),
    )
    return enrichment_table(found, names)
