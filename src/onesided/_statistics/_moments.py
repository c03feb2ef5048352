"""Sums, counts and squares of numbers."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._numerics._missing import filled
from onesided._typing import Floats


@dataclass(frozen=True)
class Moments:
    """Of each feature over all rows.

    Attributes
    ----------
    n_rows : rows
    present : shape (n_features,), rows that have a value
    total, squares : shape (n_features,), sums of the values and of their squares
    """

    n_rows: int
    present: Floats
    total: Floats
    squares: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """Of no rows."""
        none = np.zeros(n_features)
        return cls(0, none, none, none)

    @classmethod
    def of(cls, block: Block) -> Self:
        """Of one block of numbers."""
        X: Any = block.matrix()
        if block.is_sparse:
            total = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
            squares = np.asarray(X.multiply(X).sum(axis=0), dtype=np.float64).ravel()
            return cls(block.n_rows, np.full(X.shape[1], float(block.n_rows)), total, squares)
        there = filled(X, 0.0)
        present = np.full(X.shape[1], float(block.n_rows))
        if there is not X:
            present -= np.isnan(X).sum(axis=0)
        squares = np.einsum("ij,ij->j", there, there)
        return cls(block.n_rows, present, there.sum(axis=0), squares)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.n_rows + other.n_rows,
            self.present + other.present,
            self.total + other.total,
            self.squares + other.squares,
        )

    @property
    def mean(self) -> Floats:
        """Mean of the values that are there, 0 where there is none; shape (n_features,)."""
        return self.total / np.maximum(self.present, 1)

    @property
    def deviation(self) -> Floats:
        """Standard deviation of the values that are there; shape (n_features,)."""
        spread = self.squares / np.maximum(self.present, 1) - self.mean**2
        return np.sqrt(np.maximum(spread, 0.0))
