"""Limits of a figure of the labeled positives if labels are not drawn evenly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from onesided._text import counted
from onesided._typing import Floats
from onesided._validation import check_number, weights_of
from onesided.exceptions import DataError

_LARGEST = 1e7  # ratio of odds; beyond it numbers overflow, and limits say nothing


def odds_times(share: Any, factor: float) -> Any:
    """The share whose odds, s / (1 - s), are multiplied by a factor.

    Let the odds of being labeled differ by up to Γ among positives, and let a share s of the
    labeled positives be of some kind. Then the share of the hidden positives that is of this kind
    is between the results for the factors 1 / Γ and Γ.

    Parameters
    ----------
    share : number or array, in [0, 1]
    factor : above 0
    """
    return factor * share / (1 - share + factor * share)


def check_label_odds_ratio(label_odds_ratio: float, name: str | None = None) -> None:
    """Refuse a value that cannot be the largest ratio of odds.

    Parameters
    ----------
    label_odds_ratio : Γ
    name : of the parameter, if it is not the option `label_odds_ratio`

    Raises
    ------
    DataError : if the ratio is below 1, or so large that numbers would overflow
    """
    mend = "Pass 3 for example; 1 means that labels are even."
    check_number(
        label_odds_ratio,
        name or "label_odds_ratio",
        mend,
        at_least=1,
        below=_LARGEST,
        is_option=name is None,
    )


def label_bias_band(
    values: ArrayLike, *, ratio: float, sample_weight: ArrayLike | None = None
) -> tuple[float, float]:
    """Lowest and highest mean over all positives that is possible if labels are uneven.

    Recall and the area under the ROC curve are means over positives. For recall, the value of a
    positive is 1 if it is found, else 0. For the area, the value is the share of unlabeled rows
    that score lower. If labels are selected completely at random (SCAR), the labeled positives have
    the same mean as all positives.

    This function drops that assumption. One positive may have been up to `ratio` times as likely to
    be labeled as another, and nobody knows which. A labeled positive may then stand for up to
    `ratio` times as many positives as another. The band shows this bias alone; sampling error adds
    to it.

    For the mean over hidden positives alone, in a single training set, pass the ratio of the odds
    of being labeled. The reason is that a labeled positive stands for (1 - e) / e hidden positives,
    if e is its probability of being labeled.

    Parameters
    ----------
    values : shape (n_labeled,), one value for each labeled positive: 1 - `hidden_positive_ranks`
        for the AUC, or 0 and 1 for recall
    ratio : highest probability of being labeled divided by the lowest, at least 1; 1 is SCAR
    sample_weight : shape (n_labeled,), how many positives each stands for; one by default

    Returns
    -------
    low, high : limits of the mean, in the unit of `values`

    Raises
    ------
    DataError : if there are no values, a value is not a finite number, or the ratio is below 1

    Notes
    -----
    If the probability e of being labeled is known for each positive, the mean over all positives is
    Σ v/e / Σ 1/e (Bekker, Robberechts, Davis 2019). Compute it as
    ``np.average(values, weights=1 / e)``. If e is not known, the weights 1/e may differ by up to
    `ratio`. The mean is then extreme if all values beyond some cut have the weight `ratio` and all
    other values have the weight 1. The function tries all cuts, so the band is sharp: no narrower
    band holds for all such weights.

    Examples
    --------
    Of ten labeled positives seven are found. If found ones are labeled three times as easily as
    others, the three missed stand for nine: 7 / 16.

    >>> label_bias_band([1, 1, 1, 1, 1, 1, 1, 0, 0, 0], ratio=3)
    (0.4375, 0.875)
    """
    check_label_odds_ratio(ratio, "ratio")
    found, weight = _finite(values, sample_weight)
    below = np.append(0.0, np.cumsum(weight * found))  # sums of the 0, 1, ... lowest values
    n_below = np.append(0.0, np.cumsum(weight))
    above, n_above = below[-1] - below, n_below[-1] - n_below
    low = (ratio * below + above) / (ratio * n_below + n_above)
    high = (below + ratio * above) / (n_below + ratio * n_above)
    return float(low.min()), float(high.max())


def label_bias_tipping_point(
    values: ArrayLike, *, chance: float = 0.5, sample_weight: ArrayLike | None = None
) -> float:
    """Lowest ratio at which the lower limit of `label_bias_band` is no better than chance.

    The tipping point says how uneven labels must be before a metric value means nothing. It
    describes these labeled positives only and does not include sampling error, which matters most
    if hardly any value is below chance. Observational studies have two similar measures: the
    E-value (VanderWeele, Ding 2017) and the Γ at which a study becomes sensitive to bias (Rosenbaum
    2002).

    Parameters
    ----------
    values : shape (n_labeled,), as in `label_bias_band`
    chance : value of the metric for a random ranking; .5 for the AUC
    sample_weight : as in `label_bias_band`

    Returns
    -------
    at least 1; 1 if the mean is no better than chance, infinite if no value is below chance

    Raises
    ------
    DataError : if there are no values, or a value is not a finite number

    Notes
    -----
    Values below chance get the weight Γ, and the other values get the weight 1. Any other weights
    between 1 and Γ give a higher mean. The mean equals chance if Γ = a / b. Here a is the sum of
    the distances to chance of the values above chance, and b is the same sum for the values below
    chance.

    Examples
    --------
    Nine of ten positives rank above 90 % of the others, one above 10 %: (9 · .4) / .4.

    >>> round(label_bias_tipping_point([0.9] * 9 + [0.1]), 2)
    9.0
    """
    check_number(chance, "chance", "Pass 0.5 for the AUC.")
    found, weight = _finite(values, sample_weight)
    excess = weight * (found - chance)
    short, over = -excess[excess < 0].sum(), excess[excess > 0].sum()
    if over <= short:
        return 1.0
    return float(over / short) if short > 0 else math.inf


def lee_liu_regret(
    found: ArrayLike,
    predicted: ArrayLike,
    *,
    chosen: int,
    ratio: float,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Highest possible ratio of each candidate's Lee-Liu criterion to that of the chosen one.

    The criterion of Lee and Liu is r² / P(predicted positive), where r is the recall among all
    positives. If labels are selected completely at random (SCAR), the labeled positives give r.
    This function drops that assumption. One positive may have been up to `ratio` times as likely to
    be labeled as another, and nobody knows which.

    Each labeled positive has the same weight for all candidates. Therefore the comparison of two
    candidates is much more precise than a comparison of their ranges from
    `LeeLiuScore.over_labels`. The result shows this bias alone; sampling error adds to it.

    Parameters
    ----------
    found : shape (n_candidates, n_labeled), whether each candidate predicts each labeled positive
        as positive; the candidate must not have seen the row
    predicted : shape (n_candidates,), above 0, share or number of the rows of the population that
        each candidate predicts positive
    chosen : index of the chosen candidate, counted from 0
    ratio : highest probability of being labeled divided by the lowest, as in `label_bias_band`. The
        ratio of odds in `over_labels` is at least as large
    sample_weight : shape (n_labeled,), how many rows each labeled positive stands for; one by
        default

    Returns
    -------
    shape (n_candidates,). Below 1, the chosen candidate is better, however the labels were drawn.
    At 1 or above, the data cannot show which candidate is better. The largest value says how many
    times better the best choice may be.

    Raises
    ------
    DataError : if the shapes do not fit, a number is not above 0, `chosen` is not a candidate, or
        the ratio is below 1

    Notes
    -----
    Each labeled positive has a weight w from 1 to Γ, where Γ is `ratio`. The ratio of the recalls
    is Σ w v / Σ w v', where v says what the candidate finds and v' what the chosen candidate finds.
    The ratio is highest with these weights: Γ for positives that only the candidate finds, 1 for
    positives that only the chosen candidate finds, and either 1 or Γ for all positives that both
    find. The function takes the better of the last two, so the bound is sharp: it can be reached.

    Examples
    --------
    The chosen candidate finds 8 of 10 positives in 20 rows, another finds 6 of these and no other
    in 10: 0.8² / 20 is less than 0.6² / 10 by 1.125 already. At 3 the two that it misses may
    be one in ten: (18 / 20)² · 2.

    >>> found = [[1] * 8 + [0] * 2, [1] * 6 + [0] * 4]
    >>> lee_liu_regret(found, [20, 10], chosen=0, ratio=1).round(3)
    array([1.   , 1.125])
    >>> lee_liu_regret(found, [20, 10], chosen=0, ratio=3).round(3)
    array([1.  , 1.62])
    """
    check_label_odds_ratio(ratio, "ratio")
    is_found = np.asarray(found, dtype=bool)
    rows = np.asarray(predicted, dtype=np.float64)
    fits = is_found.ndim == 2 and rows.shape == is_found.shape[:1]  # noqa: PLR2004 - a table
    if not fits or not rows.size or not (rows > 0).all():
        raise DataError(
            f"found has the shape {is_found.shape}, and predicted has "
            f"{counted(rows.size, 'number')}, "
            f"{int((rows > 0).sum())} of them above 0.",
            "Pass one row of found and one number above 0 for each candidate.",
        )
    mend = f"Pass the number of a candidate, from 0 to {len(rows) - 1}."
    check_number(chosen, "chosen", mend, at_least=0, below=len(rows), whole=True)
    weight = weights_of(sample_weight, is_found.shape[1])
    both = (is_found & is_found[chosen]) @ weight
    gained = is_found @ weight - both
    lost = both[chosen] - both
    with np.errstate(divide="ignore", invalid="ignore"):
        recalls = np.maximum(
            (both + ratio * gained) / (both + lost),
            ratio * (both + gained) / (ratio * both + lost),
        )
    recalls = np.where(np.isnan(recalls), 1.0, recalls)  # neither finds any
    regret: Floats = recalls**2 * (rows[chosen] / rows)
    return regret


def _finite(values: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Floats, Floats]:
    """The values, the least first, and their weights.

    Raises
    ------
    DataError : if there are no values, or a value is not a finite number
    """
    found = np.asarray(values, dtype=np.float64).ravel()
    weight = weights_of(sample_weight, len(found))
    order = np.argsort(found)
    if not found.size or not np.isfinite(found).all():
        raise DataError(
            f"values has {counted(found.size, 'number')}, {np.isfinite(found).sum()} of them "
            "finite.",
            "Pass one finite number for each labeled positive.",
        )
    return found[order], weight[order]
