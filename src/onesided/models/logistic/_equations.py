"""Weights and posterior of weighted logistic regression (Lee, Liu 2003)."""

from __future__ import annotations

import numpy as np

from onesided._statistics import LabelTotals
from onesided._typing import Floats


def row_weights(totals: LabelTotals) -> tuple[float, float]:
    """Weight of a positive and of an unlabeled row, N_u / N and N_1 / N.

    Both kinds then have the same total weight N_1 N_u / N.
    """
    n_rows = totals.positive + totals.unlabeled
    return totals.unlabeled / n_rows, totals.positive / n_rows


def negative_weight(
    n_positive: float, n_negative: float, n_unlabeled: float, share: float
) -> float:
    """Weight of a known negative, if an unlabeled row has weight 1.

    All known negatives together weigh `share` times as much as all unlabeled rows. But one known
    negative weighs at most as much as a positive row, and at least as much as an unlabeled row.

    Parameters
    ----------
    n_positive, n_negative, n_unlabeled : rows, or their weights, above 0
    share : of the weight of the unlabeled rows
    """
    return max(1.0, n_unlabeled * min(share / n_negative, 1 / n_positive))


def posterior(log_odds: Floats, class_prior: float) -> Floats:
    """P(positive | x, unlabeled) = p w / (1 − w), clipped at 1; shape (n_rows,).

    w / (1 − w), the odds of the model, estimates P(x | positive) / P(x | unlabeled), since both
    kinds have equal weight.

    Parameters
    ----------
    log_odds : log of w / (1 − w), nats, shape (n_rows,)
    class_prior : p, share of positives among the unlabeled
    """
    return np.exp(np.minimum(log_odds + np.log(class_prior), 0.0))


def log_odds_at_half(class_prior: float) -> float:
    """Log of the w / (1 − w) of a row whose `posterior` is one half: −log 2p, nats.

    Parameters
    ----------
    class_prior : p, share of positives among the unlabeled
    """
    return float(-np.log(2 * class_prior))
