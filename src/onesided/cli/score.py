"""`onesided score`: score a large table or a stream of rows by a saved model."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from onesided.cli._options import (
    OUTPUT,
    Cells,
    ForSpreadsheet,
    changed,
    cluster_option,
    column_option,
    count_option,
    file_option,
    option,
    workers_option,
)
from onesided.cli._outputs import File, check_outputs, table_file
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_drift
from onesided.cli._talk import progress, say, stages, warn
from onesided.exceptions import ClusterError, TableError, gathered_warnings

if TYPE_CHECKING:
    from onesided.scoring import Scored, ScoringPlan, Stream

STREAM = Path("-")
_LATER = "What is known now"


@dataclass(frozen=True)
class _Known:
    """Options on labels that are known by now."""

    positive: Annotated[
        str,
        column_option(
            "Column of labels that are known by now. The command then says how well the "
            "scores found them, and writes the labels beside the scores.",
            metavar="COLUMN[=VALUE]",
            panel=_LATER,
        ),
    ] = ""
    gains: Annotated[
        Path | None,
        file_option(
            "File for the gains table, .csv, .tsv, .xlsx or .parquet, with a row for each tenth of "
            "the list, the highest scores first. Needs --positive.",
            panel=_LATER,
        ),
        OUTPUT,
    ] = None


@dataclass(frozen=True)
class _Where:
    """Options that say which processes score."""

    workers: Annotated[
        int | None,
        workers_option(
            "Number of processes that score, on this machine. Each text file is read by one "
            "process; a Parquet file is divided among them. Needs onesided[dask]."
        ),
    ] = None
    cluster: Annotated[
        str,
        cluster_option(
            "Address of a Dask scheduler, whose workers must see the files at the same paths. "
            "Needs onesided[dask]."
        ),
    ] = ""


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
        file_option(
            "Where to write the scores: a .csv, .tsv, .xlsx or .parquet file, or a folder, which "
            "gets a Parquet file for each part of the table. Default: TABLE-scores.csv in the "
            "current folder; for a stream, standard output.",
            metavar="FILE_OR_FOLDER",
        ),
        OUTPUT,
    ] = None,
    id_column: Annotated[
        str,
        column_option(
            "Column that names the rows. Default: the column that named them in fit, if the "
            "table has it; otherwise row numbers.",
            "--id",
        ),
    ] = "",
    top: Annotated[
        int | None,
        count_option(
            "Write only the N rows with the highest scores, with their ranks, the highest first."
        ),
    ] = None,
    *,
    known: _Known,
    skip_bad_lines: Annotated[
        bool,
        option(
            "Skip the lines of a stream that cannot be scored, and say which. Default: the "
            "first such line ends the stream.",
            "--skip-bad-lines",
            panel="A stream of rows",
        ),
    ] = False,
    where: _Where,
    for_spreadsheet: ForSpreadsheet = False,
    cells: Cells,
) -> None:
    """Score the rows of a table, of any size, by a model.

    The result has the identifier, a score and share_below for each row. A higher score means that
    the row is more like the positives. The scale of the score is that of the method, often log
    odds; the score is not a probability. share_below is the share of the unlabeled rows of the
    learning table that score lower: 0.99 belongs to the highest hundredth.

    If fit had --scenario, the result also has posterior, the probability that the row is positive;
    or posterior_at_most, if only an upper bound of the number of positives is known. If fit had
    --alerts, the result also has alert. Rows keep their order. Memory does not depend on the size
    of the table.

    The rows are compared with the rows of the learning table. A warning names the columns that have
    changed, and says whether the scores have changed.

    To continue an interrupted run into a folder, give the same command again.

    If TABLE is -, lines are scored as they arrive, and written in the format that they have.

    Example:

    **onesided score buyers.onesided prospects/ --id customer --out scores/**

    **onesided score buyers.onesided next-month.csv --top 5000 --out target-list.csv**

    **tail -f letters.jsonl | onesided score desk.onesided -**
    """
    from onesided import scoring, tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    is_stream = STREAM in (table, out)
    if out is None:
        out = STREAM if is_stream else Path(f"{tables.table_name(table)}-scores.csv")
    if is_stream:
        only_of_tables = {
            "--top": top,
            "--positive": known.positive,
            "--gains": known.gains,
            "--for-spreadsheet": for_spreadsheet,
            "--workers": where.workers,
            "--cluster": where.cluster,
            "--sheet": cells.sheet,
            "--json": run.as_json,
        }
        _check_stream(table, out, only_of_tables)
    else:
        if skip_bad_lines:
            raise TableError("--skip-bad-lines works only for a stream.", "Pass - as the TABLE.")
        is_file = out.suffix.lower() in tables.RANKING_ENDINGS and not out.is_dir()
        _check_files(out, known, is_file=is_file, safe=for_spreadsheet)
    with gathered_warnings() as notes, progress("reading the model"):
        kept = scoring.load_model(model)
    for note in notes:
        warn(note)
    if is_stream:
        on_bad = _say_bad if skip_bad_lines else None
        _score_stream(scoring.Stream(kept, id_column, cells.delimiter, on_bad))
        return
    with scoring.plan_scoring(
        kept,
        table,
        out,
        identifier=id_column,
        positive=known.positive,
        top=top,
        **changed(cells),
        n_workers=where.workers,
        cluster=where.cluster or None,
        for_spreadsheet=for_spreadsheet,
    ) as plan:
        say(*plan.sentences)
        scored = _run(plan)
    say(*scored.sentences)
    say_drift(scored.drift, scored.n_rows)
    for note in scored.notes:
        warn(note)
    run.write(_with_positives(scored, plan.scoring.label, known.gains, safe=for_spreadsheet))
    run.written = {"scores": out, **run.written}
    run.end("Scores:", lambda: {"method": kept.method, **scored.facts()})


def _with_positives(
    scored: "Scored", label: str, gains: Path | None, *, safe: bool
) -> dict[str, File]:
    """Say the ranks of the known positives; return the gains table as an output, if wanted."""
    if scored.positives is None:
        return {}
    say(*scored.positives.sentences(label))
    if not gains:
        return {}
    return {"gains": table_file(gains, scored.positives.gains_table(), safe=safe)}


def _run(plan: "ScoringPlan") -> "Scored":
    """Score the table; after an interruption or a lost cluster, say how to continue."""
    try:
        with stages() as on_progress:
            on_progress("scoring", 0, 0)
            return plan.run(on_progress)
    except (KeyboardInterrupt, ClusterError):
        if plan.kept_folder is not None and plan.kept_folder.is_dir():
            kept = plan.kept_folder
            say(f"The scores so far are in {kept}; the same command continues from there.")
        raise


def _check_files(out: Path, known: _Known, *, is_file: bool, safe: bool) -> None:
    """Raise an error before the work if the scores or the gains table cannot be written."""
    if known.gains and not known.positive:
        raise TableError(
            "--gains counts positives, but --positive does not say which rows are positive.",
            "Pass --positive COLUMN too.",
        )
    files = {"--gains": known.gains, "--out": out if is_file else None}
    folders = {} if is_file else {"--out": out}
    check_outputs(current_run().inputs, files, apart_from=folders, safe=safe)


def _check_stream(table: Path, out: Path, only_of_tables: Mapping[str, Any]) -> None:
    """Raise an error before the work if an option does not work for a stream."""
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
    """Write lines of scores as rows arrive, until the rows end or the reader stops reading."""
    model = stream.model
    say(f"Model: {model.method}, learned from {model.n_learned:,} rows; scoring standard input")
    try:
        for lines in stream.score(sys.stdin.buffer):
            if lines:
                typer.echo("\n".join(lines))  # it also flushes, so that no line waits in a buffer
    finally:
        for note in stream.notes:
            warn(note)
        say(stream.sentence)
    say_drift(stream.drift(), stream.n_rows)
    current_run().write()


def _say_bad(number: int, problem: str) -> None:
    say(f"line {number:,} is skipped: {problem}")
