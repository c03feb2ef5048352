"""The class prior as a combination of the best-bin and the binormal estimate."""

from __future__ import annotations

import math
from typing import NamedTuple

from onesided._typing import Floats
from onesided.prior._best_bin import best_cut
from onesided.prior._binormal import fit_binormal

_WIDER = 1.5  # factor of the standard error; without it, 90% intervals held the truth in 72%


class EstimateWithError(NamedTuple):
    """A share of positives among the unlabeled, and its standard error."""

    point: float
    error: float


def combined(of_bin: float, of_curve: float) -> float:
    """The best-bin estimate b and the binormal estimate n combined: b · b + (1 - b) · n.

    A best bin holds some negatives, and few positives if positives are rare. The binormal curve is
    distorted by errors if negatives are rare. So the weight of the best-bin estimate is the share
    of positives that it finds. The combination is 0 if b is 0: some positives then score above all
    unlabeled rows.
    """
    return of_bin * of_bin + (1 - of_bin) * of_curve if of_bin > 0 else 0.0


def combined_with_error(known: Floats, rest: Floats) -> EstimateWithError:
    """The combined estimate from out-of-fold scores, with a standard error.

    The variance is the sum of two parts:

    - the variance of the ratio of two shares at the best cut, by the delta method. One row of each
      kind is added on either side of the cut, so that no share is 0 or 1
    - the square of the difference between the two estimates. It shows how far the distributions of
      the scores are from the assumptions of the estimates

    Parameters
    ----------
    known : shape (n_positive,), scores of positives
    rest : shape (n_unlabeled,), scores of unlabeled rows
    """
    n_known, n_rest = best_cut(known, rest)
    of_bin = n_rest / len(rest) / (n_known / len(known))
    of_curve = fit_binormal(known, rest, of_bin).prior
    squares = [
        (1 - share) / (count + 1)  # relative variance of a share
        for count, total in ((n_known, len(known)), (n_rest, len(rest)))
        for share in [(count + 1) / (total + 2)]
    ]
    ratio = (n_rest + 1) / (len(rest) + 2) / ((n_known + 1) / (len(known) + 2))
    variance = ratio**2 * sum(squares) + (of_bin - of_curve) ** 2
    return EstimateWithError(combined(of_bin, of_curve), _WIDER * math.sqrt(variance))
