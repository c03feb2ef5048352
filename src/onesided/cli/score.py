"""`onesided score`: a large table, or a stream of rows, by a model that was kept."""

import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from onesided.cli._talk import explain, progress, say, warn
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from onesided.cli._results import DriftFacts, PositivesFacts, ScoreResult
    from onesided.reporting import CutPoint
    from onesided.tables import Drift, Model, ScoredPositives, Scoring, Stream

STREAM = Path("-")
_MOST_NAMED = 5
_SAID_TENTHS = 3
_LATER = "What is known now"
_STREAM = "A stream of rows"


@verb
def score(  # noqa: PLR0913 - each is an option
    model: Annotated[Path, typer.Argument(help="Model that onesided fit wrote.", metavar="MODEL")],
    table: Annotated[
        Path,
        typer.Argument(
            help="Table as for fit; or -, lines of JSON or CSV on standard input.",
            metavar="TABLE",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where to write scores: a .csv, .tsv or .parquet file, or a folder, which gets a "
            "Parquet file for each part of the table. Default: TABLE-scores.csv, here; of a stream "
            "standard output.",
            metavar="FILE_OR_FOLDER",
        ),
    ] = None,
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help="Column that names the rows. Default: that of the model, where the table has it, "
            "else row numbers.",
            metavar="COLUMN",
            autocompletion=complete_column,
        ),
    ] = "",
    top: Annotated[
        int | None,
        typer.Option(
            help="Write only the rows with the N highest scores, the highest first, with their "
            "ranks.",
            min=1,
            metavar="N",
        ),
    ] = None,
    positive: Annotated[
        str,
        typer.Option(
            help="Column of labels that are known by now, as in fit: tells how well the scores "
            "did, and writes the labels beside them.",
            metavar="COLUMN[=VALUE]",
            autocompletion=complete_column,
            rich_help_panel=_LATER,
        ),
    ] = "",
    gains: Annotated[
        Path | None,
        typer.Option(
            help="Gains table to write, .csv, .tsv or .parquet: a row for each tenth of the list, "
            "the highest scores first. Takes --positive.",
            metavar="FILE",
            rich_help_panel=_LATER,
        ),
    ] = None,
    skip_bad_lines: Annotated[  # noqa: FBT002 - typer makes it a flag
        bool,
        typer.Option(
            "--skip-bad-lines",
            help="Leave out lines of a stream that cannot be scored, and say which. Default: the "
            "first ends it.",
            rich_help_panel=_STREAM,
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            callback=no_more_than_cores,
            help="Processes that score, on this machine. A text file is read by one of them; "
            "Parquet files are shared. Needs onesided[dask].",
            min=1,
            metavar="N",
            rich_help_panel=RUNNING,
        ),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            help="Address of a Dask scheduler whose workers see the files by the same paths. Needs "
            "onesided[dask].",
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

    A run that was interrupted goes on where it was: give the same command again.

    Lines of a stream, the TABLE -, are scored as they come, and written in the form that they have.

    Example:

    **onesided score buyers.onesided prospects/ --id customer --out scores/**

    **onesided score buyers.onesided next-month.csv --top 5000 --out target-list.csv**

    **tail -f letters.jsonl | onesided score desk.onesided -**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if out is None:
        is_stream = table == STREAM
        out = STREAM if is_stream else Path(f"{tables.table_name(table)}-scores.csv")
    asked = _Asked(
        table, out, id_column, top, positive, gains, workers, cluster, delimiter, for_spreadsheet
    )
    asked.check()
    if skip_bad_lines and not asked.streams:
        raise TableError("--skip-bad-lines is for a stream.", "Pass - as the TABLE.")
    with gathered_warnings() as notes, progress("reading the model"):
        kept = tables.load_model(model)
    for note in notes:
        warn(note)
    if asked.streams:
        on_bad = _say_bad if skip_bad_lines else None
        _score_stream(tables.Stream(kept, id_column, delimiter, on_bad))
    else:
        _score_table(kept, model, asked)


@dataclass(frozen=True)
class _Asked:
    """The options, but for the model."""

    table: Path
    out: Path
    id_column: str
    top: int | None
    positive: str
    gains: Path | None
    workers: int | None
    cluster: str
    delimiter: str | None
    for_spreadsheet: bool

    @property
    def streams(self) -> bool:
        return STREAM in (self.table, self.out)

    def check(self) -> None:
        """Refuse before the work what does not go together."""
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        if self.workers and self.cluster:
            raise TableError("--workers and --cluster exclude each other.", "Pass one of them.")
        if self.streams:
            self._check_stream()
            return
        if self.gains and not self.positive:
            raise TableError(
                "--gains counts positives, and --positive does not say which rows are.",
                "Pass --positive COLUMN too.",
            )
        if self.top and not tables.is_one_file(self.out):
            raise TableError(
                f"--top writes one list, and {str(self.out)!r} names no file for it.",
                f"Pass a name that ends in {' or '.join(tables.RANKING_ENDINGS)}: --out.",
            )
        if self.for_spreadsheet:
            tables.check_for_spreadsheet(self.out)
        if self.gains:
            check_distinct({"--out": self.out, "--gains": self.gains})
            tables.check_writable(self.gains, tables.RANKING_ENDINGS, source=self.table)

    def _check_stream(self) -> None:
        if self.table != STREAM:
            raise TableError(
                f"{str(self.table)!r} is a table, and --out - is for a stream.",
                "Pass a name that says what to write, or send the rows: onesided score MODEL - "
                "--out -.",
            )
        if self.out != STREAM:
            raise TableError(
                f"A stream is scored to standard output, not into {str(self.out)!r}.",
                "Pass --out -, and send it there: > FILE.",
            )
        others = {
            "--top": self.top,
            "--positive": self.positive,
            "--gains": self.gains,
            "--for-spreadsheet": self.for_spreadsheet,
            "--workers": self.workers,
            "--cluster": self.cluster,
            "--json": current_run().as_json,
        }
        for name, value in others.items():
            if value:
                raise TableError(
                    f"{name} is for a table, which has an end; TABLE is a stream.",
                    f"Leave {name} out, or save the rows and pass the file.",
                )


def _score_table(kept: "Model", model: Path, asked: _Asked) -> None:
    """Score the rows, write what was asked for, and tell how they are."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    remote = bool(asked.workers or asked.cluster)
    run = tables.on_dask(asked.workers, asked.cluster or None) if remote else None
    one_file = tables.is_one_file(asked.out)
    with tempfile.TemporaryDirectory() as folder:
        scoring = tables.plan_scoring(
            kept,
            model,
            _as_table(asked.table, Path(folder), asked.cluster),
            asked.out,
            identifier=asked.id_column,
            positive=asked.positive,
            delimiter=asked.delimiter,
        )
        _say_plan(kept, scoring, tables.unused_columns(kept, scoring))
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
        drift = tables.find_drift(kept, scoring, scored)
        placed = tables.place_positives(scoring, scored) if asked.positive else None
        if one_file:
            tables.put_together(
                scoring, scored, asked.out, top=asked.top, for_spreadsheet=asked.for_spreadsheet
            )
    if scored.n_scored < scored.n_rows:
        say(f"  {scored.n_rows - scored.n_scored:,} rows were scored by an earlier run")
    say(f"Scored {scored.n_scored:,} rows, {scored.n_scored / max(seconds, 1e-9):,.0f} a second")
    _say_drift(drift, scored.n_rows)
    if asked.positive and placed is None:
        warn(
            f"Column {scoring.label!r} holds one kind of rows, so the scores cannot be judged; "
            "no gains are written."
        )
    positives = None if placed is None else _judge(placed, scoring.label)
    told: ScoreResult = {
        "method": kept.method,
        "n_rows": scored.n_rows,
        "n_scored": scored.n_scored,
        "seconds": seconds,
        "drift": _drift_facts(drift),
        "positives": positives,
    }
    written = {"scores": asked.out}
    writers = {}
    if asked.gains and positives is not None:
        from onesided.reporting import gains_table  # noqa: PLC0415 - as above

        table = gains_table(positives["tenths"])
        writers[asked.gains] = partial(tables.write_table, table, format_path=asked.gains)
        written["gains"] = asked.gains
    current_run().write(writers)
    current_run().end("Scores:", str(asked.out), told, written)


def _as_table(table: Path, folder: Path, cluster: str) -> Path:
    """The table, or what is read of records, text files or svmlight's format as one."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    source, n_merged = tables.as_table(table, folder)
    if source != table and cluster:
        raise TableError(
            f"The workers of {cluster} cannot read {table.name!r}, which is converted first.",
            "Score it on this machine, without --cluster.",
        )
    if n_merged:
        say(f"  left out as the same record as another: {n_merged:,}")
    return source


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


def _say_drift(drift: "Drift | None", n_rows: int) -> None:
    """Whether the rows are like those learned from; a warning for what is not."""
    if drift is None:
        say("The model does not hold what its columns were, so nothing is said of drift")
        return
    if not drift.tells:
        say(f"{drift.n_rows:,} rows are too few to tell whether they are like those learned from")
        return
    learned = "the rows" if drift.learned == "all" else "the unlabeled rows"
    moved = drift.moved
    if drift.score is not None and drift.score.moved:
        warn(f"The scores have moved since the model learned: {drift.score}.")
    for column in moved[:_MOST_NAMED]:
        warn(f"Column {column.name} has moved since the model learned: {column}.")
    if len(moved) > _MOST_NAMED:
        warn(f"{len(moved) - _MOST_NAMED:,} more columns have moved; --json has all.")
    for column in drift.columns:
        explain(f"column {column.name}: {column}")
    score = "what its scores were is not known"
    if drift.score is not None:
        index = f" (index {drift.score.index:.2f})"
        score = f"the scores have {'' if drift.score.moved else 'not '}moved"
        score += index if drift.score.moved or drift.score.is_small else ""
    highest = (moved or drift.columns)[0]
    columns = "no column has moved"
    if moved:
        have = "have" if len(moved) > 1 else "has"
        columns = f"{len(moved):,} of {len(drift.columns):,} columns {have} moved"
    if moved or highest.is_small:
        columns += f"; the highest index is {highest.index:.2f}, of {highest.name}"
    else:
        columns += " by more than chance explains in so few rows"
    part = f" {drift.n_rows:,} of these rows" if drift.n_rows < n_rows else ""
    say(f"Compared{part} with {learned} learned from: {score}; {columns}")


def _drift_facts(drift: "Drift | None") -> "DriftFacts | None":
    if drift is None:
        return None
    facts: DriftFacts = {
        "n_rows": drift.n_rows,
        "learned": drift.learned,
        "score": None if drift.score is None else asdict(drift.score),  # type: ignore[typeddict-item]  # has its fields
        "columns": [asdict(column) for column in drift.columns],  # type: ignore[misc]  # as above
    }
    return facts


def _judge(placed: "ScoredPositives", label: str) -> "PositivesFacts":
    """How well the list did: say it, and all of it for --json."""
    from onesided.model_selection import PlacedPositives  # noqa: PLC0415 - as above
    from onesided.reporting import summarize_tenths  # noqa: PLC0415

    n_positive = len(placed.scores)
    tenths: list[CutPoint] = summarize_tenths(
        PlacedPositives(placed.above, placed.tied, placed.scores, placed.n_rows)
    )
    say(
        f"Positive by column {label}: {n_positive:,} of {placed.n_rows:,} rows; AUC of the scores "
        f"{placed.auc:.3f}"
    )
    for point in tenths[:_SAID_TENTHS]:
        say(
            f"  the first {point['n_listed']:>9,} hold {point['recall']:6.1%} of them, "
            f"{point['lift']:.1f} times as many as by chance"
        )
    return {"n_positive": n_positive, "auc": placed.auc, "tenths": list(tenths)}


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
            warn(f"{stream.n_bad:,} lines were left out.")
        say(f"Scored {stream.n_rows:,} rows")
    _say_drift(stream.drift(), stream.n_rows)
    current_run().write({})


def _say_bad(number: int, problem: str) -> None:
    say(f"line {number:,} is left out: {problem}")
