"""The program `onesided`, which consists of all commands."""

import inspect
import os
import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from onesided import __version__
from onesided.cli._run import print_failure
from onesided.cli._streams import guard_streams
from onesided.cli._talk import INTERRUPTED, interrupt_on_terminate, reporting_errors
from onesided.exceptions import TableError

_VERBS = [
    *(
        "rank",
        "fit",
        "score",
        "compare",
        "prior",
        "audit",
        "enrich",
        "unexpected",
        "report",
        "reproduce",
    ),
]
"""Names of the commands; each is a function in the file with the same name."""
_UsageError: type[Any] = typer.BadParameter.__bases__[0]  # class of click, or of typer's copy of it


class _Verb(TyperCommand):
    """A command that accepts each option only once, unless the option is repeatable."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raise an error if an option has a second value, which would replace the first value."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for each in {} if ctx.resilient_parsing else dict.fromkeys(given):
            if (times := given.count(each)) > 1 and not _is_repeatable(each):
                name = max(each.opts, key=len)
                raise TableError(
                    f"{name} is given {times} times, but it takes one value.", f"Pass {name} once."
                )
        return super().parse_args(ctx, args)


def _is_repeatable(parameter: Any) -> bool:
    """Whether a parameter may be given twice: it is an argument, a list, a count or a switch."""
    return parameter.param_type_name == "argument" or (
        parameter.multiple or parameter.count or parameter.is_flag
    )


class _Root(TyperGroup):
    """All commands; an error of a command becomes two lines and, with --json, a JSON object."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command; if a file stands in its place, suggest a command for this file."""
        if args[0] not in self.commands and Path(args[0]).exists():
            meant = shlex.join(["onesided", "rank", args[0]])
            ctx.fail(f"{args[0]!r} is a file, not a command. Try: {meant} --positive COLUMN")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        as_json = "--json" in ctx.args

        def tell(problem: str, mend: str) -> None:
            if as_json:
                print_failure(ctx.invoked_subcommand or "", problem, mend)

        with reporting_errors(tell):
            try:
                return super().invoke(ctx)
            except _UsageError as error:
                names = filter(None, ("onesided", ctx.invoked_subcommand, "--help"))
                tell(error.format_message(), f"See {' '.join(names)}.")
                raise


app = typer.Typer(
    name="onesided",
    cls=_Root,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add(command: Callable[..., None]) -> None:
    """Add a command to the program.

    The help begins with the first paragraph of the docstring and the first example. The other
    paragraphs and examples follow the options.
    """
    if command.__doc__ is None:  # python -OO drops docstrings; the help then has only the options
        app.command(cls=_Verb)(command)
        return
    first, *others = inspect.cleandoc(command.__doc__).split("\n\n")
    at = others.index("Example:")
    example, *more = others[at + 1 :]
    epilog = "\n\n".join([*others[:at], *more])
    app.command(cls=_Verb, help=f"{first}\n\n{example}", epilog=epilog)(command)


for each in _VERBS:
    _add(getattr(import_module(f"onesided.cli.{each}"), each))


def _show_version(value: bool) -> None:  # noqa: FBT001 - typer's callback
    if value:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    *,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose",
            "-v",
            count=True,
            show_default=False,
            metavar="",
            help="Same as --verbose after a command.",
        ),
    ] = 0,
    version: Annotated[  # noqa: ARG001 - the callback shows the version
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Learn from positive and unlabeled examples.

    Who else is positive, how many are there, how sure is that, and what sets them apart.

    Exit codes: 0 done; 2 the input or the options cannot be used; 130 interrupted; 1 a defect.
    """
    ctx.obj = verbose


def main() -> None:
    """Run the command line."""
    guard_streams()
    interrupt_on_terminate()
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # it gives freed memory back
    try:
        app()
    except KeyboardInterrupt:  # an interruption before a command runs
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
