"""`onesided fit`: a table to a model that can be kept."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided.cli._options import (
    Categorical,
    Cluster,
    Delimiter,
    Drop,
    Group,
    Methods,
    Positive,
    Prior,
    Seed,
    TablePath,
    Text,
    Workers,
    say_aucs,
)
from onesided.cli._prepare import Prepared, prepare
from onesided.cli._talk import gathered_warnings, progress, reports_errors, say

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from onesided.tables import DrawnRows

_FOLDS = 5


@reports_errors
def fit(  # noqa: PLR0913 - each is an option
    table: TablePath,
    positive: Positive,
    out: Annotated[
        Path,
        typer.Option(help="Model to write, .onesided.", metavar="MODEL"),
    ],
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help="Column that names the rows; it is not learned from.",
            metavar="COLUMN",
        ),
    ] = "",
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

    A model file holds numbers and names, no code: it may come from someone else.

    Example:

    **onesided fit customers.csv --positive buyer --id customer --out buyers.onesided**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.model_selection import PositiveKFold, fits_elsewhere  # noqa: PLC0415

    tables.check_writable(out, (tables.MODEL_ENDING,), source=table)
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
            id_column=id_column,
            group=group,
            drop=drop,
            categorical=categorical,
            text=text,
            delimiter=drawn.delimiter if drawn else delimiter,
        )
        name, auc, fitted = _learn(given, given.rankers(method or [], class_prior, seed))
    for note in notes:
        say(f"warning: {note}")

    features = given.features
    roles: dict[str, tables.ColumnRole] = {given.label: "label"}
    roles |= {each: "identifier" for each in (id_column,) if each}
    roles |= {each: "group" for each in (group,) if each}
    tables.save_model(
        tables.Model(
            fitted,
            method=name,
            columns=tables.model_columns(features, given.data, given.summary, roles),
            n_positive=drawn.n_positive if drawn else int(given.positive.sum()),
            n_unlabeled=drawn.n_unlabeled if drawn else int((~given.positive).sum()),
            n_learned=len(given.positive),
            auc=auc,
        ),
        out,
    )
    say(f"Learned from {len(given.positive):,} rows by {name}")
    say("Model:")
    typer.echo(str(out))


def _learn(given: Prepared, rankers: "dict[str, Pipeline]") -> "tuple[str, float | None, Pipeline]":
    """Name of the best ranker, its AUC, and itself, fitted on all rows; one alone is not judged."""
    name, auc = next(iter(rankers)), None
    if len(rankers) > 1:
        found = given.compare(rankers)
        say_aucs(found)
        name = found.best_
        auc = float(found.hidden[name].auc)
    with progress(f"learning from all rows: {name}"):
        return name, auc, rankers[name].fit(given.features, given.positive)


def _say_drawn(table: Path, drawn: "DrawnRows") -> None:
    say(
        f"{table.name}: {drawn.n_positive:,} positive and {drawn.n_unlabeled:,} unlabeled rows, of "
        f"which {drawn.n_drawn:,} are drawn"
    )
