"""`onesided fit`: fit a model to a table, and save the model."""

from pathlib import Path
from typing import Annotated

from onesided.cli._options import (
    LEARNING,
    OUTPUT,
    Background,
    Identifier,
    Labels,
    Learning,
    Reading,
    Running,
    Scenario,
    TablePath,
    Time,
    Verdicts,
    changed,
    file_option,
    option,
    read_rate,
    whole_number,
)
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_aucs, say_plan, say_problem
from onesided.cli._talk import say, stages, warn
from onesided.exceptions import gathered_warnings

KEPT = "What the model says of later rows"


@verb
def fit(  # noqa: PLR0913 - each is an option, or a group of them
    table: TablePath,
    *,
    out: Annotated[
        Path | None,
        file_option(
            "File for the model, .onesided. Default: TABLE.onesided in the current folder.",
            metavar="MODEL",
        ),
        OUTPUT,
    ] = None,
    labels: Labels,
    id_column: Identifier = "",
    reading: Reading,
    learning: Learning,
    verdicts: Verdicts = None,
    background: Background = None,
    time: Time = "",
    unlabeled: Annotated[
        int | None,
        option(
            "Learn from all positive rows and N random unlabeled rows. Use it for a table "
            "that does not fit into memory. Default: all rows.",
            parser=whole_number(2),
            metavar="N",
            panel=LEARNING,
        ),
    ] = None,
    scenario: Scenario = None,
    alerts: Annotated[
        float | None,
        option(
            "Share of later rows that shall raise an alert: a share, or a number of rows such as "
            "50/20000, 50 of the 20,000 rows of a day. score marks these rows in the column alert. "
            "The share holds for rows like the unlabeled rows of this table.",
            metavar="SHARE",
            parser=read_rate,
            panel=KEPT,
        ),
    ] = None,
    running: Running,
) -> None:
    """Learn from a table, and keep the model.

    The command compares methods as rank does, fits the best method on all rows, and writes the
    model. onesided score then scores other tables with the same columns. To rank the rows of this
    table, use rank: its models did not learn from the row that they score.

    The model keeps counts of the values of each column and of the scores. With these counts score
    tells whether new rows have changed.

    With --alerts the model keeps the threshold for alerts. With --scenario it keeps the probability
    that a row with a given score is positive.

    A model file holds numbers and names but no code, so it may come from somebody else: score
    refuses a file that fit cannot have written.

    Example:

    **onesided fit customers.csv --positive buyer --id customer --out buyers.onesided**

    **onesided fit payments.csv --positive fraud --alerts 50/20000 --scenario single-training-set**
    """
    from onesided import ranking, scoring, tables  # noqa: PLC0415 - help pays for none

    run = current_run()
    out = out or Path(f"{tables.table_name(table)}{scoring.MODEL_ENDING}")
    for source in run.inputs:
        tables.check_writable(out, (scoring.MODEL_ENDING,), source=source)
    with (
        gathered_warnings() as notes,
        ranking.fits_elsewhere(**running.where),
        stages() as on_progress,
    ):
        problem, drawn = scoring.read_sample(
            table,
            labels.positive,
            unlabeled,
            positive_table=labels.positive_table,
            identifier=id_column,
            verdicts=verdicts,
            background=background,
            time=time,
            **changed(reading),
            random_state=learning.seed,
            on_progress=on_progress,
        )
        if drawn is not None:
            say(
                f"{table.name}: {drawn.n_positive:,} positive and {drawn.n_unlabeled:,} "
                f"unlabeled rows; {drawn.n_drawn:,} of the unlabeled rows are drawn"
            )
            if drawn.n_blank:
                say(f"  rows without any cell, left out: {drawn.n_blank:,}")
        say_problem(problem)
        plan = ranking.plan_ranking(problem, **learning.arguments)
        scoring.check_can_save(plan.rankers.values())
        if len(plan.rankers) > 1:
            say_plan(plan)
        model = scoring.fit_problem(
            plan,
            drawn,
            scenario=scenario,
            class_prior=learning.class_prior,
            alerts=alerts,
            on_progress=on_progress,
        )
    if model.comparison is not None:
        say_aucs(model.comparison)
    if model.not_compared:
        say(
            "The scores of later tables cannot be compared with those of this table: "
            f"{model.not_compared}"
        )
    for note in notes:
        warn(note)
    if model.alerts is not None:
        say(model.alerts.sentence)
    if model.posterior is not None:
        say(model.posterior.sentence)
    run.write({"model": (out, model.save)})
    say(f"Learned from {model.n_learned:,} rows by {model.method}")
    run.end("Model:", model.facts)
