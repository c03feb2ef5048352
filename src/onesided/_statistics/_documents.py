"""Documents that have a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._typing import Floats, Ints


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many documents each word occurs, whatever their labels and weights.

    Attributes
    ----------
    documents : shape (n_words,), rows
    n_documents : rows in all
    """

    documents: Ints
    n_documents: int

    @classmethod
    def zero(cls, n_words: int) -> Self:
        """Of no rows."""
        return cls(np.zeros(n_words, dtype=np.int64), 0)

    @classmethod
    def of(cls, block: Block) -> Self:
        """Of one block of counts: a canonical CSR matrix that stores no zeros."""
        X: Any = block.X
        return cls(np.bincount(X.indices, minlength=block.n_features), block.n_rows)

    @property
    def idf(self) -> Floats:
        """log((1 + n) / (1 + n_w)) + 1, as scikit-learn's `TfidfTransformer`; shape (n_words,)."""
        found: Floats = np.log((1 + self.n_documents) / (1 + self.documents)) + 1
        return found

    def __add__(self, other: Self) -> Self:
        return type(self)(self.documents + other.documents, self.n_documents + other.n_documents)
