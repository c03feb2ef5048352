"""`onesided prior`: estimate how many of the unlabeled rows are positive, with an interval."""

from pathlib import Path
from typing import Annotated, Literal

from onesided.cli._options import (
    OUTPUT,
    ForSpreadsheet,
    Identifier,
    Labels,
    Reading,
    Running,
    Seed,
    TablePath,
    file_option,
    label_odds_option,
    option,
    share_option,
)
from onesided.cli._outputs import check_outputs, table_file
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_estimate, say_problem
from onesided.cli._talk import say, stages, warn
from onesided.exceptions import gathered_warnings


@verb
def prior(  # noqa: PLR0913 - each is an option, or a group of them
    table: TablePath,
    *,
    scenario: Annotated[
        Literal["single-training-set", "case-control"],
        option(
            "single-training-set: the table is one sample, and some of its positives are "
            "labeled. case-control: the positives were collected separately from the "
            "unlabeled rows.",
            metavar="SCENARIO",
        ),
    ],
    labels: Labels,
    id_column: Identifier = "",
    reading: Reading,
    confidence: Annotated[
        float,
        share_option("Confidence of the interval and of the upper bound, between 0 and 1."),
    ] = 0.9,
    label_odds_ratio: Annotated[float, label_odds_option()] = 1.0,
    out: Annotated[
        Path | None,
        file_option("File for the estimates of all methods, .csv, .tsv, .xlsx or .parquet."),
        OUTPUT,
    ] = None,
    running: Running,
    for_spreadsheet: ForSpreadsheet = False,
    seed: Seed = 0,
) -> None:
    """Estimate how many of the unlabeled rows are positive.

    The command says which share of the unlabeled rows is positive, with a confidence interval and
    an upper bound, and what follows for all rows. If the scores of positives and of other rows
    overlap too much, only the upper bound is known. The estimate assumes that labels are even: that
    the known positives are like the other positives. --label-odds-ratio computes an upper bound for
    uneven labels.

    The command compares the methods that rank compares, and estimates the share from the scores of
    the best method. The last line holds the share alone, or its upper bound if only that is known.

    Example:

    **onesided prior genes.csv --positive known_target --drop gene --scenario single-training-set**
    """
    from onesided import ranking  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    ranking.check_share("confidence", confidence)
    check_outputs(run.inputs, {"--out": out}, safe=for_spreadsheet)
    with (
        gathered_warnings() as notes,
        ranking.fits_elsewhere(**running.where),
        stages() as on_progress,
    ):
        problem = ranking.read_problem(table, identifier=id_column, **vars(labels), **vars(reading))
        say_problem(problem)
        found = ranking.estimate_prior(
            problem,
            scenario,
            confidence=confidence,
            label_odds_ratio=label_odds_ratio,
            random_state=seed,
            on_progress=on_progress,
        )
    for note in notes:
        warn(note)
    say_estimate(found)
    estimates = found.to_frame("pyarrow")
    run.write({"estimates": table_file(out, estimates, safe=for_spreadsheet)} if out else {})
    if out:
        say(f"Estimates: {out}")
    run.end("", found.facts, f"{found.headline:.4g}")
