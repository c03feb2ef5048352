"""Rankers that Geurts 2011 compares with, section 3."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.svm import OneClassSVM

from onesided._blocks import Block, Source, run_pass
from onesided._numerics._missing import filled
from onesided._numerics._stacking import stacked
from onesided._statistics import Moments, SubsetSums
from onesided._typing import Bools, Floats
from onesided._validation import check_number
from onesided.exceptions import DataError
from onesided.models.significance._ranker import Ranker

_ROWS_AT_ONCE = 4096  # that are correlated with the positives


class _Baseline(Ranker):
    """One that needs the mean of each feature; linear unless it scores otherwise.

    A subclass learns in `_learn_filled`.
    """

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        self._mean = run_pass(source, Moments.of, Moments.zero(source.n_features)).mean
        self._learn_filled(source, positive)

    def _learn_filled(self, source: Source, positive: Bools) -> None:
        raise NotImplementedError

    def _raw_scores(self, block: Block) -> Floats:
        return np.asarray(self._filled(block) @ self.coef_)


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

    def _learn_filled(self, source: Source, positive: Bools) -> None:
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

    def _learn_filled(self, source: Source, positive: Bools) -> None:
        rows = [block.dense()[block.labels()] for block in source.blocks()]
        self._positives = np.concatenate(rows)

    def _raw_scores(self, block: Block) -> Floats:
        parts = []
        for start in range(0, block.n_rows, _ROWS_AT_ONCE):
            part = block.rows(np.arange(start, min(start + _ROWS_AT_ONCE, block.n_rows)))
            parts.append(_correlations(part.dense(), self._positives).mean(axis=1))
        return np.concatenate(parts) if parts else np.empty(0)


def _correlations(X: Floats, Y: Floats) -> Floats:
    """Pearson's correlation of each row of X with each of Y, gaps left out pairwise.

    Six products stand for the sums over the features that both rows have.

    Returns
    -------
    shape (n_rows of X, n_rows of Y)
    """
    has_x, has_y = (~np.isnan(X)).astype(float), (~np.isnan(Y)).astype(float)
    shift = float(np.mean(filled(X, 0.0))) if X.size else 0.0  # against cancellation
    X, Y = np.where(has_x > 0, X - shift, 0.0), np.where(has_y > 0, Y - shift, 0.0)
    n = has_x @ has_y.T
    sum_x, sum_y = X @ has_y.T, has_x @ Y.T
    counted = np.maximum(n, 1)
    covariance = X @ Y.T - sum_x * sum_y / counted
    squares_x, squares_y = np.square(X) @ has_y.T, has_x @ np.square(Y).T
    spread_x, spread_y = squares_x - sum_x**2 / counted, squares_y - sum_y**2 / counted
    size = squares_x * squares_y
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

    def _learn_filled(self, source: Source, positive: Bools) -> None:
        rows = stacked([self._filled(block) for block in source.blocks()])
        own: Any = rows[np.flatnonzero(positive)]
        own = own.toarray() if sparse.issparse(own) else own
        if self.center:
            own = own - np.asarray(rows[np.flatnonzero(~positive)].mean(axis=0)).ravel()
        model = OneClassSVM(kernel="linear", nu=self.nu).fit(own)
        self.coef_ = np.asarray(model.coef_).ravel()
