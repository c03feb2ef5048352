"""The values that each feature is known to take, and sums of tables over them."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np

from onesided._blocks import Block
from onesided._statistics._values import ValueCounts, factorize
from onesided._typing import CSR, Array, Floats, Ints

_MISSING, _UNSEEN = -1, -2


@dataclass(frozen=True)
class Vocabulary:
    """Known values of each feature: one flat table, as in `ValueCounts`.

    Attributes
    ----------
    n_features : number of features
    feature : shape (n_entries,), sorted
    value : shape (n_entries,), sorted within a feature
    """

    n_features: int
    feature: Ints
    value: Array
    starts: Ints = field(init=False)

    def __post_init__(self) -> None:
        starts = np.searchsorted(self.feature, np.arange(self.n_features + 1))
        object.__setattr__(self, "starts", starts)

    @classmethod
    def of(cls, counts: ValueCounts) -> "Vocabulary":
        """The values that were counted."""
        return cls(counts.n_features, counts.feature, counts.value)

    @property
    def n_values(self) -> Ints:
        """Number of values of each feature, shape (n_features,)."""
        return np.diff(self.starts)

    def values(self, feature: int) -> Array:
        """Values of one feature, sorted, in the type that they have."""
        values = self.value[self.starts[feature] : self.starts[feature + 1]]
        return np.array(values.tolist()) if values.dtype == object else values

    def codes(self, block: Block, feature: int) -> Ints:
        """Which of its values a feature has in each row, −1 missing, −2 unseen; (n_rows,)."""
        found, codes = factorize(block.column(feature), feature)
        known = {value: code for code, value in enumerate(self._listed(feature))}
        of_found = np.array([known.get(value, _UNSEEN) for value in found.tolist()] + [_MISSING])
        return of_found[codes]

    def sum_over_features(self, block: Block, table: Floats) -> Floats:
        """Sum over features of `table` at the value that the row has, shape (n_rows,).

        Missing and unseen values add nothing.

        Parameters
        ----------
        block : rows
        table : shape (n_entries,)
        """
        if block.is_sparse:
            return self._sum_sparse(block.X, table)
        if not block.is_arrow and block.X.dtype.kind in "biu" and self._is_compact:
            return self._sum_small_ints(block.X, table)
        total = np.zeros(block.n_rows)
        for j in range(self.n_features):
            own = table[self.starts[j] : self.starts[j + 1]]
            total += np.append(own, [0.0, 0.0])[self.codes(block, j)]  # −2 and −1 take the zeros
        return total

    def first_unseen(self, block: Block) -> tuple[int, int] | None:
        """Row within the block and feature of a value that is not known, or None."""
        dense = Block(block.X.toarray()) if block.is_sparse else block
        for j in range(self.n_features):
            unseen = self.codes(dense, j) == _UNSEEN
            if unseen.any():
                return int(np.argmax(unseen)), j
        return None

    def _listed(self, feature: int) -> list[object]:
        listed: list[object] = self.value[self.starts[feature] : self.starts[feature + 1]].tolist()
        return listed

    @property
    def _is_compact(self) -> bool:
        return self._range is not None

    @cached_property
    def _range(self) -> tuple[int, int] | None:
        """Least and greatest value, where all are integers and a table of all is small."""
        if self.value.dtype.kind != "i" or len(self.value) == 0:
            return None
        low, high = int(self.value.min()), int(self.value.max())
        small = (high - low + 1) * self.n_features <= max(8 * len(self.value), 1 << 16)
        return (low, high) if small else None

    def _sum_small_ints(self, X: Array, table: Floats) -> Floats:
        low, high = cast("tuple[int, int]", self._range)
        lookup = np.zeros((self.n_features, high - low + 3))  # a zero before and behind
        lookup[self.feature, self.value - low + 1] = table
        inside = X.size == 0 or (X.min() >= low and X.max() <= high)
        total = np.zeros(len(X))
        for j in range(self.n_features):
            place = X[:, j].astype(np.intp) - (low - 1)
            if not inside:
                np.clip(place, 0, high - low + 2, out=place)
            total += lookup[j].take(place)
        return total

    @cached_property
    def _sparse_keys(self) -> tuple[Array, Ints, Ints]:
        """Distinct values; feature × their number + which one, for each entry; where 0 stands."""
        distinct, which = np.unique(self.value.astype(np.float64), return_inverse=True)
        keys = self.feature * len(distinct) + which
        zero = np.full(self.n_features, len(self.value))
        at_zero = np.flatnonzero(self.value == 0)
        zero[self.feature[at_zero]] = at_zero
        return distinct, keys, zero

    def _sum_sparse(self, X: CSR, table: Floats) -> Floats:
        distinct, keys, zero = self._sparse_keys
        padded = np.append(table, 0.0)
        at_zero = padded[zero]  # what each feature adds where no value is stored
        which = np.searchsorted(distinct, X.data).clip(max=len(distinct) - 1)
        wanted = X.indices.astype(np.int64) * len(distinct) + which
        entry = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        known = (distinct[which] == X.data) & (keys[entry] == wanted)
        stored = np.where(known, padded[entry], 0.0) - at_zero[X.indices]
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return at_zero.sum() + np.bincount(row, weights=stored, minlength=X.shape[0])
