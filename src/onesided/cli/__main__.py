"""`onesided`: gathers the commands."""

from typing import Annotated

import typer

from onesided import __version__
from onesided.cli._talk import INTERRUPTED, interrupt_on_terminate
from onesided.cli.compare import compare
from onesided.cli.enrich import enrich
from onesided.cli.fit import fit
from onesided.cli.prior import prior
from onesided.cli.rank import rank
from onesided.cli.reproduce import reproduce
from onesided.cli.score import score
from onesided.cli.unexpected import unexpected

app = typer.Typer(
    name="onesided",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(rank)
app.command()(fit)
app.command()(score)
app.command()(compare)
app.command()(prior)
app.command()(enrich)
app.command()(unexpected)
app.command()(reproduce)


def _show_version(value: bool) -> None:  # noqa: FBT001 - typer's callback
    if value:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Learn from positive and unlabeled examples.

    Who else is positive, how many are there, how sure is that, and what sets them apart.

    Exit codes: 0 done; 2 the input or the options cannot be used; 130 interrupted; 1 a defect.
    """


def main() -> None:
    """Run the command line."""
    interrupt_on_terminate()
    try:
        app()
    except KeyboardInterrupt:  # before a command runs
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
