"""Rankers that Geurts 2011 compares with, section 3."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.svm import SVC, OneClassSVM
from sklearn.utils import check_random_state

from onesided._blocks import Block, Source, check_can_hold
from onesided._numerics._hashing import DOUBLE, SINGLE, row_hashes
from onesided._numerics._missing import filled
from onesided._numerics._stacking import stacked
from onesided._statistics import SubsetSums
from onesided._typing import Bools, Floats, RandomState
from onesided._validation import ABOVE_ZERO, COUNT, SHARE, TWO_OR_MORE
from onesided.exceptions import DataError
from onesided.models.significance._ranker import Ranker

_ROUNDING = 1e-13  # relative, of the values of a row
_ROWS_AT_ONCE = 4096  # that are correlated with the positives
_CACHE = 500  # megabytes of kernel values
_TOL = 1e-6  # of libsvm, for rows of unit size
_MAX_ITER = 1_000_000  # libsvm loops without end on some degenerate matrices


class _Baseline(Ranker):
    """One that needs the mean of each feature; linear unless it scores otherwise.

    A subclass learns in `_learn_filled`.
    """

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        self._mean = self._moments(source).mean
        self._learn_filled(source, positive)

    def _learn_filled(self, source: Source, positive: Bools) -> None:
        raise NotImplementedError

    def _raw_scores(self, block: Block) -> Floats:
        return np.asarray(self._filled(block) @ self.coef_)


class CenterOfMassRanker(_Baseline):
    """CML: a linear score whose weights are the mean of the positives less that of the unlabeled.

    Parameters
    ----------
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_features,)
    offset_ : median score of the positives, which is the threshold of `predict`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Notes
    -----
    Geurts 2011, section 3: f(x) = (mean of the positives − mean of the unlabeled) · x. `fit` makes
    three passes over the rows.

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

        sums = source.total(of, SubsetSums.zero(2, source.n_features)).sums
        unlabeled, own = sums / sizes
        self.coef_ = own - unlabeled


class CorrelationRanker(_Baseline):
    """CORR: the mean correlation of a row with the positives, taken over the features.

    Parameters
    ----------
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    offset_ : median score of the positives, which is the threshold of `predict`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Notes
    -----
    Geurts 2011, section 3. Two rows are compared on the features that have a value in both rows.
    Their correlation is 0 if there are fewer than two such features, or if a row does not vary over
    these features. The model keeps the rows of the positives.

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
        check_can_hold(source, type(self).__name__, all_rows=False)
        rows = [block.dense()[block.labels()] for block in source.blocks()]
        self._positives = np.concatenate(rows)

    def _raw_scores(self, block: Block) -> Floats:
        parts = [
            _correlations(part.dense(), self._positives).mean(axis=1)
            for part in block.pieces(_ROWS_AT_ONCE)
        ]
        return np.concatenate(parts)


def _correlations(X: Floats, Y: Floats) -> Floats:
    """Pearson's correlation of each row of X with each of Y, gaps left out pairwise.

    Six products stand for the sums over the features that both rows have.

    Returns
    -------
    shape (n_rows of X, n_rows of Y)
    """
    (X, has_x, flat_x), (Y, has_y, flat_y) = _centered_rows(X), _centered_rows(Y)
    n = np.maximum(has_x @ has_y.T, 1)
    sum_x, sum_y = X @ has_y.T, has_x @ Y.T
    covariance = X @ Y.T - sum_x * sum_y / n
    spread_x = np.square(X) @ has_y.T - sum_x**2 / n
    spread_y = has_x @ np.square(Y).T - sum_y**2 / n
    varies = (spread_x > flat_x[:, None] * n) & (spread_y > flat_y * n)
    below = np.sqrt(np.where(varies, spread_x, 1.0)) * np.sqrt(np.where(varies, spread_y, 1.0))
    return np.where(varies, covariance / below, 0.0)


def _centered_rows(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Each row less its own mean and in units of its largest value, against cancellation.

    Returns
    -------
    rows : shape (n_rows, n_features), 0 for a gap
    present : the same shape, 1 where there is a value
    flat : shape (n_rows,), variance below which a row does not vary but for rounding
    """
    present = (~np.isnan(X)).astype(float)
    values = filled(X, 0.0)
    mean = values.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    rows = np.where(present > 0, values - mean[:, None], 0.0)
    size = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(size > 0, size, 1.0)
    level = np.abs(values).max(axis=1, initial=0.0) / unit
    return rows / unit[:, None], present, np.square(_ROUNDING * np.maximum(level, 1.0))


class CenteredOneClassSVM(_Baseline):
    """1SVM: a one-class SVM on the positives, with the origin at the mean of the unlabeled.

    Parameters
    ----------
    nu : ν in (0, 1), largest share of the positives on the wrong side of the separating plane
    center : whether the origin is moved to the mean of the unlabeled, which is crucial for
        expression data; False is the one-class SVM of Schölkopf et al. 2001
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_features,)
    offset_ : median score of the positives, which is the threshold of `predict`
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
    >>> ranker.coef_.round(2).tolist()
    [2.0, 0.0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"nu": [SHARE], "center": ["boolean"]}

    def __init__(
        self, nu: float = 0.25, *, center: bool = True, positive_label: Any = None
    ) -> None:
        self.nu = nu
        self.center = center
        self.positive_label = positive_label

    def _learn_filled(self, source: Source, positive: Bools) -> None:
        check_can_hold(source, type(self).__name__)
        rows = stacked([self._filled(block) for block in source.blocks()])
        own: Any = rows[np.flatnonzero(positive)]
        own = own.toarray() if sparse.issparse(own) else own
        if self.center:
            own = own - np.asarray(rows[np.flatnonzero(~positive)].mean(axis=0)).ravel()
        # libsvm's stopping rule is absolute: in large units it would go on for ever.
        size = float(np.sqrt(np.mean(np.square(own).sum(axis=1)))) or 1.0
        nu = max(self.nu, 1 / len(own))  # at and below it none may lie on the wrong side
        if nu == 1:  # one positive: libsvm refuses what has one solution
            self.coef_ = own.sum(axis=0)
            return
        model = OneClassSVM(kernel="linear", nu=nu, tol=_TOL, max_iter=_MAX_ITER)
        model.fit(own / size)
        self.coef_ = np.asarray(model.coef_).ravel() * size


class CrossFitSVM(_Baseline):
    """2SVM: linear SVMs of positives against unlabeled, which give out-of-fold scores.

    The unlabeled rows are divided into folds. For each fold, an SVM learns from the positives and
    from the unlabeled rows of the other folds, and scores the rows of the fold. The fold of a row
    depends on its values. So the SVM that scores a row, old or new, has not seen the row or a copy
    of it as unlabeled.

    Assumes that labels are selected completely at random (SCAR). Only then does an SVM that takes
    the unlabeled as negative rank rows like an SVM that knows the true classes (Elkan, Noto 2008).

    Parameters
    ----------
    C : penalty of an error; a smaller C gives a simpler model
    n_folds : k, number of folds of the unlabeled
    max_iter : largest number of steps of the solver; if C is large and the classes overlap, the
        solver can need ten times as many steps
    random_state : seed of the folds
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_folds, n_features)
    intercept_ : shape (n_folds,)
    n_iter_ : largest number of steps that an SVM took
    offset_ : median score of the positives, which is the threshold of `predict`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if C is not above 0, n_folds is below 2, or all unlabeled rows are equal

    Notes
    -----
    Geurts 2011, section 3, after Mordelet and Vert 2008, solved by scikit-learn's SVC. The time
    grows with C and, beyond about 10,000 rows, faster than the number of rows. As in the paper, the
    scores of different SVMs are compared without rescaling. Equal unlabeled rows are in the same
    fold, so there are fewer than `n_folds` folds if there are fewer distinct rows. All rows are
    held in memory. The effect of C depends on the units of the features, so put a StandardScaler
    before this model.

    References
    ----------
    F. Mordelet, J.-P. Vert, SIRENE: supervised inference of regulatory networks, Bioinformatics
    24 (2008) i76-i82.

    Examples
    --------
    Rows 20 to 39 are positive, but not labeled:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3)); X[:40, 0] += 3
    >>> ranker = CrossFitSVM(n_folds=2, random_state=0).fit(X, np.arange(200) < 20)
    >>> scores = ranker.decision_function(X)
    >>> highest = np.argsort(-scores[20:])[:20]  # of the unlabeled rows
    >>> int((highest < 20).sum())  # are positive
    17
    """

    _bits = DOUBLE  # of models in files of older versions

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [ABOVE_ZERO],
        "n_folds": [TWO_OR_MORE],
        "max_iter": [COUNT],
    }

    def __init__(
        self,
        C: float = 1.0,
        n_folds: int = 3,
        *,
        max_iter: int = 1_000_000,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.C = C
        self.n_folds = n_folds
        self.max_iter = max_iter
        self.random_state = random_state
        self.positive_label = positive_label

    def _learn_filled(self, source: Source, positive: Bools) -> None:
        check_can_hold(source, type(self).__name__)
        rows = stacked([self._filled(block) for block in source.blocks()])
        self._seed = int(check_random_state(self.random_state).randint(2**31))
        fold = self._deal(source, positive)
        coefs, intercepts, steps = [], [], []
        for number in range(len(self._cuts) + 1):
            learned = np.flatnonzero(positive | (fold != number))
            svm = SVC(kernel="linear", C=self.C, max_iter=self.max_iter, cache_size=_CACHE)
            svm.fit(rows[learned], positive[learned])
            coefs.append(svm.coef_)
            intercepts.append(svm.intercept_)
            steps.append(int(svm.n_iter_[0]))
        self.coef_, self.intercept_ = stacked(coefs), np.concatenate(intercepts)
        self.n_iter_ = max(steps)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()

    def _deal(self, source: Source, positive: Bools) -> Any:
        """Cut the row numbers where the unlabeled fall into folds of one size; fold of each."""
        if (~positive).sum() < 2:  # noqa: PLR2004 - one to learn from, one to leave out
            raise DataError(
                "There is 1 unlabeled row, so no fold can be left out.", "Add unlabeled rows."
            )
        for self._bits in (SINGLE, DOUBLE):  # rows may differ by less than float32 can tell
            hashes = source.map(self._hashes)
            ordered = np.sort(hashes[~positive])
            if ordered[0] != ordered[-1]:
                break
        else:
            raise DataError(
                f"All {len(ordered)} unlabeled rows are equal, so no fold can be left out.",
                "Pass unlabeled rows that differ.",
            )
        starts = ordered[np.arange(1, self.n_folds) * len(ordered) // self.n_folds]
        self._cuts = np.unique(starts[starts > ordered[0]])
        if len(self._cuts) == 0:  # one value is most of the rows
            self._cuts = ordered[ordered > ordered[0]][:1]
        return self._fold_of(hashes)

    def _hashes(self, block: Block) -> Any:
        """Numbers of rows, of their values before gaps are filled: a mean has rounding errors."""
        return row_hashes(block.matrix(), self._seed, self._bits)

    def _fold_of(self, hashes: Any) -> Any:
        return np.searchsorted(self._cuts, hashes, side="right")

    def _raw_scores(self, block: Block) -> Floats:
        rows = self._filled(block)
        fold = self._fold_of(self._hashes(block))
        scores = rows @ self.coef_.T + self.intercept_
        return np.asarray(scores)[np.arange(block.n_rows), fold]
