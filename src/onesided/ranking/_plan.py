"""The decisions before the work: which methods learn, from which rows, in which folds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn.pipeline import Pipeline

from onesided._text import argument
from onesided._typing import Bools, Ints, OnProgress
from onesided._validation import check_arguments, check_object
from onesided.exceptions import DataError
from onesided.methods import VOTES, rankers_for
from onesided.model_selection import (
    Comparison,
    PositiveKFold,
    PositiveTimeSplit,
    check_exchangeable,
    compare,
    scores_out_of_bag,
)
from onesided.model_selection._folds import Folds
from onesided.model_selection._labels import Labels
from onesided.model_selection._parallel import in_threads
from onesided.ranking import _effort as effort
from onesided.ranking._progress import each_step_of
from onesided.ranking._promised import check_share
from onesided.ranking._promises import Promises
from onesided.tables import Problem

_MANY_ROWS = 10_000


@dataclass(frozen=True)
class Plan:
    """A table, and the plan of the comparison of methods on this table.

    Attributes
    ----------
    problem : the table
    promises : the promises that a user asks for
    held_out : shape (n_rows,), the known positives that are held out to judge the promises; the
        ranking itself is learned from all known positives
    rankers : the pipelines to compare; keys are the titles of the methods
    folds : the folds of the positives
    resamples : number of random label sets that the comparison is repeated with
    random_state : seed of all random draws
    for_promises : the plan in which the held-out positives count as unlabeled, as the hidden
        positives do; None without promises

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.ranking import plan_ranking
    >>> from onesided.tables import read_problem
    >>> plan = plan_ranking(read_problem(table, "known"), methods=["naive-bayes"])
    >>> list(plan.rankers), plan.fold_sizes
    (['naive Bayes'], [12, 12, 12, 12, 12])
    """

    problem: Problem
    promises: Promises
    held_out: Bools
    rankers: dict[str, Pipeline]
    folds: Folds
    resamples: int
    random_state: int
    for_promises: Plan | None = None

    @property
    def positive(self) -> Bools:
        """Rows that learners see as positive, shape (n_rows,)."""
        return self.problem.positive | self.problem.verified

    @property
    def labels(self) -> Labels:
        """The label of each row, as learners see it: positive, unlabeled or known negative."""
        return Labels.of(self.positive, known_negative=self.problem.known_negative)

    @cached_property
    def rows(self) -> Ints | None:
        """Row indices that models learn from; None if they learn from all rows."""
        learned = self.problem.learned
        return None if learned is None else np.flatnonzero(self.positive | learned)

    @cached_property
    def lesson(self) -> Plan:
        """The same plan for a smaller table: only the rows that models learn from."""
        if self.rows is None:
            return self
        return replace(
            self, problem=self.problem.only(self.rows), held_out=self.held_out[self.rows]
        )

    @property
    def fold_sizes(self) -> list[int]:
        """Number of positives in each fold, which are hidden together."""
        hidden = self.folds.hidden_positives(self.positive, self.problem.groups)
        return [len(each) for each in hidden]

    @property
    def held_out_sentences(self) -> tuple[str, ...]:
        """How many positives are held out, and why; empty if none are."""
        if not self.promises:
            return ()
        n_positive, n_held_out = int(self.problem.positive.sum()), int(self.held_out.sum())
        why = "for the promises" if self.promises.asked else "to test whether labels are even"
        aim = "mark the rows of the promises" if self.promises.asked else "make this test"
        return (
            (
                f"Holding out {n_held_out:,} of {n_positive:,} known positives {why}. The list is "
                f"learned from all known positives. To {aim}, the methods are compared and fitted "
                "again without the held-out positives, which takes about as long"
            ),
        )

    @property
    def reason(self) -> str:
        """How the positives are divided into folds."""
        sizes = self.fold_sizes
        together = ", and positives of one group are in the same fold"
        if self.folds.holds_out_rows:
            return f"{len(sizes)} folds: {', '.join(f'{size:,}' for size in sizes)} positives"
        return (
            f"{len(sizes)} folds of the {sum(sizes):,} positives, drawn at random"
            f"{together * (self.problem.groups is not None)}: "
            f"{', '.join(f'{size:,}' for size in sizes)} positives are hidden among the "
            f"{'unlabeled rows' if self.rows is None else 'rows of the background'} in turn"
        )

    @property
    def sentence(self) -> str:
        """Which methods are compared, and how."""
        among = "unlabeled rows" if self.rows is None else "rows of the background"
        how = (
            f"The known positives are hidden among the {among} in turn, and each method ranks them"
        )
        if self.problem.times is not None:
            n_later, n_known = sum(self.fold_sizes), int(self.positive.sum())
            how = (
                f"Rows are held out in the order of column {self.problem.time}. Each method learns "
                f"from earlier rows, and ranks the {n_later:,} later of the {n_known:,} known "
                f"positives among the {among} of their time"
            )
        elif self.folds.holds_out_rows:
            how = (
                "Spatial blocks are held out in turn. Each method learns from the other blocks and "
                f"ranks the known positives of these blocks among their {among}"
            )
        return f"{how}. Methods: {'; '.join(self.rankers)}"

    @property
    def votes(self) -> dict[str, float]:
        """Weight of each ranker in the average, beside the weight by its hidden-positive AUC."""
        return {title: VOTES.get(title, 1.0) for title in self.rankers}

    def fits_side_by_side(self) -> AbstractContextManager[None]:
        """Context of fits: with many rows and no text, threads share the rows, not processes.

        The time of such fits is in numpy and scikit-learn, outside Python's lock.
        """
        summary = self.problem.summary
        of_numpy = not (summary.vocabularies or summary.sparse)
        return in_threads() if of_numpy and summary.n_rows >= _MANY_ROWS else nullcontext()

    def compare(
        self,
        on_progress: OnProgress | None = None,
        *,
        refit: bool = True,
        stage: str = "comparing",
    ) -> Comparison:
        """Compare the rankers and their average by how well they rank positives hidden in turn.

        Parameters
        ----------
        on_progress : called with the stage, the number of finished steps, and the number of all
            steps
        refit : whether the best method is fitted again, on all rows that models learn from
        stage : name of the stage that `on_progress` gets
        """
        if self.rows is not None:
            return self.lesson.compare(on_progress, refit=refit, stage=stage)
        in_folds, groups = len(self.fold_sizes), self.problem.groups
        costs = {title: effort.cost_of(each["model"]) for title, each in self.rankers.items()}
        total = sum(
            costs[title] * (1 if groups is None and scores_out_of_bag(each) else in_folds)
            for title, each in self.rankers.items()
        )
        with self.fits_side_by_side():
            return compare(
                self.rankers,
                self.problem.features,
                self.positive,
                known_negative=self.problem.known_negative,
                cv=self.folds,
                groups=groups,
                average=self.votes,
                apart=self.problem.verified if self.problem.verified.any() else None,
                refit=refit,
                on_progress=each_step_of(on_progress, stage, costs, total),
            )


def plan_ranking(
    problem: Problem,
    *,
    methods: Sequence[str] = (),
    class_prior: float | None = None,
    promises: Promises | None = None,
    resamples: int = 0,
    n_folds: int = effort.N_FOLDS,
    random_state: int = 0,
) -> Plan:
    """Plan a ranking of a table; an impossible request raises an error before the long work begins.

    Parameters
    ----------
    problem : the table
    methods, class_prior, resamples, random_state : as for `rank_table`
    promises : the promises that a user asks for; by default none
    n_folds : number of parts of the positives; each part is hidden in turn

    Raises
    ------
    TableError, DataError, PriorError : if a method, a promise or the test with random label sets is
        not possible

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.ranking import plan_ranking, rank_problem
    >>> from onesided.tables import read_problem
    >>> plan = plan_ranking(read_problem(table, "known"), methods=["naive-bayes", "logistic"])
    >>> list(plan.rankers)
    ['naive Bayes', 'weighted logistic regression, C=1', 'weighted logistic regression, C=0.01']
    """
    check_object(problem, "problem", Problem, by="onesided.tables.read_problem")
    if promises is not None:
        check_object(promises, "promises", Promises, by="onesided.ranking.Promises.of")
    check_arguments({"methods": methods, "resamples": resamples, "random_state": random_state})
    if class_prior is not None:
        check_share("class_prior", class_prior)
    promises = Promises() if promises is None else promises
    if promises and problem.time:
        raise DataError(
            "A promise is checked on known positives that are drawn at random, not on later ones.",
            f"Leave {argument('time', problem.time)} or the promise out.",
        )
    held_out = promises.hold_out(problem, random_state)
    positive = problem.positive | problem.verified
    folds = _folds(problem, positive, n_folds, random_state)
    fewest = min(
        int(positive.sum()) - len(fold.hidden)
        if fold.learned is None
        else int(positive[fold.learned].sum())
        for fold in folds.deal(positive, problem.groups)
    )
    summary = problem.summary
    if problem.learned is not None:
        summary = replace(summary, n_rows=int((positive | problem.learned).sum()))
    rankers = rankers_for(
        summary,
        methods=methods,
        **({} if class_prior is None else {"class_prior": class_prior}),
        n_positive=fewest,
        n_negative=int(problem.known_negative.sum()),
        random_state=random_state,
    )
    if resamples and folds.holds_out_rows:
        what, mend = "times", f"leave {argument('time', problem.time)} out"
        if not problem.time:
            what = "spatial blocks, which are of different sizes"
            mend = f"draw folds at random: {argument('space', 'none')}"
        raise DataError(
            f"Random label sets cannot exchange the {what}.",
            f"Leave {argument('resamples')} out, or {mend}.",
        )
    tests = [each for each in rankers.values() if hasattr(each["model"], "adjusted_p_value")]
    if problem.match and not resamples and not tests:
        raise DataError(
            f"{argument('match')} matches the random sets of a test against chance, but no test is "
            "asked for.",
            f"Pass {argument('resamples', 99)}, or leave {argument('match')} out.",
        )
    if resamples and (problem.groups is not None or problem.match):
        check_exchangeable(problem.positive, problem.groups, problem.strata)
    for_promises = None
    if promises:
        for_promises = plan_ranking(
            problem.before(held_out),
            methods=methods,
            class_prior=class_prior,
            n_folds=n_folds,
            random_state=random_state,
        )
    return Plan(problem, promises, held_out, rankers, folds, resamples, random_state, for_promises)


def _folds(problem: Problem, positive: Bools, n_folds: int, random_state: int) -> Folds:
    """Folds in the order of time, of spatial blocks, or at random."""
    if problem.times is None:
        by_block = problem.groups is not None and not problem.group
        return PositiveKFold(
            n_folds, random_state=random_state, hold_out="rows" if by_block else "positives"
        )
    n_times = len(np.unique(problem.times[positive]))
    if n_times < 2:  # noqa: PLR2004 - one to learn from, one to hold out
        raise DataError(
            f"All {int(positive.sum()):,} known positives have the same time in column "
            f"{problem.time!r}.",
            f"Leave {argument('time', problem.time)} out.",
        )
    return PositiveTimeSplit(min(n_folds, n_times - 1))
