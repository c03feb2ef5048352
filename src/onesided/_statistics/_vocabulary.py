"""The known values of each feature, and rows coded by these values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np

from onesided._blocks import Block
from onesided._statistics._values import (
    MISSING_BYTE,
    ValueCounts,
    canonical,
    factorize,
    whole_numbers,
)
from onesided._typing import CSR, Array, Floats, Ints
from onesided.exceptions import DataError

_MISSING, _UNSEEN = -1, -2
_CHUNK_ROWS = 1 << 14  # number of rows that are coded at a time; as bits they fill 256 words
_CHUNK_CELLS = 1 << 22  # largest number of cells of a chunk, in which sparse rows are made dense


@dataclass(frozen=True)
class Vocabulary:
    """Known values of each feature, in one flat table as in `ValueCounts`.

    The code of a value is its place among the sorted values of its feature.

    Attributes
    ----------
    n_features : number of features
    feature : shape (n_entries,), feature of each entry, sorted
    value : shape (n_entries,), value of each entry, sorted within a feature
    starts : shape (n_features + 1,), first entry of each feature, and at the end the number of
        entries
    """

    n_features: int
    feature: Ints
    value: Array
    starts: Ints = field(init=False)

    def __post_init__(self) -> None:
        starts = np.searchsorted(self.feature, np.arange(self.n_features + 1))
        object.__setattr__(self, "starts", starts)

    @classmethod
    def of(cls, counts: ValueCounts) -> Vocabulary:
        """The vocabulary of the values that were counted."""
        return cls(counts.n_features, counts.feature, counts.value)

    @property
    def n_entries(self) -> int:
        """Number of values of all features together."""
        return len(self.feature)

    @property
    def n_values(self) -> Ints:
        """Number of values of each feature; shape (n_features,)."""
        return np.diff(self.starts)

    def values(self, feature: int) -> Array:
        """Sorted values of one feature; objects are converted to a numpy type."""
        values = self.value[self.starts[feature] : self.starts[feature + 1]]
        return np.array(values.tolist()) if values.dtype == object else values

    def coded(self, block: Block) -> Array:
        """The code of each feature's value in each row.

        Returns
        -------
        shape (n_features, n_rows), codes from 0 to n_values − 1, and n_values if the value is
        missing or not known; the type is the smallest unsigned integer that holds these codes
        """
        kind = np.min_scalar_type(int(self.n_values.max(initial=0)))
        if block.is_sparse:
            block = Block(block.X.toarray(), block.start)
        if self._is_compact(block):
            return self._coded_small_ints(block.X, kind)
        codes = np.empty((self.n_features, block.n_rows), dtype=kind)
        whole = None if block.is_arrow or self.value.dtype == object else whole_numbers(block.X)
        if whole is not None:
            lookup = self._byte_lookup.astype(kind)
            for j, column in enumerate(whole.T):
                lookup[j].take(column, out=codes[j])
            return codes
        for j in range(self.n_features):
            of_found, found = self._codes(block, j)
            codes[j] = np.where(of_found < 0, self.n_values[j], of_found).astype(kind)[found]
        return codes

    def padded(self, table: Floats) -> list[Floats]:
        """The part of `table` for each feature, with a 0 at its end for missing and unknown values.

        Parameters
        ----------
        table : shape (n_entries,)
        """
        return [np.append(own, 0.0) for own in np.split(table, self.starts[1:-1])]

    def first_unseen(self, block: Block) -> tuple[int, int] | None:
        """Row in the block, and feature, of a value that is not known; None if all are known."""
        step = max(1, _CHUNK_CELLS // max(self.n_features, 1))  # sparse rows are made dense here
        for piece in block.pieces(step):
            part = Block(piece.X.toarray()) if piece.is_sparse else piece
            for j in range(self.n_features):
                of_found, found = self._codes(part, j)
                unseen = of_found[found] == _UNSEEN
                if unseen.any():
                    return piece.start - block.start + int(np.argmax(unseen)), j
        return None

    def _codes(self, block: Block, feature: int) -> tuple[Ints, Array]:
        """Codes of the values that one feature has in a block, and the place of each row's value.

        Returns
        -------
        codes : shape (n_found + 1,), −2 for a value that is not known; the last entry is −1, for
            missing values
        found : shape (n_rows,), place of each row's value in `codes`; −1 (the last) if missing
        """
        name = block.X.schema.names[feature] if block.is_arrow else feature
        values, found = factorize(block.column(feature), name)
        known, listed = self._known[feature], values.tolist()
        if known and listed and isinstance(listed[0], str) != isinstance(next(iter(known)), str):
            kinds = ("text", "numbers") if isinstance(listed[0], str) else ("numbers", "text")
            raise DataError(
                f"Column {name!r} holds {kinds[0]}; in fit it held {kinds[1]}.",
                "Convert it to what it was.",
            )
        return np.array([known.get(value, _UNSEEN) for value in listed] + [_MISSING]), found

    @cached_property
    def _known(self) -> list[dict[object, int]]:
        """For each feature, the codes by value."""
        parts = np.split(self.value, self.starts[1:-1])
        return [{value: code for code, value in enumerate(part.tolist())} for part in parts]

    def _is_compact(self, block: Block) -> bool:
        if block.is_arrow or block.X.dtype == np.uint64:
            return False
        return block.X.dtype.kind in "biu" and self._range is not None

    @cached_property
    def _range(self) -> tuple[int, int] | None:
        """The least and the greatest value; None if some value is not an integer.

        It is also None if a table of all integers between the two would be too large.
        """
        if self.value.dtype.kind != "i" or len(self.value) == 0:
            return None
        low, high = int(self.value.min()), int(self.value.max())
        small = (high - low + 1) * self.n_features <= max(8 * len(self.value), 1 << 16)
        return (low, high) if small else None

    @cached_property
    def _counts_from_low(self) -> bool:
        """Whether each feature has the values low, low + 1 and so on.

        The code is then the value minus low, where low is the least value of all features.
        """
        low, _ = self._range or (0, 0)
        expected = np.arange(self.n_entries) - self.starts[self.feature] + low
        return bool((self.value == expected).all())

    @cached_property
    def _lookup(self) -> Ints:
        """Code of each integer from the least to the greatest value; shape (n_features, range + 3).

        One column before the least and one after the greatest value stand for all values outside
        the range, which are not known.
        """
        low, high = self._range or (0, 0)
        lookup = np.repeat(self.n_values[:, None], high - low + 3, axis=1)
        lookup[self.feature, self.value - low + 1] = (
            np.arange(self.n_entries) - self.starts[self.feature]
        )
        return lookup

    @cached_property
    def _byte_lookup(self) -> Ints:
        """Code of each byte of `whole_numbers`; shape (n_features, 256)."""
        lookup = np.repeat(self.n_values[:, None], MISSING_BYTE + 1, axis=1)
        is_byte = (
            (self.value >= 0) & (self.value < MISSING_BYTE) & (np.floor(self.value) == self.value)
        )
        feature = self.feature[is_byte]
        place = np.flatnonzero(is_byte) - self.starts[feature]
        lookup[feature, self.value[is_byte].astype(np.intp)] = place
        return lookup

    def _coded_small_ints(self, X: Array, kind: np.dtype[np.unsignedinteger]) -> Array:
        low, high = self._range or (0, 0)
        inside = X.size == 0 or (X.min() >= low and X.max() <= high)
        columns = X.T.copy()
        if inside and self._counts_from_low:
            shifted = columns if low == 0 else np.subtract(columns, low, dtype=np.int64)
            # `columns` is a copy, so that the codes may be written into its memory.
            codes = (
                shifted.view(kind) if shifted.itemsize == kind.itemsize else shifted.astype(kind)
            )
            return np.minimum(codes, self.n_values.astype(kind)[:, None], out=codes)
        lookup = self._lookup.astype(kind)
        codes = np.empty(columns.shape, dtype=kind)
        for j, column in enumerate(columns):
            place = column.astype(np.intp) - (low - 1)
            if not inside:
                np.clip(place, 0, high - low + 2, out=place)
            lookup[j].take(place, out=codes[j])
        return codes

    @cached_property
    def _sparse_keys(self) -> tuple[Array, Ints, Ints]:
        """Arrays with which `sum_sparse` finds the entry of a feature and a value.

        Returns
        -------
        distinct : sorted distinct values of all features
        keys : shape (n_entries,), feature × number of distinct values + place in `distinct`
        zero : shape (n_features,), entry of the value 0; the number of entries if 0 is not known
        """
        distinct, which = np.unique(self.value, return_inverse=True)
        keys = self.feature * len(distinct) + which
        zero = np.full(self.n_features, len(self.value))
        at_zero = np.flatnonzero(self.value == 0)
        zero[self.feature[at_zero]] = at_zero
        return distinct, keys, zero

    def sum_sparse(self, X: CSR, table: Floats) -> Floats:
        """For each row of a CSR matrix, the sum of `table` over the row's values; shape (n_rows,).

        Missing and unknown values add nothing. The sum for a row of zeros is computed once. Stored
        values then change this sum.

        Parameters
        ----------
        X : shape (n_rows, n_features)
        table : shape (n_entries,), one number for each feature and value
        """
        if self.n_entries == 0:
            return np.zeros(X.shape[0])
        if self.value.dtype == object and not all(isinstance(each, Real) for each in self.value):
            raise DataError(
                "A sparse matrix holds numbers; in fit the features held text.",
                "Pass a data frame, or an array of text.",
            )
        distinct, keys, zero = self._sparse_keys
        padded = np.append(table, 0.0)
        at_zero = padded[zero]  # number that each feature adds if its value is 0
        kinds, kind = np.unique(X.data, return_inverse=True)
        kinds = canonical(kinds)
        nearest = np.searchsorted(distinct, kinds).clip(max=len(distinct) - 1)
        wanted = X.indices.astype(np.int64) * len(distinct) + nearest[kind]
        entry = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        known = (distinct[nearest] == kinds)[kind] & (keys[entry] == wanted)
        stored = np.where(known, padded[entry], 0.0) - at_zero[X.indices]
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return at_zero.sum() + np.bincount(row, weights=stored, minlength=X.shape[0])


def coded_chunks(
    block: Block, vocabulary: Vocabulary, rows: Ints | None = None
) -> Iterator[tuple[Array, Floats | None]]:
    """Codes and weights of rows in chunks of at most 16,384 rows.

    Parameters
    ----------
    block : the block of rows
    vocabulary : the known values, which give the codes
    rows : ascending positions of the wanted rows in the block; by default all rows
    """
    step = max(1, min(_CHUNK_ROWS, _CHUNK_CELLS // max(vocabulary.n_features, 1)))
    rows = np.arange(block.n_rows) if rows is None else rows
    for start in range(0, len(rows), step):
        part = block.rows(rows[start : start + step])
        yield vocabulary.coded(part), part.weight
