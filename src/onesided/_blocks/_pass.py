"""One reading of a source, by one thread or by as many as joblib's context allows."""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from typing import Protocol, Self, TypeVar, cast

import joblib
import numpy as np
from sklearn import config_context, get_config

from onesided._blocks._block import Block
from onesided._blocks._log import PassSummary, is_listened_to, name_of, tell
from onesided._blocks._sources import Source, Spread
from onesided._typing import Array

_IN_FLIGHT = 2  # blocks a thread, so that one is read while another is worked on


class Statistic(Protocol):
    """A value that can be added: in any grouping of the blocks the sum is the same."""

    def __add__(self, other: Self, /) -> Self: ...


S = TypeVar("S", bound=Statistic)
R = TypeVar("R")


def run_pass(source: Source, of: Callable[[Block], S], zero: S, *, at_least: int = 1) -> S:
    """Sum of `of(block)` over the blocks of a source, in their order.

    The sum is the same, to the bit, for any number of threads.

    Parameters
    ----------
    source : what to read
    of : the statistic of one block; it changes nothing, as it may run in several threads
    zero : the statistic of no rows
    at_least : rows to gather before `of` is called, where a statistic costs much by the block:
        files may come in blocks of a hundred rows
    """
    if isinstance(source, Spread):
        return cast("S", source.total(of, zero))
    total = zero
    blocks = _gathered(source.blocks(), at_least)
    with closing(_in_order(blocks, of, type(zero).__name__)) as parts:
        for part in parts:
            total = total + part
    return total


def map_rows(source: Source, of: Callable[[Block], Array]) -> Array:
    """`of(block)`, one entry a row, for all rows in order; shape (n_rows, ...)."""
    if isinstance(source, Spread):
        return source.map(of)
    parts = list(_in_order(source.blocks(), of, name_of(of)))
    return np.concatenate(parts) if parts else np.empty(0)


def _in_order(
    blocks: Iterator[Block], of: Callable[[Block], R], what: str
) -> Generator[R, None, None]:
    """`of(block)`, in the order of the blocks; then one record of the log."""
    n_threads = joblib.effective_n_jobs(None)  # 1 outside a context, and within a parallel task
    start, n_rows, n_blocks = time.perf_counter(), 0, 0

    def counted() -> Iterator[Block]:
        nonlocal n_rows, n_blocks
        for block in blocks:
            n_rows += block.n_rows
            n_blocks += 1
            yield block

    yield from map(of, counted()) if n_threads == 1 else _threaded(counted(), of, n_threads)
    if is_listened_to():
        tell(PassSummary(what, n_rows, n_blocks, time.perf_counter() - start))


def _threaded(blocks: Iterator[Block], of: Callable[[Block], R], n_threads: int) -> Iterator[R]:
    """`of(block)` by several threads; blocks are read by this one, and few are held at a time.

    Neither more blocks nor more results than `_IN_FLIGHT` a thread are waiting, which joblib's
    own generators do not promise of results.
    """
    settings = get_config()

    def with_settings(block: Block) -> R:
        with config_context(**settings):  # scikit-learn keeps them by thread
            return of(block)

    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(n_threads, "onesided") as pool:
        try:
            for block in blocks:
                if len(waiting) == _IN_FLIGHT * n_threads:
                    yield waiting.popleft().result()
                # numpy keeps its error state by context
                waiting.append(pool.submit(copy_context().run, with_settings, block))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _gathered(blocks: Iterator[Block], at_least: int) -> Iterator[Block]:
    waiting: list[Block] = []
    for block in blocks:
        waiting.append(block)
        if sum(each.n_rows for each in waiting) >= at_least:
            yield Block.joined(waiting)
            waiting = []
    if waiting:
        yield Block.joined(waiting)
