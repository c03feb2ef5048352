"""What a verb writes: checked before the work, and how each file is written after it."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from onesided.exceptions import TableError

if TYPE_CHECKING:
    from onesided.ranking import Problem, Ranking
    from onesided.reporting import Page

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
    records: str = "",
) -> None:
    """Refuse outputs that cannot be written, before the work.

    `tables` has the tables by their options; None is an output that nobody asked for. No table may
    have the name of another, or of `apart_from`. A spreadsheet can open each table if `safe` holds.
    The option `records` may also name a file of reference records.
    """
    from onesided import tables as library  # noqa: PLC0415 - help does not pay for it

    given = [source for source in sources if source]
    written = {option: path for option, path in tables.items() if path}
    _check_distinct({**(apart_from or {}), **written})
    for option, path in written.items():
        if safe:
            library.check_for_spreadsheet(path)
        endings = (*library.RANKING_ENDINGS, *[library.RIS_ENDING] * (option == records))
        for source in given:
            library.check_writable(path, endings, source=source)
    if report or picture:
        from onesided import reporting  # noqa: PLC0415 - it loads the charts

        if picture:
            for source in given:
                library.check_writable(picture, (".svg", ".png"), source=source)
            reporting.check_drawable()
        if report:
            reporting.check_page(report, given)


def check_page(page: Path | None, sources: Iterable[Path]) -> None:
    """Refuse a page that cannot be written, before the work."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    for source in sources if page else ():
        tables.check_writable(page or source, tables.REPORT_ENDINGS, source=source)


def is_ris(path: Path | None) -> bool:
    """Whether a file is to hold reference records, by its ending."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    return path is not None and path.suffix.lower() == tables.RIS_ENDING


def _check_distinct(outputs: Mapping[str, Path]) -> None:
    """Refuse two outputs with one name, since one of them would be lost."""
    named: dict[Path, str] = {}
    for option, path in outputs.items():
        other = named.setdefault(path.resolve(), option)
        if other != option:
            raise TableError(
                f"{other} and {option} both name {str(path)!r}.", "Give each output its own name."
            )


def table_file(path: Path, table: Any, *, safe: bool = False) -> File:
    """Return a table as a file, which a spreadsheet can open if `safe` holds."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    return path, partial(tables.write_table, table, format_path=path, for_spreadsheet=safe)


def check_records(path: Path, problem: "Problem") -> None:
    """Refuse a file of reference records for a table that holds none."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if is_ris(path) and not tables.holds_records(problem):
        raise TableError(
            f"{path.name!r} would hold reference records, but {problem.name!r} holds none.",
            "Write the ranking as a table: --out FILE.csv.",
        )


def ranking_file(path: Path, found: "Ranking", *, safe: bool) -> File:
    """Return a ranking as a file: a table, or reference records in its order."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if is_ris(path):
        return path, partial(tables.write_ris, found.problem, found.listed)
    return table_file(path, found.listed, safe=safe)


def report_files(found: "Page", path: Path) -> dict[str, File]:
    """Return the page of a report and the data of the report as files."""
    return dict(zip(("report", "report_data"), found.writers(path).items(), strict=True))
