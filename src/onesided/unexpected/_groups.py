"""What sets documents apart: their words, and groups of documents that are like each other."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.preprocessing import normalize

from onesided._numerics._tfidf import inverse_document_frequency, weighted_counts
from onesided._typing import CSR, Array, Floats, Ints

_WORDS = 6  # that are shown of a document or group
_FAR = 0.95  # mean cosine distance of documents of one group, at most
_FEWEST_IN_GROUP = 3


@dataclass(frozen=True)
class Group:
    """Flagged or likely documents that are like each other.

    Attributes
    ----------
    number : from 1, the largest first
    words : that set it apart
    ids : of its documents, the most unexpected first
    """

    number: int
    words: list[str]
    ids: list[str]

    @property
    def n_documents(self) -> int:
        """Number of documents in it."""
        return len(self.ids)


def telling_words(known: CSR, new: CSR) -> CSR:
    """Words of the new documents by how rare the known have them."""
    documents = np.bincount(known.indices, minlength=known.shape[1]).astype(np.float64)
    weighted: CSR = weighted_counts(
        new, inverse_document_frequency(documents + 1, known.shape[0]), sublinear=True
    )
    return weighted


def words_of(weights: CSR, row: int, words: Array) -> list[str]:
    """Words of most weight in one document."""
    cells = slice(weights.indptr[row], weights.indptr[row + 1])
    return _heaviest(weights.data[cells], words[weights.indices[cells]])


def _heaviest(weights: Floats, words: Array) -> list[str]:
    best = np.argsort(-weights, kind="stable")[:_WORDS]
    return [str(word) for word in words[best[weights[best] > 0]]]


def numbers_of_groups(weights: CSR) -> Ints:
    """Number of the group of each document, the largest group 1; 0 for none; shape (n_rows,)."""
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
    found = []
    for number in range(1, int(group.max(initial=0)) + 1):
        members = order[group[order] == number]
        total = np.asarray(normalize(weights[members]).sum(axis=0)).ravel()
        names = [ids[i] for i in members]
        found.append(Group(number, _heaviest(total, words), names))
    return found
