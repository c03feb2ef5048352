"""The two files of a report: the page and its data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path

from onesided._files._find import as_path
from onesided._files._json_file import read_json
from onesided._text import argument, as_json
from onesided.exceptions import TableError
from onesided.reporting._charts import check_drawable
from onesided.reporting._form import misfit_of_report
from onesided.reporting._page import render
from onesided.reporting._panel import Panel
from onesided.reporting.panels import AnyReport
from onesided.tables import REPORT_ENDINGS, check_writable, write_text

_ANOTHER = "Pass the .json file that this version of onesided wrote beside a report."


def data_path(page: str | PathLike[str]) -> Path:
    """The path of the file with the data of a page: a .json file in the same folder.

    Raises
    ------
    TableError : if another file has this name and would be lost

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.reporting import data_path
    >>> data_path(Path("genes.html")).name
    'genes.json'
    """
    page = as_path(page, "page")
    path = page.with_suffix(".json")
    if path.is_dir() or (path.exists() and not _is_report(path)):
        raise TableError(
            f"The data of the report {page.name!r} would overwrite {str(path)!r}, which is "
            "not the data of a report.",
            "Pass another name for the report.",
        )
    return path


def check_page(page: str | PathLike[str], sources: Iterable[Path] = ()) -> None:
    """Raise an error before the long work if the page or its .json file cannot be written.

    Parameters
    ----------
    page : path of the page, .html
    sources : paths of the inputs, which must not be overwritten

    Raises
    ------
    TableError : if one of the two files cannot be written, or would replace another file; or if
        there is too little address space to draw the pictures

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.reporting import check_page
    >>> check_page(Path("sizes.html"))
    >>> check_page(Path("sizes.pdf"))
    Traceback (most recent call last):
        ...
    onesided.exceptions.TableError: 'sizes.pdf' does not end in .html or .htm. Pass a name whose
        ending says what to write.
    """
    page = as_path(page, "page")
    given: list[Path | None] = [*sources]
    for source in given or [None]:
        check_writable(page, REPORT_ENDINGS, source=source)
        check_writable(data_path(page), (".json",), source=source, option=argument("report"))
    check_drawable()


def report_writers(
    report: AnyReport, page: str | PathLike[str], panels: Sequence[Panel] | None = None
) -> dict[Path, Callable[[Path], None]]:
    """For each file of a report, a function that writes this file; for `tables.write_files`.

    Parameters
    ----------
    report : the dictionary that `summarize` makes
    page : path of the page, .html
    panels : the panels of the page, as in `render`

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.reporting import report_writers, summarize_unexpected
    >>> from onesided.unexpected import Documents, compare_documents
    >>> known = Documents(["k1", "k2", "k3"], ["late parcel", "lost parcel", "parcel is late"])
    >>> new = Documents(["n1", "n2"], ["the parcel is lost", "my account was hacked"])
    >>> report = summarize_unexpected(compare_documents(known, new))
    >>> [path.name for path in report_writers(report, Path("letters.html"))]
    ['letters.html', 'letters.json']
    """
    page, text = as_path(page, "page"), render(report, panels)
    return {
        page: partial(write_text, text),
        data_path(page): partial(write_text, as_json(report) + "\n"),
    }


def read_report(path: str | PathLike[str], panels: Sequence[Panel] | None = None) -> AnyReport:
    """Read the dictionary of a report from its file.

    Parameters
    ----------
    path : path of the data
    panels : the panels of the page, as in `render`. The facts of an unknown panel are kept
        unchecked if they are a dictionary under one key

    Raises
    ------
    TableError : if the file does not hold the data of a report of this version; the message names
        the first place that differs

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.reporting import read_report, summarize_unexpected
    >>> from onesided.tables import as_json, write_text
    >>> from onesided.unexpected import Documents, compare_documents
    >>> known = Documents(["k1", "k2", "k3"], ["late parcel", "lost parcel", "parcel is late"])
    >>> new = Documents(["n1", "n2"], ["the parcel is lost", "my account was hacked"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "letters.json"
    ...     write_text(as_json(summarize_unexpected(compare_documents(known, new))), path)
    ...     report = read_report(path)
    >>> report["form"], report["n_new"]
    ('unexpected', 2)
    """
    found = read_json(as_path(path, "path"), "The file", _ANOTHER)
    if place := misfit_of_report(found, panels or ()):
        raise TableError(f"{str(path)!r} is not the data of a report: {place}.", _ANOTHER)
    checked: AnyReport = found
    return checked


def _is_report(path: Path) -> bool:
    """Whether a file begins like the data of a report."""
    with path.open("rb") as opened:
        return opened.read(40).startswith(b'{"form": "')
