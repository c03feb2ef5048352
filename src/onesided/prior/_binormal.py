"""The class prior by extrapolating the ROC curve to its end, which best bins cannot reach."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from onesided._typing import Array, Floats
from onesided.prior._best_bin import best_bin
from onesided.prior._scores import check_both

# The highest .8 of the positives are cut into 25 cells. The lowest positives form no cells of their
# own, because the binormal model fits them worst.
_TOP, _CELLS = 0.8, 25
_NARROWEST = 0.4  # least standard deviation of negatives; that of the positives is 1
_LOWEST = -8.0  # least mean of negatives


def binormal_tail(positive_scores: ArrayLike, unlabeled_scores: ArrayLike) -> float:
    """Share of positives among the unlabeled, by extrapolating a binormal ROC curve.

    Best-bin estimation needs a bin wide enough to count rows in. Negatives in this bin make its
    estimate too high. This function assumes that the share of negatives falls with rising cuts as
    in a binormal ROC curve. The prior is the limit at the highest scores. The estimate is nearly
    unbiased where `best_bin` is biased, but it varies more if positives are few. It assumes that
    labels are selected completely at random (SCAR), as `best_bin` does.

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
    The scores are put on a scale on which positives are normal with mean 0 and standard deviation
    1. On this scale, unlabeled rows are a mixture of positives and negatives. The negatives are
    normal with mean μ and standard deviation s in [0.4, 1], so that positives reach higher scores
    than negatives do (the binormal ROC curve of Dorfman, Alf 1969, in a mixture). The scale comes
    from the ranks of the positives, so any increasing function of the scores gives the same
    estimate. The highest .8 of the positives are cut into 25 cells with equal numbers of positives.
    All lower scores form one more cell. α, μ and s maximise the multinomial likelihood of the
    cells.

    For scores from normal, logistic and beta distributions and 400 to 1,000 positives, the bias was
    -.01 to .03. The bias of `best_bin` was .01 to .10. The estimate is far too low if no negative
    scores as high as the best third of the positives, and the curve then bends sharply (two uniform
    distributions).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(3)
    >>> known = rng.normal(1.5, 1, 1000)
    >>> rest = np.append(rng.normal(1.5, 1, 900), rng.normal(0, 1, 2100))
    >>> round(binormal_tail(known, rest), 2), round(best_bin(known, rest), 2)
    (0.31, 0.38)
    """
    return fit_binormal(*check_both(positive_scores, unlabeled_scores)).prior


class Binormal(NamedTuple):
    """A fitted mixture, on the scale on which positives are normal with mean 0 and deviation 1."""

    prior: float
    mean: float  # of negatives
    deviation: float  # of negatives


def fit_binormal(known: Floats, rest: Floats, of_bin: float | None = None) -> Binormal:
    """Fit the mixture of `binormal_tail` to the scores.

    With fewer than two cells to fit, the prior is the best-bin estimate, and the negatives are far
    below the positives.

    Parameters
    ----------
    known : shape (n_positive,), scores of positives
    rest : shape (n_unlabeled,), scores of unlabeled rows
    of_bin : the best-bin estimate; None to compute it here
    """
    start = best_bin(known, rest) if of_bin is None else of_bin
    recall, shares = _cells(known, rest)
    if len(recall) < 2:  # noqa: PLR2004 - one cut does not determine a curve
        return Binormal(start, _LOWEST, 1.0)
    of_positives, cuts = _cells_between(recall, end=1.0), -ndtri(recall)

    def loss(parameters: Array) -> tuple[float, Floats]:
        """Negative mean log-likelihood of an unlabeled row, and its gradient."""
        prior, mean, log_deviation = parameters
        at = (mean - cuts) * np.exp(-log_deviation)
        of_negatives = _cells_between(ndtr(at), end=1.0)
        # The small number is for cells that hold neither positives nor negatives.
        cells = prior * of_positives + (1 - prior) * of_negatives + 1e-12
        height = np.exp(-0.5 * at * at) / math.sqrt(2 * math.pi)
        slopes = [
            of_positives - of_negatives,
            (1 - prior) * _cells_between(height * np.exp(-log_deviation), end=0.0),
            (1 - prior) * _cells_between(-height * at, end=0.0),
        ]
        return -float(shares @ np.log(cells)), -np.array(slopes) @ (shares / cells)

    found = minimize(
        loss,
        [min(0.9 * start, 0.95), cuts[-1] - 1, 0.0],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, 1), (_LOWEST, cuts[-1] + 0.5), (np.log(_NARROWEST), 0)],
    )
    prior, mean, log_deviation = found.x.tolist()
    return Binormal(prior, mean, math.exp(log_deviation))


def _cells(known: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """Recall at the lower end of each cell except the last, and each cell's share of the unlabeled.

    The arrays have the shapes (n_cells - 1,) and (n_cells,).
    """
    heights = 1 - _TOP * np.arange(1, _CELLS + 1) / _CELLS
    cuts = np.unique(np.quantile(known, heights, method="inverted_cdf"))[::-1]
    recall = 1 - np.searchsorted(np.sort(known), cuts) / len(known)
    cuts, recall = cuts[recall < 1], recall[recall < 1]
    above = 1 - np.searchsorted(np.sort(rest), cuts) / len(rest)
    return recall, _cells_between(above, end=1.0)


def _cells_between(above: Floats, *, end: float) -> Floats:
    """The amount in each cell, from the amount `above` each cut and the total amount `end`."""
    edges = np.zeros(len(above) + 2)
    edges[1:-1], edges[-1] = above, end
    return edges[1:] - edges[:-1]
