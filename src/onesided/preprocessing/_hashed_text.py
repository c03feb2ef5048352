"""Text larger than memory, as features."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NoReturn

from sklearn.feature_extraction.text import HashingVectorizer

from onesided._blocks import (
    ROWS_READ,
    Block,
    MappedSource,
    Source,
    StoredCounts,
    UnitWeights,
    WordCounts,
    is_dask,
    labeled_source,
    read_features,
    unchanged,
)
from onesided._files._names import spelled
from onesided._files._passes import FileTable
from onesided._labels import LabelCoding
from onesided._numerics._stacking import stacked
from onesided._statistics import DocumentFrequencies
from onesided._text import first_line
from onesided._typing import CSR, Floats
from onesided._validation import check_number, check_weight
from onesided._words import WORDS
from onesided.exceptions import DataError

_MOST_FEATURES = 2**31 - 1


class HashedText(MappedSource):
    """Columns of text as counts of hashed words, made block by block while a learner reads.

    Pass this object as `X` to a learner that reads rows in blocks: `WeightedLogisticRegression`,
    `NoisyOrClassifier` (with `binary=True`), `LGN`, `PositiveMultinomialNB`, `CenterOfMassRanker`
    or `SpyEM`. Pass the labels, or the name of their column, as `y`. Memory never holds all of the
    text or the whole matrix.

    Parameters
    ----------
    data : path of a Parquet, CSV or JSON-lines file (text also .gz, .bz2) or a folder of them;
        Arrow table or dataset, data frame, or Dask data frame
    text : the column of text, or several columns, which are read as one text; a missing value is
        an empty text
    n_features : number of columns; each word gets a column number from 0 to n_features − 1, and
        words with the same number count as one word
    analyzer, ngram_range, stop_words, lowercase : as in scikit-learn's `HashingVectorizer`
    binary : whether a word counts as 1 however often it occurs in a document
    tfidf : whether counts are multiplied by the inverse document frequency of their word, and
        rows are then scaled to unit length
    sublinear : whether 1 + log(count) replaces each count; only with `tfidf`
    cache : a folder that keeps the counts as long as this object exists, so that the text is
        hashed only once, not in each pass; it needs 8 bytes for each word of a document

    Raises
    ------
    DataError : if there is no such column, or a parameter cannot be used

    Notes
    -----
    The rows equal those of `HashingVectorizer(alternate_sign=False, norm=None)`; with `tfidf` they
    equal those of `TfidfTransformer` after it. In text without spaces between words (Chinese,
    Japanese, Thai and others) characters and groups of neighbouring characters count as words.
    Document frequencies count all rows of the data, whatever their labels and weights, and take
    one pass. `with_data` reads other documents with the same document frequencies.

    Hashing takes more time than anything else in a pass of a learner. Use a `cache` for a learner
    that makes many passes. Memory holds one block: 8,192 documents and about four million words,
    or a row group of a Parquet file. With a cache and a column of labels it also holds one byte for
    each row. Each partition of a Dask frame is one block.

    Examples
    --------
    >>> import pandas as pd
    >>> from onesided import LGN
    >>> words = ["a hen", "the hen", "hen", "the car, the car"]
    >>> data = pd.DataFrame({"words": words, "known": [1, 1, 0, 0]})
    >>> texts = HashedText(data, "words", n_features=2**10)
    >>> LGN().fit(texts, "known").predict(texts)
    array([1, 1, 1, 0])
    """

    def __init__(  # noqa: PLR0913 - what to read, how words are found, what they count
        self,
        data: Any,
        text: str | Sequence[str],
        *,
        n_features: int = 2**18,
        analyzer: Literal["word", "char", "char_wb"] = "word",
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: Literal["english"] | Sequence[str] | None = None,
        lowercase: bool = True,
        binary: bool = False,
        tfidf: bool = False,
        sublinear: bool = False,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        mend = "Pass 2**18 for example."
        check_number(n_features, "n_features", mend, at_least=1, whole=True)
        if n_features > _MOST_FEATURES:
            raise DataError(f"n_features={n_features} is above {_MOST_FEATURES}.", mend)
        if sublinear and not tfidf:
            raise DataError(
                "sublinear=True has no effect without tfidf=True.", "Pass tfidf=True with it."
            )
        if cache is not None and is_dask(data):
            raise DataError(
                "cache works for files only; the parts of a Dask frame are hashed where they "
                "are stored.",
                "Leave cache out.",
            )
        self.text = (text,) if isinstance(text, str) else _names(text)
        if not self.text:
            raise DataError("text names no column.", "Name the column that holds the documents.")
        self.n_features = int(n_features)
        self.tfidf = tfidf
        self.sublinear = sublinear
        self.cache = cache
        self._counts = WordCounts(
            HashingVectorizer(
                n_features=self.n_features,
                analyzer=analyzer,
                ngram_range=ngram_range,
                stop_words=stop_words if stop_words is None else _listed(stop_words),
                lowercase=lowercase,
                binary=binary,
                norm=None,
                alternate_sign=False,
                **(WORDS if analyzer == "word" else {}),
            )
        )
        self._check()
        self._given: DocumentFrequencies | None = None
        self._data = (
            FileTable(data, at_once=ROWS_READ) if isinstance(data, str | os.PathLike) else data
        )
        self._documents = self._texts(read_features(self._data, numeric=False))
        self.is_elsewhere = self._documents.is_elsewhere

    def _check(self) -> None:
        """Refuse parameters that the vectorizer refuses, and a cache that is not a folder."""
        try:
            self._counts.vectorizer.fit([""]).transform(["a word"])
        except (ValueError, TypeError) as error:
            raise DataError(
                f"The text cannot be hashed with these parameters: {first_line(error)}.",
                "Pass what scikit-learn's HashingVectorizer takes.",
            ) from error
        if self.cache is not None and not Path(self.cache).is_dir():
            raise DataError(
                f"cache={str(self.cache)!r} is not a folder.", "Pass an existing folder."
            )

    @cached_property
    def document_frequencies(self) -> DocumentFrequencies:
        """Number of documents that contain each word.

        After `with_data` with `tfidf`, these are the numbers of the original documents.
        """
        if self._given is not None:
            return self._given
        zero = DocumentFrequencies.zero(self.n_features)
        return self._rows.total(DocumentFrequencies.of, zero)

    @property
    def idf_(self) -> Floats:
        """Inverse document frequencies, log((1 + n) / (1 + n_w)) + 1; shape (n_features,)."""
        return self.document_frequencies.idf

    def with_data(self, data: Any) -> HashedText:
        """Other documents, read in the same way and weighted by the same document frequencies.

        Parameters
        ----------
        data : other documents, in any form that the class takes, with the same columns of text
        """
        options = self._counts.vectorizer.get_params()
        names = ("n_features", "analyzer", "ngram_range", "stop_words", "lowercase", "binary")
        other = HashedText(
            data,
            self.text,
            tfidf=self.tfidf,
            sublinear=self.sublinear,
            cache=self.cache,
            **{name: options[name] for name in names},
        )
        if self.tfidf:
            other._given = self.document_frequencies
        return other

    def to_csr(self) -> CSR:
        """CSR matrix of all rows, for learners without blocks; shape (n_rows, n_features)."""
        parts = [block.matrix() for block in self.blocks()]
        if not parts:
            raise DataError("There are no rows.", "Pass documents.")
        matrix: CSR = stacked(parts)
        return matrix

    def labeled_by(
        self, name: str, sample_weight: Any, positive_label: Any
    ) -> tuple[Source, LabelCoding]:
        """The rows with labels from a column of the data, and the coding of these labels.

        Parameters
        ----------
        name : name of the column
        sample_weight : shape (n_rows,), or None
        positive_label : the value that means positive
        """
        if spelled(name, self.text) in self.text:
            raise DataError(
                f"The column {name!r} holds the text.", "Name the column that holds the labels."
            )
        rows, coding = labeled_source(
            self._data,
            name,
            sample_weight=sample_weight,
            positive_label=positive_label,
            numeric=False,
        )
        texts = self._texts(rows)
        if self.cache is None:
            return MappedSource(self._hashed(texts), self._change, self.n_features), coding
        positive = texts.map(Block.labels)
        weight = check_weight(sample_weight, len(positive))
        return self.labeled(positive, weight), coding

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise a DataError, since scikit-learn's learners would hold all rows."""
        raise DataError(
            "HashedText is read in blocks and cannot become an array.",
            "Pass it to WeightedLogisticRegression, NoisyOrClassifier, LGN or "
            "PositiveMultinomialNB, or hold its rows as a matrix: to_csr().",
        )

    @cached_property
    def _rows(self) -> Source:  # type: ignore[override]  # made when first read
        """The rows as counts, from the cache if there is one."""
        counted = self._hashed(self._documents)
        return counted if self.cache is None else StoredCounts.of(counted, self.cache)

    @cached_property
    def _change(self) -> Callable[[Block], Block]:  # type: ignore[override]  # likewise
        """The function from counts to the rows that a learner reads."""
        return UnitWeights(self.idf_, self.sublinear) if self.tfidf else unchanged

    def _texts(self, rows: Source) -> Source:
        if rows.feature_names is None:
            raise DataError(
                "The data have no named columns.", "Pass files, or a data frame with columns."
            )
        return rows.select([spelled(name, rows.feature_names) for name in self.text])

    def _hashed(self, texts: Source) -> Source:
        return MappedSource(texts, self._counts, self.n_features)


def _names(text: Any) -> tuple[str, ...]:
    names = tuple(text) if isinstance(text, Sequence) else (text,)
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise DataError(
            f"text={text!r} is not a list of different column names.",
            "Name the columns that hold the documents.",
        )
    return names


def _listed(stop_words: str | Sequence[str]) -> Any:
    return stop_words if isinstance(stop_words, str) else list(stop_words)
