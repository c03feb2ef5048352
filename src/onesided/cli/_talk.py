"""Text that a command prints while it works: results go to stdout, everything else to stderr."""

import logging
import re
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

from onesided.exceptions import OnesidedError, OnesidedWarning, as_options

BAD_INPUT, INTERRUPTED = 2, 130
_LOGGER = logging.getLogger("onesided")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u200e\u200f\u2066-\u2069\ud800-\udfff]"
)
# Classes of scikit-learn and of onesided have this name. It is compared as text, because importing
# scikit-learn takes long.
_ON_CONVERGENCE = "ConvergenceWarning"
_EVERY = 30.0  # seconds between lines on progress, if stderr is not a terminal

console = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


@dataclass
class _Talk:
    """How much the command prints, and the warnings so far."""

    is_quiet: bool = False
    warnings: list[str] = field(default_factory=list)


_terminations: list[int] = []
_talk: ContextVar[_Talk] = ContextVar("talk")
_UNASKED = _Talk()


class _ToConsole(logging.Handler):
    """Print log records in the form of `say`; the handler of rich would print them in columns."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        console.print(f"  · {_visible(record.getMessage())}", markup=False, style="dim")


@contextmanager
def talking(*, verbose: int = 0, quiet: bool = False) -> Iterator[list[str]]:
    """Set how much is printed, and yield the list that gets the text of each warning.

    Parameters
    ----------
    verbose : 1 also prints decisions and their reasons; 2 also prints what each pass over the data
        costs, and the log records and warnings of libraries
    quiet : whether only warnings and errors are printed
    """
    before, root = _LOGGER.level, logging.getLogger()
    # Without a handler, Python would print log records of libraries directly.
    handler: logging.Handler = _ToConsole() if verbose else logging.NullHandler()
    if verbose == 1:
        handler.addFilter(logging.Filter(_LOGGER.name))
    talk = _Talk(quiet)
    token = _talk.set(talk)
    root.addHandler(handler)
    if verbose:
        _LOGGER.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    try:
        yield talk.warnings
    finally:
        _talk.reset(token)
        root.removeHandler(handler)
        _LOGGER.setLevel(before)


def _visible(text: str) -> str:
    """Replace characters that control a terminal or reverse the text direction by their escapes."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def say(*texts: str) -> None:
    """Print texts to stderr, one line each; with --quiet nothing is printed."""
    if not _talk.get(_UNASKED).is_quiet:
        for text in texts:
            console.print(_visible(as_options(text)), markup=False)


def warn(text: str) -> None:
    """Print a warning to stderr, and keep its text for --json."""
    text = as_options(text)
    _talk.get(_UNASKED).warnings.append(text)
    console.print(f"warning: {_visible(text)}", markup=False)


def explain(*texts: str) -> None:
    """Print what was decided and why; this happens only with -v."""
    for text in texts:
        _LOGGER.info("%s", text)


def is_explaining() -> bool:
    """Whether reasons are printed, because of -v."""
    return _LOGGER.isEnabledFor(logging.INFO)


@contextmanager
def reporting_errors(and_then: Callable[[str, str], None] | None = None) -> Iterator[None]:
    """Turn errors into two printed lines and an exit code.

    Parameters
    ----------
    and_then : function that also gets the two lines: the problem, and what to do
    """

    def end(problem: str, mend: str, code: int) -> typer.Exit:
        problem, mend = as_options(problem), as_options(mend)
        lines = [" ".join(each.splitlines()) for each in (f"onesided: {problem}", mend) if each]
        console.print(_visible("\n".join(lines)), markup=False)
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
            "Close other programs, or use a machine with more memory. With rank, fit and compare, "
            "--drop COLUMN leaves columns out; onesided fit --unlabeled 200000 learns from a "
            "sample.",
            BAD_INPUT,
        ) from error
    except OSError as error:
        about = f"{error.filename!r}: " if error.filename else ""
        problem = f"{about}{error.strerror or error}."
        raise end(problem, "Correct the cause, then run the command again.", BAD_INPUT) from error


@contextmanager
def saying_warnings() -> Iterator[None]:
    """Print each warning of onesided once and immediately, unless the command gathers warnings.

    Warnings of other libraries are about code and not about the input, so only -vv shows them.
    """
    said = set()

    def show(message: Warning | str, category: type[Warning], *_: object) -> None:
        text = str(message)
        if text in said:
            return
        said.add(text)
        if category.__name__ == _ON_CONVERGENCE or issubclass(category, OnesidedWarning):
            warn(text)
        else:
            _LOGGER.debug("%s: %s", category.__name__, text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", OnesidedWarning)
        warnings.showwarning = show  # type: ignore[assignment]  # `show` ignores other arguments
        yield


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr with the time left, and yield the function that moves it.

    The function takes the number of steps done and the number of all steps. If stderr is not a
    terminal, a line every half minute says the same, so that a log shows that the work goes on.
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
    """Yield a callback for work in several stages; each stage has its own progress bar."""
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
    """Ignore the progress."""


def _in_lines(what: str) -> Callable[[int, int], None]:
    """Return a function that prints a line on the progress every half minute."""
    began = said = time.monotonic()

    def step(done: int, total: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said >= _EVERY and done:
            left = (now - began) * (total - done) / done
            share = 100 * done // total
            say(f"  {what}: {share}% done in {_clock(now - began)}, {_clock(left)} left")
            said = now

    return step


def _clock(seconds: float) -> str:
    """Write seconds as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def interrupt_on_terminate() -> None:
    """Make the signals that end this process interrupt it, so that temporary files are removed."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Windows has no SIGHUP, and nohup ignores it
        kind = getattr(signal, name, None)
        if kind is not None and signal.getsignal(kind) is not signal.SIG_IGN:
            signal.signal(kind, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signal's signature
    _terminations.append(number)
    raise KeyboardInterrupt


def check_interrupted() -> None:
    """Interrupt again before anything is written, if a library caught the first interruption.

    Some libraries catch every exception while they are imported.
    """
    if _terminations:
        raise KeyboardInterrupt
