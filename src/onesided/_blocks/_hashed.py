"""Documents as rows of hashed words, made during reading: text may be larger than memory."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from onesided._blocks._block import Block
from onesided._blocks._checks import check_length, positions_of
from onesided._blocks._pass import S, Source
from onesided._numerics._tfidf import tfidf
from onesided._typing import Array, Bools, Floats

if TYPE_CHECKING:
    import pyarrow as pa
    from sklearn.feature_extraction.text import HashingVectorizer

ROWS_READ = 8192  # documents whose text is held at a time
_ROWS = 65_536  # most documents of a block
_WORDS = 1 << 22  # of a block, each counted once per document: 48 MB of indices and counts


@dataclass(frozen=True)
class WordCounts:
    """A function from a block of text to the counts of hashed words in each document.

    Attributes
    ----------
    vectorizer : returns counts, without signs and without normalization
    """

    vectorizer: HashingVectorizer

    def __call__(self, block: Block) -> Block:
        """The same rows as a canonical CSR matrix; several columns are joined to one text."""
        texts = _texts_of(block.X)
        shape = (len(texts), self.vectorizer.n_features)
        # scikit-learn refuses an empty list of texts.
        X: Any = self.vectorizer.transform(texts) if texts else sparse.csr_array(shape)
        return replace(block, X=sparse.csr_array(X))


def _texts_of(batch: pa.RecordBatch) -> list[str]:
    columns = [column.to_pylist() for column in batch.columns]
    return [
        "\n".join("" if cell is None else str(cell) for cell in row)
        for row in zip(*columns, strict=True)
    ]


@dataclass(frozen=True)
class UnitWeights:
    """A function from a block of counts to tf-idf rows of unit length, as in `TfidfTransformer`.

    It is the form of scikit-learn; `onesided._numerics._tfidf` says why the learners have another.

    Attributes
    ----------
    idf : shape (n_words,), inverse document frequencies
    sublinear : whether 1 + log(count) replaces the count
    """

    idf: Floats
    sublinear: bool

    def __call__(self, block: Block) -> Block:
        """The same rows, weighted."""
        X: Any = block.X
        if self.sublinear:
            X = sparse.csr_array((1 + np.log(X.data), X.indices, X.indptr), X.shape)
        return replace(block, X=tfidf(X, self.idf))


@dataclass(frozen=True)
class Chain:
    """Two functions of blocks, one after the other; the chain can be sent to other processes."""

    first: Callable[[Block], Block]
    then: Callable[[Block], Any]

    def __call__(self, block: Block) -> Any:
        """The result of `then(first(block))`."""
        return self.then(self.first(block))


def unchanged(block: Block) -> Block:
    """Return the block unchanged."""
    return block


class MappedSource(Source):
    """Rows of another source; each block is changed when it is read.

    Parameters
    ----------
    rows : source that is read
    change : function from a block to the same rows with other features, as CSR matrix
    n_features : number of features of the changed blocks
    """

    feature_names = None
    is_made_while_read = True

    def __init__(self, rows: Source, change: Callable[[Block], Block], n_features: int) -> None:
        self._rows = rows
        self._change = change
        self.n_features = n_features
        self.is_elsewhere = rows.is_elsewhere

    def n_rows_outside(self) -> int:
        """Number of rows in other processes; those of files are not counted."""
        return self._rows.n_rows_outside() if self.is_elsewhere else 0

    def blocks(self) -> Iterator[Block]:
        """The changed blocks, of up to 65,536 rows or some four million words."""
        waiting: list[Block] = []
        for block in self._rows.blocks():
            # A matrix is not cut; of text, only few rows are held at a time.
            for part in block.pieces(ROWS_READ) if block.is_arrow else (block,):
                waiting.append(self._change(part))
                if _is_enough(waiting):
                    yield Block.joined(waiting)
                    waiting = []
        if waiting:
            yield Block.joined(waiting)

    def select(self, names: Sequence[str]) -> MappedSource:
        """Raise a DataError, since hashed words have no names."""
        positions_of(names, None)
        return self

    def labeled(self, positive: Bools, weight: Floats | None) -> MappedSource:
        """The same rows with these labels and weights, both of shape (n_rows,)."""
        rows = self._rows.labeled(positive, weight)
        return MappedSource(rows, self._change, self.n_features)

    def total(self, of: Callable[[Block], S], zero: S, *, at_least: int = 1) -> S:
        """Sum of `of(block)` over the blocks."""
        if self.is_elsewhere:
            return self._rows.total(Chain(self._change, of), zero)
        return super().total(of, zero, at_least=at_least)

    def map(self, of: Callable[[Block], Array]) -> Array:
        """`of(block)`, one entry a row, for all rows in order."""
        if self.is_elsewhere:
            return self._rows.map(Chain(self._change, of))
        return super().map(of)


def _is_enough(blocks: Sequence[Block]) -> bool:
    n_words = sum(block.X.nnz for block in blocks)
    return n_words >= _WORDS or sum(block.n_rows for block in blocks) >= _ROWS


class StoredCounts(Source):
    """Counts of words in temporary files, so that text is hashed only once.

    Parameters
    ----------
    files : of the blocks
    n_features : number of words
    positive : shape (n_rows,), or None
    weight : shape (n_rows,), or None
    """

    feature_names = None
    is_made_while_read = True

    def __init__(
        self,
        files: BlockFiles,
        n_features: int,
        positive: Bools | None = None,
        weight: Floats | None = None,
    ) -> None:
        self._files = files
        self.n_features = n_features
        self._positive = positive
        self._weight = weight

    @classmethod
    def of(cls, counts: Source, beside: str | os.PathLike[str]) -> StoredCounts:
        """The counts of a source, which is read once; the files are in a new folder in `beside`."""
        files = BlockFiles(beside)
        for block in counts.blocks():
            files.write(block.X)
        return cls(files, counts.n_features)

    def blocks(self) -> Iterator[Block]:
        """The blocks as they were written."""
        start = 0
        for parts in self._files.read():
            end = start + len(parts[2]) - 1
            yield Block(
                sparse.csr_array(parts, shape=(end - start, self.n_features)),
                start,
                None if self._positive is None else self._positive[start:end],
                None if self._weight is None else self._weight[start:end],
            )
            start = end

    def select(self, names: Sequence[str]) -> StoredCounts:
        """Raise a DataError, since hashed words have no names."""
        positions_of(names, None)
        return self

    def labeled(self, positive: Bools, weight: Floats | None) -> StoredCounts:
        """The same rows with these labels and weights, both of shape (n_rows,)."""
        check_length(positive, self._files.n_rows)
        return StoredCounts(self._files, self.n_features, positive, weight)


class BlockFiles:
    """CSR matrices of counts in a folder, which is removed when this object is deleted.

    Parameters
    ----------
    beside : folder in which the new folder is made
    """

    def __init__(self, beside: str | os.PathLike[str]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="onesided-words-", dir=beside))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._n_blocks = 0
        self.n_rows = 0

    def write(self, X: Any) -> None:
        """Add one block."""
        for name, part in (
            ("data", X.data.astype(np.float32)),  # whole numbers: exact to 16 million
            ("indices", X.indices.astype(np.int32)),
            ("indptr", X.indptr.astype(np.int32)),
        ):
            np.save(self._path(self._n_blocks, name), part)
        self._n_blocks += 1
        self.n_rows += X.shape[0]

    def read(self) -> Iterator[tuple[Floats, Any, Any]]:
        """The counts, the word indices and the starts of the rows of each block."""
        for number in range(self._n_blocks):
            data, indices, indptr = (
                np.load(self._path(number, name)) for name in ("data", "indices", "indptr")
            )
            yield data.astype(np.float64), indices, indptr

    def _path(self, number: int, name: str) -> Path:
        return self._folder / f"{number}-{name}.npy"
