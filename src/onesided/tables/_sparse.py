"""Columns of numbered features: each row maps numbers of features to values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from onesided._typing import Array


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """The features of a column, and whether their values are counts (whole numbers from 0 on)."""

    numbers: Array  # shape (n_features,), rising; each has a value other than 0 in some row
    are_counts: bool


def find_features(column: pa.ChunkedArray) -> SparseFeatures:
    """The features of a column of maps."""
    _, numbers, values = _parts(column)
    are_counts = bool((values >= 0).all() and (values == np.floor(values)).all())
    return SparseFeatures(np.unique(numbers[values != 0]), are_counts)


def count_entries(column: pa.ChunkedArray) -> Array:
    """Number of entries of each row, 0 where the map is missing; shape (n_rows,)."""
    return np.diff(_parts(column)[0])


class SparseColumn(TransformerMixin, BaseEstimator):
    """A column of numbered features as a CSR array, with the given features only.

    Arrow holds the offsets, keys and values of maps as CSR does. So nothing is copied if the
    features are numbered from 0 without gaps and all features are known. `binary` replaces each
    value other than 0 by 1.
    """

    def __init__(self, numbers: Array, *, binary: bool = False) -> None:
        self.numbers = numbers
        self.binary = binary

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn nothing, since the features are given."""
        return self

    def transform(self, X: Any) -> sparse.csr_array:
        """The features of a column, of shape (n_rows, n_features); 0 if a map is missing."""
        starts, numbers, values = _parts(X)
        n_features, n_rows = len(self.numbers), len(starts) - 1
        places = numbers
        without_gaps = n_features and self.numbers[-1] == n_features - 1
        if not without_gaps or numbers.max(initial=0) >= n_features:
            places = np.searchsorted(self.numbers, numbers)
            known = places < n_features
            known[known] = self.numbers[places[known]] == numbers[known]
            if not known.all():
                n_before = np.concatenate([[0], np.cumsum(known)])
                starts, places, values = n_before[starts], places[known], values[known]
        if self.binary:
            values = (values != 0).astype(np.float64)
        found = sparse.csr_array((values, places, starts), shape=(n_rows, n_features))
        if found.has_canonical_format and values.all():
            return found
        found = found.copy()  # the arrays belong to Arrow
        found.sum_duplicates()
        found.eliminate_zeros()
        return found

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The numbers of the features as text."""
        return self.numbers.astype(str).astype(object)


def _parts(column: Any) -> tuple[Array, Array, Array]:
    """The row starts, and the feature numbers and values of all rows: views of Arrow's memory."""
    maps = column
    if isinstance(column, pa.ChunkedArray):
        maps = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    offsets = maps.offsets.to_numpy()
    if maps.null_count:  # Arrow may keep entries of a missing map
        present = maps.is_valid().to_numpy(zero_copy_only=False)
        lengths = np.where(present, np.diff(offsets), 0)
        maps, offsets = maps.drop_null(), np.concatenate([[0], np.cumsum(lengths)])
        start = maps.offsets[0].as_py() if len(maps) else 0
    else:
        start = offsets[0]
        offsets = offsets - start if start else offsets
    n_entries = int(offsets[-1])
    numbers = maps.keys.slice(start, n_entries).to_numpy()
    values = maps.items.slice(start, n_entries).to_numpy(zero_copy_only=False)
    return offsets, numbers, values.astype(np.float64, copy=False)
