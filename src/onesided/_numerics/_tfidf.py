"""Weights of words by term frequency and inverse document frequency (tf-idf)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from onesided._typing import Floats, Matrix


def inverse_document_frequency(documents: Floats, n_documents: float) -> Floats:
    """log((1 + n) / n_w); a word that no document has counts as in one; shape (n_words,).

    Parameters
    ----------
    documents : shape (n_words,), n_w, number of documents that have the word
    n_documents : n, number of all documents
    """
    found: Floats = np.log((1 + n_documents) / np.maximum(documents, 1))
    return found


def weighted_counts(X: Matrix, idf: Floats, *, sublinear: bool = False) -> Any:
    """Counts of words, multiplied by the inverse document frequency.

    Parameters
    ----------
    X : shape (n_rows, n_words), counts that are not negative; dense or CSR
    idf : shape (n_words,), inverse document frequency
    sublinear : whether log(1 + count) replaces the count

    Returns
    -------
    shape (n_rows, n_words), float64, CSR if X is CSR
    """
    if not sparse.issparse(X):
        return (np.log1p(X) if sublinear else X) * idf
    weighted: Any = sparse.csr_array(X, dtype=np.float64, copy=True)
    weighted.sum_duplicates()  # before the logarithm, which is of the whole count
    if sublinear:
        np.log1p(weighted.data, out=weighted.data)
    weighted.data *= idf[weighted.indices]
    return weighted


def tfidf(X: Matrix, idf: Floats) -> Any:
    """Counts of words times inverse document frequency, each row scaled to unit length."""
    weighted = weighted_counts(X, idf)
    return normalize(weighted) if weighted.shape[0] else weighted  # normalize needs a row
