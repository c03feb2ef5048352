"""Where positives stand among the unlabeled."""

import numpy as np
from numpy.typing import ArrayLike

from onesided._typing import Floats


def rank_shares(scores: ArrayLike, unlabeled_scores: ArrayLike) -> Floats:
    """Share of the unlabeled that score above each row, ties counted half; 0 is best.

    Parameters
    ----------
    scores : shape (n_rows,), higher is more positive
    unlabeled_scores : shape (n_unlabeled,)

    Returns
    -------
    shape (n_rows,), in [0, 1]

    Examples
    --------
    Above 3 stands one of four, 5; 3 itself is a tie and counts half: (1 + 1/2) / 4.

    >>> rank_shares([3.0], [1.0, 2.0, 3.0, 5.0])
    array([0.375])
    """
    ordered = np.sort(np.asarray(unlabeled_scores, dtype=np.float64))
    wanted = np.asarray(scores, dtype=np.float64)
    above = len(ordered) - np.searchsorted(ordered, wanted, side="right")
    at_or_above = len(ordered) - np.searchsorted(ordered, wanted, side="left")
    return (above + at_or_above) / (2.0 * len(ordered))


def recall_at(ranks: ArrayLike, hidden_ranks: ArrayLike, n_unlabeled: int) -> Floats:
    """Share of the hidden positives that stand at or above each rank of the unlabeled.

    A positive with k of the unlabeled above it stands at or above rank r if k ≤ r − 1; one that
    is tied with the row at rank r counts half there. The mean over all ranks is one less the
    mean of `hidden_ranks`, the hidden-positive AUC, exactly.

    Parameters
    ----------
    ranks : shape (n_ranks,), 1 is the most positive of the unlabeled
    hidden_ranks : shape (n_positive,), share of the unlabeled ranked above each positive
    n_unlabeled : how many unlabeled rows are ranked

    Returns
    -------
    shape (n_ranks,), in [0, 1]

    Examples
    --------
    Of two positives one has no unlabeled row above it, the other one of two:

    >>> recall_at([1, 2], [0.0, 0.5], n_unlabeled=2)
    array([0.5, 1. ])
    """
    twice_above = np.sort(np.rint(2 * n_unlabeled * np.asarray(hidden_ranks, dtype=np.float64)))
    twice_rank = 2 * np.asarray(ranks, dtype=np.int64)
    # Above rank r the positive counts 1 from k = r − 1 down, 1/2 at k = r − 1/2.
    whole = np.searchsorted(twice_above, twice_rank - 2, side="right")
    half = np.searchsorted(twice_above, twice_rank - 1, side="right")
    return (whole + half) / (2.0 * len(twice_above))
