"""Check the values of attributes, and count them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from onesided._blocks import Block
from onesided._typing import Floats
from onesided.exceptions import DataError

_MOST_VALUES = 10_000


@dataclass(frozen=True)
class AttributeCounts:
    """How many rows have each value of each attribute.

    Attributes
    ----------
    of_label : shape (2, k, n_values), weight of the unlabeled and of the positive rows
    missing : shape (k,), number of rows in which the attribute is missing, of any weight
    total : shape (2,), weight of the unlabeled and of the positive rows
    """

    of_label: Floats
    missing: Floats
    total: Floats

    @classmethod
    def zero(cls, k: int) -> Self:
        """Counts of no rows, for at least two values."""
        return cls(np.zeros((2, k, 2)), np.zeros(k), np.zeros(2))

    @classmethod
    def of(cls, block: Block, names: Sequence[str] | None, *, binary: bool) -> Self:
        """Counts of one block.

        Parameters
        ----------
        block : labeled rows of numbers
        names : of the attributes, for errors
        binary : whether only 0 and 1 are allowed

        Raises
        ------
        DataError : if a value is not 0 or 1, or not a whole number from 0
        """
        X: Any = block.matrix()
        check_attributes(X, names, binary=binary)
        positive = block.labels()
        weight = np.stack([~positive, positive]) * block.weights()
        total = weight.sum(axis=1)
        if sparse.issparse(X) and binary and not np.isnan(X.data).any():
            ones = np.asarray(X.T @ weight.T).T
            of_label = np.stack([total[:, None] - ones, ones], axis=2)
            return cls(of_label, np.zeros(X.shape[1]), total)
        X = block.dense()
        missing = np.isnan(X)
        highest = 1 if binary else int(np.nanmax(X, initial=1))
        of_label = np.stack([weight @ (value == X) for value in range(highest + 1)], axis=2)
        return cls(of_label, missing.sum(axis=0).astype(np.float64), total)

    def __add__(self, other: Self) -> Self:
        width = max(self.of_label.shape[2], other.of_label.shape[2])
        first, second = (
            np.pad(each.of_label, ((0, 0), (0, 0), (0, width - each.of_label.shape[2])))
            for each in (self, other)
        )
        return type(self)(first + second, self.missing + other.missing, self.total + other.total)

    @property
    def counts(self) -> Floats:
        """Counts of rows with either label; shape (k, n_values)."""
        return self.of_label[0] + self.of_label[1]

    @property
    def marginals(self) -> Floats:
        """P(A_j = v) among rows with a value; equal if no row has a value; (k, n_values)."""
        counts = self.counts
        present = counts.sum(axis=1, keepdims=True)
        even = np.full_like(counts, 1 / counts.shape[1])
        return np.divide(counts, present, out=even, where=present > 0)


def check_attributes(X: Any, names: Sequence[str] | None, *, binary: bool) -> None:
    """Refuse values that an attribute cannot have.

    Parameters
    ----------
    X : shape (n_rows, k), dense, missing as NaN, or CSR
    names : of the attributes
    binary : whether only 0 and 1 are allowed, or all whole numbers from 0
    """
    values = X.data if sparse.issparse(X) else X
    fits = (values == 0) | (values == 1) | np.isnan(values)
    if not binary:
        fits |= (values >= 0) & (values < _MOST_VALUES) & (values == np.floor(values))
    if fits.all():
        return
    if sparse.issparse(X):
        at = int(np.argmax(~fits))
        column, value = int(X.indices[at]), values[at]
    else:
        row, column = (int(each[0]) for each in np.nonzero(~fits))
        value = values[row, column]
    name = repr(str(names[column])) if names is not None else str(column)
    raise DataError(
        f"Column {name} holds {value:g}, which is not 0 or 1."
        if binary
        else f"Column {name} holds {value:g}, not a whole number from 0 to {_MOST_VALUES - 1}.",
        "Pass binarize=0 to count numbers above 0 as 1, or encode the column."
        if binary
        else "Number the values 0, 1, 2, ...",
    )


def binarized(block: Block, threshold: float | None) -> Block:
    """Numbers above the threshold as 1, others as 0; missing values stay missing."""
    if threshold is None:
        return block
    # If 0 is above the threshold, zeros become ones, and a sparse matrix saves nothing.
    X: Any = block.matrix() if threshold >= 0 else block.dense()
    values = X.data if sparse.issparse(X) else X
    ones = np.where(np.isnan(values), np.nan, (threshold < values).astype(np.float64))
    if sparse.issparse(X):
        ones = sparse.csr_array((ones, X.indices, X.indptr), shape=X.shape)
    return replace(block, X=ones)
