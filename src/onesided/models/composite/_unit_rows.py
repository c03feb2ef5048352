"""Documents as vectors of unit length."""

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
    idf : shape (n_words,), inverse document frequencies
    """

    idf: Floats

    @classmethod
    def of(cls, source: Source) -> Self:
        """Count the document frequencies in all rows, positive and unlabeled, in one pass."""
        totals = source.total(WordTotals.of, WordTotals.zero(source.n_features))
        return cls(inverse_document_frequency(totals.documents.sum(axis=0), totals.rows.sum()))

    def __call__(self, block: Block) -> Any:
        """The unit rows of a block, shape (n_rows, n_words); CSR if the block is CSR."""
        return tfidf(block.matrix(), self.idf)
