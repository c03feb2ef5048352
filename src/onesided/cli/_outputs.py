"""What a verb writes: checked before the work, and how each file is written after it."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from onesided.exceptions import TableError

if TYPE_CHECKING:
    from onesided.reporting import Report, UnexpectedReport

Writer: TypeAlias = Callable[[Path], None]
File: TypeAlias = tuple[Path, Writer]
"""A path, and what writes a file to the path that it is given."""


def check_outputs(
    sources: Iterable[Path | None],
    tables: Mapping[str, Path | None],
    *,
    report: Path | None = None,
    picture: Path | None = None,
    apart_from: Mapping[str, Path] | None = None,
    safe: bool = False,
) -> None:
    """Refuse before the work what cannot be written after it.

    Parameters
    ----------
    sources : the inputs, None for an input that is not given
    tables : tables to be written by their options, None for a table that is not written
    report : page to be written
    picture : picture to be written, .svg or .png
    apart_from : other outputs by their options, of which no table may have the name
    safe : whether a spreadsheet is to open the tables

    Raises
    ------
    TableError : if two tables have one name, or an output cannot be written
    """
    from onesided import tables as library  # noqa: PLC0415 - help does not pay for it

    given = [source for source in sources if source]
    written = {option: path for option, path in tables.items() if path}
    _check_distinct({**(apart_from or {}), **written})
    for path in written.values():
        if safe:
            library.check_for_spreadsheet(path)
        for source in given:
            library.check_writable(path, library.RANKING_ENDINGS, source=source)
    if report or picture:
        from onesided import reporting  # noqa: PLC0415 - it loads the charts

        if picture:
            for source in given:
                library.check_writable(picture, (".svg", ".png"), source=source)
            reporting.check_drawable()
        if report:
            reporting.check_page(report, given)


def _check_distinct(outputs: Mapping[str, Path]) -> None:
    """Refuse two outputs of one name, of which one would be lost."""
    named: dict[Path, str] = {}
    for option, path in outputs.items():
        other = named.setdefault(path.resolve(), option)
        if other != option:
            raise TableError(
                f"{other} and {option} both name {str(path)!r}.", "Give each output its own name."
            )


def table_file(path: Path, table: Any, *, safe: bool = False) -> File:
    """A table as a file; `safe` says whether a spreadsheet is to open it."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    return path, partial(tables.write_table, table, format_path=path, for_spreadsheet=safe)


def report_files(found: "Report | UnexpectedReport", page: Path) -> dict[str, File]:
    """The page of a report and its data as files."""
    from onesided import reporting  # noqa: PLC0415 - it loads the charts

    writers = reporting.report_writers(found, page)
    return dict(zip(("report", "report_data"), writers.items(), strict=True))
