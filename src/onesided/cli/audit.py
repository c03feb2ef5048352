"""`onesided audit`: check some rows of a ranking, and estimate numbers about all rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from onesided.cli._options import (
    OUTPUT,
    ForSpreadsheet,
    Seed,
    column_option,
    count_option,
    file_option,
    option,
    share_option,
)
from onesided.cli._outputs import File, check_outputs, check_page, is_ris, table_file
from onesided.cli._run import current_run, verb
from onesided.cli._talk import say
from onesided.exceptions import TableError
from onesided.formats import verdict_words

if TYPE_CHECKING:
    from onesided.checking import Goal, RankingAudit

_BEGUN, _PAGE = (
    "How the audit is begun",
    "The ranked table, its report, and a page to check rows in",
)


@dataclass(frozen=True)
class _Begun:
    """Settings with which an audit begins; later runs of the audit keep them."""

    mode: Annotated[
        Literal["anytime", "planned"] | None,
        option(
            "anytime: look after each batch, and stop when you like. planned: narrower intervals, "
            "if the number of rows or the goal is settled before the audit begins. Default: "
            "anytime.",
            panel=_BEGUN,
        ),
    ] = None
    confidence: Annotated[
        float | None,
        share_option(
            "Share of audits in which an interval holds: at least this, or about this if planned. "
            "Default: 0.95.",
            panel=_BEGUN,
        ),
    ] = None
    state: Annotated[
        Path | None,
        file_option(
            "File that keeps the draws and the verdicts. Default: RANKING.audit.json beside the "
            "ranking.",
            panel=_BEGUN,
        ),
    ] = None


@dataclass(frozen=True)
class _Shown:
    """Options on the page for checking rows, and on the files whose content it shows."""

    page: Annotated[
        Path | None,
        file_option(
            "File for a page to check the rows in, one self-contained .html. It works without a "
            "network, keeps verdicts in the browser, and saves them as a sheet.",
            panel=_PAGE,
        ),
        OUTPUT,
    ] = None
    table: Annotated[
        Path | None,
        file_option(
            "Table that was ranked. The page shows its cells, and the sheet its titles, columns of "
            "names, and the authors and years of references, if the ranking lacks them. Default "
            "for a ranking of reference records, .ris: the ranking.",
            panel=_PAGE,
        ),
    ] = None
    report_data: Annotated[
        Path | None,
        file_option(
            "Numbers that rank wrote beside its report, .json; the page shows what moves each "
            "score. The command compares the known positives with those that were found: are "
            "labels even?",
            panel=_PAGE,
        ),
    ] = None
    by: Annotated[
        str,
        column_option(
            "Column of --table with few values; the command counts the positives of each value.",
            panel=_PAGE,
        ),
    ] = ""

    def records(self, ranking: Path, checked: Path | None, *, has_sheet: bool) -> Path | None:
        """Return the table that was ranked; None if it is not known.

        Parameters
        ----------
        ranking : path of the ranking
        checked : file for all verdicts
        has_sheet : whether a sheet may be written

        Raises
        ------
        TableError : if an option has no effect without another one; no file is read before
        """
        records = self.table or (ranking if is_ris(ranking) else None)
        if is_ris(checked) and records is None:
            raise TableError(
                "A .ris file holds reference records, but no table of records is given.",
                "Pass the records that were ranked: --table FILE.",
            )
        has_use = has_sheet or self.by or self.page or is_ris(checked)
        if (self.by and records is None) or (self.table and not has_use):
            raise TableError(
                f"{'--by' if self.by else '--table'} alone has no effect.",
                "Pass --table TABLE together with --by COLUMN, --page FILE, --draw N or "
                "--checked FILE.ris.",
            )
        return records

    def name_rows(self, found: "RankingAudit") -> None:
        """Show the titles and names of the table in the sheet, if the table is given."""
        if self.table:
            found.show(self.table)

    def hints(self, found: "RankingAudit") -> list[str]:
        """Return how titles come into the sheet, if it has none and the table is not given."""
        if found.shown or self.table:
            return []
        lack = f"The sheet names its rows only by {found.id_name!r}"
        return [
            f"  {lack}. To add titles or names, pass the table that was ranked: --table FILE",
        ]

    def tell(self, found: "RankingAudit", records: Path | None) -> None:
        """Pass the table that was ranked, if it is known, and the report to the audit."""
        if self.by and records:
            found.group_by(self.by, records)
        if self.report_data:
            found.compare_labels(self.report_data)


@verb
def audit(  # noqa: PLR0913 - each is an option
    ranking: Annotated[
        Path, typer.Argument(help="Table that onesided rank wrote.", metavar="RANKING")
    ],
    draw: Annotated[
        int | None,
        count_option("Draw N rows to check next, and write them with those that still wait."),
    ] = None,
    verdicts: Annotated[
        list[Path] | None,
        file_option("Sheet with verdicts. Repeatable. Verdicts that were read before are kept."),
    ] = None,
    verdict_column: Annotated[
        str,
        column_option(
            f"Column of the verdicts: {verdict_words()}; blank where nobody looked. With =VALUE, "
            "this value is yes and others are no, but ? and its words stay undecided.",
            metavar="COLUMN[=VALUE]",
        ),
    ] = "verdict",
    until: Annotated[
        str,
        option(
            'Goal: "count 20%" (the number of positives, plus or minus), "recall 0.95 of first '
            '2000", "precision 0.8 of first 100", or "found 0.95" (of the positives of '
            "the ranking). Without --draw, the rows of the next batch are drawn for it.",
            metavar="GOAL",
        ),
    ] = "",
    first: Annotated[
        list[int] | None,
        count_option("Say the precision and the recall of the first N rows, too. Repeatable."),
    ] = None,
    *,
    begun: _Begun,
    shown: _Shown,
    seed: Seed = 0,
    sheet: Annotated[
        Path | None,
        file_option(
            "File for the rows to check, .csv, .tsv, .xlsx or .parquet, with a blank column for "
            "the verdicts. Default: RANKING-check.csv in the current folder, if rows are drawn."
        ),
        OUTPUT,
    ] = None,
    checked: Annotated[
        Path | None,
        file_option(
            "File for all verdicts so far, .csv, .tsv, .xlsx or .parquet, for rank --verdicts; or "
            ".ris, the reference records of --table, each with the keyword onesided: included or "
            "onesided: excluded."
        ),
        OUTPUT,
    ] = None,
    for_spreadsheet: ForSpreadsheet = False,
) -> None:
    """Check some rows of a ranking, and know what is true of all of them.

    Rows are drawn with known probabilities, and more often where the scores leave it uncertain
    whether they are positive.
    Somebody checks them and writes the verdicts into the sheet. The command then says how many rows
    are positive, with an interval that needs no assumption: neither on how labels were given, nor
    on the scores. It also says how many more rows a narrower interval would take.

    The draws and verdicts are kept in a small file beside the ranking. The same sheet may be read
    again, when more of it is filled in. Fill it in from the top: a verdict counts when all rows
    above it have one.

    Example:

    **onesided audit genes-ranking.csv --draw 100 --sheet check.csv**

    **onesided audit genes-ranking.csv --verdicts check.csv --until "count 20%"**
    """
    from onesided import checking, tables  # noqa: PLC0415 - help does not pay for it

    run, page = current_run(), shown.page
    has_sheet = bool(sheet or draw or until)
    records = shown.records(ranking, checked, has_sheet=has_sheet)
    outputs = {"--sheet": sheet, "--checked": checked}
    check_outputs(run.inputs, outputs, safe=for_spreadsheet, records="--checked")
    check_page(page, run.inputs)
    goal = checking.Goal.parse(until) if until else None
    found = checking.audit_ranking(
        ranking,
        state=begun.state,
        mode=begun.mode,
        confidence=begun.confidence,
        random_state=seed,
    )
    lines = _record(found, goal, verdicts or (), verdict_column)
    shown.tell(found, records)
    n_more = _rows_to_draw(found, draw, goal)
    if n_more:
        found.draw(n_more, goal)
    if len(found.audit.waiting) == 0 and (sheet or page):
        lines.append(_nothing_waits(found, asked=bool(verdicts or goal)))
        sheet = page = None
    elif n_more and not sheet:
        sheet = _default_sheet(tables.table_name(ranking), found)
        check_outputs(run.inputs, {"--sheet": sheet}, apart_from={"--checked": checked})
    safe = for_spreadsheet
    all_verdicts = _verdicts_file(found, checked, records, safe=safe) if checked else None
    if sheet:
        shown.name_rows(found)
    _check_verdicts(found, {"sheet": sheet, "checked": checked}, verdict_column)
    files: dict[str, File] = {}
    if sheet:
        files["sheet"] = table_file(sheet, found.sheet(), safe=safe)
    if all_verdicts:
        files["verdicts"] = all_verdicts
    lines += found.sentences(goal, first or ())
    lines += shown.hints(found) if sheet else ()
    if page:
        text = found.page(
            sheet.name if sheet else "check.csv", table=records, report_data=shown.report_data
        )
        files["page"] = page, partial(tables.write_text, text)
    if n_more or verdicts:
        files["state"] = found.writer()
    say(*lines)
    run.write(files)
    if page:
        say(f"Page to check them in: {page}")
    _end(found, sheet, lambda: found.facts(goal, first or ()))


def _record(
    found: "RankingAudit", goal: "Goal | None", sheets: Iterable[Path], column: str
) -> list[str]:
    """Check the goal, then record the sheets; return what each sheet added."""
    if goal:
        found.check_goal(goal)
    return [f"{path}: {found.record(path, column)}" for path in sheets]


def _check_verdicts(found: "RankingAudit", outputs: dict[str, Path | None], column: str) -> None:
    """Raise an error if a sheet, by its option, would replace what was not read."""
    for name, path in outputs.items():
        if path and not is_ris(path):
            found.check_sheet(path, name, column)


def _verdicts_file(
    found: "RankingAudit", checked: Path, records: Path | None, *, safe: bool
) -> File:
    """Return all verdicts as an output file: a sheet, or reference records with verdicts."""
    if is_ris(checked) and records:
        return checked, found.records_writer(records)
    return table_file(checked, found.checked(), safe=safe)


def _nothing_waits(found: "RankingAudit", *, asked: bool) -> str:
    """Return that there is no row to check; raise an error if nothing else was `asked` for."""
    if not asked:
        is_done = len(found.audit.checked) == found.audit.n_rows
        raise TableError(
            f"{'All rows are checked' if is_done else 'No row waits for a verdict'}, so there is "
            "nothing to check.",
            "Leave the sheet and the page out." if is_done else "Draw rows: --draw 50.",
        )
    return "No row waits for a verdict, so no sheet and no page is written"


def _end(found: "RankingAudit", sheet: Path | None, facts: Callable[[], Any]) -> None:
    """Print the path of the sheet; without a sheet, the number of positives and its limits."""
    if sheet:
        current_run().end(f"Rows to check ({len(found.audit.waiting):,}):", facts, str(sheet))
        return
    known = found.audit.count()
    line = f"{known.point:.0f} {known.whole_limits[0]} {known.whole_limits[1]}"
    current_run().end("Number of positives, lower and upper limit:", facts, line)


def _default_sheet(name: str, found: "RankingAudit") -> Path:
    """Path of the sheet of a batch; each batch has its own name, so that no sheet is replaced."""
    n_batches = found.audit.n_batches
    return Path(f"{name}-check{f'-{n_batches}' if n_batches > 1 else ''}.csv")


def _rows_to_draw(found: "RankingAudit", draw: int | None, goal: "Goal | None") -> int:
    """Number of rows to draw: the number `draw`, or a batch for the goal if no row waits."""
    if draw is not None:
        return draw
    if goal is None or len(found.audit.waiting):
        return 0
    return found.next_batch(goal)
