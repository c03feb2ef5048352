"""The class prior from the mean chance of the positives to be labeled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from onesided.prior._scores import check_both

_ROUNDING = 1e-12


def elkan_noto(positive_scores: ArrayLike, unlabeled_scores: ArrayLike) -> float:
    """Share of positives among the unlabeled, after Elkan and Noto.

    It assumes that labels are selected completely at random (SCAR), and that no negative looks like
    a positive: then P(labeled | x) is the label frequency for each positive. Overlap of the
    classes makes it too high: over five data sets by .05, on letter by .10, where best bins err by
    .02. Where they are apart, the fit to the same scores makes it a little too low. It is here to
    compare with.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that it has not learned from

    Returns
    -------
    in [0, 1]

    Raises
    ------
    DataError : if there are no scores of a kind

    Notes
    -----
    Elkan, Noto 2008, e1: the label frequency c is the mean over held-out positives of
    g(x) = P(labeled | x), which is here the isotonic regression of the labels on the scores, so
    that they need not be probabilities. Of n_positive / c positives all but n_positive are
    unlabeled. In case-control data positives and unlabeled rows together are like a single training
    set, of another label frequency.

    Examples
    --------
    >>> import numpy as np
    >>> round(elkan_noto(np.full(60, 2.0), np.repeat([2.0, 1.0], [30, 70])), 6)
    0.3
    """
    known, rest = check_both(positive_scores, unlabeled_scores)
    labeled = np.repeat([1.0, 0.0], [len(known), len(rest)])
    regression = IsotonicRegression(out_of_bounds="clip")
    _, order = np.unique(np.concatenate([known, rest]), return_inverse=True)  # infinite ones too
    chance = regression.fit_transform(order, labeled)
    frequency = float(chance[: len(known)].mean())
    prior = len(known) * (1 - frequency) / (frequency * len(rest))
    return 1.0 if prior > 1 - _ROUNDING else prior
