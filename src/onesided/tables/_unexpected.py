"""New documents that belong to no known kind, in order, with what sets them apart."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import CountVectorizer

from onesided._files._whole import read_table
from onesided._numerics._tfidf import inverse_document_frequency, unit_rows, weighted_counts
from onesided._typing import CSR, Array, Bools, Floats, Ints
from onesided.exceptions import DataError, TableError
from onesided.models.nearest import NearestKnown
from onesided.promises import adjusted_p_values, conformal_p_values, exchangeability_test
from onesided.tables._columns import as_text, find_column
from onesided.tables._documents import Documents

_FEWEST_KNOWN = 2
_FEWEST_TO_COMPARE = 300  # known; of fewer the left-out scores alarm in 4 to 7% of runs, not 1%
_DIFFERENT = 0.01  # p-value below which known and new are said to differ
_WORDS = 6  # that are shown of a document or group
_FAR = 0.95  # mean cosine distance of documents of one group, at most
_FEWEST_IN_GROUP = 3
_MOST_GROUPED = 4000  # documents, whose distances fit into memory


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


@dataclass(frozen=True)
class Unexpected:
    """What was found among new documents.

    Attributes
    ----------
    table : a row a document, the most unexpected first
    rows, nearest : shape (n_new,), rows of the new documents in that order, and the nearest known
    known_scores, new_scores : shape (n_known,) and (n_new,), of documents that hold a word; the
        known left out in turn. At 0 and below a document is likely unexpected
    estimated : number of unexpected documents, estimated
    n_flagged, n_likely : documents flagged at the rate, and at or below 0
    n_wordless : new documents without any word
    n_ungrouped : flagged or likely ones that were too many to be grouped
    groups : of similar ones
    kinds : number of the other documents, by the known kind that they are most like
    exchangeable : p-value of known and new documents being alike where they are known; None if
        there are too few
    fewest_flagged : documents that must stand out together for any to be flagged, by the number of
        the known
    """

    table: pa.Table
    rows: Ints
    nearest: Ints
    known_scores: Floats
    new_scores: Floats
    estimated: float
    n_flagged: int
    n_likely: int
    n_wordless: int
    n_ungrouped: int
    groups: list[Group]
    kinds: dict[str, int]
    exchangeable: float | None
    fewest_flagged: int

    @property
    def differs(self) -> bool:
        """Whether new documents of known kinds are unlike the known ones: no rate is promised."""
        return self.exchangeable is not None and self.exchangeable < _DIFFERENT


def find_unexpected(
    known: Documents, new: Documents, *, fdr: float = 0.1, n_added: int = 0
) -> Unexpected:
    """Score new documents by their likeness to known ones, and flag those of no known kind.

    Parameters
    ----------
    known, new : documents; kinds of the known are kept apart
    fdr : share of known kinds among the flagged, at most, in expectation
    n_added : last ones of the known that became so for being unexpected: others are compared with
        them, but what is usual for known documents they do not tell

    Raises
    ------
    TableError : if fewer than two known documents hold a word, or no new one
    """
    X, words = _counts(known, new)
    n_known = len(known)
    of_known, of_new = X[:n_known], X[n_known:]
    _check_words(of_known, of_new)
    y = (np.arange(X.shape[0]) < n_known).astype(np.int64)
    kinds = None if known.kinds is None else np.array([*known.kinds, *[""] * len(new)])
    model = NearestKnown().fit(X, y, kinds=kinds)
    scores, says = model.decision_function(of_new), _says(of_new)
    told_by = model.known_scores_[: n_known - n_added]
    p = conformal_p_values(told_by, scores)
    adjusted = adjusted_p_values(p)
    flagged, likely = (adjusted <= fdr) & says, (scores <= 0) & says
    order = np.lexsort((np.arange(len(new)), scores, ~says))
    weights = _telling(of_known, of_new)
    shown = flagged | likely
    chosen = order[shown[order]]
    of_group = _grouped(weights[chosen[:_MOST_GROUPED]])
    group = np.zeros(len(new), dtype=np.int64)
    group[chosen[:_MOST_GROUPED]] = of_group
    cosines, neighbors = model.kneighbors(of_new)
    cosine, nearest = cosines[:, 0], neighbors[:, 0]
    columns = {
        "id": pa.array([new.ids[i] for i in order]),
        "rank": pa.array(np.arange(1, len(new) + 1)),
        "score": pa.array(scores[order]),
        "p_value": pa.array(p[order]),
        "adjusted_p_value": pa.array(adjusted[order]),
        "flagged": pa.array(flagged[order]),
        "likely": pa.array(likely[order]),
        "group": pa.array(group[order], mask=group[order] == 0),
        "words": pa.array(
            [" ".join(_words_of(weights, i, words)) if shown[i] else None for i in order],
            pa.string(),
        ),
        "nearest_known": pa.array([known.ids[nearest[i]] if says[i] else None for i in order]),
        "cosine": pa.array(cosine[order], mask=~says[order]),
    }
    of_rest: dict[str, int] = {}
    if kinds is not None:
        rest = np.flatnonzero(says & ~shown)
        kind = np.full(len(new), None, dtype=object)
        if len(rest):
            kind[rest] = model.predict_kind(of_new[rest])
        columns["kind"] = pa.array(kind[order], pa.string())
        of_rest = dict(Counter(kind[rest].tolist()).most_common())
    return Unexpected(
        table=pa.table(columns),
        rows=order,
        nearest=nearest[order],
        known_scores=told_by[_says(of_known[: len(told_by)])],
        new_scores=scores[says],
        estimated=(1 - model.class_prior_) * int(says.sum()),
        n_flagged=int(flagged.sum()),
        n_likely=int(likely.sum()),
        n_wordless=int((~says).sum()),
        n_ungrouped=max(len(chosen) - _MOST_GROUPED, 0),
        groups=_groups(group, chosen, weights, words, new.ids),
        kinds=of_rest,
        exchangeable=_exchangeable(told_by, scores),
        fewest_flagged=int(np.ceil(len(new) / (fdr * (len(told_by) + 1)) - 1e-9)),  # rounding
    )


def _counts(known: Documents, new: Documents) -> tuple[CSR, Array]:
    """Words of all documents, also those of a single one; English stop words are left out."""
    words = CountVectorizer(stop_words="english", dtype=np.float64)
    try:
        X = words.fit_transform([*known.texts, *new.texts])
    except ValueError as error:  # scikit-learn's, of an empty vocabulary
        raise TableError(
            "No document holds a word but English stop words.",
            "Check that the right column is read, --text COLUMN, or the right folder.",
        ) from error
    return X, words.get_feature_names_out()


def _check_words(known: CSR, new: CSR) -> None:
    for what, fewest, X in (("known", _FEWEST_KNOWN, known), ("new", 1, new)):
        n = int(_says(X).sum())
        if n < fewest:
            raise TableError(
                f"{n} of {X.shape[0]} {what} documents hold a word.",
                f"Pass at least {fewest} {what} document{'s' * (fewest > 1)} with words.",
            )


def _says(X: CSR) -> Bools:
    found: Bools = np.diff(X.indptr) > 0
    return found


def _telling(known: CSR, new: CSR) -> CSR:
    """Words of the new documents by how rare the known have them."""
    documents = np.bincount(known.indices, minlength=known.shape[1]).astype(np.float64)
    weighted: CSR = weighted_counts(
        new, inverse_document_frequency(documents + 1, known.shape[0]), sublinear=True
    )
    return weighted


def _words_of(weights: CSR, row: int, words: Array) -> list[str]:
    """Words of most weight in one document."""
    cells = slice(weights.indptr[row], weights.indptr[row + 1])
    return _heaviest(weights.data[cells], words[weights.indices[cells]])


def _heaviest(weights: Floats, words: Array) -> list[str]:
    best = np.argsort(-weights, kind="stable")[:_WORDS]
    return [str(word) for word in words[best[weights[best] > 0]]]


def _grouped(weights: CSR) -> Ints:
    """Number of the group of each document, the largest group 1; 0 for none; shape (n_rows,)."""
    if weights.shape[0] < _FEWEST_IN_GROUP:
        return np.zeros(weights.shape[0], dtype=np.int64)
    unit = unit_rows(weights)
    distance = np.clip(1 - (unit @ unit.T).toarray(), 0, None)
    np.fill_diagonal(distance, 0)
    clusters = AgglomerativeClustering(
        n_clusters=None, distance_threshold=_FAR, metric="precomputed", linkage="average"
    ).fit_predict(distance)
    sizes = Counter(clusters.tolist())
    kept = [cluster for cluster, n in sizes.most_common() if n >= _FEWEST_IN_GROUP]
    numbers = {cluster: number for number, cluster in enumerate(kept, start=1)}
    return np.array([numbers.get(cluster, 0) for cluster in clusters.tolist()], dtype=np.int64)


def _groups(group: Ints, order: Ints, weights: CSR, words: Array, ids: list[str]) -> list[Group]:
    found = []
    for number in range(1, int(group.max(initial=0)) + 1):
        members = order[group[order] == number]
        total = np.asarray(unit_rows(weights[members]).sum(axis=0)).ravel()
        names = [ids[i] for i in members]
        found.append(Group(number, _heaviest(total, words), names))
    return found


def _exchangeable(known: Floats, new: Floats) -> float | None:
    if len(known) < _FEWEST_TO_COMPARE:
        return None
    try:
        return exchangeability_test(known, new)
    except DataError:
        return None


def kinds_of_groups(result: Path, wanted: Mapping[int, str]) -> dict[str, str]:
    """Kinds of documents that an earlier result puts into some groups, by their identifiers.

    Parameters
    ----------
    result : the table of an earlier run
    wanted : kinds by number of a group

    Raises
    ------
    TableError : if the result has no such group
    """
    table = read_table(result, as_text=["id"], at_least=1)
    for name in ("id", "group"):
        find_column(table, name)
    groups = [as_text(cell) for cell in table["group"].to_pylist()]
    found = {
        as_text(each): wanted[int(group)]
        for each, group in zip(table["id"].to_pylist(), groups, strict=True)
        if group.isdecimal() and int(group) in wanted
    }
    for number in wanted:
        if str(number) not in groups:
            there = sorted({int(group) for group in groups if group.isdecimal()})
            raise TableError(
                f"{result.name!r} has no group {number}.",
                f"Its groups are {', '.join(map(str, there))}." if there else "It has no groups.",
            )
    return found


def make_known(
    known: Documents, new: Documents, kinds: Mapping[str, str]
) -> tuple[Documents, Documents]:
    """Known and new documents after some of the new have become known.

    Parameters
    ----------
    known, new : documents
    kinds : kinds of the new ones that become known, by identifier

    Raises
    ------
    TableError : if there is no such new document, or more than one
    """
    times = Counter(new.ids)
    for name in sorted(kinds):
        if not times[name]:
            raise TableError(
                f"{name!r} of --previous is none of the new documents.",
                "Pass the new documents, and --id COLUMN, of that run.",
            )
        if times[name] > 1:
            raise TableError(
                f"{times[name]:,} new documents are called {name!r}; one may be in the group.",
                "Run both times with an --id COLUMN that names each once, or without --id.",
            )
    joins = np.array([each in kinds for each in new.ids])
    added = new.where(joins)
    added = replace(added, kinds=[kinds[each] for each in added.ids])
    return known.joined(added), new.where(~joins)
