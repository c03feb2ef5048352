"""The ranker whose score separates the positives from random sets of their size."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source, map_rows, run_pass
from onesided._labels import LabelCoding
from onesided._numerics._missing import filled
from onesided._statistics import Moments, SubsetSums
from onesided._typing import CSR, Bools, Floats, Ints, RandomState
from onesided._validation import check_number
from onesided.exceptions import DataError, SeparationWarning
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models.significance._margin import Margin, hull_distances, solve_margin
from onesided.models.significance._pvalues import (
    AdjustedPValue,
    all_subsets,
    draw_subsets,
    membership,
)

Kernel: TypeAlias = str | Callable[..., float]

_DISTANCE_TOL, _DISTANCE_STEPS = 1e-4, 500  # of the distances behind the adjusted p-value
_KERNEL_ROWS = 512  # rows of the kernel matrix at a time


class SignificanceRanker(PositiveUnlabeledClassifier):
    """Rank by the score that sets the positives furthest apart from random sets of their size.

    Random subsets of all objects, each as large as the set of positives, stand for what chance
    gives; the score is the one whose mean over the positives is furthest above its means over
    them, by a one-class SVM on the differences of means.

    It is transductive: all objects that could be positive are known. It does not assume that
    labels are selected at random, nor that unlabeled objects are negative.

    Parameters
    ----------
    kernel : "linear", "rbf", "poly", a function of two rows, or "precomputed"
    n_subsets : T, number of random subsets
    nu : ν in (0, 1], share of subsets that may lie on the wrong side; 1 is the centre-of-mass
        rule
    scale : whether features are divided by their standard deviation over all objects; not for
        "precomputed"
    gamma, degree, coef0 : of the kernel, as in scikit-learn; gamma None is 1 / n_features
    tol : of the solver
    random_state : of the subsets
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (n_features,), linear kernel only, in the units of the input
    subsets_ : shape (n_subsets, n_positive), rows of each subset
    dual_coef_ : shape (n_subsets,), α, sums to 1
    margin_ : ρ / ‖w‖, the distance of the separating plane from the origin; 0 where nothing
        separates
    distance_ : ‖w‖, the distance of the positives' mean from the reduced hull of the subsets' means
    apparent_p_value_ : share of the subsets that score as high as the positives, with the +1
        rule. DESCRIPTIVE ONLY: the score was fitted to make it small, and it is small for random
        sets as well. Use `adjusted_p_value`.
    offset_ : median score of the positives, where `predict` cuts
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if nu or n_subsets is out of its range, there are fewer than two positives, or
        more positives than unlabeled, or a precomputed kernel is not square and symmetric

    Notes
    -----
    Geurts 2011, Eq. 10 to 14, in the form that its appendix confirms. There is no natural cut:
    `decision_function` is the score less the median score of the positives. A missing value
    counts as the mean of its feature over all objects.

    The linear kernel makes two passes over the rows and keeps n_subsets means; others keep the
    rows that are in a subset of weight.

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

    _takes_numbers = "allow-nan"

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

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # no row weights
        """Learn from the positives and all other objects.

        Parameters
        ----------
        X : as in the other learners; missing values may be NaN. With `kernel="precomputed"` the
            kernel of all rows with all rows.
        y : shape (n_rows,), or the name of the column of X that holds the labels
        """
        return super().fit(X, y)

    def _check_params(self) -> None:
        check_number(self.nu, "nu", "Pass a share above 0 and up to 1, 0.25 for example.", above=0)
        if self.nu > 1:
            raise DataError(f"nu={self.nu!r} is above 1.", "Pass 1 for the centre-of-mass rule.")
        mend = "Pass 1000 for example."
        check_number(self.n_subsets, "n_subsets", mend, at_least=2, whole=True)
        check_number(self.tol, "tol", "Pass 1e-6 for example.", above=0)
        known = ("linear", "rbf", "poly", "precomputed")
        if not callable(self.kernel) and self.kernel not in known:
            raise DataError(
                f"kernel={self.kernel!r} is not known.",
                f"Pass {', '.join(map(repr, known))} or a function of two rows.",
            )

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        positive = map_rows(source, lambda block: block.labels()).astype(bool)
        self._check_sizes(positive)
        rng = check_random_state(self.random_state)
        self.subsets_ = draw_subsets(len(positive), int(positive.sum()), self.n_subsets, rng)
        own = np.flatnonzero(positive)[None, :]
        means = self._space(source, np.vstack([own, self.subsets_]))
        shifted = means[0] - means[1:]
        solved = solve_margin(shifted @ shifted.T, self.nu, self.tol)
        self._record(solved, shifted, own, source)
        self._source = source
        scores = map_rows(source, self._raw_scores)
        self.offset_ = float(np.median(scores[positive]))

    def _check_sizes(self, positive: Bools) -> None:
        n_positive, n_rows = int(positive.sum()), len(positive)
        if n_positive < 2:  # noqa: PLR2004 - a mean of one is no mean
            raise DataError(
                f"There is {n_positive} positive row; random sets of that size say nothing.",
                "Label at least 2 rows as positive.",
            )
        if n_positive > n_rows - n_positive:
            raise DataError(
                f"There are {n_positive} positive and {n_rows - n_positive} unlabeled rows.",
                "Give more unlabeled rows than positive ones.",
            )

    def _record(self, solved: Margin, shifted: Floats, own: Ints, source: Source) -> None:
        """Keep what scores rows: weights, or the rows behind them."""
        self.dual_coef_, self.margin_, self.distance_ = solved.dual, solved.margin, solved.length
        projected = shifted @ (shifted.T @ solved.dual)  # how far the positives are above each
        self.apparent_p_value_ = float((1 + (projected <= 0).sum()) / (1 + self.n_subsets))
        if solved.length == 0:
            self.apparent_p_value_ = 1.0
            warnings.warn(
                "Nothing separates the positives from random sets of their size, so all scores "
                "are equal. Pass a larger nu, another kernel, or other features.",
                SeparationWarning,
                stacklevel=2,
            )
        # w = Σ over rows of weight · row: the positives up, the subsets of weight down.
        weights = membership(self.subsets_, self._n_rows).T @ solved.dual
        weights = -weights / own.shape[1]
        weights[own[0]] += 1 / own.shape[1]
        if self.kernel == "linear":
            w = shifted.T @ solved.dual
            self.coef_ = w / self._scale
            return
        kept = np.flatnonzero(np.abs(weights) > 0)
        self._weights = weights[kept]
        self._kept = kept
        if self.kernel != "precomputed":
            self._support = _all_rows(source, self._prepared)[kept]

    def _space(self, source: Source, subsets: Ints) -> Floats:
        """Means of the subsets in the kernel's space, up to a rotation; (n_subsets, dim)."""
        moments = run_pass(source, Moments.of, Moments.zero(source.n_features))
        self._n_rows = moments.n_rows
        self._mean = moments.mean
        deviation = moments.deviation
        use_scale = self.scale and self.kernel != "precomputed"
        self._scale = (
            np.where(deviation > 0, deviation, 1.0) if use_scale else np.ones_like(deviation)
        )
        return self._embed(source, subsets)

    def _embed(self, source: Source, subsets: Ints) -> Floats:
        members = membership(subsets, self._n_rows)
        size = subsets.shape[1]
        if self.kernel == "linear":
            of = partial(SubsetSums.of, members=members, fill=self._mean)
            sums = run_pass(source, of, SubsetSums.zero(len(subsets), source.n_features)).sums
            return (sums / size - self._mean) / self._scale
        gram = self._kernel_of_sums(source, members) / size**2
        values, vectors = np.linalg.eigh((gram + gram.T) / 2)
        used = values > values.max(initial=0.0) * np.finfo(float).eps * len(values)
        return vectors[:, used] * np.sqrt(values[used])

    def _kernel_of_sums(self, source: Source, members: CSR) -> Floats:
        """M K Mᵀ, some rows of K at a time; shape (n_subsets, n_subsets)."""
        total = np.zeros((members.shape[0], members.shape[0]))
        rows = None if self.kernel == "precomputed" else _all_rows(source, self._prepared)
        if rows is None:
            _check_precomputed(source, self._n_rows)
        for block in source.blocks():
            for start in range(0, block.n_rows, _KERNEL_ROWS):
                part = block.rows(np.arange(start, min(start + _KERNEL_ROWS, block.n_rows)))
                first = block.start + start
                K = part.matrix() if rows is None else self._kernel(self._prepared(part), rows)
                inside = members[:, first : first + part.n_rows]
                total += inside @ (K @ members.T)
        return total

    def _kernel(self, X: Any, Y: Any) -> Floats:
        if callable(self.kernel):
            return pairwise_kernels(X, Y, metric=self.kernel)
        params = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **params)

    def _prepared(self, block: Block) -> Any:
        """Rows with gaps filled, in standard deviations from the mean; sparse ones not centred."""
        X: Any = block.matrix()
        if block.is_sparse:
            return X.multiply(1 / self._scale).tocsr()
        return (filled(X, self._mean) - self._mean) / self._scale

    def _raw_scores(self, block: Block) -> Floats:
        if self.kernel == "linear":
            X: Any = block.matrix()
            if not block.is_sparse:
                X = filled(X, self._mean)
            return np.asarray(X @ self.coef_) - float(self._mean @ self.coef_)
        if self.kernel == "precomputed":
            return np.asarray(block.matrix()[:, self._kept] @ self._weights)
        return self._kernel(self._prepared(block), self._support) @ self._weights

    def _score_block(self, block: Block) -> Floats:
        return self._raw_scores(block) - self.offset_

    def adjusted_p_value(
        self, n_resamples: int = 1000, *, random_state: RandomState = None
    ) -> AdjustedPValue:
        """Share of random positive sets that stand as far from the subsets as the positives do.

        Unlike the apparent p-value it is uniform for positives that are like any other rows,
        for soft ν too: given the subsets, the positives and the random sets are exchangeable.
        Values are comparable at equal n_positive, ν, n_subsets and the same subsets.

        Parameters
        ----------
        n_resamples : random sets; all sets where there are no more than that
        random_state : of the sets

        Returns
        -------
        a float with `statistic`, `null`, `exact` and `plot()`; 1 where nothing separates

        Notes
        -----
        Geurts 2011, Eq. 3 and 4, which the paper held to be out of reach. The statistic is ‖w‖, the
        distance to the ν-reduced convex hull of the subsets' means: one set of means serves all
        random sets. One more pass over the rows that `fit` was given.
        """
        check_is_fitted(self)
        check_number(n_resamples, "n_resamples", "Pass 1000 for example.", above=0, whole=True)
        if getattr(self, "_source", None) is None:
            raise DataError(
                "The rows that fit was given are gone: they are not kept in a file or a copy.",
                "Fit again, then ask for the p-value.",
            )
        size = self.subsets_.shape[1]
        sets = all_subsets(self._n_rows, size, n_resamples)
        exact = sets is not None
        if sets is None:
            sets = draw_subsets(self._n_rows, size, n_resamples, check_random_state(random_state))
        positive = map_rows(self._source, lambda block: block.labels()).astype(bool)
        own = np.flatnonzero(positive)[None, :]
        means = self._embed(self._source, np.vstack([own, sets, self.subsets_]))
        n_points = 1 + len(sets)
        distances = hull_distances(
            means[:n_points], means[n_points:], self.nu, _DISTANCE_TOL, _DISTANCE_STEPS
        )
        if self.distance_ == 0:
            distances[:] = 0.0
        return AdjustedPValue(distances[0], distances[1:], exact=exact, slack=2 * _DISTANCE_TOL)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_source": None}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.classifier_tags.poor_score = True  # a ranker: half of the positives lie below the cut
        return tags


def _all_rows(source: Source, prepared: Callable[[Block], Any]) -> Any:
    """All rows in memory, dense or CSR: a kernel needs each row with each other."""
    parts = [prepared(block) for block in source.blocks()]
    return (
        sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
    )


def _check_precomputed(source: Source, n_rows: int) -> None:
    if source.n_features != n_rows:
        raise DataError(
            f"The precomputed kernel has {n_rows} rows and {source.n_features} columns.",
            "Pass the kernel of all rows with all rows.",
        )
    K = _all_rows(source, lambda block: np.asarray(block.matrix()))
    if not np.allclose(K, K.T, rtol=1e-6, atol=1e-8 * np.abs(K).max()):  # noqa: TID251 - a check of input, no test
        raise DataError(
            "The precomputed kernel is not symmetric.",
            "Pass k(x, z) for every pair of rows; k(x, z) = k(z, x).",
        )
