"""`onesided unexpected`: new documents that belong to no known kind."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided.cli._completion import complete_column
from onesided.cli._options import (
    READING,
    Delimiter,
    ForSpreadsheet,
    check_report,
    check_table,
    read_share,
    report_files,
)
from onesided.cli._run import current_run, verb
from onesided.cli._talk import say, stages
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from onesided.unexpected import Documents

_column = partial(
    typer.Option, metavar="COLUMN", autocompletion=complete_column, rich_help_panel=READING
)
_group = partial(typer.Option, rich_help_panel="How groups become known kinds")


@verb
def unexpected(  # noqa: PLR0913 - each is an option
    known: Annotated[
        Path,
        typer.Option(
            help=(
                "Documents of known kinds: a folder of text files, whose sub-folders are the "
                "kinds, or a table."
            ),
            metavar="FOLDER|TABLE",
        ),
    ],
    new: Annotated[
        Path,
        typer.Option(
            help="Documents to search for unexpected ones: a folder of text files or a table.",
            metavar="FOLDER|TABLE",
        ),
    ],
    fdr: Annotated[
        float,
        typer.Option(
            parser=read_share,
            help=(
                "In expectation, at most this share of the flagged documents belongs to a "
                "known kind."
            ),
            metavar="SHARE",
        ),
    ] = 0.1,
    kind: Annotated[
        str | None,
        _column(
            help=(
                "Column that holds the kinds in the known table; '' for none. Default: the only "
                "column with few values that the new table lacks, if there is one."
            ),
            show_default=False,
        ),
    ] = None,
    id_column: Annotated[str, _column("--id", help="Column that names the documents.")] = "",
    text: Annotated[
        list[str] | None,
        _column(
            help="Column of text. Repeatable. Default: columns whose cells hold several words."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help=(
                "File for the results, .csv, .tsv or .parquet. Default: NEW-unexpected.csv in the "
                "current folder."
            ),
            metavar="FILE",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="File for the report, one self-contained .html page.", metavar="FILE"),
    ] = None,
    previous: Annotated[
        Path | None,
        _group(help="Table that an earlier run wrote, for --make-known.", metavar="FILE"),
    ] = None,
    make_known: Annotated[
        list[str] | None,
        _group(
            help=(
                "Group of --previous whose documents become known documents of this kind. "
                "Repeatable."
            ),
            metavar="GROUP=KIND",
        ),
    ] = None,
    save_known: Annotated[
        Path | None,
        _group(
            help="File for all known documents, to be passed as --known next time.", metavar="FILE"
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="Write only the first N documents.", min=1, metavar="N")
    ] = None,
    for_spreadsheet: ForSpreadsheet = False,  # noqa: FBT002 - typer makes it a flag
    delimiter: Delimiter = None,
) -> None:
    """Find new documents that belong to no known kind.

    Each new document is compared with the nearest known ones of a kind. Those that stray most are
    flagged: in expectation at most a share --fdr of them is of a known kind after all. More are
    likely unexpected, without that promise. Similar ones form groups; a group can become a known
    kind in the next run.

    Example:

    **onesided unexpected --known known/ --new new.csv --report report.html**
    """
    from onesided import tables, unexpected  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = out or Path(f"{tables.table_name(new)}-unexpected.csv")
    sources = [path for path in (known, new, previous) if path]
    check_table(out, sources, safe=for_spreadsheet)
    if save_known:
        _check_saved(save_known, out, sources)
        unexpected.known_columns(id_column, kind or "", text or ())
    if report:
        _check_page(report, sources)
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
            delimiter=delimiter,
            on_read=_say_read,
            on_progress=tell,
        )
    say(str(found))
    write = partial(tables.write_table, format_path=out, for_spreadsheet=for_spreadsheet)
    writers: dict[Path, Callable[[Path], None]] = {out: partial(write, found.listed)}
    written = {"documents": out}
    if save_known:
        written["known"] = save_known
        writers[save_known] = partial(
            tables.write_table, found.known_table(), format_path=save_known
        )
    result = None
    if report or run.as_json:
        result = found.report(run.command)
        pages = report_files(result, report)
        writers |= pages
        written |= dict(zip(("report", "report_data"), pages, strict=False))
    run.write(writers)
    for name, path in (("Known documents", save_known), ("Report", report)):
        if path:
            say(f"{name}: {path}")
    run.end("New documents:", str(out), result, written)


def _check_saved(path: Path, out: Path, sources: list[Path]) -> None:
    """Refuse a table of known documents that cannot be written, or is the result too."""
    check_table(path, sources, safe=False)
    if path.resolve() == out.resolve():
        raise TableError(
            f"{str(out)!r} would hold both the result and the known documents.",
            "Pass another name: --save-known FILE.",
        )


def _check_page(page: Path, sources: list[Path]) -> None:
    """Refuse a report that cannot be written, or lies among the documents."""
    for source in sources:
        if source.is_dir() and source.resolve() in page.resolve().parents:
            raise TableError(
                f"{str(page)!r} lies in the input folder {str(source)!r}, where the next run "
                "may read it as a document.",
                "Write it into another folder: --report.",
            )
        check_report(page, source)


def _kinds(given: Iterable[str]) -> dict[int, str]:
    """Kinds by number of a group, from GROUP=KIND."""
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
    of_kinds = f", of {known.n_kinds:,} kinds" if known.n_kinds > 1 else ""
    if of_kinds and known.kind:
        of_kinds += f" (column {known.kind})"
    say(f"{known.name}: {len(known):,} known documents{of_kinds}")
    say(f"{new.name}: {len(new):,} new documents")
