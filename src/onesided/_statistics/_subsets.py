"""Sums over given subsets of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from onesided._blocks import Block
from onesided._numerics._missing import filled
from onesided._typing import CSR, Floats


@dataclass(frozen=True)
class SubsetSums:
    """Sum of the features over each subset.

    Attributes
    ----------
    sums : shape (n_subsets, n_features)
    """

    sums: Floats

    @classmethod
    def zero(cls, n_subsets: int, n_features: int) -> Self:
        """The sums over no rows."""
        return cls(np.zeros((n_subsets, n_features)))

    @classmethod
    def of(cls, block: Block, members: CSR, fill: Floats) -> Self:
        """The sums over one block of numbers.

        Parameters
        ----------
        block : rows
        members : shape (n_subsets, n_rows of all blocks), how often each row is in each subset
        fill : shape (n_features,), value that replaces a missing value
        """
        inside = members[:, block.start : block.start + block.n_rows]
        found = inside @ filled(block.matrix(), fill)
        return cls(found.toarray() if block.is_sparse else np.asarray(found))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.sums + other.sums)
