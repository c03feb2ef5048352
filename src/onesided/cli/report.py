"""`onesided report`: make the page of a report from its data."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from onesided.cli._options import OUTPUT, file_option
from onesided.cli._outputs import check_page
from onesided.cli._run import current_run, verb
from onesided.cli._talk import say

_MADE_OF = {
    "ranking": "a ranking",
    "each": "several rankings",
    "unexpected": "unexpected documents",
}
"""Subject of a report, by its form."""


@verb
def report(
    data: Annotated[
        Path,
        typer.Argument(
            help="The .json that rank or unexpected wrote beside a report.", metavar="DATA"
        ),
    ],
    out: Annotated[
        Path | None,
        file_option("File for the page, .html. Default: DATA with the ending .html, beside it."),
        OUTPUT,
    ] = None,
) -> None:
    """Make the page of a report again from its data.

    rank and unexpected write the numbers of a report beside its page, as JSON. This command makes
    the page of these numbers again, for example after an upgrade.

    Example:

    **onesided report report.json --out report.html**
    """
    from onesided import reporting, tables  # noqa: PLC0415 - help does not pay for it

    run = current_run()
    out = out or data.with_suffix(".html")
    check_page(out, run.inputs)
    found = reporting.read_report(data)
    run.write({"report": (out, partial(tables.write_text, reporting.render(found)))})
    say(f"Report of {_MADE_OF[found['form']]}, written by onesided {found['version']}:")
    run.end("", lambda: {"form": found["form"]})
