"""`onesided score`: a large table by a model that was kept."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided.cli._options import Delimiter, TablePath
from onesided.cli._talk import gathered_warnings, progress, reports_errors, say

if TYPE_CHECKING:
    from onesided.tables import Model, Scoring

_MOST_NAMED = 5


@reports_errors
def score(
    model: Annotated[Path, typer.Argument(help="Model that onesided fit wrote.", metavar="MODEL")],
    table: TablePath,
    out: Annotated[
        Path,
        typer.Option(
            help="Where to write scores: a .csv, .tsv or .parquet file, or a folder, which gets a "
            "Parquet file for each part of the table.",
            metavar="FILE_OR_FOLDER",
        ),
    ],
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help="Column that names the rows. Default: that of the model, where the table has it, "
            "else row numbers.",
            metavar="COLUMN",
        ),
    ] = "",
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that score, on this machine. A text file is read by one of them; "
            "Parquet files are shared. Needs onesided[dask].",
            min=1,
            metavar="N",
        ),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            help="Address of a Dask scheduler whose workers see the files by the same paths. Needs "
            "onesided[dask].",
            metavar="ADDRESS",
        ),
    ] = "",
    delimiter: Delimiter = None,
) -> None:
    """Score the rows of a table, of any size, by a model.

    A row gets its identifier and the score; higher is more like the positives. Rows keep their
    order. Memory does not depend on the size of the table.

    A run that was interrupted goes on where it was: give the same command again.

    Example:

    **onesided score buyers.onesided prospects/ --id customer --out scores/**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.exceptions import TableError  # noqa: PLC0415

    if workers and cluster:
        raise TableError("--workers and --cluster exclude each other.", "Pass one of them.")
    run = tables.on_dask(workers, cluster or None) if workers or cluster else None
    with gathered_warnings() as notes:
        kept = tables.load_model(model)
    for note in notes:
        say(f"warning: {note}")
    scoring = tables.plan_scoring(
        kept, model, table, out, identifier=id_column, delimiter=delimiter
    )
    _say_plan(kept, scoring, tables.unused_columns(kept, scoring))
    one_file = tables.is_one_file(out)
    if one_file:
        tables.clear_other_parts(scoring)
    began = time.monotonic()
    try:
        with progress("scoring") as step:
            scored = tables.score_table(scoring, run, step)
    except KeyboardInterrupt:
        say(f"What is scored is in {scoring.out}; the same command goes on from there.")
        raise
    seconds = time.monotonic() - began
    if one_file:
        tables.put_together(scoring, scored, out)
    if scored.n_scored < scored.n_rows:
        say(f"  {scored.n_rows - scored.n_scored:,} rows were scored by an earlier run")
    say(f"Scored {scored.n_scored:,} rows, {scored.n_scored / max(seconds, 1e-9):,.0f} a second")
    say("Scores:")
    typer.echo(str(out))


def _say_plan(model: "Model", scoring: "Scoring", unused: list[str]) -> None:
    auc = "" if model.auc is None else f", hidden-positive AUC {model.auc:.3f}"
    say(f"Model: {model.method}, learned from {model.n_learned:,} rows{auc}")
    n_files = len(scoring.inputs)
    size = sum(each.size for each in scoring.inputs)
    say(f"Table: {n_files:,} file{'s' * (n_files > 1)}, {size / 1e6:,.1f} MB")
    say(f"  identifier: {scoring.identifier or 'row numbers'}")
    if unused:
        more = f" and {len(unused) - _MOST_NAMED} more" if len(unused) > _MOST_NAMED else ""
        say(f"  not used: {', '.join(unused[:_MOST_NAMED])}{more}; the model does not know them")
