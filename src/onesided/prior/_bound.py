"""An upper bound on the class prior that holds for every distribution, and for uneven labels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betainc, betaincc, betaincinv
from scipy.stats import beta

from onesided._typing import Floats, Ints
from onesided._validation import check_number
from onesided.metrics._label_bias import check_label_odds_ratio, odds_times
from onesided.prior._scores import check_both

# Least number of positives above a cut. A cut with fewer positives gives a wide bound, and leaves
# less of the error for the other cuts.
_FEWEST = 8
_GREATEST_RATIO, _PRECISELY = 1000.0, 1.01
_TINY = np.finfo(float).tiny
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(60)


def prior_upper_bound(
    positive_scores: ArrayLike,
    unlabeled_scores: ArrayLike,
    confidence: float = 0.95,
    *,
    label_odds_ratio: float = 1.0,
) -> float:
    """Upper confidence bound on the share of positives among the unlabeled.

    The bound makes three assumptions. Labels are selected completely at random (SCAR), or are
    uneven by at most `label_odds_ratio`. Rows are independent. The scorer has learned from none of
    the rows. The bound holds for any distribution, any scorer and any number of rows. Under these
    assumptions, no lower bound above 0 exists.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that the scorer has not learned from
    confidence : in (0, 1); the prior is at most the bound in at least this share of samples
    label_odds_ratio : Γ, at least 1. In a single training set, the odds of being labeled,
        e / (1 - e), of any two positives differ by at most this factor. In case-control data, the
        chances of being collected of any two positives differ by at most this factor. 1 means that
        labels are even.

    Returns
    -------
    in (0, 1]

    Raises
    ------
    DataError : if there are no positive scores or no unlabeled scores, `confidence` is not in
        (0, 1), or `label_odds_ratio` is below 1

    Notes
    -----
    The share of the unlabeled rows above any cut is at least the class prior times the share of the
    positives above it (Blanchard, Lee, Scott 2010). Let the cut be the k-th highest score of n
    positives, with j of m unlabeled rows at or above it. The share B of positives above the cut has
    the distribution Beta(k, n - k + 1). At a prior a, the share of the unlabeled rows above the cut
    is at least a B. So the probability of j or fewer such rows is at most the mean over B of the
    probability of j or fewer of m rows at the share a B. This mean is the probability that V / B is
    above a, where V has the distribution Beta(j + 1, m - j) (Clopper, Pearson). The bound is the a
    at which this probability equals the error, 1 - `confidence`. A higher prior makes so low a j
    less probable than the error. Ties only make the bound larger. Bonferroni's inequality combines
    eight cuts, at k = n, n/2, n/4, ..., which do not depend on the scores.

    *Uneven labels.* A labeled positive with the odds o of being labeled stands for 1 / o hidden
    positives. If the positives were collected apart, a positive collected at the rate r stands for
    1 / r positives of the population. Let the odds (or the rates) differ by a factor of at most Γ,
    and let a share B of the labeled positives score above a cut. Then the share of the hidden
    positives above the cut has at least the odds of B divided by Γ: it is at least
    B / (B + Γ (1 - B)) (the model of Rosenbaum 2002, Observational Studies, chapter 4). The share
    of the unlabeled rows above the cut is at least the prior times this share, and the probability
    is again averaged over B. With Γ above 1 the best cuts are low: nearly all labeled positives
    score above them. So cuts at k = n - n/4, n - n/8, ... are added to the eight cuts.

    Bands of Dvoretzky, Kiefer and Wolfowitz around the two shares also give a bound. Its excess
    over the prior was half as much again (.108 against .072 over five data sets).

    With out-of-fold scores, rows are no longer independent of the scorers, and the bound may fail
    more often. At a confidence of .95 it failed in 6 of 120 draws; 3 of these 6 were among the 24
    draws of the mushroom data. With scores of one half of the rows by a scorer that learned from
    the other half, the bound failed in 2 of 160 draws.

    Examples
    --------
    >>> import numpy as np
    >>> known, rest = np.full(200, 2.0), np.repeat([2.0, 1.0], [300, 700])
    >>> round(prior_upper_bound(known, rest), 2)
    0.34
    """
    check_number(confidence, "confidence", "Pass 0.95 for example.", above=0, below=1)
    check_label_odds_ratio(label_odds_ratio)
    known, rest = check_both(positive_scores, unlabeled_scores)
    n, m = len(known), len(rest)
    ranks = _ranks(n, uneven=label_odds_ratio > 1)
    cuts = np.sort(known)[n - ranks]
    above = m - np.searchsorted(np.sort(rest), cuts)
    error = (1 - confidence) / len(ranks)
    bounds = [
        _prior_quantile((j + 1, m - j), (k, n - k + 1), label_odds_ratio, error)
        for k, j in zip(ranks.tolist(), above.tolist(), strict=True)
        if j < m
    ]
    return min(bounds, default=1.0)


def bound_tipping_point(
    positive_scores: Floats, unlabeled_scores: Floats, confidence: float
) -> float:
    """The least Γ at which `prior_upper_bound` is 1, within 1 percent; infinite above 1,000.

    Parameters
    ----------
    positive_scores, unlabeled_scores, confidence : as in `prior_upper_bound`
    """

    def is_all(label_odds_ratio: float) -> bool:
        found = prior_upper_bound(
            positive_scores, unlabeled_scores, confidence, label_odds_ratio=label_odds_ratio
        )
        return found >= 1

    low, high = 1.0, _GREATEST_RATIO
    if not is_all(high):
        return math.inf
    if is_all(low):
        return low
    while high / low > _PRECISELY:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_all(middle) else (middle, high)
    return high


def _ranks(n: int, *, uneven: bool) -> Ints:
    """Numbers of positives at or above each cut: n, n/2, n/4 and so on, down to eight.

    For uneven labels, the numbers n - n/4, n - n/8 and so on are added.
    """
    halvings = np.arange(max(1, int(np.log2(n / _FEWEST)) + 1 if n >= _FEWEST else 1))
    parts = n // 2**halvings
    return np.append(parts, n - parts[2:]) if uneven else parts


def _prior_quantile(
    of_rest: tuple[float, float],
    of_known: tuple[float, float],
    label_odds_ratio: float,
    error: float,
) -> float:
    """The value a that V / S exceeds with the chance `error`; 1 if a is above 1.

    V and B are independent Beta variables. S is the share with the odds of B divided by the ratio.
    P(V > a S) is the mean over B of this chance given B, or the mean over V of P(S < V / a). Of the
    two variables, the mean is taken over the one that varies less, by Gauss-Legendre quadrature.
    The distribution of the other variable is smooth at that scale.

    Parameters
    ----------
    of_rest, of_known : both parameters of the Beta distributions of V and of B
    """
    mean = of_known[0] / sum(of_known)
    slope = label_odds_ratio / (mean + label_odds_ratio * (1 - mean))  # d log S / d log B
    over_known = slope**2 * _relative_variance(*of_known) <= _relative_variance(*of_rest)
    law = of_known if over_known else of_rest
    low, high = betaincinv(*law, 1e-12), 1 - betaincinv(*law[::-1], 1e-12)
    at = (low + high) / 2 + (high - low) / 2 * _NODES
    mass = _WEIGHTS * (high - low) / 2 * beta.pdf(at, *law)

    def excess(prior: float) -> float:
        if over_known:
            least = odds_times(at, 1 / label_odds_ratio)
            chances = betaincc(*of_rest, np.minimum(prior * least, 1.0))
        else:
            least = np.minimum(at / max(prior, _TINY), 1.0)
            chances = betainc(*of_known, odds_times(least, label_odds_ratio))
        return float(mass @ chances) - error

    return 1.0 if excess(1.0) >= 0 else float(brentq(excess, 0.0, 1.0))


def _relative_variance(a: float, b: float) -> float:
    return b / (a * (a + b + 1))
