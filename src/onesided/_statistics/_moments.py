"""Means and standard deviations of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._numerics._missing import filled
from onesided._typing import Floats

_ROWS_AT_ONCE = 1024  # differences from the mean are in memory for this number of rows


@dataclass(frozen=True)
class Moments:
    """Mean and scatter of each feature over all rows with a value.

    Attributes
    ----------
    n_rows : number of rows
    present : shape (n_features,), number of rows with a value
    mean : shape (n_features,), mean of the values; 0 for a feature without values
    scatter : shape (n_features,), sum of squared differences from the mean
    """

    n_rows: int
    present: Floats
    mean: Floats
    scatter: Floats

    @classmethod
    def zero(cls, n_features: int) -> Self:
        """The moments of no rows."""
        none = np.zeros(n_features)
        return cls(0, none, none, none)

    @classmethod
    def of(cls, block: Block) -> Self:
        """The moments of one block of numbers."""
        X: Any = block.matrix()
        n_rows, n_features = X.shape
        present = np.full(n_features, float(n_rows))
        there = filled(X, 0.0)
        if block.is_sparse:
            present -= np.bincount(X.indices, np.isnan(X.data), n_features)
        elif there is not X:
            present -= np.isnan(X).sum(axis=0)
        mean = np.asarray(there.sum(axis=0)).ravel() / np.maximum(present, 1)
        if block.is_sparse:
            apart = np.square(filled(X.data - mean[X.indices], 0.0))
            unstored = n_rows - np.bincount(X.indices, minlength=n_features)
            scatter = np.bincount(X.indices, apart, n_features) + unstored * mean**2
            return cls(n_rows, present, mean, scatter)
        scatter = np.zeros(n_features)
        for start in range(0, n_rows, _ROWS_AT_ONCE):
            apart = filled(X[start : start + _ROWS_AT_ONCE] - mean, 0.0)
            scatter += np.einsum("ij,ij->j", apart, apart)
        return cls(n_rows, present, mean, scatter)

    def __add__(self, other: Self) -> Self:
        """The moments of both together (Chan, Golub, LeVeque 1983).

        This formula does not lose digits if a mean is large.
        """
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
        """Standard deviation of the values of each feature; shape (n_features,)."""
        return np.sqrt(self.scatter / np.maximum(self.present, 1))
