"""Standard output and error of the process: their reader may be gone, or their disk full."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from onesided.cli._talk import BAD_INPUT, console


def guard_streams() -> None:
    """Let the command end well whatever happens to its standard streams.

    What cannot be written to standard error is dropped, and the work goes on. A reader of standard
    output that has enough ends the command; any other error there is told in one sentence.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed: the next file to be opened would get its number
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - it stays
    sys.stdout = _Guarded(sys.stdout, _end)
    sys.stderr = _Guarded(sys.stderr, _drop)


class _Guarded:
    """A stream of text whose errors are handled by a function."""

    def __init__(self, stream: Any, on_error: Callable[[Any, OSError], None]) -> None:
        self._stream = stream
        self._on_error = on_error

    def write(self, text: str) -> int:
        """Write text, as a stream does."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._on_error(self._stream, error)
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        try:
            self._stream.flush()
        except OSError as error:
            self._on_error(self._stream, error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _drop(stream: Any, _: OSError) -> None:
    """Let what the stream still holds, and all that follows, go nowhere."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _end(stream: Any, error: OSError) -> None:
    """End the command."""
    _drop(stream, error)
    if isinstance(error, BrokenPipeError):
        raise SystemExit(0) from None
    console.print(
        f"onesided: Standard output cannot be written: {error.strerror}.\n"
        "Direct standard output to another place."
    )
    raise SystemExit(BAD_INPUT) from None
