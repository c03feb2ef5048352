"""What a shell offers when a person presses the tab key: columns of the table, and methods.

None of it may load the learners, since the shell waits.
"""

import shlex
from pathlib import Path

import typer

from onesided.formats import column_names
from onesided.methods import method_names

_TABLES = ("table", "known")  # what an argument or option with a table is called


def complete_method(incomplete: str) -> list[str]:
    """Return the names of methods that begin so."""
    return [name for name in method_names() if name.startswith(incomplete)]


def complete_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return columns of the table on the line, without the names that a shell would split."""
    named = [ctx.params.get(name) for name in _TABLES]
    # Where the last option still lacks its value, the arguments are not yet told apart.
    given = [*(str(each) for each in named if isinstance(each, (str, Path))), *reversed(ctx.args)]
    if not given:
        return []
    try:
        names = column_names(Path(given[0]))
    except Exception:  # noqa: BLE001 - no error is of use while one types
        return []
    return [name for name in names if name.startswith(incomplete) and shlex.quote(name) == name]
