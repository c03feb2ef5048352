"""Words by how much they tell: tf-idf."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from onesided._typing import Floats, Matrix


def inverse_document_frequency(documents: Floats, n_documents: float) -> Floats:
    """log((1 + n) / n_w), for a word that is in no document as if in one; shape (n_words,).

    Parameters
    ----------
    documents : shape (n_words,), n_w, documents in which the word occurs
    n_documents : n, documents in all
    """
    found: Floats = np.log((1 + n_documents) / np.maximum(documents, 1))
    return found


def weighted_counts(X: Matrix, idf: Floats, *, sublinear: bool = False) -> Any:
    """Counts times idf.

    Parameters
    ----------
    X : shape (n_rows, n_words), not negative; dense or CSR
    idf : shape (n_words,)
    sublinear : whether log(1 + count) stands for the count

    Returns
    -------
    shape (n_rows, n_words), float64, CSR where X is
    """
    if not sparse.issparse(X):
        return (np.log1p(X) if sublinear else X) * idf
    weighted: Any = sparse.csr_array(X, dtype=np.float64, copy=True)
    weighted.sum_duplicates()  # the logarithm is of the whole count
    if sublinear:
        np.log1p(weighted.data, out=weighted.data)
    weighted.data *= idf[weighted.indices]
    return weighted


def tfidf(X: Matrix, idf: Floats) -> Any:
    """Weighted counts, each row scaled to unit length."""
    weighted = weighted_counts(X, idf)
    return normalize(weighted) if weighted.shape[0] else weighted  # normalize refuses no rows
