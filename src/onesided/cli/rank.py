"""`onesided rank`: rank the rows of a table, and make a report."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from onesided.cli._options import (
    LEARNING,
    Background,
    ForSpreadsheet,
    Labels,
    Learning,
    Negatives,
    Outputs,
    Profit,
    Promising,
    Reading,
    Running,
    Scenario,
    TablePath,
    Time,
    Verdicts,
    changed,
    column_option,
    match_option,
    option,
    whole_number,
)
from onesided.cli._outputs import (
    check_outputs,
    check_records,
    ranking_file,
    report_files,
    table_file,
)
from onesided.cli._rank_each import PositiveEach, rank_each, refuse_beside
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_plan, say_problem, say_ranking
from onesided.cli._talk import say, stages, warn
from onesided.exceptions import gathered_warnings


@verb
def rank(  # noqa: PLR0913 - each is an option, or a group of them
    table: TablePath,
    *,
    labels: Labels,
    positive_each: PositiveEach = "",
    id_column: Annotated[
        str,
        column_option(
            "Column that names the rows. It is not used for learning. Default: row numbers.", "--id"
        ),
    ] = "",
    outputs: Outputs,
    reading: Reading,
    learning: Learning,
    verdicts: Verdicts = None,
    background: Background = None,
    time: Time = "",
    match: Annotated[list[str] | None, match_option(panel=LEARNING)] = None,
    resamples: Annotated[
        int,
        option(
            "Number of random label sets. The comparison of the methods is repeated with each "
            "set, to compute a p-value for the best AUC. N sets take about N times as long. "
            "Default: none.",
            parser=whole_number(0),
            metavar="N",
            show_default=False,
            panel=LEARNING,
        ),
    ] = 0,
    promising: Promising,
    negatives: Negatives,
    scenario: Scenario = None,
    profit: Profit,
    running: Running,
    for_spreadsheet: ForSpreadsheet = False,
) -> None:
    """Rank the unlabeled rows of a table by similarity to the positive ones.

    Some rows are known to be positive. The others are unlabeled: positive or not. The command hides
    the known positives among the unlabeled rows in turn, and compares how high a few methods rank
    them. The hidden-positive AUC of a method is the share of the unlabeled rows that rank below a
    hidden positive, on average; 0.5 is chance. The list is made by the average of the methods,
    unless one method is better beyond chance. A model that did not learn from a row scores it.

    The command writes the ranking and, with --report, a page with the evidence for it. It estimates
    how many of the unlabeled rows are positive. With --scenario each row gets a probability.

    Promises: --recall, --discard and --fdr mark rows for which a guarantee holds. They assume that
    labels are even, that is, that the known positives are like the other positives.
    --prior-at-least tests this.

    Example:

    **onesided rank genes.csv --positive known_target --id gene --report report.html**

    **onesided rank papers.csv --positive included --recall 0.95 --prior-at-least 0.02**

    **onesided rank search.ris --positive-table included.ris --known-negative-table excluded.ris**

    **onesided rank genes.csv --positive known_target --id gene --verdicts check.csv**

    **onesided rank customers.csv --positive buyer --scenario single-training-set --value 50 --cost
    2**

    **onesided rank records.csv --positive-each species --group block --background others**
    """
    from onesided import ranking, tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = outputs.out or Path(f"{tables.table_name(table)}-ranking.csv")
    report, gains, show = outputs.report, outputs.gains, outputs.show
    worth = ranking.Worth.of(**vars(profit), scenario=scenario)
    promises = ranking.Promises.of(**vars(promising), known_negative=bool(negatives))
    to_write = {"--out": out, "--gains": gains}
    check_outputs(run.inputs, to_write, report=report, safe=for_spreadsheet, records="--out")
    of_one = {"verdicts": verdicts, "time": time, "match": match}
    shared = {"identifier": id_column, **vars(reading), "background": background, "show": show}
    if positive_each:
        beside = {
            "positive_table": labels.positive_table,
            "gains": gains,
            "resamples": resamples,
            **changed(promising),
            **changed(negatives),
            "scenario": scenario,
            **vars(profit),
            **of_one,
        }
        refuse_beside(positive_each, beside)
        by_values = {"positive": labels.positive, **shared}
        where = outputs, out
        rank_each(table, positive_each, by_values, learning, running, *where, safe=for_spreadsheet)
        return
    by_rows = {**vars(labels), **shared, **vars(negatives), **of_one}
    deciding = {**learning.arguments, "resamples": resamples}
    showing: dict[str, Any] = {"scenario": scenario, "top": outputs.top}
    with ranking.fits_elsewhere(**running.where):
        with gathered_warnings() as notes:
            problem = ranking.read_problem(table, **by_rows)
            say_problem(problem)
            check_records(out, problem)
            plan = ranking.plan_ranking(problem, promises=promises, **deciding)
        say_plan(plan)
        asked = {**by_rows, **vars(promising), **deciding, **showing, **vars(profit)}
        with stages() as on_progress:
            found = ranking.rank_problem(
                plan,
                **showing,
                worth=worth,
                for_page=report is not None or run.as_json,
                notes=notes,
                command=ranking.command_of(table, **asked),
                on_progress=on_progress,
            )
    found = replace(found, written=str(out))
    with run.writing("ranking", ranking_file(out, found, safe=for_spreadsheet)) as files:
        for text in found.warnings:
            warn(text)
        say_ranking(found)
        if gains:
            files["gains"] = table_file(gains, found.gains("pyarrow"), safe=for_spreadsheet)
        page = found.report() if report or run.as_json else None
        del found, plan, problem  # drawing the page needs memory, but no rows and no models
        files.update(report_files(page, report) if report and page else {})
    if report:
        say(f"Report: {report}; the numbers of the report: {run.written['report_data']}")
    run.end("Ranking:", lambda: page and page.data)
