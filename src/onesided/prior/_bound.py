"""An upper bound on the class prior that holds for every distribution."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betainc, betaincc, betaincinv
from scipy.stats import beta

from onesided._typing import Ints
from onesided._validation import check_number
from onesided.prior._scores import check_both

_FEWEST = 8  # positives above a cut; with fewer the bound is wide, and takes error from the others
_TINY = np.finfo(float).tiny
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(60)


def prior_upper_bound(
    positive_scores: ArrayLike, unlabeled_scores: ArrayLike, confidence: float = 0.95
) -> float:
    """Share of positives among the unlabeled that is exceeded in few samples only.

    It assumes that labels are selected completely at random (SCAR), that rows are independent and
    that the scorer has seen none of them; nothing of the distributions, the scorer or the number
    of rows. There is no such lower bound above 0.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that it has not learned from
    confidence : share of samples, at least, in which the prior is not above the bound

    Returns
    -------
    in (0, 1]

    Raises
    ------
    DataError : if there are no scores of a kind, or confidence is not in (0, 1)

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
    known, rest = check_both(positive_scores, unlabeled_scores)
    n, m = len(known), len(rest)
    ranks = _halved(n)
    cuts = np.sort(known)[n - ranks]
    above = m - np.searchsorted(np.sort(rest), cuts)
    error = (1 - confidence) / len(ranks)
    bounds = [
        _ratio_quantile((j + 1, m - j), (k, n - k + 1), error)
        for k, j in zip(ranks.tolist(), above.tolist(), strict=True)
        if j < m
    ]
    return min(bounds, default=1.0)


def _halved(n: int) -> Ints:
    """n, n/2, n/4 and so on, rounded down, while at least eight."""
    halvings = np.arange(max(1, int(np.log2(n / _FEWEST)) + 1 if n >= _FEWEST else 1))
    return n // 2**halvings


def _ratio_quantile(upper: tuple[float, float], lower: tuple[float, float], error: float) -> float:
    """The value that the ratio of two independent Beta variables exceeds with chance `error`.

    P(V / B > a) is the mean of P(V > a B) over B, or of P(B < V / a) over V: over the one that
    varies less, by Gauss and Legendre, since the other's distribution is smooth at that scale. No
    more than 1.
    """
    over_lower = _relative_variance(*lower) <= _relative_variance(*upper)
    law = lower if over_lower else upper
    low, high = betaincinv(*law, 1e-12), 1 - betaincinv(*law[::-1], 1e-12)
    at = (low + high) / 2 + (high - low) / 2 * _NODES
    mass = _WEIGHTS * (high - low) / 2 * beta.pdf(at, *law)

    def excess(ratio: float) -> float:
        chances = (
            betaincc(*upper, np.minimum(ratio * at, 1.0))
            if over_lower
            else betainc(*lower, np.minimum(at / max(ratio, _TINY), 1.0))
        )
        return float(mass @ chances) - error

    return 1.0 if excess(1.0) >= 0 else float(brentq(excess, 0.0, 1.0))


def _relative_variance(a: float, b: float) -> float:
    return b / (a * (a + b + 1))
