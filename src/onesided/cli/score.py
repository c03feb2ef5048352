"""`onesided score`: a large table, or a stream of rows, by a model that was kept."""

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from onesided._notes import gathered_warnings
from onesided.cli._completion import complete_column
from onesided.cli._options import (
    RUNNING,
    Delimiter,
    ForSpreadsheet,
    check_distinct,
    no_more_than_cores,
)
from onesided.cli._run import current_run, verb
from onesided.cli._scored import say_drift, say_plan, say_scored
from onesided.cli._talk import progress, say, stages, warn
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from onesided.scoring import Scored, ScoringPlan, Stream

STREAM = Path("-")
_LATER = "What is known now"
_STREAM = "A stream of rows"


@verb
def score(  # noqa: PLR0913 - each is an option
    model: Annotated[Path, typer.Argument(help="Model that onesided fit wrote.", metavar="MODEL")],
    table: Annotated[
        Path,
        typer.Argument(
            help=(
                "Table in any format that fit reads; or - for lines of JSON or CSV on standard "
                "input."
            ),
            metavar="TABLE",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Where to write the scores: a .csv, .tsv or .parquet file, or a folder, which "
                "gets a Parquet file for each part of the table. Default: TABLE-scores.csv in the "
                "current folder; for a stream, standard output."
            ),
            metavar="FILE_OR_FOLDER",
        ),
    ] = None,
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help=(
                "Column that names the rows. Default: the column that named them in fit, if the "
                "table has it; otherwise row numbers."
            ),
            metavar="COLUMN",
            autocompletion=complete_column,
        ),
    ] = "",
    top: Annotated[
        int | None,
        typer.Option(
            help=(
                "Write only the N rows with the highest scores, with their ranks, the highest "
                "first."
            ),
            min=1,
            metavar="N",
        ),
    ] = None,
    positive: Annotated[
        str,
        typer.Option(
            help=(
                "Column of labels that are known by now. The command then says how well the "
                "scores found them, and writes the labels beside the scores."
            ),
            metavar="COLUMN[=VALUE]",
            autocompletion=complete_column,
            rich_help_panel=_LATER,
        ),
    ] = "",
    gains: Annotated[
        Path | None,
        typer.Option(
            help=(
                "File for the gains table, .csv, .tsv or .parquet, with a row for each tenth of "
                "the list, the highest scores first. Needs --positive."
            ),
            metavar="FILE",
            rich_help_panel=_LATER,
        ),
    ] = None,
    skip_bad_lines: Annotated[  # noqa: FBT002 - typer makes it a flag
        bool,
        typer.Option(
            "--skip-bad-lines",
            help=(
                "Skip the lines of a stream that cannot be scored, and say which. Default: the "
                "first such line ends the stream."
            ),
            rich_help_panel=_STREAM,
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            callback=no_more_than_cores,
            help=(
                "Number of processes that score, on this machine. Each text file is read by one "
                "process; a Parquet file is divided among them. Needs onesided[dask]."
            ),
            min=1,
            metavar="N",
            rich_help_panel=RUNNING,
        ),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            help=(
                "Address of a Dask scheduler, whose workers must see the files at the same paths. "
                "Needs onesided[dask]."
            ),
            metavar="ADDRESS",
            rich_help_panel=RUNNING,
        ),
    ] = "",
    for_spreadsheet: ForSpreadsheet = False,  # noqa: FBT002 - as above
    delimiter: Delimiter = None,
) -> None:
    """Score the rows of a table, of any size, by a model.

    A row gets its identifier, a score and share_below. The score is what the method computes, on a
    scale of its own, often log odds: higher is more like the positives, and no probability.
    share_below is the share of the unlabeled rows learned from that score lower: 0.99 is as high as
    the best hundredth of them. Rows keep their order. Memory does not depend on the size of the
    table.

    The rows are compared with those that were learned from: a warning names the columns that have
    moved, and tells whether the scores have.

    A run into a folder that was interrupted goes on where it was: give the same command again.

    Lines of a stream, the TABLE -, are scored as they come, and written in the form that they have.

    Example:

    **onesided score buyers.onesided prospects/ --id customer --out scores/**

    **onesided score buyers.onesided next-month.csv --top 5000 --out target-list.csv**

    **tail -f letters.jsonl | onesided score desk.onesided -**
    """
    from onesided import scoring, tables  # noqa: PLC0415 - help does not pay for it

    is_stream = STREAM in (table, out)
    if out is None:
        out = STREAM if is_stream else Path(f"{tables.table_name(table)}-scores.csv")
    if is_stream:
        only_of_tables = {
            "--top": top,
            "--positive": positive,
            "--gains": gains,
            "--for-spreadsheet": for_spreadsheet,
            "--workers": workers,
            "--cluster": cluster,
            "--json": current_run().as_json,
        }
        _check_stream(table, out, only_of_tables)
    elif skip_bad_lines:
        raise TableError("--skip-bad-lines works only for a stream.", "Pass - as the TABLE.")
    if gains:
        _check_gains(gains, table, out, positive)
    with gathered_warnings() as notes, progress("reading the model"):
        kept = scoring.load_model(model)
    for note in notes:
        warn(note)
    if is_stream:
        on_bad = _say_bad if skip_bad_lines else None
        _score_stream(scoring.Stream(kept, id_column, delimiter, on_bad))
        return
    with scoring.plan_scoring(
        kept,
        table,
        out,
        identifier=id_column,
        positive=positive,
        top=top,
        delimiter=delimiter,
        n_workers=workers,
        cluster=cluster or None,
        for_spreadsheet=for_spreadsheet,
    ) as plan:
        say_plan(plan)
        scored = _run(plan)
    say_scored(scored, plan.scoring.label)
    written = {"scores": out}
    writers = {}
    if gains and scored.positives is not None:
        found = scored.positives.gains_table()
        writers[gains] = partial(tables.write_table, found, format_path=gains)
        written["gains"] = gains
    current_run().write(writers)
    told = {"method": kept.method, **scored.facts()}
    current_run().end("Scores:", str(out), told, written)


def _run(plan: "ScoringPlan") -> "Scored":
    """Score the table; if that is interrupted, say how it goes on."""
    try:
        with stages() as on_progress:
            on_progress("scoring", 0, 0)
            return plan.run(on_progress)
    except KeyboardInterrupt:
        if plan.kept_folder is not None:
            say(f"What is scored is in {plan.kept_folder}; the same command goes on from there.")
        raise


def _check_gains(gains: Path, table: Path, out: Path, positive: str) -> None:
    """Refuse gains that cannot be counted or written, before the work."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if not positive:
        raise TableError(
            "--gains counts positives, but --positive does not say which rows are positive.",
            "Pass --positive COLUMN too.",
        )
    check_distinct({"--out": out, "--gains": gains})
    tables.check_writable(gains, tables.RANKING_ENDINGS, source=table)


def _check_stream(table: Path, out: Path, only_of_tables: Mapping[str, Any]) -> None:
    """Refuse what a stream has not, before the work."""
    if table != STREAM:
        raise TableError(
            f"{str(table)!r} is a table, and --out - works only for a stream.",
            "Pass a name that says what to write, or send the rows: onesided score MODEL - "
            "--out -.",
        )
    if out != STREAM:
        raise TableError(
            f"The scores of a stream go to standard output, not to {str(out)!r}.",
            "Pass --out - and redirect the output: > FILE.",
        )
    for name, value in only_of_tables.items():
        if value:
            raise TableError(
                f"{name} works only for a table, but TABLE is a stream.",
                f"Leave {name} out, or save the rows to a file and pass this file.",
            )


def _score_stream(stream: "Stream") -> None:
    """Write lines of scores as rows come, until there are no more or somebody has enough."""
    model = stream.model
    say(f"Model: {model.method}, learned from {model.n_learned:,} rows; scoring standard input")
    try:
        for lines in stream.score(sys.stdin.buffer):
            if lines:
                typer.echo("\n".join(lines))  # and nothing waits in a buffer
    finally:
        if stream.n_bad:
            warn(f"{stream.n_bad:,} line{'s were' if stream.n_bad > 1 else ' was'} skipped.")
        say(f"Scored {stream.n_rows:,} rows")
    say_drift(stream.drift(), stream.n_rows)
    current_run().write({})


def _say_bad(number: int, problem: str) -> None:
    say(f"line {number:,} is skipped: {problem}")
