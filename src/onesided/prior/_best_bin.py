"""The class prior from the bin of the highest scores in which positives are densest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from onesided._typing import Floats
from onesided._validation import check_number
from onesided.prior._scores import check_both


def best_bin(
    positive_scores: ArrayLike,
    unlabeled_scores: ArrayLike,
    *,
    gamma: float = 0.01,
    delta: float = 0.1,
) -> float:
    """Share of positives among the unlabeled, by best-bin estimation.

    Above a cut c lie a share q_p(c) of the positives and a share q_u(c) of the unlabeled rows. If
    labels are selected completely at random (SCAR), q_u(c) is at least the class prior times
    q_p(c). The two are equal if only positives score above c. The estimate uses the cut with the
    lowest upper confidence bound on q_u / q_p.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that the scorer has not learned from
    gamma : γ > 0; the confidence term is multiplied by 1 + γ
    delta : δ in (0, 1), probability that the confidence term fails

    Returns
    -------
    q_u / q_p at the best cut, in [0, 1]

    Raises
    ------
    DataError : if there are no positive scores or no unlabeled scores

    Notes
    -----
    Garg, Wu, Smola, Balakrishnan, Lipton 2021, algorithm 1: c minimises q_u(c) / q_p(c) +
    (1 + γ) / q_p(c) · (√(log(4/δ) / 2 n_u) + √(log(4/δ) / 2 n_p)). Rows that score exactly
    c count as above it. Among tied cuts, the highest is used. If negatives reach the highest
    scores too, the estimate is above the prior. It then tends to the smallest ratio q_u / q_p,
    which is the largest prior that the scores are compatible with.

    Examples
    --------
    Of 100 unlabeled rows 30 score as the positives do, the others lower.

    >>> import numpy as np
    >>> best_bin(np.full(50, 2.0), np.repeat([2.0, 1.0], [30, 70]))
    0.3
    """
    check_number(gamma, "gamma", "Pass 0.01 for example.", at_least=0)
    check_number(delta, "delta", "Pass 0.1 for example.", above=0, below=1)
    known, rest = check_both(positive_scores, unlabeled_scores)
    n_known, n_rest = best_cut(known, rest, gamma=gamma, delta=delta)
    return n_rest / len(rest) / (n_known / len(known))


def best_cut(
    known: Floats, rest: Floats, *, gamma: float = 0.01, delta: float = 0.1
) -> tuple[int, int]:
    """Numbers of positives and of unlabeled rows at or above the cut of `best_bin`.

    Parameters
    ----------
    known : shape (n_positive,), scores of positives
    rest : shape (n_unlabeled,), scores of unlabeled rows
    gamma, delta : factor and error of the confidence term, as in `best_bin`
    """
    # Only scores of positives can be best: from one of them down to the next, q_p stays the same
    # and q_u only grows.
    cuts = np.unique(known)[::-1]
    n_known = len(known) - np.searchsorted(np.sort(known), cuts)
    n_rest = len(rest) - np.searchsorted(np.sort(rest), cuts)
    q_known, q_rest = n_known / len(known), n_rest / len(rest)
    log = math.log(4 / delta) / 2
    error = math.sqrt(log / len(rest)) + math.sqrt(log / len(known))
    best = int(np.argmin((q_rest + (1 + gamma) * error) / q_known))
    return int(n_known[best]), int(n_rest[best])
