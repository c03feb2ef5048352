"""What the command line says of a verb, and its methods: ``.. verb:: rank``, ``.. method-table::``.

Both are read off the library when the pages are built, so that a new option or a new method appears
by itself.
"""

import inspect
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, ClassVar

import typer.main
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from onesided.cli.__main__ import app
from onesided.methods import find_method, method_names

VERBS = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # it is a group


class Verb(SphinxDirective):
    """The description of a verb, its arguments, and its options by group."""

    has_content = False
    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """The nodes of the page."""
        (name,) = self.arguments
        if name not in VERBS:
            raise self.error(f"The command line has no verb {name!r}.")
        return self.parse_text_to_nodes("\n".join(description(name)))


def description(name: str) -> Iterator[str]:
    """Lines of reStructuredText."""
    verb = VERBS[name]
    first = inspect.cleandoc(verb.help or "").partition("\n\n")[0]  # the page has its own example
    told = f"{first}\n\n{verb.epilog or ''}"
    yield from (as_rst(told), "", f".. program:: onesided {name}", "")
    arguments = [each for each in verb.params if each.param_type_name == "argument"]
    for argument in arguments:
        yield from ("", f"``{written(argument)}``", f"   {as_rst(argument.help or '')}", "")
    options = [each for each in verb.params if each not in arguments and each.name != "help"]
    for group in dict.fromkeys(each.rich_help_panel for each in options):
        yield from ("", f".. rubric:: {group or 'Options'}", "")
        for option in options:
            if option.rich_help_panel == group:
                yield from ("", f".. option:: {written(option)}", "", f"   {told_of(option)}", "")


def written(parameter: Any) -> str:
    """How it is typed: `--top N`."""
    kind = parameter.type_descriptor.annotation
    one_of = "|".join(kind) if inspect.isclass(kind) and issubclass(kind, StrEnum) else ""
    value = one_of or parameter.metavar or parameter.name.upper()
    if parameter.param_type_name == "argument":
        return value
    names = ", ".join(sorted(parameter.opts, key=len, reverse=True))
    return names if parameter.is_flag else f"{names} {value}"


def told_of(option: Any) -> str:
    """Its help, and what holds without it."""
    told = as_rst(option.help or "")
    if option.required:
        return f"{told} Required."
    shown = option.default not in (None, "") and not option.is_flag and "Default:" not in told
    return f"{told} Default: {option.default}." if shown else told


def as_rst(text: str) -> str:
    """Markdown as reStructuredText: code, commands and options as literals; the rest is alike."""
    text = re.sub(r"\*\*(onesided .*?)\*\*", r"``\1``", text)
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)
    parts = re.split(r"(``.*?``)", text)
    return "".join(
        part if part.startswith("``") else re.sub(r"(?<![\w-])(--[a-z][\w-]*)", r"``\1``", part)
        for part in parts
    )


class MethodTable(SphinxDirective):
    """The names of the methods, each with its class and its titles in the output."""

    def run(self) -> list[nodes.Node]:
        """The nodes of the page."""
        lines = [
            ".. list-table::",
            "   :header-rows: 1",
            "",
            "   * - name",
            "     - class",
            "     - in the output",
        ]
        for name in method_names():
            method = find_method(name)
            made_by = str(method.factory).partition(":")[2]
            learner = made_by if made_by[0].isupper() else "PUBagging"
            lines += [
                f"   * - _`{name}`",
                f"     - ``{learner}``",
                f"     - {', '.join(method.models)}",
            ]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("verb", Verb)
    app.add_directive("method-table", MethodTable)
    return {"parallel_read_safe": True}
