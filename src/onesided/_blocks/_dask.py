"""Rows in the memory of many processes: Dask arrays and frames. Only this file imports dask."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import dask
import numpy as np
import pyarrow as pa
from dask.delayed import delayed
from scipy import sparse

from onesided._blocks._block import Block
from onesided._blocks._checks import Numeric, check_length, checked_matrix, positions_of
from onesided._blocks._sources import Spread
from onesided._typing import Array, Bools, Floats, Ints
from onesided.exceptions import DataError

_BRANCHES = 8  # of the tree by which sums are added


class DaskSource(Spread):
    """Blocks that stay where they are: a pass sends them a function and adds up what it returns.

    Parameters
    ----------
    blocks : delayed `Block`s, consecutive; they are computed once, on the workers of a client
        where there is one
    n_rows : shape (n_blocks,)
    n_features : number of features
    names : one a feature, or None
    """

    def __init__(
        self, blocks: Sequence[Any], n_rows: Ints, n_features: int, names: Sequence[str] | None
    ) -> None:
        self._blocks = dask.persist(*blocks)
        self._n_rows = n_rows
        self.n_features = n_features
        self.feature_names = None if names is None else tuple(names)

    @classmethod
    def of(cls, X: Any, *, numeric: Numeric) -> "DaskSource":
        """A Dask array of shape (n_rows, n_features) or a Dask data frame.

        Parameters
        ----------
        X : its parts are the blocks
        numeric : as for `read_features`
        """
        names, are_numbers = None, True
        if hasattr(X, "columns"):
            names = [str(name) for name in X.columns]
            are_numbers = all(getattr(kind, "kind", "O") in "biuf" for kind in X.dtypes)
            parts = X.to_delayed()
        elif X.ndim == 2:  # noqa: PLR2004 - rows and features
            parts = X.rechunk({1: -1}).to_delayed()[:, 0]
        else:
            raise DataError(
                f"X is a Dask array of shape {X.shape}.", "Pass one of shape (n_rows, n_features)."
            )
        read = dask.persist(*(delayed(_read)(part, names, are_numbers, numeric) for part in parts))
        n_rows = np.array(dask.compute(*map(delayed(_n_rows), read)), dtype=np.int64)
        if not n_rows.sum():
            raise DataError("X has no rows.", "Pass rows with features.")
        starts = np.cumsum(n_rows) - n_rows
        blocks = [delayed(Block)(part, int(at)) for part, at in zip(read, starts, strict=True)]
        return cls(blocks, n_rows, X.shape[1], names)

    def blocks(self) -> Iterator[Block]:
        """The blocks, brought here one by one."""
        for block in self._blocks:
            yield block.compute()

    def total(self, of: Callable[[Block], Any], zero: Any) -> Any:
        """Sum of `of(block)`, added where the blocks are, neighbours first."""
        parts = self._apply(of)
        while len(parts) > _BRANCHES:
            parts = [
                delayed(_sum)(parts[at : at + _BRANCHES]) for at in range(0, len(parts), _BRANCHES)
            ]
        return reduce(add, dask.compute(*parts), zero)

    def map(self, of: Callable[[Block], Array]) -> Array:
        """`of(block)`, one entry a row, for all rows in order; shape (n_rows, ...)."""
        return np.concatenate(dask.compute(*self._apply(of)))

    def select(self, names: Sequence[str]) -> "DaskSource":
        """The same rows with these features, in this order."""
        order = positions_of(names, self.feature_names)
        if order == list(range(self.n_features)):
            return self
        blocks = [delayed(_columns)(block, order) for block in self._blocks]
        return DaskSource(blocks, self._n_rows, len(order), names)

    def labeled(self, positive: Bools, weight: Floats | None) -> "DaskSource":
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
        sent = delayed(of, pure=False)  # once, whatever it carries
        return [delayed(_call)(sent, block) for block in self._blocks]


def _read(part: Any, names: Sequence[str] | None, are_numbers: bool, numeric: Numeric) -> Any:  # noqa: FBT001 - sent by Dask
    """What a block holds of a part: a matrix, or of a frame with other values a record batch."""
    if not are_numbers:
        table = pa.Table.from_pandas(part, preserve_index=False).rename_columns(names)
        batches = table.combine_chunks().to_batches()
        return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
    X = part if sparse.issparse(part) else np.asarray(part)
    return checked_matrix(X, numeric=numeric) if X.shape[0] else X


def _n_rows(X: Any) -> int:
    return Block(X).n_rows


def _columns(block: Block, order: list[int]) -> Block:
    X = block.X.select(order) if block.is_arrow else block.X[:, order]
    return replace(block, X=X)


def _call(of: Callable[[Block], Any], block: Block) -> Any:
    return of(block)


def _sum(parts: Sequence[Any]) -> Any:
    return reduce(add, parts)
