"""Fit a model to a table; the model can be saved."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from onesided._files._formats import own_folder
from onesided._labels import Scenario
from onesided._text import argument
from onesided._typing import Floats, Ints, OnProgress
from onesided._validation import check_arguments, check_object
from onesided.exceptions import LabelError, OnesidedWarning, TableError, gathered_warnings
from onesided.model_selection import fits_elsewhere
from onesided.model_selection._estimators import scores_of_rows
from onesided.model_selection._labels import Labels
from onesided.model_selection._parallel import each_in_turn
from onesided.ranking import Plan, plan_ranking
from onesided.ranking._doubt import find_doubt
from onesided.ranking._promised import check_share
from onesided.scoring._alerts import Alerts, check_later, keep_posterior, on_scale_of
from onesided.scoring._drift import SeenColumn, see_scores
from onesided.scoring._model_file import Model, score_quantiles
from onesided.scoring._sample import DrawnRows, draw_rows
from onesided.tables import Problem, read_problem
from onesided.tables._background import Borrowed
from onesided.tables._known_rows import Paths
from onesided.tables._model_columns import ColumnRole, model_columns
from onesided.tables._table_file import table_file

_APART = "scoring rows that were not learned from"


def fit_table(  # noqa: PLR0913 - each says how one thing is done
    table: str | PathLike[str] | Any,
    positive: str = "",
    *,
    positive_table: Paths = None,
    identifier: str = "",
    group: str = "",
    space: str | None = None,
    time: str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    number: Sequence[str] = (),
    text: Sequence[str] = (),
    missing: Sequence[str] = (),
    delimiter: str | None = None,
    sheet: str | None = None,
    verdicts: Paths = None,
    background: Borrowed | None = None,
    unlabeled: int | None = None,
    methods: Sequence[str] = (),
    class_prior: float | None = None,
    scenario: Scenario | None = None,
    alerts: float | None = None,
    random_state: int = 0,
    n_workers: int | None = None,
    cluster: str | None = None,
    on_progress: OnProgress | None = None,
) -> Model:
    """Fit a model to a table by the best of several methods.

    The methods are compared by how well they rank known positives that are hidden in turn. The
    best method is fitted on all rows.

    Parameters
    ----------
    table, positive, positive_table, identifier, group, space, time, drop, categorical, number,
        text, missing, delimiter, sheet : as for `tables.read_problem`; the model treats the same
        cells as missing
    verdicts, background : as for `onesided.rank_table`. They exclude `unlabeled`, which draws rows
        without looking at their verdicts and other labels
    unlabeled : number of unlabeled rows to draw at random, for a table that does not fit into
        memory; all positive rows are kept. By default all rows are used
    methods : some of `onesided.methods.METHODS`; by default those that suit the table
    class_prior : share of positives among the unlabeled rows, for the methods that need it; by
        default it is estimated
    scenario : how the rows were collected, "single-training-set" or "case-control"; with it the
        model can turn a score into a probability of being positive
    alerts : share of later rows that shall raise an alert, if these rows are like the unlabeled
        rows of this table. The model keeps this threshold on the score
    random_state : seed of all random draws
    n_workers : number of processes that learn on this machine
    cluster : address of a Dask scheduler whose workers learn; needs onesided[dask]
    on_progress : called with the stage, the number of finished fits, and the number of all fits

    Raises
    ------
    TableError : if the table cannot be read, or a method cannot be used on it
    DataError : if Dask is not installed, or there is no scheduler at the address

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.scoring import fit_table
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"size": rng.normal(size=60), "known": np.arange(60) < 20})
    >>> fit_table(table, "known", methods=["naive-bayes"]).method
    'naive Bayes'
    """
    check_arguments(locals())
    with gathered_warnings() as notes, fits_elsewhere(n_workers, cluster):
        problem, drawn = read_sample(
            table,
            positive,
            unlabeled,
            positive_table=positive_table,
            identifier=identifier,
            group=group,
            space=space,
            time=time,
            drop=drop,
            categorical=categorical,
            number=number,
            text=text,
            missing=missing,
            verdicts=verdicts,
            background=background,
            delimiter=delimiter,
            sheet=sheet,
            random_state=random_state,
            on_progress=on_progress,
        )
        plan = plan_ranking(
            problem, methods=methods, class_prior=class_prior, random_state=random_state
        )
        model = fit_problem(
            plan,
            drawn,
            scenario=scenario,
            class_prior=class_prior,
            alerts=alerts,
            on_progress=on_progress,
        )
    return replace(model, notes=tuple(notes))


def read_sample(
    table: str | PathLike[str] | Any,
    positive: str,
    unlabeled: int | None = None,
    *,
    delimiter: str | None = None,
    sheet: str | None = None,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
    **reading: Any,
) -> tuple[Problem, DrawnRows | None]:
    """Read a whole table, or all of its positive rows and a random draw of its unlabeled rows.

    Parameters
    ----------
    table, positive, delimiter, sheet, **reading : as for `tables.read_problem`
    unlabeled : number of unlabeled rows to draw; None reads all rows
    random_state : seed of the draw
    on_progress : called once, before the draw

    Returns
    -------
    problem : the rows that were read
    drawn : how the rows were drawn; None if all rows were read

    Raises
    ------
    TableError : if the table cannot be read, or no column marks positive rows

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.scoring import read_sample
    >>> problem, drawn = read_sample(table, "known", None)
    >>> problem.sentences[0], drawn is None
    ('table: 300 rows, 2 columns', True)
    """
    if unlabeled is not None and not positive:
        raise TableError(
            f"{argument('unlabeled')} draws rows of the table by their labels, but "
            f"{argument('positive')} does not name a column of labels.",
            f"Pass {argument('positive', 'COLUMN')}, or leave {argument('unlabeled')} out.",
        )
    for name, what in (("verdicts", "a verdict"), ("background", "another label")):
        if unlabeled is not None and reading.get(name):
            raise TableError(
                f"{argument('unlabeled')} draws some rows of the table, which may lack rows that "
                f"have {what}.",
                f"Pass one of {argument('unlabeled')} and {argument(name)}.",
            )
    with table_file(table) as path, own_folder() as folder:
        if unlabeled is None:
            found = read_problem(path, positive, delimiter=delimiter, sheet=sheet, **reading)
            return found, None
        if on_progress is not None:
            on_progress("drawing rows", 0, 0)
        drawn = draw_rows(
            path,
            positive,
            unlabeled,
            folder,
            seed=random_state,
            delimiter=delimiter,
            sheet=sheet,
            names=[reading[each] for each in ("identifier", "group") if reading.get(each)],
        )
        return read_problem(drawn.path, positive, delimiter=drawn.delimiter, **reading), drawn


def fit_problem(
    plan: Plan,
    drawn: DrawnRows | None = None,
    *,
    scenario: Scenario | None = None,
    class_prior: float | None = None,
    alerts: float | None = None,
    on_progress: OnProgress | None = None,
) -> Model:
    """Compare methods, and return the best method as a model fitted on all rows.

    Parameters
    ----------
    plan : the methods to compare, from `ranking.plan_ranking`
    drawn : how the rows were drawn from their table; None if they are the whole table
    scenario, class_prior, alerts, on_progress : as for `fit_table`

    Warns
    -----
    OnesidedWarning : if the model, and any ranking by the model, may be of no use

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.ranking import plan_ranking
    >>> from onesided.scoring import fit_problem
    >>> from onesided.tables import read_problem
    >>> plan = plan_ranking(read_problem(table, "known"), methods=["naive-bayes"])
    >>> fit_problem(plan).method
    'naive Bayes'
    """
    check_object(plan, "plan", Plan, by="onesided.ranking.plan_ranking")
    if drawn is not None:
        check_object(drawn, "drawn", DrawnRows, by="onesided.scoring.draw_rows")
    check_arguments(locals())
    tell = on_progress or (lambda *_: None)
    problem, rankers, lesson = plan.problem, plan.rankers, plan.lesson
    positive, features = plan.positive, problem.features
    if alerts is not None:
        check_share("alerts", alerts)
    if len(rankers) > 1 or scenario is not None:
        found = plan.compare(on_progress)
        name, fitted = found.best_, found.best_estimator_
    else:
        ((name, ranker),) = rankers.items()
        tell(f"learning from all rows: {name}", 0, 0)
        found, fitted = None, lesson.labels.fit(ranker, lesson.problem.features, by_name=True)
    if found is not None and (doubt := find_doubt(found, borrowed=plan.rows is not None)).kind:
        warnings.warn(doubt.sentence, OnesidedWarning, stacklevel=2)
    scores = scores_of_rows(fitted, features, plan.rows)
    says_later = alerts is not None or scenario is not None
    seen, later, not_compared = _see(plan, fitted, scores, tell, in_all_folds=says_later)
    kept: dict[str, Any] = {}
    if says_later:
        check_later(later, not_compared)
    if alerts is not None:
        kept["alerts"] = Alerts.of(alerts, later)
    if scenario is not None and found is not None:
        kept["posterior"] = keep_posterior(plan, found, later, scenario, class_prior, on_progress)
    roles: dict[str, ColumnRole] = {problem.label: "label"}
    roles |= {each: "identifier" for each in (problem.identifier,) if each}
    roles |= {each: "group" for each in (problem.group, problem.time) if each}
    return Model(
        fitted,
        method=name,
        columns=model_columns(features, problem.data, problem.summary, roles),
        n_positive=drawn.n_positive if drawn else int(positive.sum()),
        n_unlabeled=drawn.n_unlabeled if drawn else int((~positive).sum()),
        n_learned=len(lesson.positive),
        auc=None if found is None else float(found.hidden[name].auc),
        seen=seen,
        # Alerts and probabilities are computed from held-out scores, so shares must be as well.
        unlabeled_scores=score_quantiles(later if says_later else scores[~positive]),
        missing=problem.missing,
        comparison=found,
        not_compared=not_compared,
        **kept,
    )


def _see(
    plan: Plan, fitted: Pipeline, learned: Floats, tell: OnProgress, *, in_all_folds: bool
) -> tuple[tuple[SeenColumn, ...], Floats, str]:
    """Count the columns and scores, and score unlabeled rows by models that did not see them.

    Parameters
    ----------
    plan, fitted : the plan, and its best method after it learned from all rows
    learned : shape (n_rows,), scores by `fitted`
    tell : called with the progress
    in_all_folds : whether to score the rows of all folds, or of the first fold only

    Returns
    -------
    seen : counts of the columns and of the score, for comparison with later tables
    later : scores of unlabeled rows, each by a model that learned from the other folds; on the
        scale of the fitted model
    why : why there are no such scores, so that later scores cannot be compared; empty if there are
    """
    problem, positive = plan.problem, plan.positive
    features = problem.features
    roles: dict[str, Any] = {column.name: column.role for column in problem.summary.columns}
    seen = tuple(
        SeenColumn.of(name, roles[name], features[name], positive)
        for name in features.column_names
        if name in roles
    )
    try:
        folds = list(plan.folds.split(None, positive, problem.groups))
    except LabelError as error:
        return seen, np.zeros(0), error.problem
    folds = [(train, test[~positive[test]]) for train, test in folds[: None if in_all_folds else 1]]
    tell(_APART, 0, len(folds))
    tasks = (
        (fitted, features, plan.labels, train, _learned_of(plan, train), others)
        for train, others in folds
    )
    later: list[Floats] = []
    with plan.fits_side_by_side():
        for (train, _), (of_train, of_others) in zip(
            folds, each_in_turn(_score_apart, tasks), strict=True
        ):
            if not later:
                scores = see_scores((learned, positive), (of_train, positive[train]), of_others)
            later.append(on_scale_of(learned[~positive], of_train[~positive[train]], of_others))
            tell(_APART, len(later), len(folds))
    return (*seen, scores), np.concatenate(later), ""


def _learned_of(plan: Plan, rows: Ints) -> Ints:
    """Those of some rows that the models of a plan may learn from."""
    return rows if plan.rows is None else np.intersect1d(rows, plan.rows)


def _score_apart(
    fitted: Pipeline, features: pa.Table, labels: Labels, train: Ints, learned: Ints, others: Ints
) -> tuple[Floats, Floats]:
    """Scores of the rows `train` and of other rows, by a copy that learned from a part of `train`.

    Parameters
    ----------
    fitted : is not changed
    features, labels : all rows
    train, learned, others : row indices; `learned` are those of `train` that the copy learns from
    """
    apart = labels.only(learned).fit(clone(fitted), features.take(learned), by_name=True)
    of_train = scores_of_rows(apart, features.take(train), np.searchsorted(train, learned))
    return of_train, apart.decision_function(features.take(others))
