"""A scorer by similarity to the nearest known rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source
from onesided._labels import LabelCoding
from onesided._numerics._stacking import stacked
from onesided._numerics._tfidf import inverse_document_frequency, weighted_counts
from onesided._statistics import WordTotals, check_counts
from onesided._text import counted, counted_of
from onesided._typing import Array, Bools, Floats, Ints
from onesided._validation import COUNT, check_number, missing_rows
from onesided.exceptions import DataError
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models.nearest._equations import Cut, ExpectedSimilarity, mean_of_largest

_SIMILARITIES = 2**22  # computed at once
_FEWEST_KNOWN = 2
_DIGITS = 9  # of a score, after the point


class NearestKnown(PositiveUnlabeledClassifier):
    """Similarity to the nearest known rows, compared with what is usual for rows of this length.

    The positives are documents of known kinds, and some of the unlabeled documents belong to no
    known kind. The similarity of a document is its mean cosine to the 10 nearest known documents.
    If `kinds` are given, these 10 documents are of one kind. Each known document in turn is left
    out; this shows which similarity is usual for known documents of each length. The score is the
    deviation of a document from that.

    `predict` uses the threshold with the highest F score for finding documents of no known kind;
    this F score is estimated without labels. `predict` does not limit the share of false findings;
    `onesided.promises` does.

    Assumes that unlabeled documents of the known kinds are like the positives (SCAR).

    Parameters
    ----------
    n_neighbors : number of nearest known rows; the similarity of a row is the mean over them
    weighting : "tf-idf", log(1 + count) times the inverse document frequency; or "none"
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    known_scores_ : shape (n_positive,), `decision_function` of each positive row, in their order;
        the row itself is left out of the known rows
    class_prior_ : estimated share of positives among the unlabeled
    kinds_ : shape (n_kinds,), distinct kinds of the positives; None if `kinds` were not given
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if a feature is negative, or fewer than two positives have a feature above 0

    Notes
    -----
    Let v be the weighted counts of a row and s its similarity. Over the positives, a parabola in
    log ‖v‖ is fitted to log(s + 0.01). A second parabola is fitted to the logarithm of the distance
    from the first. The score is the deviation from the first parabola, divided by the distance that
    the second predicts. Rows without any feature give no evidence: they score as high as the best
    positive.

    The model keeps the positive rows. `fit` makes three passes over all rows, and multiplies the
    positives with all rows, some rows at a time.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [3, 2, 0, 0], [4, 1, 1, 0]])
    >>> new = np.array([[3, 1, 0, 0], [0, 1, 0, 4], [2, 2, 0, 0]])  # the second is of no known kind
    >>> model = NearestKnown(n_neighbors=2).fit(np.vstack([known, new]), [1, 1, 1, 1, 0, 0, 0])
    >>> model.predict(new)
    array([1, 0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": [COUNT],
        "weighting": [StrOptions({"tf-idf", "none"})],
    }
    _takes_numbers = True
    _takes_counts = True

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        weighting: Literal["tf-idf", "none"] = "tf-idf",
        positive_label: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weighting = weighting
        self.positive_label = positive_label

    def fit(self, X: Any, y: Any = None, *, kinds: ArrayLike | None = None) -> Self:  # type: ignore[override]  # no row weights
        """Keep the known rows and learn which similarity is usual for known rows.

        Parameters
        ----------
        X : rows, in any form that the other learners take; no feature may be negative
        y : shape (n_rows,), or the name of the column of X that holds the labels
        kinds : shape (n_rows,), the kind of each positive row; values of other rows are ignored
        """
        return self._fit(X, y, kinds=None if kinds is None else np.asarray(kinds))

    def _learn(self, source: Source, coding: LabelCoding, kinds: Array | None = None) -> None:
        totals = source.total(WordTotals.of, WordTotals.zero(source.n_features))
        self._idf = (
            inverse_document_frequency(totals.documents.sum(axis=0), totals.rows.sum())
            if self.weighting == "tf-idf"
            else np.ones(source.n_features)
        )
        read = [
            (block.labels(), self._weighted(_labeled(block, positive=True)))
            for block in source.blocks()
        ]
        labels, rows = zip(*read, strict=True)
        known = stacked(rows)
        self._keep(known, _kinds_of(kinds, np.concatenate(labels)))
        scores = self._learn_expected(known)
        says = np.isfinite(scores)
        self._best, self._threshold = float(scores[says].max()), 0.0
        unlabeled = source.map(self._raw_of_unlabeled)
        unlabeled = unlabeled[np.isfinite(unlabeled)]
        if not len(unlabeled):
            raise DataError(
                "No unlabeled row has a feature above 0.",
                "Pass features that some unlabeled rows have, for example the words of all "
                "documents.",
            )
        cut = Cut.best(scores[says], unlabeled)
        self._threshold, self.class_prior_ = cut.threshold, 1 - cut.share
        self.known_scores_ = self._finished(scores)

    def _keep(self, known: Any, kinds: Array | None) -> None:
        """Keep the known rows, with the rows of each kind together."""
        self.kinds_: Array | None = None
        of_row = np.zeros(known.shape[0], dtype=np.intp)
        if kinds is not None:
            try:
                self.kinds_, of_row = np.unique(kinds, return_inverse=True)
            except TypeError as error:
                raise DataError(
                    "kinds holds values of several types, which cannot be ordered.",
                    "Convert all kinds to text, or all to numbers.",
                ) from error
        self._order = np.argsort(of_row, kind="stable")
        self._known = normalize(known[self._order])
        self._ends = np.searchsorted(of_row[self._order], np.arange(of_row.max() + 2))

    def _learn_expected(self, known: Any) -> Floats:
        """Scores of the known rows, each left out; infinite for a row without features."""
        own = np.argsort(self._order)
        similarity = self._similarities(known, own).max(axis=1)
        length = row_norms(known)
        if not np.isfinite(length).all():
            raise DataError(
                "X holds numbers so large that their squares are infinite.",
                "Express the numbers in a larger unit.",
            )
        says = length > 0
        if says.sum() < _FEWEST_KNOWN:
            raise DataError(
                f"{counted_of(says.sum(), len(says), 'positive row', 'have')} a feature above 0; "
                "at least two are needed, since each is compared with the others.",
                "Pass more known rows, or features that are above 0 in them.",
            )
        self._expected = ExpectedSimilarity.of(similarity[says], length[says])
        return self._strays(similarity, length)

    def _weighted(self, block: Block) -> Any:
        check_counts(block)
        return weighted_counts(block.matrix(), self._idf, sublinear=self.weighting == "tf-idf")

    def _similarities(self, weighted: Any, own: Ints | None = None) -> Floats:
        """Mean cosine to the nearest known rows of each kind; shape (n_rows, n_kinds).

        Parameters
        ----------
        weighted : shape (n_rows, n_features)
        own : shape (n_rows,), the place of each row among the known rows, which is left out
        """
        found = np.empty((weighted.shape[0], len(self._ends) - 1))
        for start, cosines in self._cosines(weighted):
            rows = np.arange(start, start + len(cosines))
            if own is not None:
                cosines[rows - start, own[rows]] = -np.inf
            for kind, (first, end) in enumerate(pairwise(self._ends)):
                found[rows, kind] = mean_of_largest(cosines[:, first:end], self.n_neighbors)
        return found

    def _cosines(self, weighted: Any) -> Iterator[tuple[int, Floats]]:
        """Cosines of some rows at a time with all known rows, and the index of the first."""
        step = max(1, _SIMILARITIES // self._known.shape[0])
        for start in range(0, weighted.shape[0], step):
            unit = normalize(weighted[start : start + step])
            yield start, safe_sparse_dot(unit, self._known.T, dense_output=True)

    def _raw(self, weighted: Any) -> Floats:
        return self._strays(self._similarities(weighted).max(axis=1), row_norms(weighted))

    def _raw_of_unlabeled(self, block: Block) -> Floats:
        return self._raw(self._weighted(_labeled(block, positive=False)))

    def _strays(self, similarity: Floats, length: Floats) -> Floats:
        """Deviation of each row from its expected similarity; infinite without features."""
        says = length > 0
        found = np.full(len(length), np.inf)
        strays = self._expected.deviation(similarity[says], length[says])
        found[says] = np.round(strays, _DIGITS)  # ties stay ties, whatever the order of the sums
        return found

    def _finished(self, raw: Floats) -> Floats:
        return np.where(np.isfinite(raw), raw, self._best) - self._threshold

    def _score_block(self, block: Block) -> Floats:
        return self._finished(self._raw(self._weighted(block)))

    def predict_kind(self, X: Any) -> Array:
        """Kind of the known rows that each row is most similar to; shape (n_rows,).

        Parameters
        ----------
        X : as in `decision_function`

        Raises
        ------
        DataError : if `fit` was given no kinds
        """
        check_is_fitted(self)
        if self.kinds_ is None:
            raise DataError("The model was fitted without kinds.", "Pass kinds= to fit.")
        nearest = self._source_of(X).map(
            lambda block: self._similarities(self._weighted(block)).argmax(axis=1),
        )
        return self.kinds_[nearest.astype(np.intp)]

    def kneighbors(self, X: Any, n_neighbors: int = 1) -> tuple[Floats, Ints]:
        """Cosines and indices of the known rows that are nearest to each row.

        Parameters
        ----------
        X : as in `decision_function`
        n_neighbors : number of known rows for each row, at most the number of all known rows

        Returns
        -------
        cosines : shape (n_rows, n_neighbors), the largest first
        indices : shape (n_rows, n_neighbors), numbers of the known rows; 0 is the first positive
            row of `fit`
        """
        check_is_fitted(self)
        check_number(n_neighbors, "n_neighbors", "Pass 1 for example.", at_least=1, whole=True)
        found = self._source_of(X).map(partial(self._nearest, k=n_neighbors))
        return found[:, 0], self._order[found[:, 1].astype(np.intp)]

    def _nearest(self, block: Block, k: int) -> Floats:
        """Cosines and places of the k nearest known rows; shape (n_rows, 2, k)."""
        parts = []
        for _, cosines in self._cosines(self._weighted(block)):
            places = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
            parts.append(np.stack([np.take_along_axis(cosines, places, 1), places], axis=1))
        return np.concatenate(parts) if parts else np.empty((0, 2, k))


def _kinds_of(kinds: Array | None, positive: Bools) -> Array | None:
    """Kind of each positive row; None if no kinds were given."""
    if kinds is None:
        return None
    if kinds.shape != positive.shape:
        raise DataError(
            f"kinds has shape {kinds.shape}; X has {counted(len(positive), 'row')}.",
            "Pass one kind for each row of X; those of unlabeled rows are not read.",
        )
    missing = missing_rows(kinds)
    if positive[missing].any():
        raise DataError(
            f"kinds has no value in row {missing[positive[missing]][0]}, which is positive.",
            "Give each positive row a kind; an empty text is one.",
        )
    return kinds[positive]


def _labeled(block: Block, *, positive: bool) -> Block:
    """The positive rows of a block, or the others."""
    return block.rows(np.flatnonzero(block.labels() == positive))
