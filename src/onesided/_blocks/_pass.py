"""One reading of a source."""

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

import numpy as np

from onesided._blocks._block import Block
from onesided._blocks._sources import Source
from onesided._typing import Array


class Statistic(Protocol):
    """A value that can be added: in any grouping of the blocks the sum is the same."""

    def __add__(self, other: Self, /) -> Self: ...


S = TypeVar("S", bound=Statistic)


def run_pass(source: Source, of: Callable[[Block], S], zero: S) -> S:
    """Sum of `of(block)` over the blocks of a source, in their order.

    Parameters
    ----------
    source : what to read
    of : the statistic of one block
    zero : the statistic of no rows
    """
    total = zero
    for block in source.blocks():
        total = total + of(block)
    return total


def map_rows(source: Source, of: Callable[[Block], Array]) -> Array:
    """`of(block)`, one entry a row, for all rows in order; shape (n_rows, ...)."""
    parts = [of(block) for block in source.blocks()]
    return np.concatenate(parts) if parts else np.empty(0)
