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
    check_weight,
    is_dask,
    labeled_source,
    read_features,
    unchanged,
)
from onesided._files._passes import FileTable
from onesided._labels import LabelCoding
from onesided._numerics._stacking import stacked
from onesided._statistics import DocumentFrequencies
from onesided._text import first_line
from onesided._typing import CSR, Floats
from onesided._validation import check_number
from onesided._words import WORDS
from onesided.exceptions import DataError

_MOST_FEATURES = 2**31 - 1


class HashedText(MappedSource):
    """Columns of text as counts of hashed words, made block by block while a learner reads.

    It is passed as `X`, with `y` the name of a column of labels or the labels themselves, to
    learners that pass over rows: `WeightedLogisticRegression`, `NoisyOrClassifier` (with
    `binary=True`), `LGN`, `PositiveMultinomialNB`, `CenterOfMassRanker`, `SpyEM`. Neither text nor
    matrix is ever held whole.

    Parameters
    ----------
    data : path of a Parquet, CSV or JSON-lines file (text also .gz, .bz2) or a folder of them;
        Arrow table or dataset, data frame, or Dask data frame
    text : the column of text, or several, which are read as one text; missing is no text
    n_features : words are numbered from 0 to below it; two that share a number count as one
    analyzer, ngram_range, stop_words, lowercase : as in scikit-learn's `HashingVectorizer`
    binary : whether a word that occurs counts as 1
    tfidf : whether counts are multiplied by the inverse document frequency of their word, and
        rows scaled to unit length
    sublinear : whether 1 + log(count) stands for a count, with `tfidf`
    cache : a folder in which counts are kept while this object lives, so that text is hashed once
        and not in each pass; 8 bytes for each word of a document

    Raises
    ------
    DataError : if there is no such column, or a parameter cannot be used

    Notes
    -----
    The rows are those of `HashingVectorizer(alternate_sign=False, norm=None)`, with `tfidf` those
    of `TfidfTransformer` after it. In text without spaces between words (Chinese, Japanese, Thai
    and others) characters and groups of neighbouring characters count as words. Document
    frequencies are of all rows of the data, whatever their labels and weights, and take one pass.
    Other documents are weighted by the same frequencies if they are read by `with_data`.

    Hashing costs more than anything that a learner does in a pass: pass a `cache` to one that
    makes many. Memory is that of a block: 8,192 documents of text and some four million words; of
    Parquet files a row group; with a cache and a column of labels one byte a row. A part of a Dask
    frame is a block.

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
        """Refuse what the vectorizer does not take, and a cache that is no folder."""
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
        """In how many documents each word occurs: of `data`, or of what `with_data` was called."""
        if self._given is not None:
            return self._given
        zero = DocumentFrequencies.zero(self.n_features)
        return self._rows.total(DocumentFrequencies.of, zero)

    @property
    def idf_(self) -> Floats:
        """Inverse document frequencies, log((1 + n) / (1 + n_w)) + 1; shape (n_features,)."""
        return self.document_frequencies.idf

    def with_data(self, data: Any) -> HashedText:
        """Other documents, read and weighted as these are, by the document frequencies of these.

        Parameters
        ----------
        data : as in the class; it has the same columns of text
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
        """All rows in memory, for learners that hold them; shape (n_rows, n_features)."""
        parts = [block.matrix() for block in self.blocks()]
        if not parts:
            raise DataError("There are no rows.", "Pass documents.")
        matrix: CSR = stacked(parts)
        return matrix

    def labeled_by(
        self, name: str, sample_weight: Any, positive_label: Any
    ) -> tuple[Source, LabelCoding]:
        """The rows with labels from a column of the data, and what its values mean.

        Parameters
        ----------
        name : of the column
        sample_weight : shape (n_rows,), or None
        positive_label : the value that means positive
        """
        if name in self.text:
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
        """Refused: scikit-learn's learners hold all rows."""
        raise DataError(
            "HashedText is read in blocks and cannot become an array.",
            "Pass it to WeightedLogisticRegression, NoisyOrClassifier, LGN or "
            "PositiveMultinomialNB, or hold its rows as a matrix: to_csr().",
        )

    @cached_property
    def _rows(self) -> Source:  # type: ignore[override]  # made when first read
        """The rows as counts, from the cache where there is one."""
        counted = self._hashed(self._documents)
        return counted if self.cache is None else StoredCounts.of(counted, self.cache)

    @cached_property
    def _change(self) -> Callable[[Block], Block]:  # type: ignore[override]  # likewise
        """From counts to what a learner reads."""
        return UnitWeights(self.idf_, self.sublinear) if self.tfidf else unchanged

    def _texts(self, rows: Source) -> Source:
        if rows.feature_names is None:
            raise DataError(
                "The data have no named columns.", "Pass files, or a data frame with columns."
            )
        return rows.select(list(self.text))

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
