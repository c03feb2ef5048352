"""Estimates of metrics for all positives, hidden positives included, with their intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from scipy.special import ndtri

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._labels import as_share
from onesided._numerics._welch import variance_of_means
from onesided._typing import Floats
from onesided._validation import check_number
from onesided.exceptions import OnesidedWarning, PriorError
from onesided.metrics._two_normals import TwoNormals

_ROUNDING = 1e-6  # beyond 0 and 1
_SURE = 0.95  # confidence with which chance is excluded
FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)


class UncertainPrior(Protocol):
    """A class prior with the ends of its interval, as `onesided.prior` gives it."""

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper limit of the share of positives among the unlabeled."""

    def __float__(self) -> float: ...


PriorOrEstimate: TypeAlias = float | UncertainPrior
"""The values of `class_prior` in metrics: a number, or an estimate with its interval."""


class Estimate(Protocol):
    """A figure at one class prior."""

    @property
    def value(self) -> float:
        """The figure."""

    def interval(self, confidence: float) -> tuple[float, float]:
        """Confidence interval of the figure, if the prior is known."""


class CorrectedScore(Displayed, float):
    """Value of a metric for all positives, estimated from labeled positives and unlabeled rows.

    Parameters
    ----------
    estimates : the estimate at the class prior; for a prior with an interval, the estimates at its
        lower limit, its point and its upper limit. For uneven labels, the estimates in the worst
        case, then those for even labels, then those in the best case
    greatest : largest value that the metric can have in a population, 1 for a share; the smallest
        is 0

    Attributes
    ----------
    estimates : the estimates that were passed; the float is the value of the middle one
    greatest : as passed

    Examples
    --------
    >>> from onesided.metrics import pu_recall
    >>> recall = pu_recall([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 1, 0])
    >>> low, high = recall.interval(0.9)
    >>> round(low, 2), float(recall), round(high, 2)
    (0.36, 0.75, 0.94)
    """

    estimates: tuple[Estimate, ...]
    greatest: float

    def __new__(cls, estimates: tuple[Estimate, ...], greatest: float = 1.0) -> Self:
        made = super().__new__(cls, estimates[len(estimates) // 2].value)
        made.estimates = estimates
        made.greatest = greatest
        return made

    def __getnewargs__(self) -> tuple[tuple[Estimate, ...], float]:  # type: ignore[override]  # float's has another form
        return self.estimates, self.greatest

    @property
    def over_prior(self) -> tuple[float, float]:
        """Lowest and highest value over the interval of the class prior.

        If `label_odds_ratio` declared uneven labels, the range covers uneven labels too. It does
        not include sampling error.
        """
        values = [estimate.value for estimate in self.estimates]
        return min(values), max(values)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Confidence interval for the value in the population.

        If the class prior is a known number, the interval covers the true value in about a share
        `confidence` of samples. It ends at 0 and at `greatest`, since no population has a value
        beyond them. An estimate can be beyond them, by chance or because its assumptions do not
        hold. If no value is compatible with the rows, both limits are the nearest possible value.

        If the class prior has an interval, three intervals are computed: at the lower limit, at the
        point and at the upper limit of the prior. The result reaches from the lowest to the highest
        limit of the three. This is enough because each metric rises or falls with the prior
        throughout (BEDROC at a prior near 1 may not). If the interval of the prior covers in a
        share c of samples, the result covers
        in a share of at least `confidence` + c - 1. Mostly it covers in more than `confidence`.

        Intervals for the area under the ROC curve, average precision and the BEDROC score use a
        model of the standard error. The model is the error at each value if scores came from two
        normal distributions of equal spread. This error is scaled by the error that the rows show.
        The more positives there are, the more the rows count; with 40 positives, they count as much
        as the model.

        `benchmarks/bench_intervals.py` counts how often 95 percent intervals cover the true value.
        It uses 1,000 unlabeled rows, known class priors of .02 to .3, both scenarios and 500
        samples each. The table shows the coverage in percent, by number of positives:

        | positives of | figure | 10 | 20 | 30 | 100 |
        | --- | --- | --- | --- | --- | --- |
        | equal spread, areas .76 to .99 | area | 94-97 | 93-98 | 92-98 | 94-97 |
        | | average precision | 94-98 | 94-99 | 93-99 | 92-99 |
        | | BEDROC | 94-97 | 93-97 | 93-97 | 92-98 |
        | twice the spread, area .91 | area | 90-94 | 84-94 | 86-95 | 93-96 |
        | 15 percent near the negatives | area | 90-93 | 89-93 | 87-93 | 92-95 |
        | half the spread, area .96 | area | 97-100 | 97-100 | 96-99 | 96-98 |

        For the last three distributions of the table, intervals for average precision and BEDROC
        cover in 92 to 99 percent of samples. With few positives, no interval covers for every
        distribution. For example, if a twentieth of the positives ranks low, 20 positives often
        include none of these low positives.

        Parameters
        ----------
        confidence : share of samples in which the interval should cover the true value, in (0, 1)
        """
        check_number(confidence, "confidence", "Pass 0.95 for example.", above=0, below=1)
        low, high = np.clip(self._not_cut_off(confidence), 0.0, self.greatest)
        return float(low), float(high)

    def _not_cut_off(self, confidence: float) -> tuple[float, float]:
        """The interval by the rows, also of values that no population has."""
        lows, highs = zip(*(each.interval(confidence) for each in self.estimates), strict=True)
        return min(lows), max(highs)

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row.

        Columns: `value`; `low` and `high`, the limits of its 95 percent interval;
        `least_over_prior` and `greatest_over_prior`, the two values of `over_prior`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these three that is
            installed (pyarrow always is)
        """
        names = ("value", "low", "high", "least_over_prior", "greatest_over_prior")
        values = (float(self), *self.interval(), *self.over_prior)
        columns = {name: [float(value)] for name, value in zip(names, values, strict=True)}
        return frame_of(columns, backend)

    def _in_words(self) -> str:
        low, high = self.interval()
        return f"{float(self):.3g} (95% interval {low:.3g} to {high:.3g})"


@dataclass(frozen=True)
class OfRows:
    """A figure that is nearly a sum over rows.

    Attributes
    ----------
    value : the figure
    error : standard error of the figure; NaN if there is only one row of a kind
    law : the error at other values of the figure
    """

    value: float
    error: float
    law: TwoNormals

    @classmethod
    def of(
        cls,
        value: float,
        of_positives: Floats,
        of_unlabeled: Floats,
        law: TwoNormals,
        of_labeled: float = 0.0,
        weights: tuple[Floats, Floats] | None = None,
    ) -> Self:
        """The figure with its error, from the changes of the figure if a row weighs more.

        Parameters
        ----------
        value : the figure
        of_positives : shape (n_positive,), change times `n_positive`, up to a constant
        of_unlabeled : shape (n_unlabeled,), change times `n_unlabeled`, up to a constant
        law : as above
        of_labeled : variance that comes from the share of labeled rows
        weights : how many rows each positive and each unlabeled row stands for; one by default

        Notes
        -----
        The variances of both means add up. For the area under the ROC curve it is the variance of
        DeLong, DeLong, Clarke-Pearson 1988.
        """
        variance, _ = variance_of_means(of_positives, of_unlabeled, weights)
        return cls(value, math.sqrt(variance + of_labeled), law)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Confidence interval of the figure; NaN if the error is NaN."""
        if math.isnan(self.error):
            return math.nan, math.nan
        return self.law.interval(self.value, self.error, confidence)


def of_prior(
    name: str, class_prior: PriorOrEstimate, *estimates: Callable[[float], Estimate]
) -> CorrectedScore:
    """The figure over the interval of the prior, with a warning if its value is impossible.

    Parameters
    ----------
    name : of the figure, which is a share of rows
    estimates : functions from a class prior to the figure; of several, the middle one is for even
        labels
    class_prior : share of positives among the unlabeled, in (0, 1), or an estimate with its
        interval

    Raises
    ------
    PriorError : if the prior, or a limit of its interval, is not a share

    Warns
    -----
    OnesidedWarning : if the figure at the prior is below 0 or above 1
    """
    priors = check_prior(class_prior)
    score = CorrectedScore(tuple(estimate(prior) for estimate in estimates for prior in priors))
    excess = max(-score, score - 1)
    if excess > _ROUNDING:
        where = "above 1" if score > 1 else "below 0"
        low, high = score._not_cut_off(_SURE)  # noqa: SLF001 - the rows say whether it may be chance
        by_chance = "" if low > 1 or high < 0 else ", or it is chance"
        warnings.warn(
            f"The {name} comes out at {float(score):.3g}, {excess:.3g} {where}, with "
            f"class_prior={float(class_prior):.3g}. The prior is too high for these rows, or "
            f"labels are not drawn evenly among the positives{by_chance}.",
            OnesidedWarning,
            stacklevel=3,
        )
    return score


def wilson(
    share: FloatOrFloats, n_rows: float, confidence: float
) -> tuple[FloatOrFloats, FloatOrFloats]:
    """Interval of a share of rows, Wilson 1927; with ties, the share need not come from a count."""
    square = float(ndtri((1 + confidence) / 2)) ** 2
    middle = (share + square / (2 * n_rows)) / (1 + square / n_rows)
    reach = np.sqrt(square * (share * (1 - share) / n_rows + square / (4 * n_rows**2)))
    return middle - reach / (1 + square / n_rows), middle + reach / (1 + square / n_rows)


def square_and_add(value: float, ends: list[list[float]]) -> tuple[float, float]:
    """Interval of a figure that depends on several independent shares.

    Parameters
    ----------
    value : the figure
    ends : for each share, the figure at both limits of the share's interval, with the other shares
        unchanged

    Notes
    -----
    Zou, Donner 2008; Newcombe 2001 for differences of shares. The squares of the distances of
    independent shares add up, separately on each side. Shares of 0 and 1 need no special care, and
    the interval is as asymmetric as the figure.
    """
    down = [min(0.0, *(each - value for each in pair)) for pair in ends]
    up = [max(0.0, *(each - value for each in pair)) for pair in ends]
    return value - math.hypot(*down), value + math.hypot(*up)


def check_prior(class_prior: PriorOrEstimate) -> tuple[float, ...]:
    """The prior alone; or, if it has an interval, its lower limit, the prior and its upper limit.

    Raises
    ------
    PriorError : if the prior, or a limit of its interval, is not a share
    """
    if not hasattr(class_prior, "interval"):
        return (as_share(class_prior, "class_prior"),)
    point = as_share(float(class_prior), "class_prior")
    low, high = class_prior.interval
    if not 0 <= low <= high <= 1:
        raise PriorError(
            f"The interval of class_prior is {low:.3g} to {high:.3g}.",
            "Pass a prior whose interval lies in 0 to 1.",
        )
    return low, point, high
