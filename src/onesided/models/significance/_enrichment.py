"""Features in which the positives differ from random sets of their size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.stats import false_discovery_control

from onesided._blocks import Source, check_can_hold, read_features
from onesided._display import Displayed
from onesided._frames import frame_of, in_memory
from onesided._labels import encode_labels
from onesided._numerics._columns import count_high, standardized
from onesided._numerics._stacking import stacked
from onesided._strata import match_strata
from onesided._text import counted, counted_of
from onesided._typing import CSR, Array, Floats, Ints, RandomState
from onesided._validation import check_number, is_one_of
from onesided.exceptions import DataError
from onesided.models.significance._hypergeometric import HypergeometricTests
from onesided.models.significance._pvalues import Pools, counts_as_high, membership

Statistic: TypeAlias = Literal["sum", "t"]

_LEVEL, _NAMED = 0.05, 5  # what is said in words
_CELLS = 1 << 18  # of the statistics of random sets held at a time; more is slower
_FLAT = 1e-12  # of a set's mean square; a variance below it is rounding
_MOST_RESAMPLES = 10**8  # their highest statistics are held in memory
_SLACK = 1e-9  # relative, and in standard errors; statistics as near as that are equal


@dataclass(frozen=True)
class Enrichment(Displayed):
    """Statistic and p-values of each feature.

    Attributes
    ----------
    feature : shape (n_features,), names, or numbers from 0
    statistic : shape (n_features,), above 0 if the positives have higher values
    p_value : shape (n_features,), two-sided p-value of each feature, not adjusted
    adjusted_p_value : shape (n_features,), p-value that controls the family-wise error rate over
        all features
    q_value : shape (n_features,), false discovery rate by Benjamini and Hochberg

    Examples
    --------
    The positives are higher in one of three features:

    >>> import numpy as np
    >>> from onesided.models.significance import enrichment
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3)); X[:10, 1] += 2
    >>> found = enrichment(X, np.arange(60) < 10, n_resamples=99, random_state=0)
    >>> found.to_frame("pandas")[["feature", "direction", "adjusted_p_value"]].head(1)
       feature direction  adjusted_p_value
    0        1    higher              0.01
    """

    feature: Array
    statistic: Floats
    p_value: Floats
    adjusted_p_value: Floats
    q_value: Floats

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row for each feature, the most significant first.

        Columns: `feature`, `statistic`, `direction` ("higher" or "lower" among the positives,
        "neither" where the statistic is 0), `p_value`, `adjusted_p_value`, `q_value`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first that is installed
        """
        order = np.lexsort((self.p_value, -np.abs(self.statistic), self.adjusted_p_value))
        statistic = self.statistic[order] + 0.0  # no -0
        directions = np.array(["lower", "neither", "higher"])
        return frame_of(
            {
                "feature": self.feature[order].tolist(),
                "statistic": statistic.tolist(),
                "direction": directions[1 + np.sign(statistic).astype(int)].tolist(),
                "p_value": self.p_value[order].tolist(),
                "adjusted_p_value": self.adjusted_p_value[order].tolist(),
                "q_value": self.q_value[order].tolist(),
            },
            backend,
        )

    def plot(self, most: int = 20) -> Any:
        """Altair chart of the statistics of the most significant features.

        Parameters
        ----------
        most : largest number of features that are shown
        """
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        rows = self.to_frame("pyarrow").slice(0, most).to_pydict()
        names = [str(name) for name in rows["feature"]]
        return _charts.statistics(names, rows["statistic"])

    def __str__(self) -> str:
        found = self.to_frame("pyarrow").to_pylist()
        n = sum(each["adjusted_p_value"] <= _LEVEL for each in found)
        said = (
            f"{counted_of(n, len(found), 'feature', 'have')} an adjusted p-value of {_LEVEL:g} or "
            "less"
        )
        listed = [f"{each['feature']} ({each['direction']})" for each in found[: min(n, _NAMED)]]
        return f"{said}{': ' if n else ''}{', '.join(listed)}{', ...' if n > _NAMED else ''}."


def enrichment(
    X: Any,
    y: ArrayLike,
    *,
    statistic: Statistic = "sum",
    n_resamples: int = 9999,
    random_state: RandomState = None,
    match: Any = None,
    positive_label: Any = None,
    on_step: Callable[[int, int], None] | None = None,
) -> Enrichment:
    """Test for each feature whether the positives differ from random sets of the same size.

    The test makes no assumption about how labels were selected. The null hypothesis is that the
    positives are a random set of this size. With `match` it is that they are a random set with the
    same number of rows in each stratum.

    Parameters
    ----------
    X : numbers of shape (n_rows, n_features). A missing value is NaN and counts as the mean of its
        feature. A sparse matrix stays sparse. A list of arrays and sparse matrices with the same
        rows is read as one table with the features of all.
    y : labels, shape (n_rows,)
    statistic : "sum", the distance of the set's mean from the mean of random sets, in standard
        errors; or "t", the same difference divided by the standard deviation within the set. "t" is
        0 for a set without variation, so do not use it for features of two values.
    n_resamples : number of random sets; if there are no more than this number of sets, all are used
    random_state : seed of the random sets
    match : shape (n_rows,) or (n_rows, n_columns), or a data frame. Random sets are drawn within
        strata of these columns, as by `SignificanceRanker`, so a feature that differs only because
        of these columns is not significant. None draws from all rows.
    positive_label : the value of y that means positive, for text labels
    on_step : function that is called from time to time with two numbers: the sets done and all sets

    Returns
    -------
    statistics and p-values, in the order of the features

    Raises
    ------
    DataError : if the statistic is not known, or X holds anything but numbers
    LabelError : if y does not have two kinds of rows

    Notes
    -----
    Geurts 2011, sections 2.1 and 2.2, with a finite set of functions, one for each feature.

    With `match`, strata are made as for `SignificanceRanker`. The p-value is then exact for
    positives whose selection depends on the strata alone.

    The p-value of a feature is the share of the random sets whose statistic is at least as large.
    It follows the +1 rule unless all sets were used. For a feature of two values (membership in a
    gene set, a category) and "sum", the p-value is the exact hypergeometric probability. With
    `match` the number of rows with the higher value is a sum of hypergeometric numbers, one for
    each stratum. The number of random sets does not limit how small an exact p-value can be. The
    same holds for the q-values of many such features.

    Adjusted p-values are by step-down max-T (Westfall and Young 1993, as in Ge, Dudoit, Speed
    2003). Features are ordered by the size of their statistic. The adjusted p-value of a feature is
    how often the largest statistic of this feature and of all later features is as high in a random
    set; the values are then made monotone. For a feature of two values, the normal deviate of its
    exact p-value replaces the statistic. Otherwise rare features would hide the other features. For
    example, if a feature marks 3 of 6,000 rows and a set of 30 rows contains 1 of these 3, the
    statistic is 8 standard errors, but p is 0.015.

    All rows are held in memory, a sparse matrix in sparse form. The statistics are held for some of
    the random sets at a time.

    References
    ----------
    Y. Ge, S. Dudoit, T. Speed, Resampling-based multiple testing for microarray data analysis,
    Test 12 (2003) 1-77.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5)); X[:10, 3] += 2
    >>> found = enrichment(X, np.arange(200) < 10, n_resamples=999, random_state=0)
    >>> np.flatnonzero(found.adjusted_p_value < 0.01)
    array([3])
    """
    X = in_memory(X)
    if not is_one_of(statistic, ("sum", "t")):
        raise DataError(f"statistic={statistic!r} is not known.", 'Pass "sum" or "t".')
    check_number(
        n_resamples,
        "n_resamples",
        "Pass 9999 for example.",
        above=0,
        below=_MOST_RESAMPLES,
        whole=True,
    )
    positive, _ = encode_labels(y, positive_label)
    sources = [read_features(part, numeric="allow-nan") for part in _side_by_side(X)]
    parts, centers = zip(*(_standardized(each, len(positive)) for each in sources), strict=True)
    center = np.concatenate(centers)
    n_high = np.zeros(len(center), dtype=np.int64)
    if statistic == "sum":
        n_high = np.concatenate([count_high(part) for part in parts])
    strata = None if match is None else match_strata(match, len(positive))
    features = _Features(parts, center, n_high, Pools.of(positive, strata), statistic)
    observed = features.statistics(np.flatnonzero(positive)[None, :])
    p_value, adjusted = _p_values(features, observed, n_resamples, random_state, on_step)
    names = sources[0].feature_names if len(sources) == 1 else None
    return Enrichment(
        np.arange(len(center)) if names is None else np.array(names, dtype=object),
        observed[0],
        p_value,
        adjusted,
        false_discovery_control(p_value),
    )


def _side_by_side(X: Any) -> list[Any]:
    """The parts of X, which is one matrix or a list of them."""
    of_rows = 2
    are_parts = isinstance(X, list) and all(len(getattr(x, "shape", ())) == of_rows for x in X)
    return X if are_parts and X else [X]


def _standardized(source: Source, n_labels: int) -> tuple[Any, Floats]:
    """The rows of a source as `standardized` gives them."""
    check_can_hold(source, "enrichment")
    blocks = [block.matrix() for block in source.blocks()]
    n_rows = sum(block.shape[0] for block in blocks)
    if n_rows != n_labels:
        raise DataError(
            f"X has {counted(n_rows, 'row')}, y has {n_labels}.", "Pass one label for each row."
        )
    return standardized(stacked(blocks))


def _p_values(
    features: _Features,
    observed: Floats,
    n_resamples: int,
    random_state: RandomState,
    on_step: Callable[[int, int], None] | None,
) -> tuple[Floats, Floats]:
    """Raw and adjusted p-values.

    Parameters
    ----------
    features : what is tested
    observed : shape (1, n_features), statistics of the positives
    n_resamples, random_state, on_step : as in `enrichment`
    """
    pools, n_features = features.pools, len(features.center)
    steps, n_sets, exact = pools.steps(
        n_resamples, random_state, step=max(1, _CELLS // max(n_features, pools.size))
    )
    sizes = features.weighed(observed)[0]
    order = np.argsort(sizes, kind="stable")  # the least significant first
    wanted = sizes[order] * (1 - _SLACK) - _SLACK
    alone, stepped = np.zeros((2, n_features), dtype=np.int64)
    n_done = 0
    for sets in steps:
        null = features.weighed(features.statistics(sets))[:, order]
        of_step = counts_as_high(null, wanted)
        alone += of_step[0]
        stepped += of_step[1]
        n_done += len(sets)
        if on_step is not None:
            on_step(n_done, n_sets)
    one = 0 if exact else 1
    back = np.argsort(order)
    p_value, adjusted = ((one + counts) / (one + n_sets) for counts in (alone[back], stepped))
    test = features.hypergeometric
    p_value[test.columns] = test.p_values[test.places(observed)[0]]
    # Drawn sets may leave it below the exact p-value of the feature by itself.
    adjusted = np.maximum(adjusted, p_value[order])
    return p_value, np.maximum.accumulate(adjusted[::-1])[::-1][back]


@dataclass(frozen=True)
class _Features:
    """What the statistics of a set are computed from.

    Attributes
    ----------
    parts : the features beside each other in arrays and CSR arrays, in standard deviations
    center : shape (n_features,), their means
    n_high : shape (n_features,), rows with the higher of two values; 0 for a feature whose
        p-value is not hypergeometric
    pools : where random sets come from
    statistic : "sum" or "t"
    """

    parts: Sequence[Any]
    center: Floats
    n_high: Ints
    pools: Pools
    statistic: Statistic

    def statistics(self, sets: Ints) -> Floats:
        """Statistic of each feature over each set, 0 where there is no spread; (n_sets, d)."""
        size = self.pools.size
        members = membership(sets, self.pools.n_rows) / size
        mean = _product(members, self.parts)
        expected, error = self._mean_and_error
        if self.statistic == "sum":
            return (mean - expected) / error
        squares = _product(members, self._squared)
        variance = squares - mean**2
        varies = variance > _FLAT * squares
        spread = np.sqrt(np.where(varies, variance, 1.0) * size / max(size - 1, 1))
        return np.where(varies, (mean - expected) / spread, 0.0)

    @cached_property
    def _mean_and_error(self) -> tuple[Floats, Floats | float]:
        """Expected mean of a feature over random sets, and its standard error; inf for no spread.

        The variance of the mean of some rows of a pool, drawn without replacement, summed over the
        pools.
        """
        n_rows, size = self.pools.n_rows, self.pools.size
        if len(self.pools.rows[0]) == n_rows:  # each feature has a variance of 1
            return self.center, float(np.sqrt((1 - size / n_rows) / size))
        n_each, counts = self._sizes
        sums, squares = self._sums, _product(self._in_pools, self._squared)
        scatter = squares - sums**2 / n_each
        scatter = np.where(scatter > _FLAT * squares, scatter, 0.0) / np.maximum(n_each - 1, 1)
        variance = (counts * (1 - counts / n_each) * scatter).sum(axis=0) / size**2
        expected = (counts / n_each * sums).sum(axis=0) / size
        return expected, np.where(variance > 0, np.sqrt(variance), np.inf)

    @cached_property
    def _squared(self) -> list[Any]:
        return [part * part for part in self.parts]

    @property
    def _sizes(self) -> tuple[Ints, Ints]:
        """Rows of each pool, and how many of them a set takes; each of shape (n_pools, 1)."""
        n_each = [len(rows) for rows in self.pools.rows]
        return np.array(n_each)[:, None], np.array(self.pools.counts)[:, None]

    @cached_property
    def _in_pools(self) -> CSR:
        """Which rows each pool has, shape (n_pools, n_rows)."""
        n_pools, rows = len(self.pools.rows), np.concatenate(self.pools.rows)
        starts = np.cumsum([0, *map(len, self.pools.rows)])
        return sparse.csr_array(
            (np.ones(len(rows)), rows, starts), shape=(n_pools, self.pools.n_rows)
        )

    @cached_property
    def _sums(self) -> Floats:
        """Sum of each feature over each pool, shape (n_pools, n_features)."""
        return _product(self._in_pools, self.parts)

    @cached_property
    def hypergeometric(self) -> HypergeometricTests:
        """Tests of the features of two values."""
        n_each, counts = self._sizes
        tested, n_rows = np.flatnonzero(self.n_high), self.pools.n_rows
        share = self.n_high[tested] / n_rows
        # Such a feature has a variance of 1, which says how far apart its values are.
        gap = np.sqrt((n_rows - 1) / n_rows / (share * (1 - share)))
        n_high = self._sums[:, tested] / gap - n_each * (self.center[tested] / gap - share)
        return HypergeometricTests.of(
            tested, np.rint(n_high).astype(np.int64), n_each[:, 0], counts[:, 0]
        )

    def weighed(self, statistics: Floats) -> Floats:
        """Size of each statistic; of a feature of two values, deviate of its p-value."""
        test = self.hypergeometric
        sizes = np.abs(statistics)
        sizes[:, test.columns] = test.deviates[test.places(statistics)]
        return sizes


def _product(members: CSR, parts: Sequence[Any]) -> Floats:
    """`members` times the parts, dense."""
    products: list[Any] = [members @ part for part in parts]
    return np.hstack([each.toarray() if sparse.issparse(each) else each for each in products])
