"""The number or the weight of rows by label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from onesided._blocks import Block


@dataclass(frozen=True)
class LabelTotals:
    """Number of positive and of unlabeled rows, or the sums of their weights.

    Attributes
    ----------
    positive, unlabeled : number of rows, or sum of weights
    """

    positive: float = 0.0
    unlabeled: float = 0.0

    @classmethod
    def of(cls, block: Block) -> Self:
        """The totals of one block."""
        weight = block.weights()
        positive = float(weight[block.labels()].sum())
        return cls(positive, float(weight[~block.labels()].sum()))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.positive + other.positive, self.unlabeled + other.unlabeled)
