"""Guards for standard output and standard error: the reader may be gone, or the disk full."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from onesided.cli._talk import BAD_INPUT, console


def guard_streams() -> None:
    """Replace the standard streams, so that the command ends cleanly if one of them fails.

    - Text that cannot be written to standard error is dropped, and the work goes on.
    - If the reader of standard output closes it, the command ends without an error.
    - Any other error of standard output ends the command with an error message.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        # If a stream is closed, the next file that is opened would get its file descriptor.
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - stays open
    sys.stdout = _Guarded(sys.stdout, _end)
    sys.stderr = _Guarded(sys.stderr, _drop)


class _Guarded:
    """A text stream that passes its errors to a function."""

    def __init__(self, stream: Any, on_error: Callable[[Any, OSError], None]) -> None:
        self._stream = stream
        self._on_error = on_error

    def write(self, text: str) -> int:
        """Write text to the stream."""
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
    """Send the text in the stream's buffer, and all later text, to the null device."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _end(stream: Any, error: OSError) -> None:
    """End the command: without an error if the reader is gone, otherwise with a message."""
    _drop(stream, error)
    if isinstance(error, BrokenPipeError):
        raise SystemExit(0) from None
    console.print(
        f"onesided: Standard output cannot be written: {error.strerror}.\n"
        "Direct standard output to another place."
    )
    raise SystemExit(BAD_INPUT) from None
