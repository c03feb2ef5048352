"""Rankers that Geurts 2011 compares with, section 3."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.svm import OneClassSVM
from sklearn.utils import Tags

from onesided._blocks import Block, Source, map_rows, run_pass
from onesided._labels import LabelCoding
from onesided._numerics._missing import filled
from onesided._statistics import Moments, SubsetSums
from onesided._typing import Bools, Floats
from onesided._validation import check_number
from onesided.exceptions import DataError
from onesided.models._base import PositiveUnlabeledClassifier


class _Baseline(PositiveUnlabeledClassifier):
    """Base: numbers, gaps count as the mean of their feature, the cut is at the median positive.

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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # a ranker: half of the positives lie below the cut
        return tags

    def _filled(self, block: Block) -> Any:
        X: Any = block.matrix()
        return X if block.is_sparse else filled(X, self._mean)

    def _all_rows(self, source: Source) -> Any:
        parts = [self._filled(block) for block in source.blocks()]
        return (
            sparse.vstack(parts, format="csr")
            if sparse.issparse(parts[0])
            else np.concatenate(parts)
        )


class CenterOfMassRanker(_Baseline):
    """CML: the difference of the means of positives and unlabeled, as weights.

    Parameters
    ----------
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_features,)
    offset_ : median score of the positives, where `predict` cuts
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Notes
    -----
    Geurts 2011, section 3: f(x) = (mean of the positives − mean of the unlabeled) · x. Three passes
    over the rows.

    Examples
    --------
    >>> CenterOfMassRanker().fit([[3.0], [5.0], [1.0], [1.0]], [1, 1, 0, 0]).coef_
    array([3.])
    """

    def __init__(self, *, positive_label: Any = None) -> None:
        self.positive_label = positive_label

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        sizes = np.array([[(~positive).sum()], [positive.sum()]])
        members = sparse.csr_array(np.stack([~positive, positive]).astype(float))

        def of(block: Block) -> SubsetSums:
            return SubsetSums.of(block, members, self._mean)

        sums = run_pass(source, of, SubsetSums.zero(2, source.n_features)).sums
        unlabeled, own = sums / sizes
        self.coef_ = own - unlabeled


class CorrelationRanker(_Baseline):
    """CORR: the mean correlation with the positives, over the features of a row.

    Parameters
    ----------
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    offset_ : median score of the positives, where `predict` cuts
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Notes
    -----
    Geurts 2011, section 3. Gaps are left out pair by pair: two rows are compared on the features
    that both have; on fewer than two, or without variation on them, their correlation is 0. It
    keeps the rows of the positives. Sparse rows have no gaps.

    Examples
    --------
    >>> X = [[1.0, 2, 3], [2, 4, 6.5], [3, 2, 1], [1, 2, float("nan")]]
    >>> ranker = CorrelationRanker().fit(X, [1, 1, 0, 0])
    >>> (ranker.decision_function(X) > -0.01).tolist()
    [True, True, False, True]
    """

    def __init__(self, *, positive_label: Any = None) -> None:
        self.positive_label = positive_label

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        rows = [_dense(block)[block.labels()] for block in source.blocks()]
        self._positives = np.concatenate(rows)

    def _raw_scores(self, block: Block) -> Floats:
        parts = []
        for start in range(0, block.n_rows, _ROWS_AT_ONCE):
            part = block.rows(np.arange(start, min(start + _ROWS_AT_ONCE, block.n_rows)))
            parts.append(_correlations(_dense(part), self._positives).mean(axis=1))
        return np.concatenate(parts) if parts else np.empty(0)


_ROWS_AT_ONCE = 4096


def _dense(block: Block) -> Floats:
    X: Any = block.matrix()
    return X.toarray() if block.is_sparse else X


def _correlations(X: Floats, Y: Floats) -> Floats:
    """Pearson's correlation of each row of X with each of Y, gaps left out pairwise.

    Six products stand for the sums over the features that both rows have.

    Returns
    -------
    shape (n_rows of X, n_rows of Y)
    """
    has_x, has_y = (~np.isnan(X)).astype(float), (~np.isnan(Y)).astype(float)
    shift = np.nanmean(np.where(has_x > 0, X, 0.0)) if X.size else 0.0  # against cancellation
    X, Y = np.where(has_x > 0, X - shift, 0.0), np.where(has_y > 0, Y - shift, 0.0)
    n = has_x @ has_y.T
    sum_x, sum_y = X @ has_y.T, has_x @ Y.T
    counted = np.maximum(n, 1)
    covariance = X @ Y.T - sum_x * sum_y / counted
    spread_x = np.square(X) @ has_y.T - sum_x**2 / counted
    spread_y = has_x @ np.square(Y).T - sum_y**2 / counted
    size = np.square(X) @ has_y.T * (has_x @ np.square(Y).T)
    varies = (n > 1) & (spread_x * spread_y > 1e-20 * np.maximum(size, 1e-300))
    below = np.sqrt(np.where(varies, spread_x * spread_y, 1.0))
    return np.where(varies, covariance / below, 0.0)


class CenteredOneClassSVM(_Baseline):
    """1SVM: a one-class SVM on the positives, the origin at the mean of the unlabeled.

    Parameters
    ----------
    nu : ν in (0, 1), share of the positives that may lie on the wrong side
    center : whether the origin is moved to the mean of the unlabeled, which is crucial for
        expression data; without it this is the one-class SVM of Schölkopf et al. 2001
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_features,)
    offset_ : median score of the positives, where `predict` cuts
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if nu is not in (0, 1)

    Notes
    -----
    Geurts 2011, section 3, with a linear kernel; scikit-learn's OneClassSVM solves it.

    Examples
    --------
    >>> X = [[2.0, 0], [3, 0], [0, 1], [0, -1], [-1, 0], [1, 0]]
    >>> ranker = CenteredOneClassSVM(nu=0.5).fit(X, [1, 1, 0, 0, 0, 0])
    >>> bool(ranker.coef_[0] > abs(ranker.coef_[1]))
    True
    """

    def __init__(
        self, nu: float = 0.25, *, center: bool = True, positive_label: Any = None
    ) -> None:
        self.nu = nu
        self.center = center
        self.positive_label = positive_label

    def _check_params(self) -> None:
        check_number(self.nu, "nu", "Pass a share between 0 and 1, 0.25 for example.", above=0)
        if self.nu >= 1:
            raise DataError(f"nu={self.nu!r} is not below 1.", "Pass 0.25 for example.")

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        rows = self._all_rows(source)
        own: Any = rows[np.flatnonzero(positive)]
        own = own.toarray() if sparse.issparse(own) else own
        if self.center:
            own = own - np.asarray(rows[np.flatnonzero(~positive)].mean(axis=0)).ravel()
        model = OneClassSVM(kernel="linear", nu=self.nu).fit(own)
        self.coef_ = np.asarray(model.coef_).ravel()
