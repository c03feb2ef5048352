"""The two files of a report: the page and its data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from onesided._candidates import CutPoint
from onesided._files._json_file import read_json
from onesided._text import argument, as_json
from onesided.exceptions import TableError
from onesided.reporting._charts import check_drawable
from onesided.reporting._page import render
from onesided.reporting._panel import Panel
from onesided.reporting.panels import PAGES, AnyReport
from onesided.tables import REPORT_ENDINGS, check_writable, write_text

_LARGEST = (1 << 63) - 1  # a larger whole number cannot be drawn
_ANOTHER = "Pass the .json file that this version of onesided wrote beside a report."


def data_path(page: Path) -> Path:
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
    path = page.with_suffix(".json")
    if path.is_dir() or (path.exists() and not _is_report(path)):
        raise TableError(
            f"The data of the report {page.name!r} would overwrite {str(path)!r}, which is "
            "not the data of a report.",
            "Pass another name for the report.",
        )
    return path


def check_page(page: Path, sources: Iterable[Path] = ()) -> None:
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
    given: list[Path | None] = [*sources]
    for source in given or [None]:
        check_writable(page, REPORT_ENDINGS, source=source)
        check_writable(data_path(page), (".json",), source=source, option=argument("report"))
    check_drawable()


def report_writers(
    report: AnyReport, page: Path, panels: Sequence[Panel] | None = None
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
    text = render(report, panels)
    return {
        page: partial(write_text, text),
        data_path(page): partial(write_text, as_json(report) + "\n"),
    }


def read_report(path: Path, panels: Sequence[Panel] | None = None) -> AnyReport:
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
    found = read_json(path, "The file", _ANOTHER)
    form = found.get("form") if isinstance(found, dict) else None
    place = "its form is not known"
    if isinstance(form, str) and form in PAGES:
        kinds = [PAGES[form][0], *(panel.form for panel in panels or () if panel.form)]
        fields = {name: each for kind in kinds for name, each in _fields(kind, found).items()}
        unknown = [name for name in found.keys() - fields if isinstance(found[name], dict)]
        known = {name: each for name, each in found.items() if name not in unknown}
        place = _misfit_of_object(known, fields, "report")
    if place:
        raise TableError(f"{str(path)!r} is not the data of a report: {place}.", _ANOTHER)
    checked: AnyReport = found
    return checked


def _is_report(path: Path) -> bool:
    """Whether a file begins like the data of a report."""
    with path.open("rb") as opened:
        return opened.read(40).startswith(b'{"form": "')


def _misfit(value: Any, kind: Any, place: str) -> str:
    """The first place where a value does not match a type, in words; empty if it matches."""
    if is_typeddict(kind):
        fields = _fields(kind, value)
        misfit = _misfit_of_object(value, fields, place)
        return misfit or (_misfit_of_cut(value, place) if kind is CutPoint else "")
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list:
        if not isinstance(value, list):
            return f"{place} is not a list"
        return _first(_misfit(each, inner[0], f"{place}[]") for each in value)
    if origin is UnionType:
        tried = [_misfit(value, each, place) for each in inner]
        return "" if "" in tried else tried[0]
    known = value in inner if origin is Literal else _is_plain(value, kind)
    return "" if known else f"{place} is {value!r:.40}"


def _fields(kind: Any, value: Any) -> dict[str, Any]:
    """The types of an object by key, without optional keys that the value lacks."""
    optional = kind.__optional_keys__ - (value.keys() if isinstance(value, dict) else set())
    return {name: each for name, each in get_type_hints(kind).items() if name not in optional}


def _misfit_of_object(value: Any, fields: dict[str, Any], place: str) -> str:
    if not isinstance(value, dict):
        return f"{place} is not an object"
    # Panels and promises of other packages add objects, or null where they say nothing.
    value = {
        name: each
        for name, each in value.items()
        if name in fields or not (each is None or isinstance(each, dict))
    }
    if differing := fields.keys() ^ value.keys():
        return f"{place} {'lacks' if min(differing) in fields else 'has'} {min(differing)!r}"
    return _first(_misfit(value[name], fields[name], f"{place}.{name}") for name in fields)


def _misfit_of_cut(value: dict[str, Any], place: str) -> str:
    """A cut with some of the numbers that rest on one class prior, but not all of them."""
    for ends in (("", "_low", "_high"), ("_at_most",), ("_plausible",)):
        together = [name + end for name in ("positives", "precision") for end in ends]
        lacking = [name for name in together if value[name] is None]
        if 0 < len(lacking) < len(together):
            return f"{place}.{lacking[0]} is None"
    return ""


def _first(misfits: Iterable[str]) -> str:
    return next(filter(None, misfits), "")


def _is_plain(value: Any, kind: Any) -> bool:
    if isinstance(value, bool):
        return kind is bool
    if isinstance(value, int) and abs(value) > _LARGEST:
        return False
    return isinstance(value, int | float if kind is float else kind)
