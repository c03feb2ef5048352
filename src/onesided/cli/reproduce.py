"""`onesided reproduce`: a paper's tables and figures from data that the user has."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onesided.cli._run import current_run, verb
from onesided.cli._talk import progress, say

if TYPE_CHECKING:
    from onesided.cli._results import ReproduceResult

_PAPER, _AVERAGE = "_paper", "average"  # as `onesided.reproduce` names columns, and a row


class Paper(StrEnum):
    """The papers that can be reproduced."""

    calvo2007 = "calvo2007"
    geurts2011 = "geurts2011"
    lee2003 = "lee2003"
    lgn2007 = "lgn2007"
    vomlel2004 = "vomlel2004"


@verb
def reproduce(
    paper: Annotated[Paper, typer.Argument(help="Which paper.")],
    data: Annotated[
        Path, typer.Option(help="Folder of the data sets, as .parquet files.", metavar="FOLDER")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write the results of this paper on these data to. Default: named after "
            "the paper, here.",
            metavar="FOLDER",
        ),
    ] = None,
    *,
    draws: Annotated[
        int | None,
        typer.Option(
            help="Draws of each problem; of geurts2011, deals of the folds. Default: as in the "
            "paper, with --quick fewer.",
            min=1,
            metavar="N",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small part of the grid, in a few minutes.")
    ] = False,
) -> None:
    """Reproduce the tables and figures of a paper.

    Where a table has the paper's figures too, the means of both are said.

    The whole grid takes hours (that of vomlel2004 minutes, of lee2003 and lgn2007 about one hour);
    interrupted, it goes on where it was.

    Example:

    **onesided reproduce calvo2007 --data data --quick**
    """
    from onesided.exceptions import TableError  # noqa: PLC0415 - help does not pay for it
    from onesided.reproduce import PAPERS  # noqa: PLC0415

    if not data.is_dir():
        raise TableError(
            f"There is no folder {str(data)!r}.", "Pass the folder of the data: --data."
        )
    folder = out or Path(paper.value)
    with progress(f"reproducing {paper.value}") as step:
        written = PAPERS[paper.value](data, folder, quick=quick, draws=draws, on_cell=step)
    current_run().write({})
    for path in written:
        _say_beside(path)
    told: ReproduceResult = {"paper": paper.value, "files": [str(path) for path in written]}
    current_run().end(
        "Written:", "\n".join(told["files"]), told, {path.name: path for path in written}
    )


def _say_beside(path: Path) -> None:
    """The mean of each method in a table that has the paper's figures beside ours."""
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    if path.suffix != ".csv":
        return
    table = tables.read_table(path, at_least=1)
    names = [name.removesuffix(_PAPER) for name in table.column_names if name.endswith(_PAPER)]
    rows = [row for row in table.to_pylist() if _AVERAGE not in row.values()]
    for name in names:
        ours, papers = (
            sum(row[column] for row in rows) / len(rows) for column in (name, f"{name}{_PAPER}")
        )
        say(f"  {path.name}, mean of {len(rows)}: {name:<20} {ours:8.4g}  the paper {papers:8.4g}")
