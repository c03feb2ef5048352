"""The number of documents that have each word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._typing import Floats, Ints


@dataclass(frozen=True)
class DocumentFrequencies:
    """The number of documents that have each word; labels and weights do not count.

    Attributes
    ----------
    documents : shape (n_words,), number of documents (rows) that have the word
    n_documents : number of all documents
    """

    documents: Ints
    n_documents: int

    @classmethod
    def zero(cls, n_words: int) -> Self:
        """The frequencies over no rows."""
        return cls(np.zeros(n_words, dtype=np.int64), 0)

    @classmethod
    def of(cls, block: Block) -> Self:
        """The frequencies over one block of counts: a canonical CSR matrix without stored zeros."""
        X: Any = block.X
        return cls(np.bincount(X.indices, minlength=block.n_features), block.n_rows)

    @property
    def idf(self) -> Floats:
        """log((1 + n) / (1 + n_w)) + 1, as in scikit-learn's `TfidfTransformer`.

        The shape is (n_words,). n is the number of documents, and n_w of those with the word.
        """
        found: Floats = np.log((1 + self.n_documents) / (1 + self.documents)) + 1
        return found

    def __add__(self, other: Self) -> Self:
        return type(self)(self.documents + other.documents, self.n_documents + other.n_documents)
