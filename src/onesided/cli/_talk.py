"""What a command says while it works: results on stdout, everything else on stderr."""

import logging
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FrameType

import typer
from rich.console import Console

from onesided._text import as_options, visible
from onesided.exceptions import OnesidedError, OnesidedWarning

BAD_INPUT, INTERRUPTED = 2, 130
_LOGGER = logging.getLogger("onesided")
_EVERY = 30.0  # seconds between lines on progress, where there is no terminal

console = Console(stderr=True, highlight=False, soft_wrap=True)


@dataclass
class _Talk:
    """How much is said, and the warnings so far."""

    is_quiet: bool = False
    warnings: list[str] = field(default_factory=list)


_terminations: list[int] = []
_talk: ContextVar[_Talk] = ContextVar("talk")
_UNASKED = _Talk()


class _ToConsole(logging.Handler):
    """Log records below each other, as `say` prints: rich's own handler makes columns of them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one."""
        console.print(f"  · {visible(record.getMessage())}", markup=False, style="dim")


@contextmanager
def talking(*, verbose: int = 0, quiet: bool = False) -> Iterator[list[str]]:
    """Say more or less than usual.

    Parameters
    ----------
    verbose : 1 adds decisions and their reasons, 2 what each pass over the data cost
    quiet : only warnings and errors

    Yields
    ------
    the warnings, each as it comes
    """
    before, handler = _LOGGER.level, _ToConsole()
    talk = _Talk(quiet)
    token = _talk.set(talk)
    if verbose:
        _LOGGER.addHandler(handler)
        _LOGGER.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    try:
        yield talk.warnings
    finally:
        _talk.reset(token)
        if verbose:
            _LOGGER.removeHandler(handler)
            _LOGGER.setLevel(before)


def say(text: str) -> None:
    """Print to stderr, without markup; what would steer the terminal is spelled out."""
    if not _talk.get(_UNASKED).is_quiet:
        console.print(visible(as_options(text)), markup=False)


def warn(text: str) -> None:
    """Print a warning to stderr, also where little is said."""
    text = as_options(text)
    _talk.get(_UNASKED).warnings.append(text)
    console.print(f"warning: {visible(text)}", markup=False)


def explain(text: str) -> None:
    """Tell what was decided and why, to those who ask: -v."""
    _LOGGER.info("%s", text)


def is_explaining() -> bool:
    """Whether anybody asks."""
    return _LOGGER.isEnabledFor(logging.INFO)


@contextmanager
def reporting_errors(and_then: Callable[[str, str], None] | None = None) -> Iterator[None]:
    """Turn our errors into two lines and an exit code, without a traceback.

    Parameters
    ----------
    and_then : takes the two lines too
    """

    def end(problem: str, mend: str, code: int) -> typer.Exit:
        problem, mend = as_options(problem), as_options(mend)
        lines = [" ".join(each.splitlines()) for each in (f"onesided: {problem}", mend) if each]
        console.print(visible("\n".join(lines)), markup=False)
        if and_then is not None:
            and_then(problem, mend)
        return typer.Exit(code)

    try:
        yield
    except OnesidedError as error:
        raise end(error.problem, error.mend, BAD_INPUT) from error
    except KeyboardInterrupt as error:
        raise end("Interrupted. No output file is left half written.", "", INTERRUPTED) from error
    except MemoryError as error:
        raise end(
            "This machine does not have enough memory.",
            "Leave columns out with --drop, or learn from a sample: onesided fit --unlabeled "
            "200000.",
            BAD_INPUT,
        ) from error
    except BrokenPipeError:
        raise  # who reads stdout has enough: typer ends without a word
    except OSError as error:
        problem = f"{error.strerror or error}."
        raise end(problem, "Correct the cause, then run the command again.", BAD_INPUT) from error


@contextmanager
def saying_warnings() -> Iterator[None]:
    """Print our warnings as they come, each once, where nobody gathers them."""
    said = set()

    def show(message: Warning | str, *_: object) -> None:
        if str(message) not in said:
            said.add(str(message))
            warn(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", OnesidedWarning)
        warnings.showwarning = show  # type: ignore[assignment]  # it needs no more
        yield


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr with the time left, moved by the number done and the number of all.

    Until it is moved it tells no more than that time passes. Where stderr is no terminal, a line
    from time to time says the same, so that a log of long work shows that it goes on.
    """
    if _talk.get(_UNASKED).is_quiet:
        yield _say_nothing
    elif console.is_terminal:
        from rich.progress import Progress, TimeElapsedColumn  # noqa: PLC0415 - as above

        columns = (*Progress.get_default_columns(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        yield _in_lines(what)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A callback for work in several stages: each has a bar, which goes when the next begins."""
    with ExitStack() as shown:
        stage = ""
        step: Callable[[int, int], None] = _say_nothing

        def tell(what: str, done: int, total: int) -> None:
            nonlocal stage, step
            if what != stage:
                shown.close()
                stage, step = what, shown.enter_context(progress(what))
            if total:
                step(done, total)

        yield tell


def _say_nothing(done: int, total: int) -> None:
    """No progress."""


def _in_lines(what: str) -> Callable[[int, int], None]:
    """Progress as a line each half minute."""
    began = said = time.monotonic()

    def step(done: int, total: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said >= _EVERY and done:
            left = (now - began) * (total - done) / done
            say(f"  {what}: {done:,} of {total:,}, {_clock(now - began)}; {_clock(left)} left")
            said = now

    return step


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def interrupt_on_terminate() -> None:
    """Make the wish to end this process an interruption, so that temporary files go."""
    for name in ("SIGTERM", "SIGHUP"):  # the latter not on Windows; under nohup it is ignored
        kind = getattr(signal, name, None)
        if kind is not None and signal.getsignal(kind) is not signal.SIG_IGN:
            signal.signal(kind, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signal's signature
    _terminations.append(number)
    raise KeyboardInterrupt


def check_interrupted() -> None:
    """Interrupt once more, before anything is written: a library may have caught the first.

    Some do so while they are imported, with an except for all that can go wrong.
    """
    if _terminations:
        raise KeyboardInterrupt
