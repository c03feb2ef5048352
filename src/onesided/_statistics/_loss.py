"""Weighted logistic loss and its derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import expit

from onesided._blocks import Block
from onesided._typing import Floats


@dataclass(frozen=True)
class LogisticLoss:
    """Sum over rows of weight · log(1 + exp(−s·(x·w + b))), and its gradient.

    The sign s is 1 for positive rows and −1 for unlabeled rows.

    Attributes
    ----------
    value : loss in nats
    gradient : shape (n_features + 1,), with respect to w and, as the last entry, to b
    """

    value: float
    gradient: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """The loss of no rows."""
        return cls(0.0, np.zeros(n_features + 1))

    @classmethod
    def of(cls, block: Block, coef: Floats, row_weights: tuple[float, float]) -> Self:
        """The loss of one block.

        Parameters
        ----------
        block : labeled rows
        coef : shape (n_features + 1,), w and, as the last entry, b
        row_weights : weight of a positive and of an unlabeled row
        """
        X = block.matrix()
        sign = np.where(block.labels(), 1.0, -1.0)
        weight = _weights(block, row_weights)
        margin = sign * (X @ coef[:-1] + coef[-1])
        nearer = expit(-np.abs(margin))  # probability of the less likely label, accurate if small
        loss = np.maximum(-margin, 0.0) - np.log1p(-nearer)
        slope = -weight * sign * np.where(margin > 0, nearer, 1.0 - nearer)
        return cls(float(weight @ loss), np.append(X.T @ slope, slope.sum()))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.value + other.value, self.gradient + other.gradient)


@dataclass(frozen=True)
class LossCurvature:
    """Second derivative of the loss, as a matrix or along one direction.

    Attributes
    ----------
    value : shape (n_features + 1, n_features + 1); or its product with a direction, shape
        (n_features + 1,). The last entry belongs to b
    """

    value: Floats

    @classmethod
    def of(cls, block: Block, coef: Floats, row_weights: tuple[float, float]) -> Self:
        """The matrix of one block; parameters as in `LogisticLoss.of`."""
        X = block.matrix()
        curvature = row_curvatures(block, coef, row_weights)
        border = np.append(X.T @ curvature, curvature.sum())
        value = np.empty((len(coef), len(coef)))
        value[:-1, :-1] = _gram(X, curvature)
        value[-1], value[:, -1] = border, border
        return cls(value)

    @classmethod
    def along(cls, block: Block, direction: Floats, row_curvatures: Floats) -> Self:
        """Product of the matrix of one block with a direction.

        Parameters
        ----------
        block : rows
        direction : shape (n_features + 1,)
        row_curvatures : shape (n_rows of all blocks,), from the function `row_curvatures`
        """
        X = block.matrix()
        change = X @ direction[:-1] + direction[-1]
        change *= row_curvatures[block.start : block.start + block.n_rows]
        return cls(np.append(X.T @ change, change.sum()))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.value + other.value)


def _weights(block: Block, row_weights: tuple[float, float]) -> Floats:
    return block.weights() * np.where(block.labels(), *row_weights)


def row_curvatures(block: Block, coef: Floats, row_weights: tuple[float, float]) -> Floats:
    """Second derivative of the loss of each row with respect to its log odds; shape (n_rows,).

    Parameters
    ----------
    block, coef, row_weights : as in `LogisticLoss.of`
    """
    probability = expit(block.matrix() @ coef[:-1] + coef[-1])
    return _weights(block, row_weights) * probability * (1.0 - probability)


def _gram(X: Any, weight: Floats) -> Floats:
    """Xᵀ diag(weight) X, shape (n_features, n_features)."""
    if sparse.issparse(X):
        return (X.T @ X.multiply(weight[:, None]).tocsr()).toarray()
    weighted = X * np.sqrt(weight)[:, None]
    return np.asarray(weighted.T @ weighted)  # faster than with two different matrices
