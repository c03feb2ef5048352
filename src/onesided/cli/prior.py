"""`onesided prior`: how many of the unlabeled rows are positive, and how sure that is."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from onesided.cli._options import (
    Categorical,
    Delimiter,
    Drop,
    Group,
    Positive,
    Seed,
    TablePath,
    Text,
)
from onesided.cli._prepare import prepare
from onesided.cli._talk import gathered_warnings, progress, reports_errors, say

if TYPE_CHECKING:
    from onesided.prior import ClassPriorEstimate

_METHODS = {
    "best-bin": "best bin",
    "binormal": "binormal ROC curve",
    "density-ratio": "density ratio",
    "elkan-noto": "Elkan and Noto",
    "tice": "TIcE",
}


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
    from onesided.model_selection import PositiveKFold  # noqa: PLC0415
    from onesided.prior import estimate_class_prior  # noqa: PLC0415

    if out is not None:
        tables.check_writable(out, tables.RANKING_ENDINGS, source=table)
    with gathered_warnings() as notes:
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
        with progress("estimating"):
            found = estimate_class_prior(
                given.features,
                given.positive,
                scenario=scenario,
                estimator=tables.default_scorer(given.summary, random_state=seed),
                confidence=confidence,
                groups=given.groups,
                random_state=seed,
            )
    for note in notes:
        say(f"warning: {note}")
    _say_estimate(found)
    if out is not None:
        results = found.to_frame("pyarrow")
        tables.write_files({out: partial(tables.write_table, results, format_path=out)})
        say(f"Estimates: {out}")
    typer.echo(f"{found.point:.4g}")


def _say_estimate(found: "ClassPriorEstimate") -> None:
    low, high = found.interval
    sure = f"{100 * found.confidence:g} %"
    say(
        f"Positive among the {found.n_unlabeled:,} unlabeled: {found.point:.1%} "
        f"({sure} interval {low:.1%} to {high:.1%}), about "
        f"{found.point * found.n_unlabeled:,.0f} rows"
    )
    say(
        f"  at most {found.upper_bound:.1%}, at {sure} confidence and whatever the data; no such "
        "lower bound above 0 exists"
    )
    points = (f"{_METHODS[name]} {point:.1%}" for name, point in found.by_method.items())
    say(f"  by method: {'; '.join(points)}")
    if found.scenario == "single-training-set":
        say(f"  positive in all rows: {found.population_prior:.1%}")
        say(f"  labeled of the positives: {found.label_frequency:.1%}")
    say(
        "Where no row can only be positive, as the kinds overlap everywhere, the share is too high."
    )
