"""Messages and texts as counts of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer

from onesided._typing import CSR


def bodies_of(messages: pa.Table) -> list[str]:
    """What follows the headers, which end with the first empty line, of each `text`."""
    return [text.partition("\n\n")[2] for text in messages["text"].to_pylist()]


def count_words(texts: Sequence[str], *, min_df: int = 1) -> CSR:
    """Counts of words of two letters or more without English stop words.

    Parameters
    ----------
    texts : n_texts of them
    min_df : fewest texts that a word must be in

    Returns
    -------
    shape (n_texts, n_words)
    """
    words = CountVectorizer(
        token_pattern="[a-zA-Z]{2,}",  # noqa: S106 - no password
        stop_words="english",
        min_df=min_df,
        dtype=np.float64,
    )
    return words.fit_transform(texts).tocsr()
