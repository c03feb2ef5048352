"""The main job: from a table and a plan to a ranking and the evidence for it."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa

from onesided._labels import Scenario
from onesided._text import first_line
from onesided._typing import Array, OnProgress
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
    scores_out_of_bag,
    unlabeled_out_of_fold_scores,
)
from onesided.model_selection._folds import Folds
from onesided.models.significance import enrichment
from onesided.promises import calibrate_posterior
from onesided.ranking import _effort as effort
from onesided.ranking._checked import before_checks, judge_checked
from onesided.ranking._doubt import find_doubt
from onesided.ranking._plan import Plan, plan_ranking
from onesided.ranking._prior import find_prior
from onesided.ranking._progress import each_step_of, step_of
from onesided.ranking._ranking import Ranking
from onesided.tables import Problem
from onesided.tables._features import enrichment_table, feature_matrices
from onesided.tables._ranking import ranking_table

_MOST_TESTED, _MOST_CELLS = 2000, 20_000_000  # features, and cells, that are tested for enrichment


def rank_problem(
    problem: Problem | Plan,
    *,
    scenario: Scenario | None = None,
    top: int | None = None,
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
    for_page : also estimate roughly how many are positive without a scenario, and test the features
    notes : what a reader must know of the table, before what this function finds
    command : that makes the same ranking
    """
    with gathered_warnings() as own:
        plan = problem if isinstance(problem, Plan) else plan_ranking(problem)
        problem = plan.problem
        comparison = plan.compare(on_progress)
        scored = cross_fitted(plan, comparison, on_progress)
        chance = _test_chance(plan, on_progress)
        fields, columns = _judge(plan, comparison, scored, scenario, on_progress, sketches=for_page)
        enriched = None
        if for_page:
            with _said_if_it_fails("The features are not tested one by one"):
                enriched = _test_features(plan, on_progress)
        titles, rows = problem.titles, fields["scored"].rows
        beside = {} if titles is None else {"title": titles[rows]}
        beside |= {name: cells[rows] for name, cells in problem.coordinates.items()}
        table = ranking_table(
            problem.ids,
            problem.identifier,
            fields["scored"],
            fields["placed"],
            beside | columns,
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
    except Exception as error:  # noqa: BLE001 - whatever it is, the ranking is still right
        warnings.warn(
            f"{what}, because of a defect of onesided: {type(error).__name__}: "
            f"{first_line(error)}.",
            OnesidedWarning,
            stacklevel=3,
        )


def cross_fitted(
    plan: Plan,
    found: Comparison,
    on_progress: OnProgress | None = None,
    hide: Folds | None = None,
) -> OutOfFoldScores:
    """Score each unlabeled row by models of the best method in which it was not unlabeled.

    Parameters
    ----------
    plan, found : the plan and what it found
    on_progress : as for `rank_table`
    hide : folds of the positives, to score these too by models that did not learn from them
    """
    is_averaged = isinstance(found.best_estimator_, RankAverage)
    ranker = found.best_estimator_ if is_averaged else plan.rankers[found.best_]
    members = ranker.members_.values() if is_averaged else [ranker]
    total = sum(1 if scores_out_of_bag(each) else effort.N_FOLDS for each in members)
    what = "scoring" if hide is None else "ranking the positives among all unlabeled rows"
    return unlabeled_out_of_fold_scores(
        ranker,
        plan.problem.features,
        plan.positive,
        learned=plan.problem.learned,
        hide=hide,
        groups=plan.problem.groups,
        cv=effort.N_FOLDS,
        random_state=plan.random_state,
        fitted=found.best_estimator_,
        on_fold=each_step_of(on_progress, what, {"": 1}, total),
    )


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
    scored = cross_fitted(plan, found, on_progress, plan.folds)
    return scored.only(plan.known), scored.only(plan.problem.verified)


def _test_chance(plan: Plan, on_progress: OnProgress | None) -> dict[str, ResampledPValue]:
    """P-values of the best AUC, if asked for, and of the significance ranker, if compared."""
    plan = plan.lesson
    problem, found = plan.problem, {}
    if plan.resamples:
        with _said_if_it_fails("The best AUC is not tested against random labels"):
            found["auc"] = label_resampling_test(
                plan.rankers,
                problem.features,
                plan.known,
                n_resamples=plan.resamples,
                cv=plan.folds,
                groups=problem.groups,
                random_state=plan.random_state,
                average=plan.votes,
                on_resample=step_of(on_progress, "testing against random labels"),
            )
    for pipeline in plan.rankers.values():
        if hasattr(pipeline["model"], "adjusted_p_value") and problem.groups is None:
            with _said_if_it_fails("The distance of the known positives is not tested"):
                model = pipeline.fit(problem.features, plan.known)["model"]
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
    *,
    sketches: bool,
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Place the positives among the candidates; return fields of `Ranked` and further columns."""
    problem, asked = plan.problem, plan.promises
    candidates = scored.only(problem.listed)
    known = scored.only(plan.held_out)
    hidden, apart = hidden_among_all(plan, found, on_progress)
    n_candidates = len(candidates.rows)
    unlabeled = before_checks(candidates, scored, problem, apart)
    of_positives = known if asked else hidden
    if isinstance(of_positives, PlacedPositives) and n_candidates == len(scored.rows):
        placed = of_positives  # all unlabeled rows are candidates
    else:
        placed = place(of_positives, candidates)
    columns: dict[str, Array] = {}
    prior, posterior, promises, no_prior = None, None, None, ""
    if scenario is not None or sketches:
        with _said_if_it_fails("The number of positives is not estimated"):
            estimate, no_prior = find_prior(plan, found.best_estimator_, scenario, on_progress)
            if estimate is not None:
                posterior = calibrate_posterior(
                    -of_positives.ranks,
                    -unlabeled.ranks,
                    class_prior=estimate,
                    scenario=estimate.scenario,
                )
                if scenario is not None:
                    shown = replace(posterior, class_prior=estimate.headline)
                    columns["posterior"] = shown.given_unlabeled(-candidates.ranks).round(6)
            prior = estimate
    if asked:
        with _said_if_it_fails("The promises are not kept"):
            negative = scored.only(problem.negative)
            promises = asked.keep(known, unlabeled, negative, prior, plan.random_state)
            marked = {
                name: each and replace(each, rows=each.rows[:n_candidates])
                for name, each in promises.kept.items()
            }
            promises = replace(promises, kept=marked)
            kept = [each for each in marked.values() if each is not None]
            columns |= {each.column: each.rows for each in kept}
    fields = {
        "scored": candidates,
        "placed": placed,
        "prior": prior,
        "posterior": posterior,
        "no_prior": no_prior,
        "promises": promises,
        "checked": judge_checked(candidates, problem, apart),
    }
    return fields, columns


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
