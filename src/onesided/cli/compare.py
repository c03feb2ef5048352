"""`onesided compare`: compare methods on one or several tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from onesided.cli._options import (
    LEARNING,
    OUTPUT,
    Background,
    ForSpreadsheet,
    Identifier,
    Labels,
    Learning,
    Reading,
    Running,
    Time,
    file_option,
    option,
)
from onesided.cli._outputs import check_outputs, table_file
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_comparison, say_plan, say_problem, say_tasks
from onesided.cli._talk import say, stages, warn
from onesided.exceptions import gathered_warnings, naming


@verb
def compare(  # noqa: PLR0913 - each is an option, or a group of them
    table: Annotated[
        list[Path],
        typer.Argument(help="Files or folders of any format that rank reads.", metavar="TABLE"),
    ],
    *,
    labels: Labels,
    id_column: Identifier = "",
    learning: Learning,
    background: Background = None,
    time: Time = "",
    reading: Reading,
    folds: Annotated[
        int,
        option(
            "Number of parts that the positives are divided into. Each part is hidden in "
            "turn, and each method is fitted once for each part.",
            min=2,
            metavar="N",
            panel=LEARNING,
        ),
    ] = 5,
    out: Annotated[
        Path | None,
        file_option(
            "File for the results, .csv, .tsv, .xlsx or .parquet. Default: TABLE-comparison.csv, "
            "or comparison.csv for several tables, in the current folder."
        ),
        OUTPUT,
    ] = None,
    plot: Annotated[
        Path | None, file_option("File for a picture of the AUCs, .svg or .png."), OUTPUT
    ] = None,
    running: Running,
    for_spreadsheet: ForSpreadsheet = False,
) -> None:
    """Compare methods on the known positives, hidden in turn among the unlabeled.

    The command says for each method:

    - the hidden-positive AUC with its standard error. The AUC is the share of the unlabeled rows
      that rank below a hidden positive, on average. 0.5 is chance. The best possible AUC is below
      1, because some of the unlabeled rows are positive.
    - the criterion of Lee and Liu with its 95 % interval: precision x recall / share of positives,
      for the unlabeled rows. A higher criterion is better. A method that calls all rows positive
      gets 1.
    - the p-value of a paired test of the hypothesis that its AUC equals that of the best method.
      The average of methods counts as the best unless another method is better beyond chance.
    - the seconds that it took.

    Several tables are several tasks: each is compared by itself, with the methods that suit all
    tables, and a summary follows.

    Example:

    **onesided compare genes.csv --positive known_target --drop gene --plot auc.svg**
    """
    from onesided import ranking  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    named = ranking.name_tables(table)
    alone = len(named) == 1
    out = out or Path(f"{next(iter(named))}-comparison.csv" if alone else "comparison.csv")
    check_outputs(run.inputs, {"--out": out}, picture=plot, safe=for_spreadsheet)
    plans, comparisons = [], {}
    for task, path in named.items():
        with _speaking_of("" if alone else task):
            problem = ranking.read_problem(
                path,
                identifier=id_column,
                background=background,
                time=time,
                **vars(labels),
                **vars(reading),
            )
            say_problem(problem)
            plans.append(ranking.plan_ranking(problem, n_folds=folds, **learning.arguments))
    for task, plan in zip(named, ranking.in_common(plans), strict=True):
        if not alone:
            say(f"{task}:")
        with (
            _speaking_of("" if alone else task),
            ranking.fits_elsewhere(**running.where),
            stages() as on_progress,
        ):
            say_plan(plan)
            comparisons[task] = plan.compare(on_progress, refit=False)
        say_comparison(comparisons[task])
    found = ranking.ComparedTables(comparisons)
    with run.writing("results", table_file(out, found.table, safe=for_spreadsheet)) as files:
        if not alone:
            say_tasks(found.together)
        if plot:
            chart, ending = found.plot(), plot.suffix[1:].lower()
            files["picture"] = plot, lambda path: chart.save(str(path), format=ending)
    if plot:
        say(f"Picture: {plot}")
    run.end("Results:", found.facts)


@contextmanager
def _speaking_of(task: str) -> Iterator[None]:
    """Begin each error and warning with the name of the task; an empty name adds nothing."""
    with naming(task), gathered_warnings() as notes:
        yield
    start = f"{task}: " if task else ""
    for note in notes:
        warn(f"{start}{note}")
