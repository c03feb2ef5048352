"""Descriptions of parameters where readers look for them.

Docstrings say what a parameter is on its own line, ``name : what it is``, as types stand in the
signature. numpydoc takes that for a type, and sets the first line apart from the rest.
"""

from itertools import zip_longest
from typing import Any

from sphinx.application import Sphinx

SECTIONS = {"Parameters", "Attributes", "Raises", "Warns"}


def describe_below(lines: list[str]) -> list[str]:
    """The lines of a docstring with what a name is in the lines below it."""
    found: list[str] = []
    section = ""
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        if below and set(below.strip()) == {"-"}:
            section = line.strip()
        name, is_described, what = line.partition(" : ")
        if section in SECTIONS and is_described and not line.startswith(" "):
            found += [name, f"    {what}"]
        else:
            found.append(line)
    return found


def change(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: Any) -> None:
    """Change the docstring in its place, before numpydoc does."""
    lines[:] = describe_below(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of it."""
    app.connect("autodoc-process-docstring", change, priority=400)
    return {"parallel_read_safe": True}
