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

_FEWEST = 8  # positives above a cut; with fewer the bound is wide, and takes error from the others
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
    """Share of positives among the unlabeled that is exceeded in few samples only.

    It assumes that labels are selected completely at random (SCAR), or are uneven within
    `label_odds_ratio`; that rows are independent, and that the scorer has seen none of them. It
    assumes nothing of the distributions, the scorer or the number of rows. There is no such lower
    bound above 0.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that it has not learned from
    confidence : share of samples, at least, in which the prior is not above the bound
    label_odds_ratio : Γ, at least 1. In a single training set: the odds of being labeled,
        e / (1 - e), of any two positives differ by this factor at most. In case-control data: their
        chances of being collected do. 1 means that labels are even.

    Returns
    -------
    in (0, 1]

    Raises
    ------
    DataError : if there are no scores of a kind, confidence is not in (0, 1), or
        `label_odds_ratio` is below 1

    Notes
    -----
    The share of the unlabeled above any cut is at least the class prior times that of the
    positives (Blanchard, Lee, Scott 2010). Let the cut be the k-th highest score of n positives,
    with j of m unlabeled rows at or above it. The share of positives above it has the distribution
    Beta(k, n - k + 1). At a prior a the share of the unlabeled above it is a times that or more, so
    that j or fewer have at most the mean chance over B of j or fewer of m rows at a share a B:
    the chance that V / B is above a, with V of Beta(j + 1, m - j) (Clopper, Pearson). The bound is
    the a at which that is the error: a prior above it makes so low a j less likely than that. Ties
    only make it larger. Bonferroni's inequality joins the cuts at k = n, n/2, n/4, ..., eight,
    which do not depend on the scores.

    *Uneven labels.* A labeled positive of odds o stands for 1 / o hidden ones; where the labels are
    a sample of their own, one that is collected at a rate r for 1 / r in the population. So if the
    odds (the rates) differ by a factor of at most Γ, and a share B of the labeled is above a cut,
    the share of the hidden there has odds of at least those of B over Γ: it is at least B / (B + Γ
    (1 - B)) (the model of Rosenbaum 2002, Observational Studies, chapter 4). The share of the
    unlabeled is at least the prior times that, and the same chance is taken over B. With Γ above 1
    the best cuts are lower, where nearly all labeled are above: cuts at k = n - n/4, n - n/8, ...
    are joined to those above.

    Bands of Dvoretzky, Kiefer and Wolfowitz around the two shares are a bound as well, of which the
    excess over the prior was half as much again (.108 against .072 over five data sets).

    For scores out of folds the rows are no longer independent of the scorers, and it may fail more
    often: at .95 in 6 of 120 draws, 3 of them among 24 of the mushroom data. On one half of the
    rows, with the scorer of the other, it failed in 2 of 160.

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
    """The least Γ at which `prior_upper_bound` is 1, to two digits; infinite above 1,000.

    Parameters
    ----------
    positive_scores, unlabeled_scores, confidence : as there
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
    """Numbers of positives at or above each cut: n, n/2, n/4 and so on while at least eight.

    For uneven labels also n less n/4, n/8 and so on.
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
    """The value that V / S exceeds with chance `error`, no more than 1.

    V and B are independent Beta variables; S is the share whose odds are those of B over the ratio.
    P(V > a S) is a mean over B, or over V of P(S < V / a): over the one that varies less, by Gauss
    and Legendre, since the other's distribution is smooth at that scale.
    """
    mean = of_known[0] / sum(of_known)
    slope = label_odds_ratio / (mean + label_odds_ratio * (1 - mean))  # of log S by log B
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
