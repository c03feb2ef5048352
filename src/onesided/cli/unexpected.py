"""`onesided unexpected`: new documents that belong to no known kind."""

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided.cli._completion import complete_column
from onesided.cli._options import READING, Delimiter, ForSpreadsheet, check_report, read_share
from onesided.cli._run import current_run, verb
from onesided.cli._talk import progress, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from onesided.reporting import UnexpectedReport
    from onesided.tables import Documents, Unexpected

_PANEL = "Groups that become known kinds"
_MOST_SHOWN = 10
_MOST_COLUMNS = 3  # that may hold kinds, and are named


@verb
def unexpected(  # noqa: PLR0913 - each is an option
    known: Annotated[
        Path,
        typer.Option(
            help="Documents of known kinds: a folder of text files, whose sub-folders are kinds, "
            "or a CSV, TSV, Parquet or JSON-lines table.",
            metavar="FOLDER|TABLE",
        ),
    ],
    new: Annotated[
        Path,
        typer.Option(help="Documents to search: a folder or a table.", metavar="FOLDER|TABLE"),
    ],
    fdr: Annotated[
        float,
        typer.Option(
            parser=read_share,
            help="Share of known kinds among the flagged, at most, in expectation.",
            metavar="SHARE",
        ),
    ] = 0.1,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Column of kinds of the known table, '' for none. Default: the one column of few "
            "values that only the known have, if there is one.",
            metavar="COLUMN",
            autocompletion=complete_column,
            show_default=False,
            rich_help_panel=READING,
        ),
    ] = None,
    id_column: Annotated[
        str,
        typer.Option(
            "--id",
            help="Column that names the documents.",
            metavar="COLUMN",
            autocompletion=complete_column,
            rich_help_panel=READING,
        ),
    ] = "",
    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of text. Repeatable. Default: columns whose cells hold several words.",
            metavar="COLUMN",
            autocompletion=complete_column,
            rich_help_panel=READING,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Table to write, .csv, .tsv or .parquet. Default: NEW-unexpected.csv, here.",
            metavar="FILE",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Report to write, one self-contained .html page.", metavar="FILE"),
    ] = None,
    previous: Annotated[
        Path | None,
        typer.Option(
            help="Table of an earlier run, for --make-known.",
            metavar="FILE",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    make_known: Annotated[
        list[str] | None,
        typer.Option(
            help="Group of --previous whose documents are known from now on. Repeatable.",
            metavar="GROUP=KIND",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    save_known: Annotated[
        Path | None,
        typer.Option(
            help="Table to write the known documents to, for the next --known.",
            metavar="FILE",
            rich_help_panel=_PANEL,
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
    from onesided import tables  # noqa: PLC0415 - help does not pay for it
    from onesided.promises import check_fdr  # noqa: PLC0415

    run = current_run()
    check_fdr(fdr)
    out = out or Path(f"{tables.table_name(new)}-unexpected.csv")
    if for_spreadsheet:
        tables.check_for_spreadsheet(out)
    _check_outputs(out, save_known, report, sources=filter(None, (known, new, previous)))
    names = (id_column or "id", kind or "kind", text[0] if text else "text")
    if save_known:
        _check_names(names)
    wanted = _wanted(previous, make_known or [])
    read = partial(
        tables.read_documents, text=text or [], identifier=id_column, delimiter=delimiter
    )
    with progress("reading"):
        of_known, of_new, kind = _read_both(read, known, new, kind)
    names = (names[0], kind or "kind", names[2])
    n_before = len(of_known)
    if previous:
        kinds = tables.kinds_of_groups(previous, wanted)
        of_known, of_new = tables.make_known(of_known, of_new, kinds)
    _say_read(known, of_known, new, of_new, kind=kind)
    with progress("comparing documents"):
        found = tables.find_unexpected(of_known, of_new, fdr=fdr, n_added=len(of_known) - n_before)
    notes = [*_notes_of_kinds(known, of_known, of_new), *_notes(found, fdr)]
    _say_found(found, fdr)
    for note in notes:
        say(f"note: {note}")

    table = found.table.slice(0, top) if top else found.table
    writers: dict[Path, Callable[[Path], None]] = {
        out: partial(tables.write_table, table, format_path=out, for_spreadsheet=for_spreadsheet)
    }
    written = {"documents": out}
    if save_known:
        written["known"] = save_known
        writers[save_known] = partial(
            tables.write_table, of_known.to_table(*names), format_path=save_known
        )
    result: UnexpectedReport | None = None
    if report or run.as_json:
        from onesided.reporting import (  # noqa: PLC0415
            FlaggedDocuments,
            report_writers,
            summarize_unexpected,
        )

        of_kind = of_known.kinds or [""] * len(of_known)
        result = summarize_unexpected(
            FlaggedDocuments(
                name=new.resolve().name,
                n_known=len(of_known),
                n_kinds=len(set(of_known.kinds or [])),
                table=found.table,
                texts=[of_new.texts[i] for i in found.rows],
                nearest_kinds=[of_kind[i] for i in found.nearest],
                known_scores=found.known_scores,
                new_scores=found.new_scores,
                fdr=fdr,
                estimated=found.estimated,
                differs=found.differs,
                groups=[(each.words, each.ids) for each in found.groups],
                kinds=found.kinds,
                notes=notes,
                command=run.command,
            )
        )
        if report:
            of_report = report_writers(result, report)
            writers |= of_report
            written |= dict(zip(("report", "report_data"), of_report, strict=True))
    run.write(writers)
    for name, path in (("Known documents", save_known), ("Report", report)):
        if path:
            say(f"{name}: {path}")
    run.end("New documents:", str(out), result, written)


def _check_outputs(
    out: Path, save_known: Path | None, report: Path | None, *, sources: "Iterable[Path]"
) -> None:
    from onesided import tables  # noqa: PLC0415
    from onesided.exceptions import TableError  # noqa: PLC0415

    for source in sources:
        for path in filter(None, (out, save_known)):
            tables.check_writable(path, tables.RANKING_ENDINGS, source=source)
        if report:
            if source.is_dir() and source.resolve() in report.resolve().parents:
                raise TableError(
                    f"{str(report)!r} lies in the input folder {str(source)!r}, where the next run "
                    "may read it as a document.",
                    "Write it into another folder: --report.",
                )
            check_report(report, source)
    if save_known and save_known.resolve() == out.resolve():
        raise TableError(
            f"{str(out)!r} would be both the result and the known documents.",
            "Pass another name: --save-known FILE.",
        )


def _check_names(names: tuple[str, ...]) -> None:
    """Columns of the known documents that are saved."""
    from onesided.exceptions import TableError  # noqa: PLC0415

    for name in names:
        if names.count(name) > 1:
            raise TableError(
                f"The table of known documents would have two columns {name!r}.",
                "Pass other columns as --id, --kind and --text, or leave --save-known out.",
            )


def _wanted(previous: Path | None, make_known: list[str]) -> dict[int, str]:
    """Kinds by number of a group."""
    from onesided.exceptions import TableError  # noqa: PLC0415

    if make_known and not previous:
        raise TableError(
            "--make-known needs to know which documents the group holds.",
            "Pass the table of the earlier run: --previous FILE.",
        )
    if previous and not make_known:
        raise TableError(
            "--previous is for --make-known, which is not there.",
            "Name a group of it: --make-known 1=KIND.",
        )
    wanted: dict[int, str] = {}
    for each in make_known:
        number, _, name = each.partition("=")
        if not (number.strip().isdecimal() and name.strip()):
            raise TableError(
                f"--make-known {each!r} is not a number of a group and a kind.",
                "Write 1=spam for example.",
            )
        if wanted.setdefault(int(number), name.strip()) != name.strip():
            raise TableError(
                f"Group {int(number)} is to become both {wanted[int(number)]!r} and "
                f"{name.strip()!r}.",
                "Give each group one kind.",
            )
    return wanted


def _say_read(
    known: Path, of_known: "Documents", new: Path, of_new: "Documents", *, kind: str
) -> None:
    kinds = len(set(of_known.kinds)) if of_known.kinds else 0
    of_kinds = f", of {kinds:,} kinds" if kinds > 1 else ""
    if of_kinds and kind:
        of_kinds += f" (column {kind})"
    say(f"{known.resolve().name}: {len(of_known):,} known documents{of_kinds}")
    say(f"{new.resolve().name}: {len(of_new):,} new documents")


def _say_found(found: "Unexpected", fdr: float) -> None:
    say(f"Of no known kind: about {found.estimated:,.0f} of the new documents, estimated")
    if found.differs:
        promise = f"more than {fdr:.0%} of them may be of a known kind: see the note"
    else:
        promise = f"at most {fdr:.0%} of them of a known kind, if new ones of it are like the known"
    say(f"  flagged  {found.n_flagged:>6,}  {promise}")
    say(f"  likely   {found.n_likely:>6,}  without that promise")
    shown = max(found.n_flagged, min(found.n_likely, _MOST_SHOWN))
    for row in found.table.slice(0, min(shown, _MOST_SHOWN)).to_pylist():
        say(f"  {row['rank']:>4}  {row['id']}: {row['words'] or ''}")
    for group in found.groups[:_MOST_SHOWN]:
        say(f"  group {group.number}, {group.n_documents:,} documents: {' '.join(group.words)}")
    for name, n in found.kinds.items():
        say(f"  of kind {name or '(no name)'}: {n:,}")


def _read_both(
    read: "Callable[..., Documents]", known: Path, new: Path, kind: str | None
) -> "tuple[Documents, Documents, str]":
    """Known and new documents, and the column of kinds.

    Where none is named, it is the one column of few values that only the known have.
    """
    of_known = read(known, kind=kind or "")
    of_new = read(new, like=of_known.columns, folders_are_kinds=False)
    found = [name for name in of_known.kind_like if name not in of_new.kind_like]
    if kind is None and len(found) == 1 and of_known.kinds is None:
        return read(known, kind=found[0]), of_new, found[0]
    return of_known, of_new, kind or ""


def _notes_of_kinds(known: Path, of_known: "Documents", of_new: "Documents") -> list[str]:
    """Which columns may hold the kinds, those first that only the known have."""
    only_known = [name for name in of_known.kind_like if name not in of_new.kind_like]
    found = only_known or [*of_known.kind_like]
    if not found or of_known.kinds is not None:
        return []
    options = " or ".join(f"--kind {shlex.quote(name)}" for name in found[:_MOST_COLUMNS])
    note = f"All known documents count as one kind. If a column of {known.name} holds their kinds, "
    return [f"{note}name it: {options}."]


def _notes(found: "Unexpected", fdr: float) -> list[str]:
    """What a reader must know of the result, a sentence or two each."""
    notes = []
    if found.differs:
        notes.append(
            "The new documents of known kinds differ from the known ones as a whole (p = "
            f"{found.exchangeable:.1g}), as they do when they are of another time or source; more "
            "of the flagged may be of a known kind than promised."
        )
    if not found.n_flagged:
        least = min(found.table["adjusted_p_value"].to_pylist())
        together = (
            f" By the number of known documents at least {found.fewest_flagged:,} new ones must "
            f"stand out together to be flagged at --fdr {fdr:g}."
        )
        notes.append(
            f"None is flagged; the smallest adjusted p-value is {least:.2g}."
            + together * (found.fewest_flagged > 1)
        )
    if found.n_wordless:
        notes.append(
            f"New documents without any word: {found.n_wordless:,}. Nothing can be said of them; "
            "they stand last."
        )
    if found.n_ungrouped:
        notes.append(
            f"{found.n_ungrouped:,} documents further down were too many to be put into groups."
        )
    return notes
