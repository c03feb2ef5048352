"""Log each pass over the rows with the logger `onesided`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from onesided._text import counted

_LOGGER = logging.getLogger("onesided")


@dataclass(frozen=True)
class PassSummary:
    """One pass over the rows of a source.

    Attributes
    ----------
    of : name of the statistic that was summed, or of the function of rows
    n_rows, n_blocks : number of rows and of blocks that were read
    seconds : from the first block to the last sum
    n_bytes_sent : size of the pickled function, once; None if nothing leaves the process
    n_bytes_returned : size of the pickled sums that came back; None if nothing leaves the process
    """

    of: str
    n_rows: int
    n_blocks: int
    seconds: float
    n_bytes_sent: int | None = None
    n_bytes_returned: int | None = None

    def __str__(self) -> str:
        said = (
            f"{self.of}: {counted(self.n_rows, 'row')} in {counted(self.n_blocks, 'block')}, "
            f"{self.seconds:.3f} s, {self.n_rows / max(self.seconds, 1e-9):,.0f} rows per second"
        )
        if self.n_bytes_sent is None:
            return said
        return f"{said}; {self.n_bytes_sent:,} bytes sent, {self.n_bytes_returned:,} returned"


def is_listened_to() -> bool:
    """Whether the logger `onesided` records debug messages."""
    return _LOGGER.isEnabledFor(logging.DEBUG)


def tell(summary: PassSummary) -> None:
    """Log one pass; the record's only argument is the summary itself."""
    _LOGGER.debug("%s", summary)


def name_of(of: Callable[..., Any]) -> str:
    """The name of a function of blocks, for the log."""
    while isinstance(of, partial):
        of = of.func
    return getattr(of, "__qualname__", type(of).__name__)
