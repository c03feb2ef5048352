"""Rows in the memory of many processes: Dask arrays and frames."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import dask
import numpy as np
import pyarrow as pa
from dask.delayed import delayed
from distributed.protocol.pickle import dumps
from scipy import sparse

from onesided._blocks._block import Block
from onesided._blocks._checks import (
    Numeric,
    check_has_rows,
    check_length,
    checked_matrix,
    checked_numbers,
    positions_of,
)
from onesided._blocks._cluster import computed
from onesided._blocks._log import PassSummary, is_listened_to, name_of, tell
from onesided._blocks._pass import S, Source
from onesided._frames import check_names, plain_frame
from onesided._text import counted, first_line
from onesided._typing import Array, Bools, Floats, Ints
from onesided.exceptions import DataError

_BRANCHES = 8  # of the tree in which sums are added


class DaskSource(Source):
    """Blocks that stay in other processes: a pass sends a function there, and adds up its results.

    Parameters
    ----------
    blocks : delayed `Block`s, consecutive; they are computed once, on the workers of the client if
        there is one
    n_rows : shape (n_blocks,), number of rows of each block
    n_features : number of features
    names : name of each feature, or None
    """

    is_elsewhere = True

    def __init__(
        self, blocks: Sequence[Any], n_rows: Ints, n_features: int, names: Sequence[str] | None
    ) -> None:
        self._blocks = dask.persist(*blocks)
        self._n_rows = n_rows
        self.n_features = n_features
        self.feature_names = None if names is None else tuple(names)

    @classmethod
    def of(cls, X: Any, *, numeric: Numeric) -> DaskSource:
        """The source of a Dask array of shape (n_rows, n_features) or of a Dask data frame.

        Parameters
        ----------
        X : its parts are the blocks
        numeric : as for `read_features`
        """
        names, are_numbers = None, True
        if hasattr(X, "columns"):
            names = [str(name) for name in X.columns]
            check_names(names)
            are_numbers = all(getattr(kind, "kind", "O") in "biuf" for kind in X.dtypes)
            are_numbers &= bool(numeric) or "float32" not in {
                str(kind).lower() for kind in X.dtypes
            }
            parts = X.to_delayed()
        elif X.ndim == 2:  # noqa: PLR2004 - rows and features
            parts = X.rechunk({1: -1}).to_delayed()[:, 0]
        else:
            raise DataError(
                f"X is a Dask array of shape {X.shape}.", "Pass one of shape (n_rows, n_features)."
            )
        read = dask.persist(
            *(
                delayed(_read)(part, number, names or X.shape[1], are_numbers, numeric)
                for number, part in enumerate(parts)
            )
        )
        n_rows = np.array(computed([delayed(_n_rows)(part) for part in read]), dtype=np.int64)
        check_has_rows(int(n_rows.sum()))
        starts = np.cumsum(n_rows) - n_rows
        blocks = [delayed(Block)(part, int(at)) for part, at in zip(read, starts, strict=True)]
        return cls(blocks, n_rows, X.shape[1], names)

    def blocks(self) -> Iterator[Block]:
        """The blocks, copied into this process one by one."""
        for block in self._blocks:
            yield from computed([block])

    def n_rows_outside(self) -> int:
        """Number of rows."""
        return int(self._n_rows.sum())

    def total(self, of: Callable[[Block], S], zero: S, *, at_least: int = 1) -> S:
        """Sum of `of(block)`, added in the processes of the blocks, neighbouring blocks first."""
        start, parts = time.perf_counter(), self._apply(of)
        while len(parts) > _BRANCHES:
            parts = [
                delayed(_sum)(parts[at : at + _BRANCHES]) for at in range(0, len(parts), _BRANCHES)
            ]
        found = computed(parts)
        total = reduce(add, found, zero)
        self._tell(type(zero).__name__, start, of, found)
        return total

    def map(self, of: Callable[[Block], Array]) -> Array:
        """`of(block)`, one entry a row, for all rows in order; shape (n_rows, ...)."""
        start = time.perf_counter()
        found = computed(self._apply(of))
        rows = np.concatenate(found)
        self._tell(name_of(of), start, of, found)
        return rows

    def taken(self, rows: Ints) -> Block:
        """Some rows as one block; only these rows are copied into this process."""
        ends = np.cumsum(self._n_rows)
        cuts = np.searchsorted(rows, [0, *ends])
        parts = [
            delayed(Block.rows)(block, rows[first:last].astype(np.int64) - start)
            for block, start, first, last in zip(
                self._blocks, ends - self._n_rows, cuts[:-1], cuts[1:], strict=True
            )
        ]
        return Block.joined(computed(parts))

    def select(self, names: Sequence[str]) -> DaskSource:
        """The same rows with these features, in this order."""
        order = positions_of(names, self.feature_names)
        if order == list(range(self.n_features)):
            return self
        blocks = [delayed(_columns)(block, order) for block in self._blocks]
        return DaskSource(blocks, self._n_rows, len(order), names)

    def labeled(self, positive: Bools, weight: Floats | None) -> DaskSource:
        """The same rows with these labels and weights, both of shape (n_rows,)."""
        check_length(positive, int(self._n_rows.sum()))
        cuts = np.cumsum(self._n_rows)[:-1]
        weights = [None] * len(self._blocks) if weight is None else np.split(weight, cuts)
        blocks = [
            delayed(replace)(block, positive=labels, weight=of_rows)
            for block, labels, of_rows in zip(
                self._blocks, np.split(positive, cuts), weights, strict=True
            )
        ]
        return DaskSource(blocks, self._n_rows, self.n_features, self.feature_names)

    def _apply(self, of: Callable[[Block], Any]) -> list[Any]:
        sent = delayed(of, pure=False)  # sent once, even if it is large
        return [delayed(_call)(sent, block) for block in self._blocks]

    def _tell(self, what: str, start: float, of: Callable[[Block], Any], found: Any) -> None:
        """Log a pass that began at `start`, a time of `time.perf_counter`."""
        if not is_listened_to():  # pickling again takes time
            return
        seconds = time.perf_counter() - start
        n_rows, n_blocks = int(self._n_rows.sum()), len(self._blocks)
        returned = sum(len(dumps(part)) for part in found)
        tell(PassSummary(what, n_rows, n_blocks, seconds, len(dumps(of)), returned))


def _read(
    part: Any,
    number: int,
    columns: Sequence[str] | int,
    are_numbers: bool,  # noqa: FBT001 - sent by Dask
    numeric: Numeric,
) -> Any:
    """The X of a block: a matrix, or a record batch for a frame with other values than numbers.

    Parameters
    ----------
    part : computed part of X
    number : of the part, from 0
    columns : names of the columns of a frame, or number of columns of an array
    are_numbers : whether all columns should hold numbers
    numeric : as for `read_features`
    """
    _check_columns(part, number, columns)
    if not are_numbers:
        try:
            table = pa.Table.from_pandas(plain_frame(part), preserve_index=False)
            table = table.rename_columns(columns)
        except (pa.ArrowException, TypeError) as error:
            raise DataError(
                f"Part {number} of X cannot be read: {first_line(error)}.",
                "Keep one type of value in a column.",
            ) from error
        batches = table.combine_chunks().to_batches()
        batch = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
        return checked_numbers(batch, numeric) if numeric else batch
    X = part if sparse.issparse(part) else _numbers_of(part)
    return checked_matrix(X, numeric=numeric, names=None if isinstance(columns, int) else columns)


def _numbers_of(part: Any) -> Array:
    """A part as an array; missing values of pandas are NaN."""
    kinds = getattr(part, "dtypes", ())
    if any(not isinstance(kind, np.dtype) for kind in kinds):
        found: Array = part.to_numpy(dtype=np.float64, na_value=np.nan)
        return found
    return np.asarray(part)


def _check_columns(part: Any, number: int, columns: Sequence[str] | int) -> None:
    """Refuse a part whose columns differ from those of its collection; Dask does not check this."""
    if isinstance(columns, int):
        if np.ndim(part) != 2 or part.shape[1] != columns:  # noqa: PLR2004 - rows and features
            raise DataError(
                f"Part {number} of X has shape {np.shape(part)}, X has "
                f"{counted(columns, 'column')}.",
                "Build all parts from one vocabulary.",
            )
    elif [str(name) for name in part.columns] != list(columns):
        raise DataError(
            f"Part {number} of X has the columns {', '.join(map(str, part.columns))}; X has "
            f"{', '.join(columns)}.",
            "Make all parts with the same columns, in the same order.",
        )


def _n_rows(X: Any) -> int:
    return Block(X).n_rows


def _columns(block: Block, order: list[int]) -> Block:
    X = block.X.select(order) if block.is_arrow else block.X[:, order]
    return replace(block, X=X)


def _call(of: Callable[[Block], Any], block: Block) -> Any:
    try:
        return of(block)
    except Exception as error:
        error.add_note(f"In rows {block.start:,} to {block.start + block.n_rows - 1:,} of X.")
        raise


def _sum(parts: Sequence[Any]) -> Any:
    return reduce(add, parts)
