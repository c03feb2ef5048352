"""The space in which sets of rows are compared: rows as the kernel of each source sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

from onesided._blocks import Block, Source
from onesided._numerics._missing import filled
from onesided._numerics._stacking import stacked
from onesided._statistics import SubsetSums
from onesided._text import counted
from onesided._typing import CSR, Floats, Ints
from onesided.exceptions import DataError
from onesided.models.significance._pvalues import membership

Kernel: TypeAlias = str | Callable[..., float]

_NEGATIVE = 1e-5  # relative; a kernel has no eigenvalue that is more negative
_KERNEL_ROWS = 512  # rows of the kernel matrix at a time


@dataclass(frozen=True)
class KernelSpace:
    """The space of each source, in which the mean of a set of rows is a point.

    Attributes
    ----------
    kernel : "linear", "rbf", "poly", a function of two rows, or "precomputed"
    parameters : gamma, degree and coef0 of scikit-learn's kernels
    columns : of each source, as an index of the columns of X
    mean : shape (n_features,); it replaces missing values and is subtracted from the rows
    scale : shape (n_features,); the rows are divided by it
    """

    kernel: Kernel
    parameters: Mapping[str, Any]
    columns: Sequence[Any]
    mean: Floats
    scale: Floats

    def means(self, source: Source, subsets: Ints, n_rows: int) -> list[Floats]:
        """Means of the subsets in the space of each source, up to a rotation.

        Parameters
        ----------
        source : all rows
        subsets : shape (n_subsets, size), the rows of each subset
        n_rows : number of all rows

        Returns
        -------
        for each source, shape (n_subsets, dim)
        """
        members = membership(subsets, n_rows)
        size = subsets.shape[1]
        if self.kernel == "linear":
            of = partial(SubsetSums.of, members=members, fill=self.mean)
            sums = source.total(of, SubsetSums.zero(len(subsets), source.n_features)).sums
            means = (sums / size - self.mean) / self.scale
            return [means[:, columns] for columns in self.columns]
        found = []
        for gram in self._kernels_of_sums(source, members) / size**2:
            values, vectors = np.linalg.eigh((gram + gram.T) / 2)
            if self._is_given and values[0] < -_NEGATIVE * np.abs(values).max():
                raise DataError(
                    "The kernel is not positive semidefinite: some sets have negative squared "
                    "lengths.",
                    "Pass similarities that are inner products; -distance**2 / 2 becomes one by "
                    "sklearn.preprocessing.KernelCenterer.",
                )
            used = values > values.max(initial=0.0) * np.finfo(float).eps * len(values)
            found.append(vectors[:, used] * np.sqrt(values[used]))
        return found

    @property
    def _is_given(self) -> bool:
        """Whether the kernel is the caller's own, which may be none."""
        return self.kernel == "precomputed" or callable(self.kernel)

    def _kernels_of_sums(self, source: Source, members: CSR) -> Floats:
        """M K Mᵀ of each source, some rows of K at a time; (n_sources, n_subsets, n_subsets)."""
        total = np.zeros((len(self.columns), members.shape[0], members.shape[0]))
        rows = None if self.kernel == "precomputed" else self.rows(source)
        for block in source.blocks():
            for part in block.pieces(_KERNEL_ROWS):
                inside = members[:, part.start : part.start + part.n_rows]
                for number, K in enumerate(self.kernels(rows, part)):
                    total[number] += inside @ (K @ members.T)
        return total

    def rows(self, source: Source) -> Any:
        """All rows of a source, prepared, in one matrix; shape (n_rows, n_features)."""
        blocks = source.blocks()
        return stacked([self._prepared(block, is_sparse=block.is_sparse) for block in blocks])

    def kernels(self, rows: Any, block: Block) -> Iterator[Any]:
        """For each source, the kernel of the rows of a block with other rows.

        Parameters
        ----------
        rows : prepared, which say how the block is prepared; None for a precomputed kernel, whose
            other rows are all rows
        block : rows
        """
        if rows is None:
            yield from (block.matrix()[:, columns] for columns in self.columns)
            return
        X = self._prepared(block, is_sparse=sparse.issparse(rows))
        for columns in self.columns:
            yield self._kernel(X[:, columns], rows[:, columns])

    def _kernel(self, X: Any, Y: Any) -> Floats:
        if callable(self.kernel):
            K = pairwise_kernels(X, Y, metric=self.kernel)
        else:
            K = pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **self.parameters)
        if not np.isfinite(K).all():
            raise DataError(
                "The kernel returned a value that is not finite for some rows.",
                "Pass another kernel.",
            )
        return K

    def _prepared(self, block: Block, *, is_sparse: bool) -> Any:
        """Rows with gaps filled, in standard deviations from the mean.

        Parameters
        ----------
        block : rows, dense or sparse
        is_sparse : whether the rows of `fit` are sparse. Then "rbf", which does not see the mean,
            gets all rows uncentered and sparse; other kernels and other rows are centered.
        """
        rows = filled(block.matrix(), self.mean)
        if is_sparse and self.kernel == "rbf":
            return sparse.csr_array(rows).multiply(1 / self.scale).tocsr()
        dense = rows.toarray() if block.is_sparse else rows
        return (dense - self.mean) / self.scale


def check_precomputed(source: Source, n_rows: int, columns: list[Any], names: list[str]) -> None:
    """Raise a DataError if the precomputed kernel of a source is not square or not symmetric.

    Parameters
    ----------
    source : the kernel matrices side by side
    n_rows : number of all rows
    columns : of the matrix of each source
    names : of the sources; empty if there is one kernel without a name
    """
    for number, each in enumerate(columns):
        kernel = f"kernel of source {names[number]!r}" if names else "kernel"
        n_columns = len(np.arange(source.n_features)[each])
        if n_columns != n_rows:
            raise DataError(
                f"The precomputed {kernel} has {counted(n_rows, 'row')} and "
                f"{counted(n_columns, 'column')}.",
                "Pass the kernel of all rows with all rows.",
            )
        K = stacked([block.dense()[:, each] for block in source.blocks()])
        if not np.allclose(K, K.T, rtol=1e-6, atol=1e-8 * np.abs(K).max()):  # noqa: TID251 - a check of input, no test
            raise DataError(
                f"The precomputed {kernel} is not symmetric.",
                "Pass k(x, z) for every pair of rows; k(x, z) = k(z, x).",
            )
