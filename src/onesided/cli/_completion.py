"""What a shell is told when the tab key is pressed: columns of the table on the line, methods.

Nothing of this may load the learners, since a shell waits for it.
"""

import shlex
from pathlib import Path

import typer

from onesided.formats import column_names
from onesided.methods import method_names

_TABLES = ("table", "known")  # what an argument or option with a table is called


def complete_method(incomplete: str) -> list[str]:
    """Names of methods."""
    return [name for name in method_names() if name.startswith(incomplete)]


def complete_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Columns of the table that is on the line already, but those that a shell would split."""
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
