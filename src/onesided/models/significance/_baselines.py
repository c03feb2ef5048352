"""The four rankers that Geurts 2011 compares with, section 3."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC, OneClassSVM
from sklearn.utils import check_random_state

from onesided._blocks import Block, Source, map_rows, run_pass
from onesided._labels import LabelCoding
from onesided._statistics import Moments, SubsetSums
from onesided._typing import Bools, Floats, RandomState
from onesided._validation import check_number
from onesided.exceptions import DataError
from onesided.models._base import PositiveUnlabeledClassifier


class _Baseline(PositiveUnlabeledClassifier):
    """Base: numbers with gaps, which count as the mean of their feature; cut at the median positive.

    A subclass learns in `_learn_rows` and scores in `_raw_scores`.
    """

    _takes_numbers: ClassVar[Any] = "allow-nan"

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # no row weights
        """Learn from the positives and all other objects.

        Parameters
        ----------
        X : as in the other learners; missing values may be NaN
        y : shape (n_rows,), or the name of the column of X that holds the labels
        """
        return super().fit(X, y)

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        moments = run_pass(source, Moments.of, Moments.zero(source.n_features))
        self._mean = moments.mean
        positive = map_rows(source, lambda block: block.labels()).astype(bool)
        if not positive.any() or positive.all():
            raise DataError("There is one class only.", "Give positive and unlabeled rows.")
        self._learn_rows(source, positive)
        self.offset_ = float(np.median(map_rows(source, self._raw_scores)[positive]))

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        raise NotImplementedError

    def _raw_scores(self, block: Block) -> Floats:
        return np.asarray(self._filled(block) @ self.coef_)

    def _score_block(self, block: Block) -> Floats:
        return self._raw_scores(block) - self.offset_

    def _filled(self, block: Block) -> Any:
        X: Any = block.matrix()
        return X if block.is_sparse else np.where(np.isnan(X), self._mean, X)

    def _all_rows(self, source: Source) -> Any:
        parts = [self._filled(block) for block in source.blocks()]
        return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
