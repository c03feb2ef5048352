"""The share of positives among the unlabeled: distributions, settings and estimates."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from scipy.special import betaincinv

from onesided._blocks import Block, Source
from onesided._labels import as_share
from onesided._numerics._segments import segment_sums
from onesided._statistics import ValueCounts
from onesided._text import argument
from onesided._typing import Floats
from onesided._validation import FEWEST_POSITIVES, check_number
from onesided.exceptions import PriorError, PriorWarning
from onesided.models._class_prior import out_of_fold_by
from onesided.prior._combined import EstimateWithError, combined_with_error
from onesided.prior._separation import auc_of_scores

PROVISIONAL = 0.1  # share that a model assumes while the true share is estimated from its scores
_LEAST, _MOST = 0.001, 0.9  # nearer to 0 or 1, the table of one class would be only smoothing
_ERROR_OF_VALUES = 0.2  # of the estimate from single values, for fewer than 10 positives


@dataclass(frozen=True)
class BetaPrior:
    """Beta distribution of an uncertain share p of positives among the unlabeled: p ~ Beta(α, β).

    Calvo et al. 2007, section 4. The default distribution is that of the paper. It has mean 0.25
    and variance 0.01, so the share is most likely below one half.

    Parameters
    ----------
    alpha : first parameter of the distribution, α > 0
    beta : second parameter of the distribution, β > 1; the averages over p do not exist if β ≤ 1

    Raises
    ------
    PriorError : if α or β is too small

    Examples
    --------
    >>> round(BetaPrior(4.4, 13.17).mean, 2)
    0.25
    >>> around = BetaPrior.from_estimate(0.25, 0.1)
    >>> round(around.mean, 2), round(around.standard_deviation, 2)
    (0.25, 0.1)
    """

    alpha: float = 4.4
    beta: float = 13.17

    def __post_init__(self) -> None:
        if not (_is_number(self.alpha) and 0 < self.alpha < np.inf):
            raise PriorError(f"alpha={self.alpha!r} is not above 0.", "Pass a positive alpha.")
        if not (_is_number(self.beta) and 1 < self.beta < np.inf):
            raise PriorError(
                f"beta={self.beta!r} is not above 1, so the average over the prior does not exist.",
                "Pass beta > 1; BetaPrior(4.4, 13.17) has mean 0.25.",
            )

    @classmethod
    def from_estimate(cls, estimate: float, error: float) -> Self:
        """Beta distribution whose mean is an estimate and whose standard deviation is its error.

        If these would give β below 2, β is set to 2. The mean stays, and the standard deviation
        becomes smaller than the error.

        Parameters
        ----------
        estimate : share of positives among the unlabeled, in (0, 1)
        error : its standard error, above 0; 0.05 for example

        Raises
        ------
        PriorError : if the estimate is not in (0, 1)
        DataError : if the error is not above 0
        """
        mean = as_share(estimate, "estimate")
        check_number(error, "error", "Pass 0.05 for example.", above=0)
        total = max(mean * (1 - mean) / error**2 - 1, 2 / (1 - mean))
        return cls(mean * total, (1 - mean) * total)

    @property
    def mean(self) -> float:
        """Expected share of positives among the unlabeled, α / (α + β)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the share of positives among the unlabeled."""
        return float(np.sqrt(self.mean * (1 - self.mean) / (self.alpha + self.beta + 1)))


Learned: TypeAlias = Literal["estimate", "average"]
LEARNED = set(get_args(Learned))
"""Words for a class prior that is learned: as a number, or as a distribution to average over."""

PriorSetting: TypeAlias = float | BetaPrior | Learned
"""The values that the Bayesian classifiers accept as `class_prior`."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def mean_of(prior: float | BetaPrior) -> float:
    """Expected share of positives among the unlabeled."""
    return prior.mean if isinstance(prior, BetaPrior) else prior


def check_class_prior(class_prior: Any) -> PriorSetting:
    """Return `class_prior` if it is a share in (0, 1), a BetaPrior, "estimate" or "average".

    Raises
    ------
    PriorError : if `class_prior` is anything else
    """
    is_word = isinstance(class_prior, str) and class_prior in LEARNED
    if isinstance(class_prior, BetaPrior) or is_word:
        return class_prior
    return as_share(class_prior, "class_prior")


def learned_prior(
    learn: Callable[[Source], Callable[[Block], Floats]],
    source: Source,
    counts: ValueCounts,
    most: float = _MOST,
) -> EstimateWithError:
    """The share of positives among the unlabeled, by the model's own out-of-fold scores.

    Models that assume a share of .1 score the rows that they have not learned from. The share is
    estimated from these scores (`onesided.prior`, "combined"). If a block has several scores, those
    count that separate the positives best from the unlabeled rows (AUC): where classes overlap the
    estimate is too high, and the more they overlap, the more so. If fewer than 10 rows are
    positive, or unlabeled, the share is estimated from single values (`estimate_from_counts`), and
    a warning says so. Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    learn : function from labeled rows to a function that scores a block, once or in several
        columns; its model assumes the share `PROVISIONAL`
    source : labeled rows
    counts : of the values in these rows
    most : largest share with which the model can be fitted

    Returns
    -------
    point in [0.001, `most`], and its standard error
    """
    scores = out_of_fold_by(learn, source)
    if scores is None:
        warnings.warn(
            f"There are fewer than {FEWEST_POSITIVES} positive or unlabeled rows, too few to "
            "estimate the class prior from the scores of the model. It is estimated from single "
            f"values, and usually too high. Pass {argument('class_prior')} if the share of "
            "positives among the unlabeled is known.",
            PriorWarning,
            stacklevel=4,
        )
        found = EstimateWithError(estimate_from_counts(counts), _ERROR_OF_VALUES)
    else:
        found = combined_with_error(*_best_separated(*scores))
    return found._replace(point=float(np.clip(found.point, _LEAST, most)))


def _best_separated(known: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """The column of scores with the highest AUC, the first of several; scores of one column as is.

    Parameters
    ----------
    known, rest : scores of positives and of unlabeled rows, shape (n_rows,) or (n_rows, n_scores)
    """
    columns = list(zip(np.atleast_2d(known.T), np.atleast_2d(rest.T), strict=True))
    return max(columns, key=lambda column: auc_of_scores(*column))


def estimate_from_counts(counts: ValueCounts) -> float:
    """The largest share of positives that the counts of single values allow.

    If a share p of the unlabeled is positive, then P(value | unlabeled) is at least
    p P(value | positive). So for each value, the ratio of these two probabilities bounds p. The
    smallest of many noisy ratios would be too low. Therefore the value with the smallest ratio of
    confidence limits is chosen (Clopper-Pearson, 95% for all values together), and the plain ratio
    of this value is the estimate. This is best-bin estimation (Garg et al. 2021) with single values
    as bins.

    With many rows the estimate equals the share if some value occurs only among positives;
    otherwise the estimate is too high. Assumes that labels are selected completely at random
    (SCAR).

    Returns
    -------
    in [0.001, 0.9]
    """
    n_features = counts.n_features
    totals = [segment_sums(kind, counts.feature, n_features) for kind in counts.counts.T]
    of_entry = np.stack(totals, axis=1)[counts.feature]
    usable = (of_entry > 0).all(axis=1) & (counts.counts[:, 1] > 0)
    if not usable.any():
        return _MOST
    unlabeled, positive = counts.counts[usable].T
    n_unlabeled, n_positive = of_entry[usable].T
    error = 0.05 / (2 * len(unlabeled))
    inside = unlabeled < n_unlabeled
    upper = np.ones(len(unlabeled))
    upper[inside] = betaincinv(
        unlabeled[inside] + 1, n_unlabeled[inside] - unlabeled[inside], 1 - error
    )
    lower = betaincinv(positive, n_positive - positive + 1, error)
    best = int(np.argmin(upper / lower))
    # Half a row is added: a count of 0 says little among few rows, and much among many.
    ratio = ((unlabeled + 0.5) / n_unlabeled)[best] / (positive / n_positive)[best]
    return float(np.clip(ratio, _LEAST, _MOST))
