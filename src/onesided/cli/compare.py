"""`onesided compare`: compare methods on one or several tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    whole_number,
)
from onesided.cli._outputs import check_outputs, table_file
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_comparison, say_plan, say_problem, say_tasks
from onesided.cli._talk import say, stages

if TYPE_CHECKING:
    from onesided.ranking import Plan


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
            parser=whole_number(2),
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
    from onesided import ranking, tables  # noqa: PLC0415 - help does not pay for it

    run, alone = current_run(), len(table) == 1
    name = f"{tables.table_name(table[0])}-comparison.csv" if alone else "comparison.csv"
    out = out or Path(name)
    check_outputs(run.inputs, {"--out": out}, picture=plot, safe=for_spreadsheet)

    def on_plan(task: str, plan: "Plan") -> None:
        if not alone:
            say(f"{task}:")
        say_plan(plan)

    with stages() as on_progress:
        found = ranking.compare_tables(
            table,
            identifier=id_column,
            background=background,
            time=time,
            **vars(labels),
            **vars(reading),
            n_folds=folds,
            **learning.arguments,
            **running.where,
            on_read=say_problem,
            on_plan=on_plan,
            on_compared=say_comparison,
            on_progress=on_progress,
        )
    with run.writing("results", table_file(out, found.table, safe=for_spreadsheet)) as files:
        if not alone:
            say_tasks(found.together)
        if plot:
            chart, ending = found.plot(), plot.suffix[1:].lower()
            files["picture"] = plot, lambda path: chart.save(str(path), format=ending)
    if plot:
        say(f"Picture: {plot}")
    run.end("Results:", found.facts)
