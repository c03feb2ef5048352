"""A report as two files, the page and its data, and the data read again."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from onesided._text import as_json
from onesided.exceptions import TableError
from onesided.reporting._page import render
from onesided.reporting._panel import Panel
from onesided.reporting.panels import PAGES, AnyReport
from onesided.tables import write_text

_ANOTHER = "Pass the .json file that this version of onesided wrote beside a report."


def data_path(page: Path) -> Path:
    """Where the data of a page stand: beside it, as .json.

    Raises
    ------
    TableError : if another file has that name, which would be lost
    """
    path = page.with_suffix(".json")
    if path.is_dir() or (path.exists() and not _is_report(path)):
        raise TableError(
            f"The data of the report {page.name!r} would overwrite {str(path)!r}, which is "
            "not the data of a report.",
            "Pass another name: --report.",
        )
    return path


def report_writers(
    report: AnyReport, page: Path, panels: Sequence[Panel] | None = None
) -> dict[Path, Callable[[Path], None]]:
    """For each file of a report what writes it, as `write_files` takes them.

    Parameters
    ----------
    report : the dictionary
    page : where the page goes, .html
    panels : of the page, as `render` takes them
    """
    text = render(report, panels)
    return {
        page: partial(write_text, text),
        data_path(page): partial(write_text, as_json(report) + "\n"),
    }


def read_report(path: Path, panels: Sequence[Panel] | None = None) -> AnyReport:
    """The dictionary of a report from its file.

    Parameters
    ----------
    path : of the data
    panels : of the page, as `render` takes them. The facts of a panel that is not here are kept
        unchecked, if they are a dictionary under one key

    Raises
    ------
    TableError : if it is none, or of another version's form, with the first place that differs
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be read: {error.strerror}.", "Pass the .json beside a report."
        ) from error
    except (ValueError, RecursionError) as error:
        raise TableError(f"{str(path)!r} is not a JSON file: {error}.", _ANOTHER) from error
    form = found.get("form") if isinstance(found, dict) else None
    place = "its form is not known"
    if isinstance(form, str) and form in PAGES:
        kinds = [PAGES[form][0], *(panel.form for panel in panels or () if panel.form)]
        fields = {name: each for kind in kinds for name, each in get_type_hints(kind).items()}
        known = {
            name: each
            for name, each in found.items()
            if name in fields or not isinstance(each, dict)
        }
        place = _misfit_of_object(known, fields, "report")
    if place:
        raise TableError(f"{str(path)!r} is not the data of a report: {place}.", _ANOTHER)
    checked: AnyReport = found
    return checked


def _is_report(path: Path) -> bool:
    """Whether a file begins as the data of a report do."""
    with path.open("rb") as opened:
        return opened.read(40).startswith(b'{"form": "')


def _misfit(value: Any, kind: Any, place: str) -> str:
    """Where a value does not have the form of a type, in words; empty where it has."""
    if is_typeddict(kind):
        return _misfit_of_object(value, get_type_hints(kind), place)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list:
        if not isinstance(value, list):
            return f"{place} is not a list"
        return next(filter(None, (_misfit(each, inner[0], f"{place}[]") for each in value)), "")
    if origin is UnionType:
        tried = [_misfit(value, each, place) for each in inner]
        return "" if "" in tried else tried[0]
    known = value in inner if origin is Literal else _is_plain(value, kind)
    return "" if known else f"{place} is {value!r:.40}"


def _misfit_of_object(value: Any, fields: dict[str, Any], place: str) -> str:
    if not isinstance(value, dict):
        return f"{place} is not an object"
    if differing := fields.keys() ^ value.keys():
        return f"{place} {'lacks' if min(differing) in fields else 'has'} {min(differing)!r}"
    inner = (_misfit(value[name], each, f"{place}.{name}") for name, each in fields.items())
    return next(filter(None, inner), "")


def _is_plain(value: Any, kind: Any) -> bool:
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float if kind is float else kind)
