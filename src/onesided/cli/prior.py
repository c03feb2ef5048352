"""`onesided prior`: how many of the unlabeled rows are positive, and how sure that is."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from onesided.cli._options import (
    Categorical,
    Cluster,
    Delimiter,
    Drop,
    Group,
    Positive,
    Seed,
    TablePath,
    Text,
    Workers,
    check_share,
    say_estimate,
)
from onesided.cli._prepare import prepare
from onesided.cli._talk import gathered_warnings, reports_errors, say


@reports_errors
def prior(  # noqa: PLR0913 - each is an option
    table: TablePath,
    positive: Positive,
    scenario: Annotated[
        Literal["single-training-set", "case-control"],
        typer.Option(
            help="single-training-set: the table is one sample, of whose positives some are "
            "labeled. case-control: the positives were collected apart from the unlabeled.",
            metavar="STORY",
        ),
    ],
    group: Group = "",
    drop: Drop = None,
    categorical: Categorical = None,
    text: Text = None,
    confidence: Annotated[
        float,
        typer.Option(
            help="Of the interval and of the upper bound, between 0 and 1.", metavar="SHARE"
        ),
    ] = 0.9,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Estimates of all methods to write, .csv, .tsv or .parquet.", metavar="FILE"
        ),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    delimiter: Delimiter = None,
    seed: Seed = 0,
) -> None:
    """Estimate how many of the unlabeled rows are positive.

    Says the share of positives among the unlabeled with an interval, an upper bound that holds
    whatever the data, what other methods say, and what follows for the population. It assumes that
    the labeled positives are like the others, drawn evenly among them.

    Prints the share.

    Example:

    **onesided prior genes.csv --positive known_target --drop gene --scenario single-training-set**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.model_selection import PositiveKFold, fits_elsewhere  # noqa: PLC0415

    check_share("--confidence", confidence)
    if out is not None:
        tables.check_writable(out, tables.RANKING_ENDINGS, source=table)
    with gathered_warnings() as notes, fits_elsewhere(workers, cluster):
        given = prepare(
            table,
            positive,
            folds=PositiveKFold(5, random_state=seed),
            group=group,
            drop=drop,
            categorical=categorical,
            text=text,
            delimiter=delimiter,
        )
        found = given.estimate_prior(scenario, confidence, seed)
    for note in notes:
        say(f"warning: {note}")
    say_estimate(found)
    if out is not None:
        results = found.to_frame("pyarrow")
        tables.write_files({out: partial(tables.write_table, results, format_path=out)})
        say(f"Estimates: {out}")
    typer.echo(f"{found.point:.4g}")
