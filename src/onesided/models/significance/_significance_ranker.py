"""The ranker whose score separates the positives from random sets of their size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Numeric, Source, check_can_hold
from onesided._strata import match_strata
from onesided._typing import Bools, Floats, Ints, RandomState
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
from onesided.models.significance._kernel_space import Kernel, KernelSpace, check_precomputed
from onesided.models.significance._margin import solve_margin
from onesided.models.significance._pvalues import Pools, membership
from onesided.models.significance._ranker import Ranker
from onesided.models.significance._sources import (
    DISTANCE_TOL,
    SourcePValues,
    combined,
    deviations_of,
    distances_by_source,
    source_columns,
    source_weights,
    spread_of,
)

_CHANGED = 1e-6  # relative; distances between means that differ by more are of other rows
_N_COMPARED = 100  # random sets that say how far a set is by chance, in each source
_LEAST_STATISTIC = 1e-12  # by which the error of a statistic is divided


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
    sources : None, or the columns of each source of features, by its name:
        ``{"expression": ["heat", "cold"], "text": slice(2, 300)}``. Columns are names, positions
        (negative ones count from the end), a slice of positions, or a mask. The ranker learns a
        weight for each source. It does not use a column that is in no source, but that column must
        hold numbers too. For "precomputed", a source is the columns of its
        kernel matrix, and X is the matrices side by side.
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
    source_weights_ : the weight of each source by its name, sums to 1; empty without `sources`
    offset_ : median score of the positives, which is the threshold of `predict`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if nu or n_subsets is out of its range, there are fewer than two positives, or a
        precomputed kernel is not square, symmetric and positive semidefinite, or a source has no
        columns of X

    Notes
    -----
    Geurts 2011, Eq. 10 to 14, in the form that its appendix confirms. The score has no natural
    threshold, so `decision_function` is the score less the median score of the positives. A missing
    value counts as the mean of its feature over all rows. The mean of all rows is subtracted from
    each row before a kernel is computed. For "linear" and "rbf" this changes nothing; for other
    kernels a sparse matrix becomes dense. If more than half of all rows are positive, each random
    subset holds many positives. The score still orders the rows, but the adjusted p-value then says
    little.

    With `match`, each text or truth value is a stratum, however few rows it has. Numbers are cut at
    steps of 0.05 of their normal score, with at least 5 rows in a stratum. The strata are narrow
    because rows within a stratum still differ. In a test on 500 sets of yeast genes that were
    biased by expression alone, a share .71 was rejected at .05 without strata, .33 with 5 strata of
    equal size, and .05 with these strata (`onesided reproduce geurts2011`).

    With `sources` the kernel is a weighted sum of the kernels of the sources. First the kernel of
    each source is divided by the variance of the random subsets' means, so that neither units nor
    the number of columns matter. The weight of a source is then proportional to max(z, 0)², where z
    says how far the positives are from the random subsets in this source: in standard deviations
    from the mean over 100 other random sets. With one source the ranker is the one that sees only
    the columns of this source.

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
        "sources": [dict, None],
        "tol": [ABOVE_ZERO],
    }
    _mends: ClassVar[dict[str, str]] = {
        "kernel": 'Pass "linear" for example, or a function of two rows.',
        "nu": "Pass 0.25 for example, or 1 for the centre-of-mass rule.",
        "sources": 'Pass the columns of each source by its name: {"expression": ["heat", "cold"]}.',
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
        sources: Mapping[str, Any] | None = None,
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
        self.sources = sources
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
        return self._fit(X, y, match=match)

    def _learn_rows(self, source: Source, positive: Bools, match: Any = None) -> None:
        self._check_sizes(positive)
        self._columns = self._columns_of(source)
        if self.kernel == "precomputed":
            check_precomputed(source, len(positive), self._columns, list(self.sources or ()))
        strata = None if match is None else match_strata(match, len(positive))
        self._pools = Pools.of(positive, strata)
        rng = check_random_state(self.random_state)
        self.subsets_ = self._pools.draw(self.n_subsets, rng)
        self._source, self._n_rows = source, len(positive)
        self._fitted_with = self._shaping()
        self._own = np.flatnonzero(positive)
        varies = self._find_scale(source)
        sets = np.vstack([self._own, self.subsets_, *self._sets_to_compare(rng)])
        parts = self._means_of(sets)
        self._weigh(parts, varies)
        shifted = [part[0] - part[1 : 1 + self.n_subsets] for part in parts]
        self._spans = np.linalg.norm(np.hstack(shifted), axis=1)
        scaled = zip(self._factors, shifted, strict=True)
        self._record(np.hstack([np.sqrt(factor) * each for factor, each in scaled]))

    def _columns_of(self, source: Source) -> list[Any]:
        """What selects the columns of each source; all columns without sources."""
        if self.sources is None:
            return [slice(None)]
        return source_columns(self.sources, source.n_features, source.feature_names)

    def _sets_to_compare(self, rng: Any) -> list[Ints]:
        """Random sets that say how far a set is from the subsets by chance, if sources need them.

        `adjusted_p_value` with the same seed takes the second draw, so these are the third.
        """
        if self.sources is None:
            return []
        rng.randint(2**31)
        return [self._pools.draw(_N_COMPARED, rng)]

    def _weigh(self, parts: list[Floats], varies: Bools) -> None:
        """Learn the factor of the kernel of each source, and what standardizes its distances.

        Parameters
        ----------
        parts : for each source the means of the positives, the subsets and the sets to compare
        varies : shape (n_features,), features that have several values
        """
        self._factors, self.source_weights_ = np.ones(1), {}
        if self.sources is None:
            return
        subsets = slice(1, 1 + self.n_subsets)
        spread = np.array([spread_of(part[subsets]) for part in parts])
        for name, columns, each in zip(self.sources, self._columns, spread, strict=True):
            if not (varies[columns].any() and each > 0):
                raise DataError(
                    f"Source {name!r} has equal values in all rows.", "Leave the source out."
                )
        points = [np.delete(part, np.r_[subsets], axis=0) for part in parts]
        distances = distances_by_source(points, [part[subsets] for part in parts], self.nu)
        self._null_mean = distances[1:].mean(axis=0)
        self._null_deviation = deviations_of(distances[1:], spread)
        weights = source_weights(self._standardized(distances[0]))
        self.source_weights_ = dict(zip(self.sources, weights.tolist(), strict=True))
        self._factors = weights * spread.sum() / spread

    def _standardized(self, distances: Floats) -> Floats:
        """The z of distances, whose last axis is the sources."""
        return (distances - self._null_mean) / self._null_deviation

    def _shaping(self) -> tuple[Any, ...]:
        """What a fit and its p-value must have in common."""
        return self.kernel, self.nu, self.scale, self.gamma, self.degree, self.coef0

    def _check_sizes(self, positive: Bools) -> None:
        n_positive = int(positive.sum())
        if n_positive < 2:  # noqa: PLR2004 - a mean needs two rows
            raise DataError(
                f"There is {n_positive} positive row; random sets of one row carry no information.",
                "Label at least 2 rows as positive.",
            )

    @property
    def _space(self) -> KernelSpace:
        kernel, _, _, gamma, degree, coef0 = self._fitted_with
        parameters = {"gamma": gamma, "degree": degree, "coef0": coef0}
        return KernelSpace(kernel, parameters, self._columns, self._mean, self._scale)

    def _means_of(self, sets: Ints) -> list[Floats]:
        """Means of sets of rows in the space of each source; shape (n_sets, dim) each."""
        if self.kernel not in ("linear", "precomputed"):  # it needs each row with each other
            check_can_hold(self._source, f"{type(self).__name__}(kernel={self.kernel!r})")
        return self._space.means(self._source, sets, self._n_rows)

    def _find_scale(self, source: Source) -> Bools:
        """Learn what rows are prepared with; returns the features that have several values."""
        moments = self._moments(source)
        self._mean = moments.mean
        deviation = moments.deviation
        rounding = np.finfo(float).eps * moments.n_rows  # of the sum of equal values
        varies = deviation > rounding * np.abs(self._mean)
        scaled = self.scale and self.kernel != "precomputed"
        self._scale = np.where(varies & scaled, deviation, 1.0)
        return varies

    def _record(self, shifted: Floats) -> None:
        """Keep what scores rows: weights of features, or the rows behind them.

        Parameters
        ----------
        shifted : shape (n_subsets, dim), the positives' mean less the means of the subsets
        """
        solved = solve_margin(shifted @ shifted.T, self.nu, self.tol)
        self.dual_coef_, self.margin_, self.distance_ = solved.dual, solved.margin, solved.length
        w = shifted.T @ solved.dual
        as_high = int((shifted @ w <= 0).sum())  # subsets that the positives are not above
        self.apparent_p_value_ = (1 + as_high) / (1 + self.n_subsets)
        if solved.length == 0:
            self.apparent_p_value_ = 1.0
            warnings.warn(
                "Nothing separates the positives from random sets of their size, so all scores "
                "are equal. Other features may separate them, and so may a larger nu or another "
                "kernel of the ranker.",
                SeparationWarning,
                stacklevel=2,
            )
        if self.kernel == "linear":
            self.coef_ = self._coefficients(w)
            return
        # w = Σ over rows of weight · row: the positives up, the subsets of weight down.
        weights = -(membership(self.subsets_, self._n_rows).T @ solved.dual)
        weights[self._own] += 1
        self._kept = np.flatnonzero(weights)
        self._weights = weights[self._kept] / len(self._own)
        if self.kernel != "precomputed":
            self._support = self._space.rows(self._source)[self._kept]

    def _coefficients(self, w: Floats) -> Floats:
        """Weights of the features of the weights of the columns of the sources."""
        coef = np.zeros(len(self._scale))
        places = [np.arange(len(coef))[columns] for columns in self._columns]
        ends = np.cumsum([len(each) for each in places])[:-1]
        for factor, columns, part in zip(self._factors, places, np.split(w, ends), strict=True):
            coef[columns] += np.sqrt(factor) * part
        return coef / self._scale

    def _raw_scores(self, block: Block) -> Floats:
        if hasattr(self, "coef_"):  # the kernel of the fit was linear
            return np.asarray(self._filled(block) @ self.coef_) - float(self._mean @ self.coef_)
        if self._space.kernel == "precomputed":
            kernels = [K[:, self._kept] for K in self._space.kernels(None, block)]
        else:
            kernels = list(self._space.kernels(self._support, block))
        each = zip(self._factors, kernels, strict=True)
        return np.sum([factor * (K @ self._weights) for factor, K in each], axis=0)

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

        With `sources` the weights are learned anew for each random set, since weights that were
        learned from the positives would favor them. The statistic is the length of max(z, 0), with
        z of each source as for the weights; or the largest z, if none is above 0. With one source
        it orders the sets as ‖w‖ does.
        """
        distances, exact = self._distances_of_sets(n_resamples, random_state, on_step)
        error = 2 * DISTANCE_TOL * distances[0]
        if self.sources is None:
            statistic = distances[:, 0]
        else:
            statistic = combined(self._standardized(distances))
            error = error / self._null_deviation
        slack = float(np.linalg.norm(error)) / max(abs(statistic[0]), _LEAST_STATISTIC)
        return ResampledPValue.of(statistic[0], statistic[1:], exact=exact, slack=slack)

    def source_p_values(
        self,
        n_resamples: int = 1000,
        *,
        random_state: RandomState = None,
        on_step: Callable[[int, int], None] | None = None,
    ) -> SourcePValues:
        """P-values of each source: share of random sets that stand out as far in this source.

        The p-value of a source is uniform if the positives are like any other set of rows in this
        source. The adjusted p-value also allows for the number of sources.

        Parameters
        ----------
        n_resamples, random_state, on_step : as for `adjusted_p_value`; the same seed draws the same
            random sets

        Returns
        -------
        weight, statistic, p-value and adjusted p-value of each source, in the order of `sources`

        Raises
        ------
        DataError : if the ranker has no `sources`

        Warns
        -----
        DuplicateWarning : if rows equal a positive row in all columns

        Notes
        -----
        Adjusted p-values are by step-down max-T (Westfall and Young 1993) on the standardized
        distances of all sources and random sets. They keep the family-wise error rate, so they are
        larger than the p-values that each source has by itself.
        """
        check_is_fitted(self)
        if self.sources is None:
            raise DataError(
                "The ranker has no sources.",
                'Pass the columns of each source, sources={"expression": ["heat", "cold"]} for '
                "example, and fit again.",
            )
        distances, exact = self._distances_of_sets(n_resamples, random_state, on_step)
        z = self._standardized(distances)
        slack = 2 * DISTANCE_TOL * distances[0] / self._null_deviation
        return SourcePValues.of(self.source_weights_, z[0], z[1:], exact=exact, slack=slack)

    def _distances_of_sets(
        self,
        n_resamples: int,
        random_state: RandomState,
        on_step: Callable[[int, int], None] | None,
    ) -> tuple[Floats, bool]:
        """Distances of the positives and of random sets in each source, and if these are all sets.

        Returns
        -------
        distances : shape (1 + n_sets, n_sources), the positives first
        exact : whether all sets of the size are there
        """
        check_is_fitted(self)
        check_number(n_resamples, "n_resamples", "Pass 1000 for example.", above=0, whole=True)
        if self._source is None:
            raise DataError(
                "The rows passed to fit are no longer in memory: a copy, or a model loaded "
                "from a file, does not keep them.",
                "Fit again, then ask for the p-value.",
            )
        columns = [each.tolist() for each in map(np.asarray, self._columns_of(self._source))]
        fitted = [each.tolist() for each in map(np.asarray, self._columns)]
        is_renamed = list(self.sources or ()) != list(self.source_weights_)
        if self._shaping() != self._fitted_with or columns != fitted or is_renamed:
            raise DataError(
                "Parameters have changed since fit.", "Fit again, then ask for the p-value."
            )
        positive = np.zeros(self._n_rows, dtype=bool)
        positive[self._own] = True
        keys = [row_keys(block.matrix()) for block in self._source.blocks()]
        warn_of_duplicates(np.concatenate(keys), positive, stacklevel=4)
        # Another stream than that of `fit`: with the same seed the sets would be its subsets.
        rng = check_random_state(random_state)
        rng.randint(2**31)
        sets, exact = self._pools.sets(n_resamples, rng)
        parts = self._means_of(np.vstack([self._own, sets, self.subsets_]))
        n_points = 1 + len(sets)
        points, means = ([p[:n_points] for p in parts], [p[n_points:] for p in parts])
        shifted = [at[0] - of for at, of in zip(points, means, strict=True)]
        spans = np.linalg.norm(np.hstack(shifted), axis=1)
        if np.abs(spans - self._spans).max() > _CHANGED * self._spans.max():
            raise DataError(
                "The rows passed to fit have changed.", "Fit again, then ask for the p-value."
            )
        return distances_by_source(points, means, self.nu, on_step), exact

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_source": None, "_pools": None}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed" and self.sources is None
        return tags
