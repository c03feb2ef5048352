"""`onesided fit`: a table to a model that can be kept."""

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided._notes import gathered_warnings
from onesided.cli._options import (
    LEARNING,
    Categorical,
    Cluster,
    Delimiter,
    Drop,
    Group,
    Identifier,
    Methods,
    Positive,
    PositiveTable,
    Prior,
    Seed,
    TablePath,
    Text,
    Workers,
)
from onesided.cli._prepare import Prepared, prepare
from onesided.cli._results import FitResult, MethodAuc
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_aucs
from onesided.cli._talk import progress, say, warn
from onesided.exceptions import TableError

if TYPE_CHECKING:
    import pyarrow as pa
    from sklearn.pipeline import Pipeline

    from onesided._typing import Floats
    from onesided.tables import DrawnRows, Model, SeenColumn

_FOLDS = 5


@verb
def fit(  # noqa: PLR0913 - each is an option
    table: TablePath,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Model to write, .onesided. Default: TABLE.onesided, here.", metavar="MODEL"
        ),
    ] = None,
    positive: Positive = "",
    positive_table: PositiveTable = None,
    id_column: Identifier = "",
    group: Group = "",
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
    method: Methods = None,
    class_prior: Prior = None,
    unlabeled: Annotated[
        int | None,
        typer.Option(
            help="Learn from all positive rows and N of the unlabeled, drawn at random, where the "
            "table does not fit into memory. Default: all.",
            min=2,
            metavar="N",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    delimiter: Delimiter = None,
    seed: Seed = 0,
) -> None:
    """Learn from a table, and keep the model.

    Methods are compared as by rank, the best is fitted on all rows and written. score then scores
    other tables with the same columns by it. To rank the rows of this table, use rank: its scores
    are by models that did not learn from the row.

    The model keeps counts of what each column and the scores were, for score to tell when they
    have moved.

    A model file holds numbers and names, no code: it may come from someone else.

    Example:

    **onesided fit customers.csv --positive buyer --id customer --out buyers.onesided**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.model_selection import PositiveKFold, fits_elsewhere  # noqa: PLC0415

    run = current_run()
    out = out or Path(f"{tables.table_name(table)}{tables.MODEL_ENDING}")
    if unlabeled is not None and not positive:
        raise TableError(
            "--unlabeled draws from TABLE by its column of labels, and --positive names none.",
            "Pass --positive COLUMN, or leave --unlabeled out.",
        )
    for source in filter(None, (table, positive_table)):
        tables.check_writable(out, (tables.MODEL_ENDING,), source=source)
    with (
        gathered_warnings() as notes,
        fits_elsewhere(workers, cluster),
        tempfile.TemporaryDirectory() as folder,
    ):
        drawn = None
        if unlabeled is not None:
            with progress("drawing rows"):
                drawn = tables.draw_rows(
                    table, positive, unlabeled, Path(folder), seed=seed, delimiter=delimiter
                )
            _say_drawn(table, drawn)
        given = prepare(
            drawn.path if drawn else table,
            positive,
            folds=PositiveKFold(_FOLDS, random_state=seed),
            positive_table=positive_table,
            id_column=id_column,
            group=group,
            drop=drop,
            categorical=categorical,
            text=text,
            delimiter=drawn.delimiter if drawn else delimiter,
        )
        rankers = given.rankers(method or [], class_prior, seed)
        name, aucs, fitted = _learn(given, rankers)
        scores = _scores_learned(fitted, given.features)
        seen = _see(given, fitted, scores)
    for note in notes:
        warn(note)

    features = given.features
    roles: dict[str, tables.ColumnRole] = {given.label: "label"}
    roles |= {each: "identifier" for each in (given.identifier,) if each}
    roles |= {each: "group" for each in (group,) if each}
    model = tables.Model(
        fitted,
        method=name,
        columns=tables.model_columns(features, given.data, given.summary, roles),
        n_positive=drawn.n_positive if drawn else int(given.positive.sum()),
        n_unlabeled=drawn.n_unlabeled if drawn else int((~given.positive).sum()),
        n_learned=len(given.positive),
        auc=aucs.get(name),
        seen=seen,
        unlabeled_scores=tables.score_quantiles(scores[~given.positive]),
    )
    run.write({out: partial(tables.save_model, model)})
    say(f"Learned from {len(given.positive):,} rows by {name}")
    run.end("Model:", str(out), _result(model, aucs), {"model": out})


def _result(model: "Model", aucs: dict[str, float]) -> FitResult:
    """All of it, for --json."""
    return {
        "method": model.method,
        "auc": model.auc,
        "methods": [MethodAuc(name=name, auc=auc) for name, auc in aucs.items()],
        "n_positive": model.n_positive,
        "n_unlabeled": model.n_unlabeled,
        "n_learned": model.n_learned,
        "columns": [{"name": each.name, "role": each.role} for each in model.columns],
    }


def _learn(
    given: Prepared, rankers: "dict[str, Pipeline]"
) -> "tuple[str, dict[str, float], Pipeline]":
    """Name of the best ranker, the AUCs, and itself, fitted on all rows; one alone has no AUC."""
    name, aucs = next(iter(rankers)), {}
    if len(rankers) > 1:
        found = given.compare(rankers)
        say_aucs(found)
        name = found.best_
        aucs = {each: float(hidden.auc) for each, hidden in found.hidden.items()}
    with progress(f"learning from all rows: {name}"):
        return name, aucs, rankers[name].fit(given.features, given.positive)


def _see(given: Prepared, fitted: "Pipeline", learned: "Floats") -> "tuple[SeenColumn, ...]":
    """What the columns hold, and the scores, for later tables to be compared with.

    Parameters
    ----------
    given, fitted : table, and ranker that learned from it
    learned : shape (n_rows,), scores of the rows learned from
    """
    from sklearn.base import clone  # noqa: PLC0415 - help does not pay for it

    from onesided import tables  # noqa: PLC0415
    from onesided.exceptions import LabelError  # noqa: PLC0415

    features, positive = given.features, given.positive
    roles = {column.name: column.role for column in given.summary.columns}
    seen = tables.see_columns(features, roles, positive)
    try:
        train, test = next(given.folds.split(None, positive, given.groups))
    except LabelError as error:
        say(f"Scores of later tables cannot be compared: {error.problem}")
        return seen
    others = test[~positive[test]]
    with progress("scoring rows that were not learned from"):
        part = features.take(train)
        apart = clone(fitted).fit(part, positive[train])
        scores = tables.see_scores(
            (learned, positive),
            (_scores_learned(apart, part), positive[train]),
            apart.decision_function(features.take(others)),
        )
    return (*seen, scores)


def _scores_learned(fitted: "Pipeline", features: "pa.Table") -> "Floats":
    """Scores of the rows learned from, by models of bags without them where there are such."""
    import numpy as np  # noqa: PLC0415 - help does not pay for it

    scores = np.asarray(fitted.decision_function(features), dtype=np.float64)
    if getattr(fitted["model"], "scores_out_of_bag", False):
        apart = fitted["model"].oob_decision_function_
        scores = np.where(np.isnan(apart), scores, apart)
    return scores


def _say_drawn(table: Path, drawn: "DrawnRows") -> None:
    say(
        f"{table.name}: {drawn.n_positive:,} positive and {drawn.n_unlabeled:,} unlabeled rows, of "
        f"which {drawn.n_drawn:,} are drawn"
    )
