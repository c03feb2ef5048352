"""Means and standard deviations of numbers."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._numerics._missing import filled
from onesided._typing import Floats

_ROWS_AT_ONCE = 1024  # of which the differences from the mean are held


@dataclass(frozen=True)
class Moments:
    """Of each feature over all rows.

    Attributes
    ----------
    n_rows : rows
    present : shape (n_features,), rows that have a value
    mean : shape (n_features,), of the values that are there, 0 where there is none
    scatter : shape (n_features,), sum of squared differences from the mean
    """

    n_rows: int
    present: Floats
    mean: Floats
    scatter: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """Of no rows."""
        none = np.zeros(n_features)
        return cls(0, none, none, none)

    @classmethod
    def of(cls, block: Block) -> Self:
        """Of one block of numbers."""
        X: Any = block.matrix()
        n_rows, n_features = X.shape
        present = np.full(n_features, float(n_rows))
        if block.is_sparse:
            mean = np.asarray(X.sum(axis=0), dtype=np.float64).ravel() / max(n_rows, 1)
            apart = np.square(X.data - mean[X.indices])
            stored = np.bincount(X.indices, minlength=n_features)
            scatter = np.bincount(X.indices, apart, n_features) + (n_rows - stored) * mean**2
            return cls(n_rows, present, mean, scatter)
        there = filled(X, 0.0)
        if there is not X:
            present -= np.isnan(X).sum(axis=0)
        mean = there.sum(axis=0) / np.maximum(present, 1)
        scatter = np.zeros(n_features)
        for start in range(0, n_rows, _ROWS_AT_ONCE):
            apart = filled(X[start : start + _ROWS_AT_ONCE] - mean, 0.0)
            scatter += np.einsum("ij,ij->j", apart, apart)
        return cls(n_rows, present, mean, scatter)

    def __add__(self, other: Self) -> Self:
        """Of both: Chan, Golub, LeVeque 1983, which does not lose digits to a large mean."""
        present = self.present + other.present
        step = other.mean - self.mean
        share = np.divide(other.present, present, out=np.zeros_like(present), where=present > 0)
        return type(self)(
            self.n_rows + other.n_rows,
            present,
            self.mean + step * share,
            self.scatter + other.scatter + step**2 * self.present * share,
        )

    @property
    def deviation(self) -> Floats:
        """Standard deviation of the values that are there; shape (n_features,)."""
        return np.sqrt(self.scatter / np.maximum(self.present, 1))
