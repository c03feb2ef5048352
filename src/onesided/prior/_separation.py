"""How well scores separate positives from negatives, estimated from positives and unlabeled."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from onesided._typing import Floats
from onesided.metrics import rank_shares
from onesided.prior._best_bin import best_bin
from onesided.prior._binormal import binormal_tail, fit_binormal

OVERLAP = 0.95
"""AUC of positives over negatives below which positives and negatives count as overlapping.

On tables with an AUC below it, estimates of the class prior were 1.1 to 2.7 times the prior (adult,
bank_marketing, hs3d_donor, letter). On six tables above it, they were 1.0 to 1.5 times the prior.
"""


def separation(auc: float, class_prior: float) -> float:
    """AUC of positives over negatives, from the AUC of positives over unlabeled rows.

    On average, half of the positives among the unlabeled score below a positive. So `auc` is the
    sum of .5 times the prior, and of (1 - prior) times the AUC over negatives. The result is above
    1 if so high a prior is not possible. It is .5 if all unlabeled rows are positive.

    Parameters
    ----------
    auc : mean over positives of the share of unlabeled rows that score lower
    class_prior : share of positives among the unlabeled
    """
    return (auc - class_prior / 2) / (1 - class_prior) if class_prior < 1 else 0.5


def separation_of_scores(known: Floats, rest: Floats) -> float:
    """AUC of positives over negatives, estimated from scores.

    The prior is the lower of the best-bin and the binormal estimate, because a prior that is too
    high makes the AUC too high.

    Parameters
    ----------
    known : shape (n_positive,), scores of positives
    rest : shape (n_unlabeled,), scores of unlabeled rows
    """
    prior = min(best_bin(known, rest), binormal_tail(known, rest))
    return separation(auc_of_scores(known, rest), prior)


def above_median(separation: float) -> float:
    """Share of the negatives above the median of the positives, for normal distributions.

    Both distributions have the same standard deviation.

    Parameters
    ----------
    separation : AUC of positives over negatives; it is Φ(d / √2) for means d deviations apart
    """
    return float(ndtr(-np.sqrt(2) * ndtri(np.clip(separation, 0.0, 1.0))))


def negatives_above_median(known: Floats, rest: Floats) -> float:
    """Estimated share of negatives among the unlabeled rows above the median of the positives.

    It is the lower of two estimates:

    - from normal distributions with the same standard deviation and with the AUC of the scores.
      This estimate is too high if most rows are positive
    - from the mixture of `binormal_tail`. This estimate is too high if positives of another sort
      are among the unlabeled rows

    Parameters
    ----------
    known : shape (n_positive,), scores of positives
    rest : shape (n_unlabeled,), scores of unlabeled rows
    """
    fitted = fit_binormal(known, rest)
    prior = min(best_bin(known, rest), fitted.prior)
    apart = separation(auc_of_scores(known, rest), prior)
    return min(
        _share_of_negatives(prior, above_median(apart)),
        _share_of_negatives(fitted.prior, float(ndtr(fitted.mean / fitted.deviation))),
    )


def _share_of_negatives(prior: float, above: float) -> float:
    """Share of negatives among the unlabeled rows above the median of the positives.

    Parameters
    ----------
    prior : share of positives among the unlabeled
    above : share of the negatives that score above the median
    """
    negative = (1 - prior) * above
    return negative / (negative + prior / 2) if negative else 0.0


def auc_of_scores(known: Floats, rest: Floats) -> float:
    """AUC of positives over unlabeled rows, from their scores; a tie counts one half.

    Parameters
    ----------
    known, rest : shapes (n_positive,) and (n_unlabeled,), scores
    """
    return 1.0 - float(rank_shares(known, rest).mean())
