"""The ranker whose score separates the positives from random sets of their size."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Numeric, Source, check_can_hold
from onesided._numerics._stacking import stacked
from onesided._statistics import SubsetSums
from onesided._strata import match_strata
from onesided._typing import CSR, Bools, Floats, Ints, RandomState
from onesided._validation import (
    ABOVE_ZERO,
    COUNT,
    FINITE,
    SHARE_UP_TO_ONE,
    TWO_OR_MORE,
    check_number,
)
from onesided.exceptions import DataError, SeparationWarning
from onesided.metrics import ResampledPValue
from onesided.model_selection._dependent import row_keys, warn_of_duplicates
from onesided.models.significance._margin import Margin, hull_distances, solve_margin
from onesided.models.significance._pvalues import Pools, membership
from onesided.models.significance._ranker import Ranker

Kernel: TypeAlias = str | Callable[..., float]

_DISTANCE_TOL, _DISTANCE_STEPS = 1e-4, 500  # of the distances behind the adjusted p-value
_CHANGED = 1e-6  # relative; distances between means that differ by more are of other rows
_KERNEL_ROWS = 512  # rows of the kernel matrix at a time


class SignificanceRanker(Ranker):
    """Rank by the score that sets the positives furthest apart from random sets of their size.

    Random subsets of all rows, each as large as the set of positives, show what chance alone gives.
    The mean of the score over the positives is as far as possible above its means over the random
    subsets. A one-class SVM on the differences of means finds this score.

    The method is transductive: `fit` must get all rows that could be positive. It does not assume
    that labels are selected at random, or that unlabeled rows are negative.

    Parameters
    ----------
    kernel : "linear", "rbf", "poly", a function of two rows, or "precomputed"
    n_subsets : T, number of random subsets
    nu : ν in (0, 1], largest share of the subsets on the wrong side of the separating plane; 1 is
        the centre-of-mass rule
    scale : whether features are divided by their standard deviation over the rows that have a
        value; not for "precomputed"
    gamma, degree, coef0 : kernel parameters, as in scikit-learn; gamma None is 1 / n_features
    tol : tolerance of the solver
    random_state : seed of the subsets
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_features,), linear kernel only, in the units of the input
    subsets_ : shape (n_subsets, n_positive), rows of each subset
    dual_coef_ : shape (n_subsets,), α, sums to 1
    margin_ : ρ / ‖w‖, the distance of the separating plane from the origin; the smallest distance
        if several planes are optimal (ν = 1); 0 if no plane separates
    distance_ : ‖w‖, the distance of the positives' mean from the reduced hull of the subsets' means
    apparent_p_value_ : share of the subsets that score as high as the positives, with the +1
        rule. DESCRIPTIVE ONLY: the score was fitted to make this share small, so it is small for
        random sets as well. Use `adjusted_p_value`.
    offset_ : median score of the positives, which is the threshold of `predict`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if nu or n_subsets is out of its range, there are fewer than two positives, or a
        precomputed kernel is not square and symmetric

    Notes
    -----
    Geurts 2011, Eq. 10 to 14, in the form that its appendix confirms. The score has no natural
    threshold, so `decision_function` is the score less the median score of the positives. A missing
    value counts as the mean of its feature over all rows. The mean of all rows is subtracted from
    each row before a kernel is computed. For "linear" and "rbf" this changes nothing; for other
    kernels a sparse matrix becomes dense. If more than half of all rows are positive, each random
    subset holds many positives. The score still orders the rows, but the adjusted p-value then says
    little.

    With `match`, each text or truth value is a stratum. Numbers are cut at steps of 0.05 of their
    normal score, with at least 5 rows in a stratum. The strata are narrow because rows within a
    stratum still differ. In a test on 500 sets of yeast genes that were biased by expression alone,
    a share .71 was rejected at .05 without strata, .33 with 5 strata of equal size, and .05 with
    these strata (`onesided reproduce geurts2011`).

    The linear kernel makes two passes over the rows and keeps n_subsets means. Other kernels keep
    all rows of the subsets with positive weight. In addition, memory and time grow with the square
    of n_subsets.

    References
    ----------
    P. Geurts, Learning from positive and unlabeled examples by enforcing statistical
    significance, AISTATS 2011, JMLR W&CP 15, 305-314.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3)); X[:10, 0] += 3
    >>> ranker = SignificanceRanker(random_state=0).fit(X, np.arange(300) < 10)
    >>> int(np.argmax(ranker.coef_)), bool(ranker.adjusted_p_value(99, random_state=0) < 0.05)
    (0, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kernel": [StrOptions({"linear", "rbf", "poly", "precomputed"}), callable],
        "n_subsets": [TWO_OR_MORE],
        "nu": [SHARE_UP_TO_ONE],
        "scale": ["boolean"],
        "gamma": [ABOVE_ZERO, None],
        "degree": [COUNT],
        "coef0": [FINITE],
        "tol": [ABOVE_ZERO],
    }
    _mends: ClassVar[dict[str, str]] = {
        "kernel": 'Pass "linear" for example, or a function of two rows.',
        "nu": "Pass 0.25 for example, or 1 for the centre-of-mass rule.",
    }

    @property
    def _takes_numbers(self) -> Numeric:  # type: ignore[override]  # by a parameter
        return True if self.kernel == "precomputed" else "allow-nan"

    def __init__(  # noqa: PLR0913 - the kernel brings three
        self,
        kernel: Kernel = "linear",
        n_subsets: int = 1000,
        nu: float = 0.25,
        *,
        scale: bool = True,
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        tol: float = 1e-6,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_subsets = n_subsets
        self.nu = nu
        self.scale = scale
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.random_state = random_state
        self.positive_label = positive_label

    def fit(self, X: Any, y: Any = None, match: Any = None) -> Self:
        """Learn from the positives and all other rows.

        Parameters
        ----------
        X : rows, in any form that the other learners take; missing values may be NaN. With a
            precomputed kernel, X is the kernel matrix of all rows with all rows.
        y : shape (n_rows,), or the name of the column of X that holds the labels
        match : shape (n_rows,) or (n_rows, n_columns), or a data frame. The subsets, and the random
            sets of `adjusted_p_value`, are drawn within strata of these columns. Each subset has as
            many rows of each stratum as the positives have. None draws subsets from all rows.
        """
        self._match = match
        try:
            return super().fit(X, y)
        finally:
            del self._match

    def _learn_rows(self, source: Source, positive: Bools) -> None:
        self._check_sizes(positive)
        if self.kernel == "precomputed":
            _check_precomputed(source, len(positive))
        strata = None if self._match is None else match_strata(self._match, len(positive))
        self._pools = Pools.of(positive, strata)
        self.subsets_ = self._pools.draw(self.n_subsets, check_random_state(self.random_state))
        self._source, self._n_rows = source, len(positive)
        self._fitted_with = self._shaping()
        self._own = np.flatnonzero(positive)
        self._find_scale(source)
        means = self._embed(source, np.vstack([self._own, self.subsets_]))
        shifted = means[0] - means[1:]
        self._spans = np.linalg.norm(shifted, axis=1)
        self._record(solve_margin(shifted @ shifted.T, self.nu, self.tol), shifted)

    def _shaping(self) -> tuple[Any, ...]:
        """What a fit and its p-value must have in common."""
        return self.kernel, self.nu, self.scale, self.gamma, self.degree, self.coef0

    def _check_sizes(self, positive: Bools) -> None:
        n_positive = int(positive.sum())
        if n_positive < 2:  # noqa: PLR2004 - a mean of one is no mean
            raise DataError(
                f"There is {n_positive} positive row; random sets of one row carry no information.",
                "Label at least 2 rows as positive.",
            )

    def _find_scale(self, source: Source) -> None:
        moments = self._moments(source)
        self._mean = moments.mean
        deviation = moments.deviation
        scaled = self.scale and self.kernel != "precomputed"
        self._scale = np.where((deviation > 0) & scaled, deviation, 1.0)

    def _record(self, solved: Margin, shifted: Floats) -> None:
        """Keep what scores rows: weights of features, or the rows behind them."""
        self.dual_coef_, self.margin_, self.distance_ = solved.dual, solved.margin, solved.length
        w = shifted.T @ solved.dual
        as_high = int((shifted @ w <= 0).sum())  # subsets that the positives are not above
        self.apparent_p_value_ = (1 + as_high) / (1 + self.n_subsets)
        if solved.length == 0:
            self.apparent_p_value_ = 1.0
            warnings.warn(
                "Nothing separates the positives from random sets of their size, so all scores "
                "are equal. Pass a larger nu, another kernel, or other features.",
                SeparationWarning,
                stacklevel=2,
            )
        if self.kernel == "linear":
            self.coef_ = w / self._scale
            return
        # w = Σ over rows of weight · row: the positives up, the subsets of weight down.
        weights = -(membership(self.subsets_, self._n_rows).T @ solved.dual)
        weights[self._own] += 1
        self._kept = np.flatnonzero(weights)
        self._weights = weights[self._kept] / len(self._own)
        if self.kernel != "precomputed":
            self._support = self._all_rows()[self._kept]

    def _all_rows(self) -> Any:
        """All rows in memory: a kernel needs each row with each other."""
        check_can_hold(self._source, f"{type(self).__name__}(kernel={self.kernel!r})")
        blocks = self._source.blocks()
        return stacked([self._prepared(block, is_sparse=block.is_sparse) for block in blocks])

    def _embed(self, source: Source, subsets: Ints) -> Floats:
        """Means of the subsets in the kernel's space, up to a rotation; (n_subsets, dim)."""
        members = membership(subsets, self._n_rows)
        size = subsets.shape[1]
        if self.kernel == "linear":
            of = partial(SubsetSums.of, members=members, fill=self._mean)
            sums = source.total(of, SubsetSums.zero(len(subsets), source.n_features)).sums
            return (sums / size - self._mean) / self._scale
        gram = self._kernel_of_sums(source, members) / size**2
        values, vectors = np.linalg.eigh((gram + gram.T) / 2)
        used = values > values.max(initial=0.0) * np.finfo(float).eps * len(values)
        return vectors[:, used] * np.sqrt(values[used])

    def _kernel_of_sums(self, source: Source, members: CSR) -> Floats:
        """M K Mᵀ, some rows of K at a time; shape (n_subsets, n_subsets)."""
        total = np.zeros((members.shape[0], members.shape[0]))
        rows = None if self.kernel == "precomputed" else self._all_rows()
        for block in source.blocks():
            for part in block.pieces(_KERNEL_ROWS):
                K = part.matrix() if rows is None else self._kernel_with(rows, part)
                inside = members[:, part.start : part.start + part.n_rows]
                total += inside @ (K @ members.T)
        return total

    def _kernel_with(self, rows: Any, block: Block) -> Floats:
        """Kernel of the rows of a block with prepared rows, which say how the block is prepared."""
        X = self._prepared(block, is_sparse=sparse.issparse(rows))
        return self._kernel(X, rows)

    def _kernel(self, X: Any, Y: Any) -> Floats:
        params = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        if callable(self.kernel):
            K = pairwise_kernels(X, Y, metric=self.kernel)
        else:
            K = pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **params)
        if not np.isfinite(K).all():
            raise DataError(
                "The kernel returned a value that is not finite for some rows.",
                "Pass another kernel.",
            )
        return K

    def _prepared(self, block: Block, *, is_sparse: bool) -> Any:
        """Rows with gaps filled, in standard deviations from the mean.

        Parameters
        ----------
        block : rows, dense or sparse
        is_sparse : whether the rows of `fit` are sparse. Then "rbf", which does not see the mean,
            gets all rows uncentered and sparse; other kernels and other rows are centered.
        """
        rows = self._filled(block)
        if is_sparse and self.kernel == "rbf":
            return sparse.csr_array(rows).multiply(1 / self._scale).tocsr()
        dense = rows.toarray() if block.is_sparse else rows
        return (dense - self._mean) / self._scale

    def _raw_scores(self, block: Block) -> Floats:
        if self.kernel == "linear":
            return np.asarray(self._filled(block) @ self.coef_) - float(self._mean @ self.coef_)
        if self.kernel == "precomputed":
            return np.asarray(block.matrix()[:, self._kept] @ self._weights)
        return self._kernel_with(self._support, block) @ self._weights

    def adjusted_p_value(
        self,
        n_resamples: int = 1000,
        *,
        random_state: RandomState = None,
        on_step: Callable[[int, int], None] | None = None,
    ) -> ResampledPValue:
        """P-value of the positives: share of random sets that are as far from the subsets.

        Unlike the apparent p-value, this p-value is uniform if the positives are like any other
        rows, also for soft ν: given the subsets, the positives and the random sets are
        exchangeable. After `fit` with `match`, it is uniform if the selection of the positives
        depends on the strata alone. Compare p-values only if n_positive, ν, n_subsets and the
        subsets are the same.

        Parameters
        ----------
        n_resamples : number of random sets; if there are no more than this number of sets, all are
            used
        random_state : seed of the random sets, which are drawn independently of the subsets of
            `fit`
        on_step : function that is called from time to time with two numbers: the sets done and all
            sets

        Returns
        -------
        a float with `statistic`, `null`, `exact` and `plot()`; 1 if no plane separates

        Warns
        -----
        DuplicateWarning : if rows equal a positive row in all columns

        Notes
        -----
        Geurts 2011, Eq. 3 and 4, which the paper considered not feasible. The statistic is
        ‖w‖, the distance to the ν-reduced convex hull of the subsets' means. The same means serve
        all random sets. The method makes two more passes over the rows of `fit`.
        """
        check_is_fitted(self)
        check_number(n_resamples, "n_resamples", "Pass 1000 for example.", above=0, whole=True)
        if self._shaping() != self._fitted_with:
            raise DataError(
                "Parameters have changed since fit.", "Fit again, then ask for the p-value."
            )
        if self._source is None:
            raise DataError(
                "The rows passed to fit are no longer in memory: a copy, or a model loaded "
                "from a file, does not keep them.",
                "Fit again, then ask for the p-value.",
            )
        positive = np.zeros(self._n_rows, dtype=bool)
        positive[self._own] = True
        keys = [row_keys(block.matrix()) for block in self._source.blocks()]
        warn_of_duplicates(np.concatenate(keys), positive)
        # Another stream than that of `fit`: with the same seed the sets would be its subsets.
        rng = check_random_state(random_state)
        rng.randint(2**31)
        sets, exact = self._pools.sets(n_resamples, rng)
        means = self._embed(self._source, np.vstack([self._own, sets, self.subsets_]))
        n_points = 1 + len(sets)
        spans = np.linalg.norm(means[0] - means[n_points:], axis=1)
        if np.abs(spans - self._spans).max() > _CHANGED * self._spans.max():
            raise DataError(
                "The rows passed to fit have changed.", "Fit again, then ask for the p-value."
            )
        distances = hull_distances(
            means[:n_points], means[n_points:], self.nu, _DISTANCE_TOL, _DISTANCE_STEPS, on_step
        )
        if self.distance_ == 0:
            distances[0] = 0.0
        return ResampledPValue.of(distances[0], distances[1:], exact=exact, slack=2 * _DISTANCE_TOL)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_source": None, "_pools": None}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _check_precomputed(source: Source, n_rows: int) -> None:
    if source.n_features != n_rows:
        raise DataError(
            f"The precomputed kernel has {n_rows} rows and {source.n_features} columns.",
            "Pass the kernel of all rows with all rows.",
        )
    K = stacked([block.dense() for block in source.blocks()])
    if not np.allclose(K, K.T, rtol=1e-6, atol=1e-8 * np.abs(K).max()):  # noqa: TID251 - a check of input, no test
        raise DataError(
            "The precomputed kernel is not symmetric.",
            "Pass k(x, z) for every pair of rows; k(x, z) = k(z, x).",
        )
