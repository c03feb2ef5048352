"""What the rankers share: rows with gaps, no weights, a cut where none is natural."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags

from onesided._blocks import Block, Source
from onesided._labels import LabelCoding
from onesided._numerics._missing import filled
from onesided._statistics import Moments
from onesided._typing import Bools, Floats
from onesided.exceptions import DataError
from onesided.models._base import PositiveUnlabeledClassifier

_LARGEST = 1e100  # a number beyond which squares are infinite


class Ranker(PositiveUnlabeledClassifier):
    """Base: a gap counts as the mean of its feature, `predict` cuts at the median positive.

    A subclass learns in `_learn_rows`, where it sets `_mean`, and scores in `_raw_scores`.
    """

    _takes_numbers: ClassVar[Any] = "allow-nan"
    _mean: Floats

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # no row weights
        """Learn from the positives and all other rows.

        Parameters
        ----------
        X : rows, in any form that the other learners take; missing values may be NaN. With a
            precomputed kernel, X is the kernel matrix of all rows with all rows.
        y : shape (n_rows,), or the name of the column of X that holds the labels
        """
        return super().fit(X, y)

    def _learn(self, source: Source, coding: LabelCoding, **given: Any) -> None:
        positive = source.map(lambda block: block.labels()).astype(bool)
        self._learn_rows(source, positive, **given)
        self.offset_ = float(np.median(source.map(self._raw_scores)[positive]))

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        raise NotImplementedError

    def _raw_scores(self, block: Block) -> Floats:
        raise NotImplementedError

    def _score_block(self, block: Block) -> Floats:
        return self._raw_scores(block) - self.offset_

    def _moments(self, source: Source) -> Moments:
        """Means and deviations of the features, which must be numbers that can be squared."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = source.total(Moments.of, Moments.zero(source.n_features))
        odd = ~np.isfinite(found.scatter) | (np.abs(found.mean) > _LARGEST)
        if odd.any():
            column = int(np.argmax(odd))
            names = source.feature_names
            raise DataError(
                f"Column {column if names is None else repr(names[column])} holds numbers so large "
                "that their squares are infinite.",
                "Express the column in a larger unit.",
            )
        return found

    def _filled(self, block: Block) -> Any:
        """Rows with gaps filled."""
        return filled(block.matrix(), self._mean)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # half of the positives lie below the cut
        return tags
