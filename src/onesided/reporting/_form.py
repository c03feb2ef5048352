"""Whether a value has the form of the dictionary of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from onesided._candidates import CutPoint
from onesided.reporting._panel import Panel
from onesided.reporting.panels import PAGES

_LARGEST = (1 << 63) - 1  # a larger whole number cannot be drawn


def misfit_of_report(found: Any, panels: Sequence[Panel] = ()) -> str:
    """The first place where a value differs from the dictionary of a report, in words; or "".

    Parameters
    ----------
    found : a value of any kind
    panels : panels of other packages, whose facts may be part of the report
    """
    form = found.get("form") if isinstance(found, dict) else None
    if not isinstance(form, str) or form not in PAGES:
        return "its form is not known"
    kinds = [PAGES[form][0], *(panel.form for panel in panels if panel.form)]
    fields = {name: each for kind in kinds for name, each in _fields(kind, found).items()}
    unknown = [name for name in found.keys() - fields if isinstance(found[name], dict)]
    known = {name: each for name, each in found.items() if name not in unknown}
    return _misfit_of_object(known, fields, "report")


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
