"""Descriptions, types and defaults of parameters where readers look for them.

Docstrings say what a parameter is on its own line, ``name : what it is``, as types and defaults
stand in the signature. Here the two come together: the line of a name says its type and its
default, and what the name is stands below.
"""

import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from os import PathLike
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import ArrayLike
from sphinx.application import Sphinx

SECTIONS = {"Parameters", "Attributes", "Raises", "Warns"}
KINDS = {np.float64: "floats", np.int64: "integers", np.bool_: "booleans"}
OF_ONE = {
    Collection: "collection",
    Iterable: "iterable",
    Sequence: "sequence",
    list: "list",
    tuple: "tuple",
}
OTHERS = {Callable: "function", Mapping: "mapping", PathLike: "path", dict: "dict"}


def in_words(kind: Any) -> str:
    """A type as a reader would say it: ``int`` or ``None``; empty if any value is meant."""
    if kind in (inspect.Parameter.empty, Any, object):
        return ""
    if kind == ArrayLike:
        return "array-like"
    if typing.get_origin(kind) is None:
        return f"``{'None' if kind is types.NoneType else getattr(kind, '__name__', kind)}``"
    return with_parts(kind)


def with_parts(kind: Any) -> str:
    """A type that is made of others, in words."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is np.ndarray:
        return f"array of {KINDS[of]}" if (of := typing.get_args(parts[1])[0]) in KINDS else "array"
    if origin is Literal:
        return " or ".join(f"``{value!r}``" for value in parts)
    if origin in (Union, types.UnionType):
        rest = set(parts) - set(typing.get_args(ArrayLike))
        is_array = set(typing.get_args(ArrayLike)) <= set(parts)
        said = ["array-like"] * is_array + [
            in_words(part) for part in parts if not is_array or part in rest
        ]
        return " or ".join(dict.fromkeys(said)) if all(said) else ""
    of = {said for part in parts if part is not Ellipsis and (said := in_words(part))}
    is_plain = len(of) == 1 and origin in OF_ONE
    word = OF_ONE.get(origin) or OTHERS.get(origin) or f"``{origin.__name__}``"
    return f"{word} of {of.pop()}" if is_plain else word


def types_and_defaults(described: Any) -> dict[str, str]:
    """Of each parameter of a function or class its type and its default, in words."""
    try:
        signature = inspect.signature(described, eval_str=True)
    except NameError:  # a type that only type checkers import is said as it is written
        signature = inspect.signature(described)
    except (TypeError, ValueError):
        return {}
    said = {}
    for each in signature.parameters.values():
        has_default = each.default is not inspect.Parameter.empty
        default = f"default ``{each.default!r}``" if has_default else ""
        said[each.name] = ", ".join(filter(None, [in_words(each.annotation), default]))
    return said


def describe_below(lines: list[str], told: Mapping[str, str]) -> list[str]:
    """The lines of a docstring with what a name is in the lines below it.

    Parameters
    ----------
    lines : of the docstring
    told : type and default by name
    """
    found: list[str] = []
    section = ""
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        if below and set(below.strip()) == {"-"}:
            section = line.strip()
        name, is_described, what = line.partition(" : ")
        if section in SECTIONS and is_described and not line.startswith(" "):
            kind = told.get(name.partition(",")[0].strip("*"), "")
            found += [f"{name} : {kind}" if kind else name, f"    {what}"]
        else:
            found.append(line)
    return found


def change(_app: Sphinx, _what: str, _name: str, described: Any, _options: Any, lines: Any) -> None:
    """Change the docstring in its place, before numpydoc does."""
    lines[:] = describe_below(lines, types_and_defaults(described))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of it."""
    app.connect("autodoc-process-docstring", change, priority=400)
    return {"parallel_read_safe": True}
