"""`onesided unexpected`: find new documents that belong to no known kind."""

import shlex
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from onesided.cli._options import (
    OUTPUT,
    READING,
    Cells,
    ForSpreadsheet,
    ReportPage,
    changed,
    column_option,
    count_option,
    file_option,
    option,
    share_option,
)
from onesided.cli._outputs import check_outputs, report_files, table_file
from onesided.cli._run import current_run, verb
from onesided.cli._talk import say, stages
from onesided.exceptions import TableError, command_without

if TYPE_CHECKING:
    from onesided.unexpected import Documents

_documents = partial(option, metavar="FOLDER|TABLE")
_column = partial(column_option, panel=READING)
_GROUPS = "How groups become known kinds"
_OF_THIS_RUN = {"--out", "--report", "--previous", "--make-known", "--save-known"}
"""Options that have other values in the next run."""


@verb
def unexpected(  # noqa: PLR0913 - each is an option
    known: Annotated[
        Path,
        _documents(
            "Documents of known kinds: a folder of text files, whose sub-folders are the "
            "kinds, or a table."
        ),
    ],
    new: Annotated[
        Path,
        _documents("Documents to search for unexpected ones: a folder of text files or a table."),
    ],
    *,
    fdr: Annotated[
        float,
        share_option(
            "In expectation, at most this share of the flagged documents belongs to a known kind."
        ),
    ] = 0.1,
    kind: Annotated[
        str | None,
        _column(
            "Column that holds the kinds in the known table; '' for none. Default: the only "
            "column with few values that the new table lacks, if there is one.",
            show_default=False,
        ),
    ] = None,
    id_column: Annotated[
        str,
        _column(
            "Column that names the documents. Only the new table must have it; known documents "
            "have row numbers if their table lacks it.",
            "--id",
        ),
    ] = "",
    text: Annotated[
        list[str] | None,
        _column("Column of text. Repeatable. Default: columns whose cells hold several words."),
    ] = None,
    out: Annotated[
        Path | None,
        file_option(
            "File for the results, .csv, .tsv, .xlsx or .parquet. Default: NEW-unexpected.csv in "
            "the current folder."
        ),
        OUTPUT,
    ] = None,
    report: ReportPage = None,
    previous: Annotated[
        Path | None,
        file_option("Table that an earlier run wrote, for --make-known.", panel=_GROUPS),
    ] = None,
    make_known: Annotated[
        list[str] | None,
        option(
            "Group of --previous whose documents become known documents of this kind. Repeatable.",
            metavar="GROUP=KIND",
            panel=_GROUPS,
        ),
    ] = None,
    save_known: Annotated[
        Path | None,
        file_option(
            "File for all known documents, to be passed as --known next time.", panel=_GROUPS
        ),
        OUTPUT,
    ] = None,
    top: Annotated[int | None, count_option("Write only the first N documents.")] = None,
    for_spreadsheet: ForSpreadsheet = False,
    cells: Cells,
) -> None:
    """Find new documents that belong to no known kind.

    Each new document is compared with the nearest known documents of each kind. The documents that
    differ most from all kinds are flagged. In expectation, at most a share --fdr of the flagged
    documents belongs to a known kind. Further documents are called likely unexpected, without this
    guarantee. Similar documents form groups, and a group can become a known kind in the next run.

    Example:

    **onesided unexpected --known known/ --new new.csv --report report.html**
    """
    from onesided import tables, unexpected  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = out or Path(f"{tables.table_name(new)}-unexpected.csv")
    check_outputs(run.inputs, {"--out": out}, safe=for_spreadsheet)
    if save_known:
        check_outputs(run.inputs, {"--save-known": save_known}, apart_from={"--out": out})
        unexpected.known_columns(id_column, kind or "", text or ())
    if report:
        _check_place(report, run.inputs)
        check_outputs(run.inputs, {}, report=report)
    with stages() as tell:
        found = unexpected.find_unexpected(
            known,
            new,
            fdr=fdr,
            kind=kind,
            identifier=id_column,
            text=text or (),
            previous=previous,
            make_known=_kinds(make_known or ()),
            top=top,
            **changed(cells),
            on_read=_say_read,
            on_progress=tell,
        )
    found = replace(found, adopt=_adopting(run.command, out))
    with run.writing("documents", table_file(out, found.listed, safe=for_spreadsheet)) as files:
        say(str(found))
        if save_known:
            files["known"] = table_file(save_known, found.known_table())
        page = found.report(run.command) if report or run.as_json else None
        if report and page:
            files.update(report_files(page, report))
    for name, path in (("Known documents", save_known), ("Report", report)):
        if path:
            say(f"{name}: {path}")
    run.end("New documents:", lambda: page and page.data)


def _adopting(command: str, out: Path) -> str:
    """Return the command that makes a group of this run a known kind; GROUP=KIND follows it."""
    kept = command_without(command, _OF_THIS_RUN)
    again = out.with_name(f"{out.stem}-again{out.suffix}")
    return f"{kept} {shlex.join(['--previous', str(out), '--out', str(again)])}"


def _check_place(page: Path, sources: Iterable[Path]) -> None:
    """Raise an error if a report would lie in a folder of documents."""
    for source in sources:
        if source.is_dir() and source.resolve() in page.resolve().parents:
            raise TableError(
                f"{str(page)!r} lies in the input folder {str(source)!r}, where the next run "
                "may read it as a document.",
                "Write it into another folder: --report.",
            )


def _kinds(given: Iterable[str]) -> dict[int, str]:
    """Return the kind of each group by its number, from texts GROUP=KIND."""
    kinds: dict[int, str] = {}
    for each in given:
        number, _, name = each.partition("=")
        if not (number.strip().isdecimal() and name.strip()):
            raise TableError(
                f"--make-known {each!r} does not give the number of a group and its new kind.",
                "Write NUMBER=KIND, for example 1=spam.",
            )
        if kinds.setdefault(int(number), name.strip()) != name.strip():
            raise TableError(
                f"Group {int(number)} would become both {kinds[int(number)]!r} and "
                f"{name.strip()!r}.",
                "Give each group one kind.",
            )
    return kinds


def _say_read(known: "Documents", new: "Documents") -> None:
    say(known.in_words("known"), new.in_words("new"))
    if reading := known.reading or new.reading:
        say(f"  {reading}")
