"""The number of documents that have each word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._numerics._tfidf import smooth_inverse_document_frequency
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
        """Inverse document frequencies as in scikit-learn's `TfidfTransformer`, (n_words,)."""
        return smooth_inverse_document_frequency(self.documents, self.n_documents)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.documents + other.documents, self.n_documents + other.n_documents)
