"""A random sample of rows that does not depend on blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from onesided._blocks import Block
from onesided._blocks._draw import row_uniforms
from onesided._typing import Floats


@dataclass(frozen=True)
class RowSample:
    """The rows with the smallest random numbers, at most `size` of them.

    Attributes
    ----------
    size : most rows to keep
    keys : shape (n_kept,), the random number of each row, ascending
    rows : shape (n_kept, n_features)
    """

    size: int
    keys: Floats
    rows: Floats

    @classmethod
    def zero(cls, size: int, n_features: int) -> Self:
        """Of no rows."""
        return cls(size, np.empty(0), np.empty((0, n_features)))

    @classmethod
    def of(cls, block: Block, size: int, seed: int) -> Self:
        """Of one block of numbers.

        Parameters
        ----------
        block : dense rows
        size : most rows to keep
        seed : of the random numbers; a row's number depends on it and the row's global index
        """
        keys = row_uniforms(seed, block.start, block.n_rows)
        kept = np.argsort(keys, kind="stable")[:size]
        X = block.matrix()
        return cls(size, keys[kept], np.asarray(X[kept]))

    def __add__(self, other: Self) -> Self:
        keys = np.concatenate([self.keys, other.keys])
        rows = np.concatenate([self.rows, other.rows])
        kept = np.argsort(keys, kind="stable")[: self.size]
        return type(self)(self.size, keys[kept], rows[kept])
