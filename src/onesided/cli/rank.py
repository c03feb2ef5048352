"""`onesided rank`: a table to a ranking and a report."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onesided._notes import gathered_warnings
from onesided.cli._options import (
    ForSpreadsheet,
    Labels,
    Learning,
    NamedRows,
    Negatives,
    Outputs,
    Promising,
    Reading,
    Resamples,
    Running,
    Scenario,
    TablePath,
    changed,
    check_outputs,
)
from onesided.cli._rank_each import PositiveEach, rank_each, refuse_beside
from onesided.cli._run import current_run, verb
from onesided.cli._say import say_plan, say_problem, say_ranking
from onesided.cli._talk import say, stages, warn

if TYPE_CHECKING:
    from collections.abc import Callable


@verb
def rank(  # noqa: PLR0913 - each is an option, or a group of them
    table: TablePath,
    *,
    labels: Labels,
    positive_each: PositiveEach = "",
    id_column: NamedRows = "",
    outputs: Outputs,
    reading: Reading,
    learning: Learning,
    resamples: Resamples = 0,
    promising: Promising,
    negatives: Negatives,
    scenario: Scenario = None,
    running: Running,
    for_spreadsheet: ForSpreadsheet = False,
) -> None:
    """Rank the unlabeled rows of a table by likeness to the positive ones.

    Some rows are known to be positive; the other rows are unlabeled, positive or not. The command
    compares a few methods. It hides the known positives among the unlabeled rows in turn, and each
    method ranks all of these rows. The hidden-positive AUC of a method is the share of the
    unlabeled rows that rank below a hidden positive, on average: 0.5 is chance, and 1 is the best.
    The method with the highest AUC is taken. Each unlabeled row is scored by a model that did not
    see this row.

    The command writes a ranking and, with --report, a page with the evidence for this ranking.

    The list can keep a promise: --recall, --discard and --fdr mark the rows that the promise is
    about. --scenario adds an estimate of how many rows are positive. The promises and the estimate
    hold if labels are drawn evenly among the positives: each positive was equally likely to be
    labeled. --prior-at-least tests this.

    Example:

    **onesided rank genes.csv --positive known_target --id gene --report report.html**

    **onesided rank papers.csv --positive included --recall 0.95 --prior-at-least 0.02**

    **onesided rank search.ris --positive-table included.ris --known-negative-table excluded.ris**

    **onesided rank records.csv --positive-each species --group block**
    """
    from onesided import ranking, tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = outputs.out or Path(f"{tables.table_name(table)}-ranking.csv")
    report, gains, top = outputs.report, outputs.gains, outputs.top
    promises = ranking.Promises.of(**vars(promising), known_negative=any(vars(negatives).values()))
    sources = (table, labels.positive_table, negatives.known_negative_table)
    check_outputs(out, gains, report, sources, safe=for_spreadsheet)
    write = partial(tables.write_table, for_spreadsheet=for_spreadsheet)
    if positive_each:
        beside = {
            "positive_table": labels.positive_table,
            "report": report,
            "gains": gains,
            "resamples": resamples,
            **changed(promising),
            **changed(negatives),
            "scenario": scenario,
        }
        refuse_beside(positive_each, beside)
        by_values = {"positive": labels.positive, "identifier": id_column, **vars(reading)}
        rank_each(table, positive_each, by_values, learning, running, top, {out: write})
        return
    by_rows = {**vars(labels), "identifier": id_column, **vars(reading), **vars(negatives)}
    deciding: dict[str, Any] = {
        "methods": learning.method or (),
        "class_prior": learning.class_prior,
        "resamples": resamples,
        "random_state": learning.seed,
    }
    showing: dict[str, Any] = {"scenario": scenario, "top": top}
    with ranking.fits_elsewhere(running.workers, running.cluster):
        with gathered_warnings() as notes:
            problem = ranking.read_problem(table, **by_rows)
            say_problem(problem)
            plan = ranking.plan_ranking(problem, promises=promises, **deciding)
        say_plan(plan)
        asked = {**by_rows, **vars(promising), **deciding, **showing}
        with stages() as on_progress:
            found = ranking.rank_problem(
                plan,
                **showing,
                for_page=report is not None or run.as_json,
                notes=notes,
                command=ranking.command_of(table, **asked),
                on_progress=on_progress,
            )
    for note in found.notes:
        warn(note)
    say_ranking(found)
    writers: dict[Path, Callable[[Path], None]] = {
        out: partial(write, found.listed, format_path=out)
    }
    written = {"ranking": out}
    if gains:
        writers[gains] = partial(write, found.gains("pyarrow"), format_path=gains)
        written["gains"] = gains
    page = found.report() if report or run.as_json else None
    if page and report:
        of_report = page.writers(report)
        writers |= of_report
        written |= dict(zip(("report", "report_data"), of_report, strict=True))
    run.write(writers)
    if report:
        say(f"Report: {report}; the numbers of the report: {written['report_data']}")
    run.end("Ranking:", str(out), page and page.data, written)
