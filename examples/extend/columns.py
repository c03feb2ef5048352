"""`onesided columns`: the columns of a table and their types."""

from pathlib import Path
from typing import Annotated

import typer

from onesided.cli._run import current_run, verb


@verb
def columns(
    table: Annotated[Path, typer.Argument(help="A table of any format that onesided reads.")],
) -> None:
    """List the columns of a table and their types.

    Example:

    **onesided columns genes.csv**
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    schema = tables.read_table(table).schema
    found = {column.name: str(column.type) for column in schema}
    lines = [f"{name}: {kind}" for name, kind in found.items()]
    run = current_run()
    run.write({})  # no output but the config, where --save-config asks for it
    run.end("Columns:", lambda: {"columns": found}, "\n".join(lines))
