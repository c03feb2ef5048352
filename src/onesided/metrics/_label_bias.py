"""What a figure of the labeled positives could be if labels are not drawn evenly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from onesided._typing import Floats
from onesided._validation import check_number, weights_of
from onesided.exceptions import DataError

_LARGEST = 1e7  # ratio of odds; beyond it numbers overflow, and nothing is left to say


def odds_times(share: Any, factor: float) -> Any:
    """The share whose odds, s / (1 - s), are multiplied by a factor.

    If the odds of being labeled differ by up to Γ among positives, and a share s of the labeled
    ones is of some kind, the share of the hidden ones is between that of a factor 1 / Γ and Γ.

    Parameters
    ----------
    share : number or array, in [0, 1]
    factor : above 0
    """
    return factor * share / (1 - share + factor * share)


def check_label_odds_ratio(label_odds_ratio: float, name: str = "label_odds_ratio") -> None:
    """Refuse what is no greatest ratio of odds.

    Parameters
    ----------
    label_odds_ratio : Γ
    name : what an error calls it

    Raises
    ------
    DataError : if it is below 1, or so large that nothing would be said
    """
    mend = "Pass 3 for example; 1 means that labels are even."
    check_number(label_odds_ratio, name, mend, at_least=1, below=_LARGEST)


def label_bias_band(
    values: ArrayLike, *, ratio: float, sample_weight: ArrayLike | None = None
) -> tuple[float, float]:
    """Least and greatest mean over all positives that the labeled ones leave open.

    Recall is the mean over positives of whether they are found, the area under the ROC curve that
    of the share of others below them. The labeled positives have the mean of all if labels are
    selected completely at random (SCAR). Here one positive may have been up to `ratio` times as
    likely to be labeled as another, nobody knows which: each labeled one then stands for 1 to
    `ratio` times as many as another. The band is that of the bias alone; sampling comes on top. For
    the hidden positives alone, of a single training set, pass the ratio of the odds of being
    labeled, since a labeled positive stands for (1 - e) / e of them.

    Parameters
    ----------
    values : shape (n_labeled,), one for each labeled positive: 1 - `hidden_positive_ranks` for
        the AUC, or 0 and 1 for recall
    ratio : greatest probability of being labeled over the least, at least 1; 1 is SCAR
    sample_weight : shape (n_labeled,), how many positives each stands for; one by default

    Returns
    -------
    low, high : in the unit of the values

    Raises
    ------
    DataError : if there are no values, one is no finite number, or the ratio is below 1

    Notes
    -----
    Positives have to be weighted by one over the probability e of being labeled (Bekker,
    Robberechts, Davis 2019), Σ v/e / Σ 1/e. With e known that is ``np.average(values, weights=1 /
    e)``. With 1/e in a range of that ratio the extremes are at weights of the ratio for the values
    beyond some cut and of 1 for the others, of which the best is taken: the band is sharp.

    Examples
    --------
    Of ten labeled positives seven are found. If found ones are labeled three times as easily as
    others, the three missed stand for nine: 7 / 16.

    >>> label_bias_band([1, 1, 1, 1, 1, 1, 1, 0, 0, 0], ratio=3)
    (0.4375, 0.875)
    """
    check_label_odds_ratio(ratio, "ratio")
    found, weight = _finite(values, sample_weight)
    below = np.append(0.0, np.cumsum(weight * found))  # sum of the 0, 1, ... least
    n_below = np.append(0.0, np.cumsum(weight))
    above, n_above = below[-1] - below, n_below[-1] - n_below
    low = (ratio * below + above) / (ratio * n_below + n_above)
    high = (below + ratio * above) / (n_below + ratio * n_above)
    return float(low.min()), float(high.max())


def label_bias_tipping_point(
    values: ArrayLike, *, chance: float = 0.5, sample_weight: ArrayLike | None = None
) -> float:
    """The least ratio at which `label_bias_band` reaches down to chance.

    It says how uneven labels must be before a figure means nothing. It is of these labeled
    positives: chance comes on top, most of all where hardly any value is below chance. It is the
    counterpart of the E-value of observational studies (VanderWeele, Ding 2017), and of the Γ
    at which a study becomes sensitive to bias (Rosenbaum 2002).

    Parameters
    ----------
    values : shape (n_labeled,), as in `label_bias_band`
    chance : what the figure would be by chance; .5 for the AUC
    sample_weight : as in `label_bias_band`

    Returns
    -------
    at least 1; 1 if the figure is no better than chance, infinite if no value is below chance

    Raises
    ------
    DataError : if there are no values, or one is no finite number

    Notes
    -----
    With weight Γ on the values below chance, and 1 on the others, the mean is chance where Γ is the
    sum of what the others exceed it by, over the sum of what these fall short of it; other weights
    between 1 and Γ give a higher mean.

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
    """How many times as high as that of the chosen candidate the criterion of each one may be.

    The criterion of Lee and Liu is r² / P(predicted positive), r the recall among all positives.
    The labeled ones give r if labels are selected completely at random (SCAR). Here one positive
    may have been up to `ratio` times as likely to be labeled as another, nobody knows which. The
    positives stand for as many others whichever candidate is judged, so that two candidates are
    compared far more closely than by `LeeLiuScore.over_labels` of each. This is the bias alone;
    sampling comes on top.

    Parameters
    ----------
    found : shape (n_candidates, n_labeled), whether each candidate predicts each labeled positive
        as positive, of rows that it has not seen
    predicted : shape (n_candidates,), above 0, share or number of the rows of the population that
        are predicted positive
    chosen : number of the chosen candidate, from 0
    ratio : as in `label_bias_band`; a ratio of odds, as for `over_labels`, is no less
    sample_weight : shape (n_labeled,), how many rows each labeled positive stands for; one by
        default

    Returns
    -------
    shape (n_candidates,): below 1 the chosen candidate is better, however the labels were drawn;
    at 1 or above the two cannot be told apart. The largest is how many times better a choice
    there may be.

    Raises
    ------
    DataError : if the shapes do not fit, a number is not above 0, or the ratio is below 1

    Notes
    -----
    With weights w of the labeled positives, each from 1 to Γ, the recalls are as
    Σ w v / Σ w v', v of a candidate and v' of the chosen one. The ratio is greatest where those
    that the candidate alone finds weigh Γ, those that the chosen one alone finds 1, and those that
    both find all 1 or all Γ, of which the better is taken: the bound is sharp.

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
    if is_found.ndim != 2 or rows.shape != is_found.shape[:1] or not (rows > 0).all():  # noqa: PLR2004
        raise DataError(
            f"found has the shape {is_found.shape}, and predicted has {rows.size} numbers, "
            f"{int((rows > 0).sum())} of them above 0.",
            "Pass one row of found and one number above 0 for each candidate.",
        )
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
    DataError : if there are no values, or one is no finite number
    """
    found = np.asarray(values, dtype=np.float64).ravel()
    weight = weights_of(sample_weight, len(found))
    order = np.argsort(found)
    if not found.size or not np.isfinite(found).all():
        raise DataError(
            f"values has {found.size} numbers, {np.isfinite(found).sum()} of them finite.",
            "Pass one finite number for each labeled positive.",
        )
    return found[order], weight[order]
