"""`onesided prior`: how many of the unlabeled rows are positive, and how sure that is."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from onesided._notes import gathered_warnings
from onesided.cli._options import (
    ForSpreadsheet,
    Identifier,
    Labels,
    Reading,
    Running,
    Seed,
    TablePath,
    check_table,
    read_share,
)
from onesided.cli._results import PriorResult
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_estimate, say_problem
from onesided.cli._talk import say, stages, warn

if TYPE_CHECKING:
    from onesided.prior import ClassPriorEstimate


@verb
def prior(  # noqa: PLR0913 - each is an option, or a group of them
    table: TablePath,
    *,
    scenario: Annotated[
        Literal["single-training-set", "case-control"],
        typer.Option(
            help=(
                "single-training-set: the table is one sample, and some of its positives are "
                "labeled. case-control: the positives were collected separately from the "
                "unlabeled rows."
            ),
            metavar="STORY",
        ),
    ],
    labels: Labels,
    id_column: Identifier = "",
    reading: Reading,
    confidence: Annotated[
        float,
        typer.Option(
            parser=read_share,
            help="Confidence of the interval and of the upper bound, between 0 and 1.",
            metavar="SHARE",
        ),
    ] = 0.9,
    out: Annotated[
        Path | None,
        typer.Option(
            help="File for the estimates of all methods, .csv, .tsv or .parquet.", metavar="FILE"
        ),
    ] = None,
    running: Running,
    for_spreadsheet: ForSpreadsheet = False,
    seed: Seed = 0,
) -> None:
    """Estimate how many of the unlabeled rows are positive.

    Says the share of positives among the unlabeled with an interval and an upper bound, what other
    methods say, and what follows for the population. Where positives and others overlap only the
    bound is said. It assumes that the labeled positives are like the others, drawn evenly among
    them.

    Prints the share.

    Example:

    **onesided prior genes.csv --positive known_target --drop gene --scenario single-training-set**
    """
    from onesided import ranking, tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    ranking.check_share("confidence", confidence)
    if out is not None:
        check_table(out, (table, labels.positive_table), safe=for_spreadsheet)
    with (
        gathered_warnings() as notes,
        ranking.fits_elsewhere(running.workers, running.cluster),
        stages() as on_progress,
    ):
        problem = ranking.read_problem(table, identifier=id_column, **vars(labels), **vars(reading))
        say_problem(problem)
        found = ranking.estimate_prior(
            problem,
            scenario,
            confidence=confidence,
            random_state=seed,
            on_progress=on_progress,
        )
    for note in notes:
        warn(note)
    say_estimate(found)
    results = found.to_frame("pyarrow")
    writer = partial(tables.write_table, results, format_path=out, for_spreadsheet=for_spreadsheet)
    run.write({out: writer} if out else {})
    if out:
        say(f"Estimates: {out}")
    run.end("", f"{found.point:.4g}", _result(found), {"estimates": out} if out else {})


def _result(found: "ClassPriorEstimate") -> PriorResult:
    """All of it, for --json."""
    low, high = found.interval
    return {
        "scenario": found.scenario,
        "class_prior": found.point,
        "low": low,
        "high": high,
        "confidence": found.confidence,
        "upper_bound": found.upper_bound,
        "n_positive": found.n_positive,
        "n_unlabeled": found.n_unlabeled,
        "n_hidden": found.point * found.n_unlabeled,
        "population_prior": found.population_prior,
        "label_frequency": found.label_frequency,
        "methods": [
            {"method": name, "class_prior": point} for name, point in found.by_method.items()
        ],
    }
