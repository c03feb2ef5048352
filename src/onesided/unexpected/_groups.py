"""The words that distinguish documents, and groups of similar documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.preprocessing import normalize

from onesided._numerics._tfidf import inverse_document_frequency, weighted_counts
from onesided._typing import CSR, Array, Floats, Ints

_WORDS = 6  # number of words that are shown for a document or a group
_FAR = 0.95  # largest mean cosine distance within a group
_FEWEST_IN_GROUP = 3


@dataclass(frozen=True)
class Group:
    """A group of similar documents that are flagged or likely unexpected.

    Attributes
    ----------
    number : number of the group; the largest group has number 1
    words : words that distinguish the group from the known documents
    ids : identifiers of its documents, the most unexpected first

    Examples
    --------
    >>> from onesided.unexpected import Documents, compare_documents
    >>> texts = [f"the parcel is {when} late" for when in ("an hour", "a day", "a week")]
    >>> known = Documents([f"k{number}" for number in range(30)], texts * 10)
    >>> letters = ["the parcel is late", "account hacked", "my account hacked", "hacked account"]
    >>> found = compare_documents(known, Documents(["n1", "n2", "n3", "n4"], letters))
    >>> group = found.groups[0]
    >>> group.words, group.ids, group.n_documents
    (['account', 'hacked'], ['n2', 'n3', 'n4'], 3)
    """

    number: int
    words: list[str]
    ids: list[str]

    @property
    def n_documents(self) -> int:
        """Number of documents in the group."""
        return len(self.ids)


def telling_words(known: CSR, new: CSR) -> CSR:
    """Weights of the words of the new documents; words that are rare in the known ones weigh more.

    Parameters
    ----------
    known, new : shape (n_known, n_words) and (n_new, n_words), counts of words
    """
    documents = np.bincount(known.indices, minlength=known.shape[1]).astype(np.float64)
    weighted: CSR = weighted_counts(
        new, inverse_document_frequency(documents + 1, known.shape[0]), sublinear=True
    )
    return weighted


def words_of(weights: CSR, row: int, words: Array) -> list[str]:
    """The words of one document with the largest weights."""
    cells = slice(weights.indptr[row], weights.indptr[row + 1])
    return _heaviest(weights.data[cells], words[weights.indices[cells]])


def _heaviest(weights: Floats, words: Array) -> list[str]:
    best = np.argsort(-weights, kind="stable")[:_WORDS]
    return [str(word) for word in words[best[weights[best] > 0]]]


def numbers_of_groups(weights: CSR) -> Ints:
    """Number of the group of each document, shape (n_rows,).

    The largest group has number 1. A document without a group has number 0.

    Parameters
    ----------
    weights : shape (n_rows, n_words), from `telling_words`
    """
    if weights.shape[0] < _FEWEST_IN_GROUP:
        return np.zeros(weights.shape[0], dtype=np.int64)
    unit = normalize(weights)
    distance = np.clip(1 - (unit @ unit.T).toarray(), 0, None)
    np.fill_diagonal(distance, 0)
    clusters = AgglomerativeClustering(
        n_clusters=None, distance_threshold=_FAR, metric="precomputed", linkage="average"
    ).fit_predict(distance)
    sizes = Counter(clusters.tolist())
    kept = [cluster for cluster, n in sizes.most_common() if n >= _FEWEST_IN_GROUP]
    numbers = {cluster: number for number, cluster in enumerate(kept, start=1)}
    return np.array([numbers.get(cluster, 0) for cluster in clusters.tolist()], dtype=np.int64)


def groups_of(group: Ints, order: Ints, weights: CSR, words: Array, ids: list[str]) -> list[Group]:
    """The groups with their words and documents.

    Parameters
    ----------
    group : shape (n_documents,), number of the group of each document, 0 for no group
    order : positions of the documents, the most unexpected first
    weights : shape (n_documents, n_words), from `telling_words`
    words : shape (n_words,), the words
    ids : identifiers of the documents
    """
    found = []
    for number in range(1, int(group.max(initial=0)) + 1):
        members = order[group[order] == number]
        total = np.asarray(normalize(weights[members]).sum(axis=0)).ravel()
        found.append(Group(number, _heaviest(total, words), [ids[i] for i in members]))
    return found
