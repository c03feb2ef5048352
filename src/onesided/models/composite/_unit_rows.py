"""Documents as directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from onesided._blocks import Block, Source
from onesided._numerics._tfidf import inverse_document_frequency, tfidf
from onesided._statistics import WordTotals
from onesided._typing import Floats


@dataclass(frozen=True)
class UnitRows:
    """Rows as counts times inverse document frequency, scaled to unit length.

    Attributes
    ----------
    idf : shape (n_words,)
    """

    idf: Floats

    @classmethod
    def of(cls, source: Source) -> Self:
        """With the frequencies of the words in all rows, positive and unlabeled; one pass."""
        totals = source.total(WordTotals.of, WordTotals.zero(source.n_features))
        return cls(inverse_document_frequency(totals.documents.sum(axis=0), totals.rows.sum()))

    def __call__(self, block: Block) -> Any:
        """Rows of a block, shape (n_rows, n_words), CSR where they are."""
        return tfidf(block.matrix(), self.idf)
