"""Features in which the positives differ from random sets of their size."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from onesided._blocks import Block, map_rows, read_features
from onesided._frames import frame_of
from onesided._labels import encode_labels
from onesided._numerics._missing import filled
from onesided._typing import Array, Floats, Ints, RandomState
from onesided._validation import check_number
from onesided.exceptions import DataError
from onesided.models.significance._pvalues import membership, subsets_of

Statistic: TypeAlias = Literal["sum", "t"]

_CELLS = 1 << 24  # of the statistics of random sets that are held at a time
_SLACK = 1e-9  # relative; sets whose statistics are equal but for rounding are equal


@dataclass(frozen=True)
class Enrichment:
    """Each feature's statistic and p-values.

    Attributes
    ----------
    feature : shape (n_features,), names, or numbers from 0
    statistic : shape (n_features,), above 0 where the positives are higher
    p_value : shape (n_features,), two-sided, of the feature by itself
    adjusted_p_value : shape (n_features,), with the family-wise error of all features controlled
    q_value : shape (n_features,), by Benjamini and Hochberg
    """

    feature: Array
    statistic: Floats
    p_value: Floats
    adjusted_p_value: Floats
    q_value: Floats

    def to_frame(self, backend: str | None = None) -> Any:
        """One row a feature, the most significant first.

        Columns: `feature`, `statistic`, `direction` ("higher" or "lower" among the positives),
        `p_value`, `adjusted_p_value`, `q_value`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first that is installed
        """
        order = np.lexsort((-np.abs(self.statistic), self.p_value, self.adjusted_p_value))
        higher = self.statistic[order] > 0
        return frame_of(
            {
                "feature": self.feature[order].tolist(),
                "statistic": self.statistic[order].tolist(),
                "direction": np.where(higher, "higher", "lower").tolist(),
                "p_value": self.p_value[order].tolist(),
                "adjusted_p_value": self.adjusted_p_value[order].tolist(),
                "q_value": self.q_value[order].tolist(),
            },
            backend,
        )


def enrichment(
    X: Any,
    y: ArrayLike,
    *,
    statistic: Statistic = "sum",
    n_resamples: int = 9999,
    random_state: RandomState = None,
    positive_label: Any = None,
) -> Enrichment:
    """Test of each feature whether the positives differ from random sets of their size.

    It assumes nothing of how labels were selected: the null hypothesis is that the positives are
    any set of their size.

    Parameters
    ----------
    X : numbers of shape (n_rows, n_features), missing as NaN, which counts as the feature's mean
    y : shape (n_rows,)
    statistic : "sum", the mean of the set in standard errors from the mean of all; or "t", its
        difference from the mean of all over its own standard deviation
    n_resamples : random sets; all sets where there are no more than that
    random_state : of the sets
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    statistics and p-values, in the order of the features

    Raises
    ------
    DataError : if the statistic is not known, or X holds anything but numbers
    LabelError : if y does not have two kinds of rows

    Notes
    -----
    Geurts 2011, sections 2.1 and 2.2 with a finite set of functions, one a feature. Adjusted
    p-values by step-down max-T (Westfall and Young 1993, as in Ge, Dudoit, Speed 2003): with the
    features ordered by the size of the statistic, how often the largest of a feature and those
    after it is as high in a random set, made monotone. The +1 rule, unless all sets were taken.

    All rows are held in memory.

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
    if statistic not in ("sum", "t"):
        raise DataError(f"statistic={statistic!r} is not known.", 'Pass "sum" or "t".')
    check_number(n_resamples, "n_resamples", "Pass 9999 for example.", above=0, whole=True)
    source = read_features(X, numeric="allow-nan")
    positive, _ = encode_labels(y, positive_label)
    rows: Floats = map_rows(source, Block.dense)
    if len(rows) != len(positive):
        raise DataError(f"X has {len(rows)} rows, y has {len(positive)}.", "Pass one label a row.")
    mean = np.nanmean(np.where(np.isnan(rows).all(axis=0), 0.0, rows), axis=0)
    centered = filled(rows, mean) - mean
    sets, exact = subsets_of(len(rows), int(positive.sum()), n_resamples, random_state)
    observed = _statistics(np.flatnonzero(positive)[None, :], centered, statistic)[0]
    order = np.argsort(-np.abs(observed), kind="stable")
    alone, stepped = np.zeros((2, len(order)), dtype=np.int64)
    step = max(1, _CELLS // max(len(order), 1))
    wanted = np.abs(observed[order]) * (1 - _SLACK)
    for start in range(0, len(sets), step):
        null = np.abs(_statistics(sets[start : start + step], centered, statistic))[:, order]
        alone += (null >= wanted).sum(axis=0)
        # The largest of a feature and of all that come after it.
        highest = np.maximum.accumulate(null[:, ::-1], axis=1)[:, ::-1]
        stepped += (highest >= wanted).sum(axis=0)
    one = 0 if exact else 1
    p_value, adjusted = ((one + counts) / (one + len(sets)) for counts in (alone, stepped))
    back = np.argsort(order)
    names = source.feature_names
    return Enrichment(
        np.arange(len(order)) if names is None else np.array(names, dtype=object),
        observed,
        p_value[back],
        np.maximum.accumulate(adjusted)[back],
        false_discovery_control(p_value[back]),
    )


def _statistics(sets: Ints, centered: Floats, statistic: Statistic) -> Floats:
    """Statistic of each feature over each set, 0 for a feature without spread; (n_sets, d)."""
    n_rows, size = len(centered), sets.shape[1]
    members = membership(sets, n_rows)
    mean = (members @ centered) / size
    if statistic == "sum":
        # Of a mean of `size` rows out of n_rows, drawn without replacement.
        variance = np.square(centered).sum(axis=0) / max(n_rows - 1, 1)
        spread = np.sqrt(variance / size * (1 - size / n_rows))
    else:
        squares = (members @ np.square(centered)) / size
        spread = np.sqrt(np.maximum(squares - mean**2, 0.0) * size / max(size - 1, 1))
    usable = spread > 1e-12 * np.abs(centered).max(axis=0, initial=1e-300)
    return np.divide(
        mean, spread, out=np.zeros_like(mean), where=np.broadcast_to(usable, mean.shape)
    )
