"""The class prior from the mean probability of a positive to be labeled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from onesided.prior._scores import check_both

_ROUNDING = 1e-12


def elkan_noto(positive_scores: ArrayLike, unlabeled_scores: ArrayLike) -> float:
    """Share of positives among the unlabeled, after Elkan and Noto.

    The method assumes that labels are selected completely at random (SCAR), and that no negative
    looks like a positive. Then P(labeled | x) is the label frequency for each positive. If the
    classes overlap, the estimate is too high: by .05 over five data sets, and by .10 on the letter
    data, where `best_bin` errs by .02. If the classes do not overlap, the estimate is a little too
    low, because the isotonic regression is fitted to the same scores. Use this method only for
    comparison.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that the scorer has not learned from

    Returns
    -------
    in [0, 1]

    Raises
    ------
    DataError : if there are no positive scores or no unlabeled scores

    Notes
    -----
    Elkan, Noto 2008, e1: the label frequency c is the mean of g(x) = P(labeled | x) over held-out
    positives. Here g is the isotonic regression of the labels on the scores, so the scores need not
    be probabilities. There are n_positive / c positives in total, and all but n_positive of these
    are unlabeled. Positives and unlabeled rows of case-control data together act as a single
    training set with another label frequency.

    Examples
    --------
    >>> import numpy as np
    >>> round(elkan_noto(np.full(60, 2.0), np.repeat([2.0, 1.0], [30, 70])), 6)
    0.3
    """
    known, rest = check_both(positive_scores, unlabeled_scores)
    labeled = np.repeat([1.0, 0.0], [len(known), len(rest)])
    regression = IsotonicRegression(out_of_bounds="clip")
    # Places among the distinct scores replace the scores, because a score may be infinite.
    _, order = np.unique(np.concatenate([known, rest]), return_inverse=True)
    chance = regression.fit_transform(order, labeled)
    frequency = float(chance[: len(known)].mean())
    prior = len(known) * (1 - frequency) / (frequency * len(rest))
    return 1.0 if prior > 1 - _ROUNDING else prior
