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
    size : largest number of rows to keep
    keys : shape (n_kept,), the random number of each row, ascending
    rows : shape (n_kept, n_features), the kept rows
    """

    size: int
    keys: Floats
    rows: Floats

    @classmethod
    def zero(cls, size: int, n_features: int) -> Self:
        """The sample of no rows."""
        return cls(size, np.empty(0), np.empty((0, n_features)))

    @classmethod
    def of(cls, block: Block, size: int, seed: int) -> Self:
        """The sample of one block of numbers.

        Parameters
        ----------
        block : dense rows
        size : largest number of rows to keep
        seed : seed of the random numbers; the number of a row depends only on the seed and on the
            index of the row among all rows
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
