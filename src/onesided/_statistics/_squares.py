"""Sums of squares by label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from onesided._blocks import Block
from onesided._statistics._label_totals import LabelTotals
from onesided._typing import Floats


@dataclass(frozen=True)
class SquareSums:
    """Sum over rows of weight · value², for each feature and for a last column of ones.

    Attributes
    ----------
    values : shape (2, n_features + 1), first of the positive and then of the unlabeled rows
    """

    values: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """The sums over no rows."""
        return cls(np.zeros((2, n_features + 1)))

    @classmethod
    def of(cls, block: Block) -> Self:
        """The sums over one block of numbers; a sum is not finite if a square is too large."""
        X: Any = block.matrix()
        weight = np.stack([block.labels(), ~block.labels()]) * block.weights()
        with np.errstate(over="ignore", invalid="ignore"):
            squares = X.multiply(X) if sparse.issparse(X) else X * X
            sums = (squares.T @ weight.T).T
        return cls(np.column_stack([sums, weight.sum(axis=1)]))

    @property
    def totals(self) -> LabelTotals:
        """Sums of the weights of positive and of unlabeled rows."""
        return LabelTotals(*self.values[:, -1].tolist())

    def __add__(self, other: Self) -> Self:
        return type(self)(self.values + other.values)
