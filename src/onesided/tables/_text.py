"""The words of a column of text."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer

from onesided._typing import Array, Floats
from onesided._words import RUN, WORDS, count_words

_FEWEST_ROWS = 2  # in which a word must occur


def plain_text(cell: object) -> str:
    """The text of a cell in lower case, "" for a missing cell."""
    value = cell.as_py() if isinstance(cell, pa.Scalar) else cell
    return "" if value is None else str(value).lower()


def find_vocabulary(column: pa.ChunkedArray) -> list[str]:
    """Words, as `words_of` finds them, in at least two rows, without English stop words."""
    words = CountVectorizer(
        **WORDS, preprocessor=plain_text, stop_words="english", min_df=_FEWEST_ROWS
    )
    try:
        return sorted(words.fit(column).vocabulary_)
    except ValueError:  # no word at all, or none in two rows
        return []


def word_counts(cells: Any) -> Floats:
    """Approximate number of words in each cell of an Arrow column; NaN for a missing cell.

    A column of numbers can be read as text too.
    """
    cells = cells.cast(pa.string())
    lengths = pc.list_value_length(pc.utf8_split_whitespace(cells))
    counts = np.array(lengths.cast(pa.float64()).to_numpy(zero_copy_only=False))
    with_runs = pc.fill_null(pc.match_substring_regex(cells, RUN), fill_value=False)
    for row in np.flatnonzero(with_runs.to_numpy(zero_copy_only=False)).tolist():
        counts[row] = count_words(cells[row].as_py())
    return counts


def has_known_word(cells: Any, words: CountVectorizer) -> bool:
    """Whether a cell of an Arrow column holds a word that fitted `words` knows."""
    words_of, known = words.build_analyzer(), words.vocabulary_
    return any(word in known for cell in cells for word in words_of(cell))


class JoinedText(TransformerMixin, BaseEstimator):
    """A transformer that joins the columns of text to one text for each row."""

    def fit(self, X: pa.Table, y: Any = None) -> Self:
        """Keep the names of the columns."""
        self.feature_names_in_ = np.array(X.column_names, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def transform(self, X: pa.Table) -> list[str]:
        """The joined text of each row, with the cells as `plain_text` returns them."""
        rows = zip(*(column.to_pylist() for column in X.columns), strict=True)
        return [" ".join(map(plain_text, cells)) for cells in rows]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The only name, which scikit-learn requires; the words get their own names later."""
        return np.array(["text"], dtype=object)
