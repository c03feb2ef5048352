"""Completion with the tab key in a shell: columns of the table, and names of methods.

This file must not load the learners, because the shell waits.
"""

import shlex
from pathlib import Path

import typer

from onesided.formats import column_names
from onesided.methods import method_names

_TABLES = ("table", "known")  # names of arguments and options that take a table


def complete_method(incomplete: str) -> list[str]:
    """Return the names of methods that begin with the text `incomplete`."""
    return [name for name in method_names() if name.startswith(incomplete)]


def complete_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the table on the command line that begin with the text `incomplete`.

    Names that need quotes in a shell are left out.
    """
    named = [ctx.params.get(name) for name in _TABLES]
    # While the last option has no value yet, typer has not assigned the arguments.
    given = [*(str(each) for each in named if isinstance(each, (str, Path))), *reversed(ctx.args)]
    if not given:
        return []
    try:
        names = column_names(Path(given[0]))
    except Exception:  # noqa: BLE001 - an error cannot be shown while a person types
        return []
    return [name for name in names if name.startswith(incomplete) and shlex.quote(name) == name]
