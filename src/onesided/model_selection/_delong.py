"""Errors, intervals and paired tests of the hidden-positive AUC, for fits that are given."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import t

from onesided._numerics._welch import variance_of_means
from onesided._typing import Floats
from onesided._validation import check_object
from onesided.model_selection._placements import HiddenPositives, PlacedPositives

_CONFIDENCE = 0.95
_EDGE = 1e-12  # of the areas


def standard_error(found: HiddenPositives) -> float:
    """Standard error of the AUC, DeLong, DeLong, Clarke-Pearson 1988; NaN with one unlabeled row.

    Parameters
    ----------
    found : hidden positives and unlabeled rows, both samples of independent rows
    """
    return float(np.sqrt(_variance(found.ranks, found.unlabeled_placements)[0]))


def interval(found: HiddenPositives) -> tuple[float, float]:
    """The 95 percent interval of the AUC: all areas that are not too far from it.

    Newcombe 2006, method 5. What is too far goes by the error that the area would have if both
    kinds of scores were exponential (Hanley, McNeil 1982, with the mean of the two numbers of
    rows), which there is for few rows, and at an area of 1. Where DeLong's reaches further, as a
    Student's t like that of `p_value`, each area does by the same factor, which is not in Newcombe.

    Parameters
    ----------
    found : as for `standard_error`
    """
    variance, freedom = _variance(found.ranks, found.unlabeled_placements)
    return _interval(found.auc, len(found.ranks), found.n_unlabeled, variance, freedom)


def weighted_auc(found: PlacedPositives, weights: Floats) -> tuple[float, tuple[float, float]]:
    """AUC of weighted positives, with its 95 percent interval.

    The weight of a positive is the number of positives that it stands for.

    The AUC is the weighted mean, over the positives, of the share of unlabeled rows that rank below
    a positive. The unlabeled rows are taken as given. The interval is computed as in
    `Comparison.to_frame`, for the effective number of positives, (Σ w)² / Σ w². For positives that
    `onesided.audit.Audit` drew, the interval covers the true AUC in .92 to .99 of audits with at
    least 10 positives (AUC .8, .9 and .97, shares .02, .1 and .3).

    Parameters
    ----------
    found : the positives, at least two
    weights : shape (n_positive,), number of positives that each positive stands for; at least one
        weight must be above 0

    Examples
    --------
    The first positive stands for three others, each other one for one:

    >>> import numpy as np
    >>> from onesided.model_selection import PlacedPositives, weighted_auc
    >>> above, scores = np.array([0, 20, 10, 40]), np.array([3.0, 1.5, 2.0, 0.5])
    >>> placed = PlacedPositives(above, tied=np.zeros(4), scores=scores, n_unlabeled=100)
    >>> auc, (low, high) = weighted_auc(placed, np.array([3.0, 1.0, 1.0, 1.0]))
    >>> round(auc, 2), round(low, 2), round(high, 2)
    (0.88, 0.29, 0.99)
    """
    check_object(found, "found", PlacedPositives, by="onesided.model_selection.place")
    total = weights.sum()
    below = 1.0 - found.ranks
    auc = float(weights @ below / total)
    worth = float(total**2 / (weights**2).sum())
    variance = float((weights**2 * (below - auc) ** 2).sum() / total**2)
    if worth > 1:
        variance *= worth / (worth - 1)
    freedom = max(worth - 1, 1.0)
    return auc, _interval(auc, worth, found.n_unlabeled, variance, freedom)


def _interval(
    auc: float, n_positive: float, n_unlabeled: int, variance: float, freedom: float
) -> tuple[float, float]:
    n_pairs = n_positive * n_unlabeled
    half = (n_positive + n_unlabeled) / 2 - 1

    def relative(area: float) -> float:  # variance, over that of an area of one pair
        return (1 + half * ((1 - area) / (2 - area) + area / (1 + area))) / n_pairs

    end = (1 + _CONFIDENCE) / 2
    reach = ndtri(end) ** 2  # squared, in errors
    if variance > 0 and 0 < auc < 1:
        of_delong = variance / (auc * (1 - auc) * relative(auc))
        reach = max(reach, of_delong * t.ppf(end, freedom) ** 2)

    def beyond(area: float) -> float:
        return (area - auc) ** 2 / (area * (1 - area)) - reach * relative(area)

    low = 0.0 if auc <= 0 else brentq(beyond, _EDGE, min(auc, 1 - _EDGE))
    high = 1.0 if auc >= 1 else brentq(beyond, max(auc, _EDGE), 1 - _EDGE)
    return float(low), float(high)


def p_value(first: HiddenPositives, second: HiddenPositives) -> float:
    """Two-sided p-value that two methods, with the same rows hidden, have the same AUC.

    DeLong's test, with the t distribution of Welch and Satterthwaite in place of the normal.
    NaN where no variance is seen, as between methods that rank alike.

    Parameters
    ----------
    first, second : as for `standard_error`
    """
    variance, freedom = _variance(
        first.ranks - second.ranks, first.unlabeled_placements - second.unlabeled_placements
    )
    if not variance > 0:
        return float("nan")
    return float(2 * t.sf(abs(first.auc - second.auc) / np.sqrt(variance), freedom))


def _variance(of_positives: Floats, of_unlabeled: Floats) -> tuple[float, float]:
    """Of the mean over all pairs of a positive and an unlabeled row, S10 / m + S01 / n.

    Ranks are one less V10, which has the same variance.

    Parameters
    ----------
    of_positives, of_unlabeled : shapes (n_positive,) and (n_unlabeled,), the mean over the pairs
        of each row

    Returns
    -------
    variance : NaN where there is a single row of a kind
    freedom : its degrees of freedom (Welch, Satterthwaite); NaN where no variance is seen
    """
    variance, within = variance_of_means(of_positives, of_unlabeled)
    return variance, variance**2 / within if variance > 0 else float("nan")
