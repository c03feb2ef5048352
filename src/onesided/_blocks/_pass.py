"""Sources of rows, read in passes: by one thread, or by as many as joblib's context allows."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from itertools import chain, islice
from typing import Any, Protocol, Self, TypeVar

import joblib
import numpy as np
from sklearn import config_context, get_config

from onesided._blocks._block import Block
from onesided._blocks._checks import check_has_rows, without_columns
from onesided._blocks._log import PassSummary, is_listened_to, name_of, tell
from onesided._labels import LabelCoding
from onesided._typing import Array, Bools, Floats, Ints

_IN_FLIGHT = 2  # items per thread, so that one is read during work on another


class Statistic(Protocol):
    """A value that can be added; the sum is the same for any grouping of the blocks."""

    def __add__(self, other: Self, /) -> Self: ...


S = TypeVar("S", bound=Statistic)
T = TypeVar("T")
R = TypeVar("R")


class Source(ABC):
    """Rows that can be read again and again, in blocks, always in the same order.

    Attributes
    ----------
    feature_names : names of the features; None if the features have no names
    n_features : number of features
    is_elsewhere : whether the blocks are in other processes, which compute the sums over blocks
    is_made_while_read : whether rows are made during reading and not kept, so that there may be
        more rows than fit in memory

    Examples
    --------
    A source of two blocks, which are read one after the other:

    >>> import numpy as np
    >>> from onesided.base import Block, Source
    >>> class Halves(Source):
    ...     feature_names, n_features = None, 1
    ...
    ...     def blocks(self):
    ...         yield Block(np.array([[1.0], [2.0]]), start=0)
    ...         yield Block(np.array([[3.0], [4.0]]), start=2)
    ...
    ...     def select(self, names):
    ...         return self
    ...
    ...     def labeled(self, positive, weight):
    ...         return self
    >>> Halves().total(lambda block: block.dense().sum(axis=0), np.zeros(1))
    array([10.])
    """

    feature_names: tuple[str, ...] | None
    n_features: int
    is_elsewhere: bool = False
    is_made_while_read: bool = False

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Read the rows once."""

    @abstractmethod
    def select(self, names: Sequence[str]) -> Source:
        """The same rows with these features, in this order."""

    @abstractmethod
    def labeled(self, positive: Bools, weight: Floats | None) -> Source:
        """The same rows with these labels and weights, both of shape (n_rows,)."""

    def labeled_by(
        self, name: str, sample_weight: Any, positive_label: Any
    ) -> tuple[Source, LabelCoding]:
        """The rows with labels from a column outside the features, and the coding of these labels.

        Parameters
        ----------
        name : name of the column
        sample_weight : shape (n_rows,), or None
        positive_label : the value that means positive

        Raises
        ------
        LabelError : if the source has no columns besides the features
        """
        raise without_columns(self, name)

    def n_rows_outside(self) -> int:
        """Number of rows in files or in other processes; 0 where the rows are in memory."""
        return 0

    def total(self, of: Callable[[Block], S], zero: S, *, at_least: int = 1) -> S:
        """Sum of `of(block)` over the blocks, in their order.

        The sum is the same, to the bit, for any number of threads.

        Parameters
        ----------
        of : function that computes the statistic of one block; it must change nothing, because
            several threads may call it
        zero : the statistic of no rows
        at_least : number of rows to gather before each call of `of`. Use it if each call is
            expensive, because files may come in blocks of only a hundred rows
        """
        total = zero
        blocks = _gathered(self.blocks(), at_least)
        with closing(_in_order(blocks, of, type(zero).__name__)) as parts:
            for part in parts:
                total = total + part
        return total

    def taken(self, rows: Ints) -> Block:
        """Block of the rows with these indices.

        Parameters
        ----------
        rows : ascending indices, of which at least one is in the source
        """
        parts = []
        for block in self.blocks():
            first, last = np.searchsorted(rows, [block.start, block.start + block.n_rows])
            parts.append(block.rows(rows[first:last].astype(np.int64) - block.start))
        return Block.joined(parts)

    def held(self, rows: Ints) -> tuple[Block, Ints]:
        """A block with the rows of these indices, and their places in it.

        An array in memory is a block of its own, of which nothing is copied.
        """
        return self.taken(rows), np.arange(len(rows))

    def map(self, of: Callable[[Block], Array]) -> Array:
        """`of(block)`, one entry a row, for all rows in order; shape (n_rows, ...).

        Raises
        ------
        DataError : if there are no rows
        """
        parts = list(_in_order(self.blocks(), of, name_of(of)))
        check_has_rows(sum(map(len, parts)))
        return np.concatenate(parts)


def _in_order(
    blocks: Iterator[Block], of: Callable[[Block], R], what: str
) -> Generator[R, None, None]:
    """Yield `of(block)` in the order of the blocks; then log the pass."""
    n_threads = joblib.effective_n_jobs(None)  # 1 outside a context, and within a parallel task
    start, n_rows, n_blocks = time.perf_counter(), 0, 0

    def counted() -> Iterator[Block]:
        nonlocal n_rows, n_blocks
        for block in blocks:
            n_rows += block.n_rows
            n_blocks += 1
            yield block

    read = counted()
    first = list(islice(read, 2)) if n_threads > 1 else []  # one block needs no other thread
    read = chain(first, read)
    yield from threaded(read, of, n_threads) if len(first) > 1 else map(of, read)
    if is_listened_to():
        tell(PassSummary(what, n_rows, n_blocks, time.perf_counter() - start))


def threaded(items: Iterable[T], of: Callable[[T], R], n_threads: int) -> Generator[R, None, None]:
    """Yield `of(item)` from several threads in order; this thread reads the items, and holds few.

    At most `_IN_FLIGHT` items or results per thread are waiting. The generators of joblib do not
    limit the number of results.
    """
    settings = get_config()

    def with_settings(item: T) -> R:
        with config_context(**settings):  # scikit-learn's settings are per thread
            return of(item)

    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(n_threads, "onesided") as pool:
        try:
            for item in items:
                # numpy's error state belongs to the context
                waiting.append(pool.submit(copy_context().run, with_settings, item))
                del item  # may be large
                if len(waiting) == _IN_FLIGHT * n_threads:
                    yield waiting.popleft().result()
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
