"""Methods of users: their errors in two lines, and what they print apart from the result."""

import logging
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout

from onesided.exceptions import OnesidedError, TableError
from onesided.methods import METHODS

_LOGGER = logging.getLogger("onesided")


@contextmanager
def keeping_apart(methods: Sequence[str] | None) -> Iterator[None]:
    """Context in which standard output and exit code do not depend on how a user's method ends.

    What a method prints goes to standard error. An error that is raised in a method becomes a
    `TableError` with its type and message; -vv shows the traceback.

    Parameters
    ----------
    methods : names of methods; those of onesided are left alone
    """
    own = [name for name in methods or () if name not in METHODS]
    if not own:
        yield
        return
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (OnesidedError, MemoryError):
        raise
    except Exception as error:
        name = _blamed(error, own)
        if name is None:
            raise
        _LOGGER.debug("%s", "".join(traceback.format_exception(error)))
        what = ": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]])
        raise TableError(
            f"The method {name} ended with {what.rstrip('.')}.",
            "Correct the class; -vv shows where the error was raised.",
        ) from error


def _blamed(error: Exception, own: Sequence[str]) -> str | None:
    """The method in which an error was raised, by the notes of the error; None for none of these.

    A note names the method or its class.
    """
    notes = getattr(error, "__notes__", ())
    for name in own:
        if any(f"In {each}." in notes for each in (name, name.rpartition(":")[2])):
            return name
    return None
