"""Intervals of figures of scores, with the errors that two normal distributions would give.

Ten positives that all rank near the top say little about how often a positive ranks low. An error
computed from these positives alone is too small whenever the figure came out high. Scores from two
normal distributions of equal spread give a value of the figure, and its error, for each distance of
the means. The interval holds the values from which the estimate is no farther than chance allows,
as in method 5 of Newcombe 2006 for the area under the ROC curve. The errors are scaled by the error
that the rows show. The more positives there are, the more the rows decide, so the distributions
need not be normal.

The symbols are those of `_corrected_ranks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm, t

from onesided._typing import Floats


class Figure(Protocol):
    """The function φ(r, q, π) whose mean over the positives is a figure."""

    def __call__(self, recall: Floats, share: Floats, prior: float) -> Floats: ...


_SUPPOSED = 40  # degrees of freedom; with 10, intervals of areas near 1 cover in only .92
_DISTANCES = np.linspace(-4, 9, 105)[:, np.newaxis]
_PLACES = np.linspace(-6, 6, 97)  # of scores, from the mean of the positives
_POSITIVE = norm.pdf(_PLACES) * (_PLACES[1] - _PLACES[0])
_NEGATIVE = norm.pdf(_PLACES + _DISTANCES) * (_PLACES[1] - _PLACES[0])
_RECALL = np.broadcast_to(ndtr(-_PLACES), _NEGATIVE.shape)
_FALSE = ndtr(-_PLACES - _DISTANCES)
_STEP = 1e-4  # of numeric derivatives, as a share of the argument
_LEAST = 1e-30  # least variance, if no two scores overlap


@dataclass(frozen=True)
class TwoNormals:
    """Values of a figure and errors of its estimates, by the distance of two normal curves.

    Attributes
    ----------
    figure : in the population
    estimated : mean of the estimates with this number of rows
    class_prior : share of positives among the unlabeled
    labeled : share of labeled rows in the population, 0 in case-control data
    n_positive, n_unlabeled : numbers of rows
    """

    figure: Figure
    estimated: Figure
    class_prior: float
    labeled: float
    n_positive: float
    n_unlabeled: float

    def interval(self, value: float, error: float, confidence: float) -> tuple[float, float]:
        """Figures of the population from which the estimate is no farther than chance allows.

        Parameters
        ----------
        value, error : the estimate and its standard error, from the rows
        confidence : in (0, 1)

        Notes
        -----
        An estimate may lie outside the values of all distances, by chance or because the prior is
        too high. Its error is then the error at the smallest or the largest distance.
        """
        figures, values, variances = _by_distance(self)
        freedom = self.n_positive - 1
        if value > values[-1]:
            error *= float(values[-1]) / value  # errors of ratios grow with the ratio
        of_rows = error**2 / float(np.interp(value, values, variances))
        scale = (freedom * of_rows + _SUPPOSED) / (freedom + _SUPPOSED)
        quantile = float(t.ppf((1 + confidence) / 2, freedom + _SUPPOSED))
        reach = np.pad(quantile * np.sqrt(scale * variances), 1, mode="edge")
        far = 1 + abs(value) + 2 * float(reach.max())
        apart = (value - _extended(values, far)) / reach
        ends = _extended(figures, far)
        # the outermost crossings, in case errors grow faster than the distance
        low = np.interp(-1, -np.minimum.accumulate(apart), ends)
        high = np.interp(1, -np.maximum.accumulate(apart[::-1])[::-1], ends)
        return float(low), float(high)


@lru_cache(maxsize=16)  # intervals are asked for again, by displays and at other confidences
def _by_distance(law: TwoNormals) -> tuple[Floats, Floats, Floats]:
    """Figures, mean estimates and their variances, each of shape (n_distances,), by distance.

    A row changes an estimate by its slope, as in `_corrected_ranks`. Here the sums over the
    positives below the row are integrals, and the derivatives of φ are numeric.
    """
    labeled, rest = law.labeled, 1 - law.labeled
    prior = labeled + rest * law.class_prior
    share = prior * _RECALL + (1 - prior) * _FALSE
    unlabeled = law.class_prior * _POSITIVE + (1 - law.class_prior) * _NEGATIVE

    def mean(terms: Floats, weights: Floats = _POSITIVE) -> Floats:
        found: Floats = (terms * weights).sum(axis=1)
        return found

    def variance(terms: Floats, weights: Floats) -> Floats:
        return mean(terms**2, weights) - mean(terms, weights) ** 2

    def sums_below(slopes: Floats) -> Floats:
        parts = slopes * _POSITIVE
        found: Floats = parts.cumsum(axis=1) - parts / 2
        return found

    def estimated(recall: float = 1, of_share: float = 1, of_prior: float = 1) -> Floats:
        return law.estimated(recall * _RECALL, of_share * share, of_prior * prior)

    more, less = 1 + _STEP, 1 - _STEP
    by_recall = (estimated(more) - estimated(less)) / (2 * _STEP * _RECALL)
    by_share = (estimated(1, more) - estimated(1, less)) / (2 * _STEP * share)
    terms = estimated()
    found = variance(terms + sums_below(by_recall + labeled * by_share), _POSITIVE)
    found /= law.n_positive
    found += variance(sums_below(rest * by_share), unlabeled) / law.n_unlabeled
    if labeled:
        by_prior = (estimated(1, 1, more) - estimated(1, 1, less)) / (2 * _STEP * prior)
        rise = mean(by_prior) * (1 - law.class_prior)
        rise += mean(by_share * (_RECALL - share)) / rest
        found += rise**2 * labeled * rest / (law.n_positive + law.n_unlabeled)
    return mean(law.figure(_RECALL, share, prior)), mean(terms), np.maximum(found, _LEAST)


def _extended(values: Floats, far: float) -> Floats:
    """The values with one more value at each end, at the distance `far`."""
    return np.concatenate([values[:1] - far, values, values[-1:] + far])
