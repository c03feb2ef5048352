"""Words of a column of text."""

import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer

_FEWEST_ROWS = 2  # that a word must be in


def plain_text(cell: object) -> str:
    """A cell of a text column in lower case, a missing one as no text."""
    value = cell.as_py() if isinstance(cell, pa.Scalar) else cell
    return "" if value is None else str(value).lower()


def find_vocabulary(column: pa.ChunkedArray) -> list[str]:
    """Words of two letters or more that are in two rows or more, English stop words left out."""
    words = CountVectorizer(preprocessor=plain_text, stop_words="english", min_df=_FEWEST_ROWS)
    try:
        return sorted(words.fit(column).vocabulary_)
    except ValueError:  # no word at all, or none in two rows
        return []
