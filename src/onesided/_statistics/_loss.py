"""Weighted logistic loss and its gradient."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from onesided._blocks import Block
from onesided._typing import Floats


@dataclass(frozen=True)
class LogisticLoss:
    """Sum over rows of weight · log(1 + exp(−s·(x·w + b))), s = 1 for positive, −1 for unlabeled.

    Attributes
    ----------
    value : in nats
    gradient : shape (n_features + 1,), by w and, last, by b
    """

    value: float
    gradient: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """Of no rows."""
        return cls(0.0, np.zeros(n_features + 1))

    @classmethod
    def of(
        cls, block: Block, coef: Floats, positive_weight: float, unlabeled_weight: float
    ) -> Self:
        """Of one block.

        Parameters
        ----------
        block : labeled rows
        coef : shape (n_features + 1,), w and, last, b
        positive_weight, unlabeled_weight : weight of each row of the kind
        """
        X = block.matrix()
        sign = np.where(block.labels(), 1.0, -1.0)
        weight = block.weights() * np.where(block.labels(), positive_weight, unlabeled_weight)
        margin = sign * (X @ coef[:-1] + coef[-1])
        slope = -weight * sign * expit(-margin)
        value = float(weight @ np.logaddexp(0.0, -margin))
        return cls(value, np.append(X.T @ slope, slope.sum()))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.value + other.value, self.gradient + other.gradient)
