"""What a command says while it works: results on stdout, everything else on stderr."""

import functools
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ParamSpec

import typer
from rich.console import Console

from onesided.exceptions import OnesidedError

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
            say("onesided: Interrupted; nothing was written.")
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError:  # whoever read stdout has gone
            sys.stderr.close()
            raise typer.Exit(0) from None

    return run


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Collect warnings as text, each once."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    found.extend(dict.fromkeys(str(each.message) for each in caught))


def interrupt_on_terminate() -> None:
    """Make the wish to end this process an interruption, so that temporary files go."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signal's signature
    raise KeyboardInterrupt
