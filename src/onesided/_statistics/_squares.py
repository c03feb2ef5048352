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
    """Sum over rows of weight · value² of each feature and, last, of the constant 1.

    Attributes
    ----------
    values : shape (2, n_features + 1), of the positive and of the unlabeled rows
    """

    values: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """Of no rows."""
        return cls(np.zeros((2, n_features + 1)))

    @classmethod
    def of(cls, block: Block) -> Self:
        """Of one block of numbers; not finite where a square is no number."""
        X: Any = block.matrix()
        weight = np.stack([block.labels(), ~block.labels()]) * block.weights()
        with np.errstate(over="ignore", invalid="ignore"):
            squares = X.multiply(X) if sparse.issparse(X) else X * X
            sums = (squares.T @ weight.T).T
        return cls(np.column_stack([sums, weight.sum(axis=1)]))

    @property
    def totals(self) -> LabelTotals:
        """Weight of both kinds of rows."""
        return LabelTotals(*self.values[:, -1].tolist())

    def __add__(self, other: Self) -> Self:
        return type(self)(self.values + other.values)
