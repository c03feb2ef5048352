"""Outputs of a command: checks before the work, and the files that are written after it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from onesided.exceptions import TableError

if TYPE_CHECKING:
    from onesided.ranking import Problem, Ranking
    from onesided.reporting import Page

Writer: TypeAlias = Callable[[Path], None]
File: TypeAlias = tuple[Path, Writer]
"""The path of an output, and a function that writes the output to a given path."""


def check_outputs(
    sources: Sequence[Path],
    tables: Mapping[str, Path | None],
    *,
    report: Path | None = None,
    picture: Path | None = None,
    apart_from: Mapping[str, Path | None] | None = None,
    safe: bool = False,
    records: str = "",
) -> None:
    """Raise an error before the work if an output cannot be written.

    Parameters
    ----------
    sources : inputs, which no output may replace
    tables : path of each output table, by its option; None for an output that is not wanted. All
        paths must be different
    report, picture : paths of the report and of the picture; None if they are not wanted
    apart_from : other outputs, by their option, whose paths no table may have
    safe : whether a spreadsheet must be able to open each table safely
    records : option that may also name a file of reference records
    """
    from onesided import tables as library  # noqa: PLC0415 - help does not pay for it

    written = {option: path for option, path in tables.items() if path}
    _check_distinct({**(apart_from or {}), **written})
    for option, path in written.items():
        if safe:
            library.check_for_spreadsheet(path)
        endings = (*library.RANKING_ENDINGS, *[library.RIS_ENDING] * (option == records))
        for source in sources:
            library.check_writable(path, endings, source=source)
    if report or picture:
        from onesided import reporting  # noqa: PLC0415 - it loads the charts

        if picture:
            for source in sources:
                library.check_writable(picture, (".svg", ".png"), source=source)
            reporting.check_drawable()
        if report:
            reporting.check_page(report, sources)


def check_page(page: Path | None, sources: Sequence[Path]) -> None:
    """Raise an error before the work if a page cannot be written."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    for source in sources if page else ():
        tables.check_writable(page or source, tables.REPORT_ENDINGS, source=source)


def is_ris(path: Path | None) -> bool:
    """Whether the ending of a path says that the file holds reference records."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    return path is not None and path.suffix.lower() == tables.RIS_ENDING


def _check_distinct(outputs: Mapping[str, Path | None]) -> None:
    """Raise an error if two outputs have the same path, because one of them would be lost."""
    named: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        other = named.setdefault(path.resolve(), option)
        if other != option:
            raise TableError(
                f"{other} and {option} both name {str(path)!r}.", "Give each output its own name."
            )


def table_file(path: Path, table: Any, *, safe: bool = False) -> File:
    """Return a table as an output file; if `safe` is true, a spreadsheet can open it safely."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    return path, partial(tables.write_table, table, format_path=path, for_spreadsheet=safe)


def check_records(path: Path, problem: "Problem") -> None:
    """Raise an error if an output of reference records is wanted for a table without records."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if is_ris(path) and not tables.holds_records(problem):
        raise TableError(
            f"{path.name!r} would hold reference records, but {problem.name!r} holds none.",
            "Write the ranking as a table: --out FILE.csv.",
        )


def ranking_file(path: Path, found: "Ranking", *, safe: bool) -> File:
    """Return a ranking as an output file: a table, or reference records in the ranked order."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if is_ris(path):
        n_ranked = found.table.num_rows
        return path, partial(tables.write_ris, found.problem, found.listed, n_ranked=n_ranked)
    return table_file(path, found.listed, safe=safe)


def report_files(found: "Page", path: Path) -> dict[str, File]:
    """Return the page of a report and the data of the report as output files."""
    return dict(zip(("report", "report_data"), found.writers(path).items(), strict=True))
