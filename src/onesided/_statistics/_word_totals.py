"""Occurrences of words by label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from onesided._blocks import Block
from onesided._typing import Floats
from onesided.exceptions import DataError


@dataclass(frozen=True)
class WordTotals:
    """How often each word occurs, and in how many documents, by label.

    Each array has first the unlabeled and then the positive rows.

    Attributes
    ----------
    occurrences : shape (2, n_words), sums of counts times weights
    documents : shape (2, n_words), numbers of rows with the word, or sums of their weights
    rows : shape (2,), numbers of rows, or sums of their weights
    """

    occurrences: Floats
    documents: Floats
    rows: Floats

    @classmethod
    def zero(cls, n_words: int) -> Self:
        """The totals over no rows."""
        return cls(np.zeros((2, n_words)), np.zeros((2, n_words)), np.zeros(2))

    @classmethod
    def of(cls, block: Block) -> Self:
        """The totals over one block of labeled rows.

        Raises
        ------
        DataError : if a count is negative
        """
        check_counts(block)
        X: Any = block.matrix()
        weights = block.weights()
        by_label = np.stack([weights * ~block.labels(), weights * block.labels()], axis=1)
        present = (X > 0).astype(np.float64)
        return cls((X.T @ by_label).T, (present.T @ by_label).T, by_label.sum(axis=0))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.occurrences + other.occurrences,
            self.documents + other.documents,
            self.rows + other.rows,
        )


def check_counts(block: Block) -> None:
    """Raise an error if a block holds negative numbers, which cannot be counts of words.

    Raises
    ------
    DataError : if a number is negative; it names the row and the feature
    """
    X = block.matrix()
    least = X.min() if X.shape[0] and X.shape[1] else 0
    if least < 0:
        row, word = divmod(int(X.argmin()), X.shape[1])
        raise DataError(
            f"Negative values in data passed to X: row {block.start + row} has {least:g} in "
            f"feature {word}.",
            "Pass counts, or other features that are not negative.",
        )
