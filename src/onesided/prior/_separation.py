"""How far positives and negatives are apart, of which only positives and unlabeled are seen."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from onesided._typing import Floats
from onesided.metrics import rank_shares
from onesided.prior._best_bin import best_bin
from onesided.prior._binormal import binormal_tail, fit_binormal

OVERLAP = 0.95
"""AUC of positives over negatives below which the kinds overlap.

Below it points of the class prior were 1.1 to 2.7 times the prior (adult, bank_marketing,
hs3d_donor, letter), above it 1.0 to 1.5 times (six other tables).
"""


def separation(auc: float, class_prior: float) -> float:
    """AUC of positives over negatives, from that over the unlabeled.

    Among the unlabeled a positive stands above half of the positives: `auc` is the prior times .5
    and the rest times the AUC over negatives. The value is above 1 where not so many can be
    positive, and .5 where all are.

    Parameters
    ----------
    auc : mean share of the unlabeled that score below a positive
    class_prior : share of positives among the unlabeled
    """
    return (auc - class_prior / 2) / (1 - class_prior) if class_prior < 1 else 0.5


def separation_of_scores(known: Floats, rest: Floats) -> float:
    """The separation by scores, at the lower of the best-bin and the binormal prior.

    A prior that is too high makes the separation too high.

    Parameters
    ----------
    known : shape (n_positive,), of positives
    rest : shape (n_unlabeled,), of unlabeled rows
    """
    prior = min(best_bin(known, rest), binormal_tail(known, rest))
    return separation(_auc(known, rest), prior)


def above_median(separation: float) -> float:
    """Share of the negatives that score above the median of the positives, of normal laws alike.

    Parameters
    ----------
    separation : AUC of positives over negatives; that of laws d deviations apart is Φ(d / √2)
    """
    return float(ndtr(-np.sqrt(2) * ndtri(np.clip(separation, 0.0, 1.0))))


def negatives_above_median(known: Floats, rest: Floats) -> float:
    """Share of negatives among the unlabeled rows above the median of the positives, estimated.

    Once of normal laws of equal spread that have the separation of the scores, once of the mixture
    of `binormal_tail`: the lower of both. The first is too high where most rows are positive, the
    second where positives of another sort are among the unlabeled.

    Parameters
    ----------
    known : shape (n_positive,), scores of positives
    rest : shape (n_unlabeled,), of unlabeled rows
    """
    fitted = fit_binormal(known, rest)
    prior = min(best_bin(known, rest), fitted.prior)
    apart = separation(_auc(known, rest), prior)
    return min(
        _share_of_negatives(prior, above_median(apart)),
        _share_of_negatives(fitted.prior, float(ndtr(fitted.mean / fitted.deviation))),
    )


def _share_of_negatives(prior: float, above: float) -> float:
    """Of the rows above the median, if a share `above` of the negatives is there."""
    negative = (1 - prior) * above
    return negative / (negative + prior / 2) if negative else 0.0


def _auc(known: Floats, rest: Floats) -> float:
    return 1.0 - float(rank_shares(known, rest).mean())
