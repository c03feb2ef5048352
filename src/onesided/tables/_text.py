"""The words of a column of text."""

import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer

_FEWEST_ROWS = 2  # in which a word must occur


def plain_text(cell: object) -> str:
    """The text of a cell in lower case, "" for a missing cell."""
    value = cell.as_py() if isinstance(cell, pa.Scalar) else cell
    return "" if value is None else str(value).lower()


def find_vocabulary(column: pa.ChunkedArray) -> list[str]:
    """Words of at least two letters in at least two rows, without English stop words."""
    words = CountVectorizer(preprocessor=plain_text, stop_words="english", min_df=_FEWEST_ROWS)
    try:
        return sorted(words.fit(column).vocabulary_)
    except ValueError:  # no word at all, or none in two rows
        return []
