"""What a shell is told when the tab key is pressed: columns of the table on the line, methods.

Nothing of this may load the learners, since a shell waits for it.
"""

import json
import shlex
from pathlib import Path
from typing import Any

import typer

from onesided.methods import method_names

_TABLES = ("table", "known")  # what an argument or option with a table is called
_DELIMITERS = ",\t;|"


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
        names = _columns(Path(given[0]))
    except Exception:  # noqa: BLE001 - no error is of use while one types
        return []
    return [name for name in names if name.startswith(incomplete) and shlex.quote(name) == name]


def _columns(path: Path) -> list[str]:
    """Names in the header of a table, or of the first part of a folder."""
    import csv  # noqa: PLC0415 - help does not pay for it
    import gzip  # noqa: PLC0415

    if path.is_dir():
        path = min(part for part in path.iterdir() if not part.name.startswith((".", "_")))
    name = path.name.lower()
    if name.endswith((".parquet", ".pq")):
        import pyarrow.parquet as pq  # noqa: PLC0415 - only where there is one

        return list(pq.read_schema(path).names)
    opened: Any = gzip.open if name.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig") as file:
        first = file.readline(1_000_000)
    if name.removesuffix(".gz").endswith((".jsonl", ".ndjson", ".json")):
        return list(json.loads(first))
    delimiter = max(_DELIMITERS, key=first.count)
    return next(csv.reader([first], delimiter=delimiter))
