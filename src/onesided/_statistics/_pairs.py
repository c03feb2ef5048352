"""Numbers of rows by label and by the values of two features, or of a feature and its parents.

Two methods count pairs:

- by bits, if features have few values: each value has a string of bits, one bit for each row, and
  64 bits are a word. A pair is counted by AND and popcount
- by histogram, if features have many values or rows have weights: each pair of features is one
  histogram

For 100,000 rows and 30 features with 4 values, bits take a third of the time of scikit-learn's
CategoricalNB.fit, and histograms take about twice its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from onesided._blocks import Block
from onesided._statistics._vocabulary import Vocabulary, coded_chunks
from onesided._typing import Array, Floats, Ints

_WORD = 64  # bits
_BITS_WIN = 14  # with fewer values per feature, counting by bits was faster


@dataclass(frozen=True)
class PairCounts:
    """Number of rows by label and by the values of two features.

    Attributes
    ----------
    counts : shape (2, n_entries, n_entries), first the unlabeled and then the positive rows. Entry
        (a, b) counts the rows with both values, and entry (a, a) the rows with value a. Counts are
        int64, and sums of weights float64. The size does not depend on the number of rows
    """

    counts: Array

    @classmethod
    def zero(cls, vocabulary: Vocabulary) -> Self:
        """The counts of no rows."""
        n = vocabulary.n_entries
        return cls(np.zeros((2, n, n), dtype=np.int64))

    @classmethod
    def of(cls, block: Block, vocabulary: Vocabulary) -> Self:
        """Count one block of labeled rows."""
        n = vocabulary.n_entries
        few_values = n <= _BITS_WIN * vocabulary.n_features
        counts = np.zeros((2, n, n), dtype=np.int64 if block.weight is None else np.float64)
        for label, mask in enumerate((~block.labels(), block.labels())):
            for codes, weight in coded_chunks(block, vocabulary, np.flatnonzero(mask)):
                if weight is None and few_values:
                    _add_pairs_by_bits(counts[label], codes, vocabulary)
                else:
                    _add_pairs_by_histogram(counts[label], codes, weight, vocabulary)
        return cls(counts)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.counts + other.counts)


@dataclass(frozen=True)
class FamilyCounts:
    """Number of rows by label and by the values of a feature and its parents.

    Attributes
    ----------
    tables : one table for each feature, shape (2, n_configurations, n_values), first the unlabeled
        and then the positive rows. A configuration is a combination of values of the parents;
        configurations are in the order in which the last parent changes fastest
    """

    tables: tuple[Array, ...]

    @classmethod
    def zero(cls, vocabulary: Vocabulary, parents: Array) -> Self:
        """The counts of no rows; `parents` has the shape (n_features, k), and −1 for no parent."""
        sizes = vocabulary.n_values
        return cls(
            tuple(
                np.zeros((2, int(np.prod(sizes[own[own >= 0]])), sizes[j]), dtype=np.int64)
                for j, own in enumerate(parents)
            )
        )

    @classmethod
    def of(cls, block: Block, vocabulary: Vocabulary, parents: Array) -> Self:
        """Count one block of labeled rows.

        A table leaves out the rows in which its feature or one of its parents is missing.
        """
        kind = np.int64 if block.weight is None else np.float64
        tables = [table.astype(kind) for table in cls.zero(vocabulary, parents).tables]
        for label, mask in enumerate((~block.labels(), block.labels())):
            for codes, weight in coded_chunks(block, vocabulary, np.flatnonzero(mask)):
                for j, own in enumerate(parents):
                    configuration, n_configurations = configurations(
                        codes, own[own >= 0], vocabulary
                    )
                    n_values = int(vocabulary.n_values[j])
                    kept = (configuration < n_configurations) & (codes[j] < n_values)
                    cells = configuration[kept] * n_values + codes[j][kept]
                    tables[j][label] += np.bincount(
                        cells,
                        weights=None if weight is None else weight[kept],
                        minlength=n_configurations * n_values,
                    ).reshape(n_configurations, n_values)
        return cls(tuple(tables))

    def __add__(self, other: Self) -> Self:
        return type(self)(tuple(a + b for a, b in zip(self.tables, other.tables, strict=True)))


def configurations(codes: Array, parents: Ints, vocabulary: Vocabulary) -> tuple[Ints, int]:
    """The configuration of the parents' values in each row, and the number of configurations.

    Returns
    -------
    configuration : shape (n_rows,), from 0 on; the last parent changes fastest. If a parent is
        missing or unknown, it is the number of configurations
    n_configurations : number of configurations
    """
    configuration = np.zeros(codes.shape[1], dtype=np.intp)
    unknown = np.zeros(codes.shape[1], dtype=bool)
    n_configurations = 1
    for parent in parents:
        n_values = int(vocabulary.n_values[parent])
        configuration *= n_values
        configuration += codes[parent]
        unknown |= codes[parent] == n_values
        n_configurations *= n_values
    configuration[unknown] = n_configurations
    return configuration, n_configurations


def _add_pairs_by_bits(into: Array, codes: Array, vocabulary: Vocabulary) -> None:
    """Add the pairs of a chunk to `into`, shape (n_entries, n_entries)."""
    sizes = vocabulary.n_values
    complete = (codes < sizes[:, None]).all()
    # Without missing values, counts of the last value of a feature follow from the other counts.
    last = vocabulary.starts[1:][sizes > 0] - 1
    kept = np.setdiff1d(np.arange(vocabulary.n_entries), last) if complete else None
    bits = _pack(codes, vocabulary, kept)
    found = _popcounts(bits)
    if kept is None:
        into += found
        return
    into += _complete(found, np.diagonal(found), codes.shape[1], kept, vocabulary)


def _pack(codes: Array, vocabulary: Vocabulary, kept: Ints | None) -> Array:
    """One row of bits for each entry; a word holds the bits of 64 rows of data."""
    n_rows = codes.shape[1]
    entries = np.arange(vocabulary.n_entries) if kept is None else kept
    n_bytes = -(-n_rows // 8)
    packed = np.zeros((len(entries), -(-n_rows // _WORD) * 8), dtype=np.uint8)
    owner = vocabulary.feature[entries].tolist()
    # Plain integers, because a comparison with numpy integers would first widen the codes.
    code = (entries - vocabulary.starts[vocabulary.feature[entries]]).tolist()
    for row in range(len(entries)):
        packed[row, :n_bytes] = np.packbits(codes[owner[row]] == code[row])
    return packed.view(np.uint64)


def _popcounts(bits: Array) -> Ints:
    """Number of common bits of each pair of rows of bits; a symmetric matrix."""
    n = len(bits)
    found = np.zeros((n, n), dtype=np.int64)
    both, ones = np.empty_like(bits), np.empty(bits.shape, dtype=np.uint8)
    for a in range(n):
        common, counted = both[a:], ones[a:]
        np.bitwise_and(bits[a], bits[a:], out=common)
        np.bitwise_count(common, out=counted)
        # At most 256 words with at most 64 bits each: the sum fits into 16 bits, and is twice as
        # fast as in 64 bits.
        found[a, a:] = counted.sum(axis=1, dtype=np.uint16)
    return found + np.triu(found, 1).T


def _complete(found: Ints, single: Ints, n_rows: int, kept: Ints, vocabulary: Vocabulary) -> Ints:
    """Counts of the pairs of all entries, from counts without the last value of each feature.

    Parameters
    ----------
    found : shape (n_kept, n_kept), counts of the pairs of the kept entries
    single : shape (n_kept,), number of rows with each kept entry
    n_rows : number of rows
    kept : shape (n_kept,), the kept entries
    vocabulary : the values of each feature

    Returns
    -------
    shape (n_entries, n_entries)
    """
    n, sizes = vocabulary.n_entries, vocabulary.n_values
    last = vocabulary.starts[1:][sizes > 0] - 1
    bounds = np.searchsorted(kept, np.append(vocabulary.starts[:-1][sizes > 0], n))
    # Sums over the kept values of a feature: with each kept entry, alone, and with the sums of
    # each other feature.
    running = np.concatenate([np.zeros((1, len(kept)), dtype=np.int64), found.cumsum(axis=0)])
    with_kept = np.diff(running[bounds], axis=0)
    running_single = np.concatenate([[0], single.cumsum()])
    alone = np.diff(running_single[bounds])
    running = np.concatenate(
        [np.zeros((len(last), 1), dtype=np.int64), with_kept.cumsum(axis=1)], axis=1
    )
    with_each_other = np.diff(running[:, bounds], axis=1)
    full = np.empty((n, n), dtype=np.int64)
    full[np.ix_(kept, kept)] = found
    full[np.ix_(last, kept)] = single - with_kept
    full[np.ix_(kept, last)] = (single - with_kept).T
    full[np.ix_(last, last)] = n_rows - alone[:, None] - alone[None, :] + with_each_other
    return full


def _add_pairs_by_histogram(
    into: Array, codes: Array, weight: Floats | None, vocabulary: Vocabulary
) -> None:
    """Add the pairs of a chunk to `into`, shape (n_entries, n_entries)."""
    sizes, starts = vocabulary.n_values, vocabulary.starts
    places = codes.astype(np.intp)
    for i in range(vocabulary.n_features):
        rows = slice(starts[i], starts[i + 1])
        single = np.bincount(places[i], weights=weight, minlength=sizes[i] + 1)[:-1]
        into[rows, rows] += np.diag(single).astype(into.dtype)
        for k in range(i + 1, vocabulary.n_features):
            width = int(sizes[k]) + 1
            cells = places[i] * width + places[k]
            table = np.bincount(cells, weights=weight, minlength=(int(sizes[i]) + 1) * width)
            inner = table.reshape(-1, width)[:-1, :-1].astype(into.dtype)
            columns = slice(starts[k], starts[k + 1])
            into[rows, columns] += inner
            into[columns, rows] += inner.T
