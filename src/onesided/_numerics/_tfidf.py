"""Words by how much they tell: tf-idf."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

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


def unit_rows(X: Any) -> Any:
    """Each row scaled to unit length, a row of zeros as it is; dense, or CSR where X is."""
    length = row_norms(X)
    scale = 1 / np.where(length > 0, length, 1.0)
    if sparse.issparse(X):
        return sparse.diags_array(scale).tocsr() @ X
    return X * scale[:, None]


def tfidf(X: Matrix, idf: Floats, *, sublinear: bool = False) -> Any:
    """Weighted counts, each row scaled to unit length."""
    return unit_rows(weighted_counts(X, idf, sublinear=sublinear))
