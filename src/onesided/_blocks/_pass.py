"""One reading of a source."""

from collections.abc import Callable, Iterator
from typing import Protocol, Self, TypeVar, cast

import numpy as np

from onesided._blocks._block import Block
from onesided._blocks._sources import Source, Spread
from onesided._typing import Array


class Statistic(Protocol):
    """A value that can be added: in any grouping of the blocks the sum is the same."""

    def __add__(self, other: Self, /) -> Self: ...


S = TypeVar("S", bound=Statistic)


def run_pass(source: Source, of: Callable[[Block], S], zero: S, *, at_least: int = 1) -> S:
    """Sum of `of(block)` over the blocks of a source, in their order.

    Parameters
    ----------
    source : what to read
    of : the statistic of one block
    zero : the statistic of no rows
    at_least : rows to gather before `of` is called, where a statistic costs much by the block:
        files may come in blocks of a hundred rows
    """
    if isinstance(source, Spread):
        return cast("S", source.total(of, zero))
    total = zero
    for block in _gathered(source.blocks(), at_least):
        total = total + of(block)
    return total


def _gathered(blocks: Iterator[Block], at_least: int) -> Iterator[Block]:
    waiting: list[Block] = []
    for block in blocks:
        waiting.append(block)
        if sum(each.n_rows for each in waiting) >= at_least:
            yield Block.joined(waiting)
            waiting = []
    if waiting:
        yield Block.joined(waiting)


def map_rows(source: Source, of: Callable[[Block], Array]) -> Array:
    """`of(block)`, one entry a row, for all rows in order; shape (n_rows, ...)."""
    if isinstance(source, Spread):
        return source.map(of)
    parts = [of(block) for block in source.blocks()]
    return np.concatenate(parts) if parts else np.empty(0)
