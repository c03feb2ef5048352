"""What a command says while it works: results on stdout, everything else on stderr."""

import functools
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ParamSpec

import typer
from rich.console import Console

from onesided.exceptions import OnesidedError, OnesidedWarning

P = ParamSpec("P")

BAD_INPUT, INTERRUPTED = 2, 130

console = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Print to stderr, as it is."""
    console.print(text, markup=False)


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Turn our errors into two lines and an exit code, without a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except OnesidedError as error:
            say(f"onesided: {error.problem}\n{error.mend}")
            raise typer.Exit(BAD_INPUT) from error
        except KeyboardInterrupt as error:
            say("onesided: Interrupted; no file is half written.")
            raise typer.Exit(INTERRUPTED) from error
        except OSError as error:
            say(f"onesided: {error.strerror or error}.\nMend it, then run the command again.")
            raise typer.Exit(BAD_INPUT) from error

    return run


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Collect our warnings, and those on convergence, as text, each once."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - help does not pay for it

    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", OnesidedWarning)
        warnings.simplefilter("always", ConvergenceWarning)
        yield found
    found.extend(dict.fromkeys(str(each.message) for each in caught))


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, moved by the number done and the number of all; only on a terminal.

    Until it is moved it tells no more than that time passes.
    """
    from rich.progress import Progress, TimeElapsedColumn  # noqa: PLC0415 - help does not pay for it

    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def interrupt_on_terminate() -> None:
    """Make the wish to end this process an interruption, so that temporary files go."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signal's signature
    raise KeyboardInterrupt
