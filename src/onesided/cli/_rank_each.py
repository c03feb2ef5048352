"""`onesided rank --positive-each`: each value of a column is positive in turn."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from onesided.cli._options import Learning, Outputs, Running, column_option
from onesided.cli._outputs import report_files, table_file
from onesided.cli._run import current_run
from onesided.cli._say import say_value
from onesided.cli._talk import say, stages, warn
from onesided.exceptions import TableError, as_option, gathered_warnings

PositiveEach: TypeAlias = Annotated[
    str,
    column_option(
        "Rank once for each value of this column, for example for each species: rows with the "
        "value are positive, all other rows are unlabeled. With --positive, only rows that "
        "are positive in that column count as records of a value."
    ),
]


def refuse_beside(column: str, given: Mapping[str, object]) -> None:
    """Raise an error if an option is given that works only for one ranking.

    Parameters
    ----------
    column : column of --positive-each
    given : values of these options, by argument of the library
    """
    for argument, value in given.items():
        if value:
            name = as_option(argument, value=True)
            raise TableError(
                f"{name} works for one ranking, but --positive-each makes several.",
                f"Leave {name} out, or make one ranking: replace --positive-each "
                f"{shlex.quote(column)} with --positive {shlex.quote(column + '=NAME')}.",
            )


def rank_each(
    table: Path,
    column: str,
    reading: Mapping[str, Any],
    learning: Learning,
    running: Running,
    outputs: Outputs,
    out: Path,
    *,
    safe: bool,
) -> None:
    """Rank the rows once for each value of a column, and write all rankings to the path `out`."""
    from onesided import ranking, tables  # noqa: PLC0415 - help does not pay for it

    report = outputs.report
    if out.suffix.lower() == tables.RIS_ENDING:
        raise TableError(
            "A .ris file holds one ranking, but --positive-each makes several.",
            "Write the rankings as a table: --out FILE.csv.",
        )
    with (
        gathered_warnings() as notes,
        ranking.fits_elsewhere(**running.where),
        stages() as on_progress,
    ):
        given = ranking.read_each(table, column, **reading)
        say(*given.sentences)
        found = ranking.rank_each(
            given,
            **learning.arguments,
            top=outputs.top,
            on_progress=on_progress,
            on_value=say_value,
        )
    for note in dict.fromkeys((*notes, *found.notes)):
        warn(note)
    for reason, values in found.left_out_by_reason.items():
        say(f"  left out {', '.join(values)}: {reason}")
    run = current_run()
    files = {"ranking": table_file(out, found.table, safe=safe)}
    page = found.report(run.command)
    if report:
        files.update(report_files(page, report))
    run.write(files)
    if report:
        say(f"Report: {report}; the numbers of the report: {run.written['report_data']}")
    run.end("Rankings:", lambda: page.data)
