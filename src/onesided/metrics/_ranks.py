"""Ranks of positives among the unlabeled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from onesided._typing import Array, Floats
from onesided._validation import weights_of
from onesided.exceptions import DataError

_CELLS = 1 << 18  # pairs of a rank and a positive that are computed at once


def rank_counts(
    scores: ArrayLike, unlabeled_scores: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> tuple[Array, Array]:
    """For each row, the number of unlabeled rows that score higher, and that score the same.

    Parameters
    ----------
    scores : shape (n_rows,), higher is more positive
    unlabeled_scores : shape (n_unlabeled,)
    sample_weight : shape (n_unlabeled,), how many rows each unlabeled row stands for; one by
        default

    Returns
    -------
    above, tied : each of shape (n_rows,), numbers of unlabeled rows; integers if there are no
        weights

    Raises
    ------
    DataError : if a score is missing, or there are no unlabeled rows

    Examples
    --------
    >>> from onesided.metrics import rank_counts
    >>> above, tied = rank_counts([2.0, 0.5], unlabeled_scores=[3.0, 2.0, 2.0, 1.0])
    >>> above.tolist(), tied.tolist()
    ([1, 4], [2, 0])
    """
    given = np.asarray(unlabeled_scores, dtype=np.float64)
    weight = None if sample_weight is None else weights_of(sample_weight, len(given))
    order = None if weight is None else np.argsort(given)
    ordered = np.sort(given) if order is None else given[order]
    wanted = np.asarray(scores, dtype=np.float64)
    if len(ordered) == 0:
        raise DataError("There are no unlabeled scores.", "Pass the scores of the unlabeled rows.")
    if np.isnan(ordered[-1]) or np.isnan(wanted).any():
        raise DataError(
            "Some scores are NaN.", "Give each row a score; infinite scores are allowed."
        )
    left = np.searchsorted(ordered, wanted, side="left")
    right = np.searchsorted(ordered, wanted, side="right")
    if weight is None:
        return len(ordered) - right, right - left
    sums = np.append(0.0, np.cumsum(weight[order]))
    return sums[-1] - sums[right], sums[right] - sums[left]


def rank_shares(
    scores: ArrayLike, unlabeled_scores: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> Floats:
    """For each row, the share of unlabeled rows that score higher; a tie counts half, 0 is best.

    For positive rows, 1 minus the mean share is the area under the ROC curve of these positives
    against the unlabeled rows.

    Parameters
    ----------
    scores : shape (n_rows,), higher is more positive
    unlabeled_scores : shape (n_unlabeled,)
    sample_weight : as in `rank_counts`

    Returns
    -------
    shape (n_rows,), in [0, 1]

    Examples
    --------
    Above 3 stands one of four, 5; 3 itself is a tie and counts half: (1 + 1/2) / 4.

    >>> rank_shares([3.0], [1.0, 2.0, 3.0, 5.0])
    array([0.375])
    """
    above, tied = rank_counts(scores, unlabeled_scores, sample_weight=sample_weight)
    n_unlabeled = weights_of(sample_weight, np.size(unlabeled_scores)).sum()
    shares: Floats = (above + tied / 2) / n_unlabeled
    return shares


def recall_at(
    ranks: ArrayLike,
    above: ArrayLike,
    tied: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Recall at each rank: share of the hidden positives at or above this rank of the unlabeled.

    A positive with `a` unlabeled rows above it is at or above rank r if r is at least a + 1. If the
    positive is tied with t unlabeled rows, all orders of the tied rows are equally likely. The
    positive is then above the j-th tied row with probability j / (t + 1). The mean recall over all
    ranks is exactly 1 minus the mean rank share, which is the hidden-positive AUC.

    Parameters
    ----------
    ranks : shape (n_ranks,), ranks among the unlabeled rows; 1 is the row with the highest score
    above, tied : each of shape (n_positive,), as from `rank_counts`
    sample_weight : shape (n_positive,), how many positives each stands for; one by default

    Returns
    -------
    shape (n_ranks,), in [0, 1]

    Examples
    --------
    Of two positives one stands above both unlabeled rows, the other is tied with the second:

    >>> recall_at([1, 2], above=[0, 1], tied=[0, 1])
    array([0.5 , 0.75])
    """
    wanted = np.asarray(ranks, dtype=np.float64)
    weight = weights_of(sample_weight, np.size(above))
    total = np.zeros(len(wanted))
    n_at_once = max(1, _CELLS // max(1, len(wanted)))
    a, t = np.array([above, tied], dtype=np.float64)
    for first in range(0, len(a), n_at_once):
        part = slice(first, first + n_at_once)
        places = wanted[:, np.newaxis] - a[part]
        reached = np.clip(places, 0, None) / (t[part] + 1)
        total += np.where(places > t[part], 1.0, reached) @ weight[part]
    shares: Floats = total / weight.sum()
    return shares
