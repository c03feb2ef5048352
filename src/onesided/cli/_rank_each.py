"""`onesided rank --positive-each`: each value of a column is positive in turn."""

import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from onesided._notes import gathered_warnings
from onesided._text import as_option
from onesided.cli._completion import complete_column
from onesided.cli._options import Learning, Running
from onesided.cli._results import EachResult
from onesided.cli._run import current_run
from onesided.cli._say import say_each_problem, say_left_out, say_value
from onesided.cli._talk import stages, warn
from onesided.exceptions import TableError

_VALUES = {
    "--report": " report.html",
    "--gains": " gains.csv",
    "--recall": " 0.95",
    "--scenario": " case-control",
}
"""What a person may write after an option."""

PositiveEach: TypeAlias = Annotated[
    str,
    typer.Option(
        help=(
            "Rank once for each value of this column, for example for each species: rows with the "
            "value are positive, all other rows are unlabeled. With --positive, only rows that "
            "are positive in that column count as records of a value."
        ),
        metavar="COLUMN",
        autocompletion=complete_column,
    ),
]


def refuse_beside(column: str, given: Mapping[str, object]) -> None:
    """Refuse options that are about one ranking.

    Parameters
    ----------
    column : whose values are positive in turn
    given : values of such options, by their arguments

    Raises
    ------
    TableError : with the first that is given
    """
    for argument, value in given.items():
        if value:
            name = as_option(argument, value=True)
            raise TableError(
                f"{name} works for one ranking, but --positive-each makes several.",
                f"Leave {name} out, or rank by one value at a time: --positive "
                f"{shlex.quote(column + '=NAME')} {name}{_VALUES.get(name, '')}.",
            )


def rank_each(
    table: Path,
    column: str,
    reading: Mapping[str, Any],
    learning: Learning,
    running: Running,
    top: int | None,
    outputs: Mapping[Path, Callable[..., None]],
) -> None:
    """Rank the other rows by each value, and write one table.

    Parameters
    ----------
    table, column, learning, running, top : as the options say
    reading : further arguments of `read_each`
    outputs : the file to write, and what writes it
    """
    from onesided import ranking  # noqa: PLC0415 - help does not pay for it

    ((out, write),) = outputs.items()
    with (
        gathered_warnings() as notes,
        ranking.fits_elsewhere(running.workers, running.cluster),
        stages() as on_progress,
    ):
        given = ranking.read_each(table, column, **reading)
        say_each_problem(given)
        found = ranking.rank_each(
            given,
            methods=learning.method or (),
            class_prior=learning.class_prior,
            top=top,
            random_state=learning.seed,
            on_progress=on_progress,
            on_value=say_value,
        )
    for note in dict.fromkeys((*notes, *found.notes)):
        warn(note)
    say_left_out(found)
    current_run().write({out: partial(write, found.table, format_path=out)})
    result = EachResult(form="each", column=column, values=found.values, left_out=found.left_out)
    current_run().end("Rankings:", str(out), result, {"ranking": out})
