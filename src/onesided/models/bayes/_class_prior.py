"""What is believed about the share of positives among the unlabeled."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from onesided._labels import check_share
from onesided._numerics._segments import segment_sums
from onesided._statistics import ValueCounts
from onesided.exceptions import PriorError

_LEAST, _MOST = 0.001, 0.9  # nearer to 0 or 1 a table of either class is all smoothing


@dataclass(frozen=True)
class BetaPrior:
    """The share of positives among the unlabeled is uncertain: p ~ Beta(α, β).

    Calvo et al. 2007, section 4. The default has mean 0.25 and variance 0.01, the one of the
    paper: most likely below a half.

    Parameters
    ----------
    alpha : α > 0
    beta : β > 1; at or below 1 the averages over p do not exist

    Raises
    ------
    PriorError : if α or β is too small

    Examples
    --------
    >>> round(BetaPrior(4.4, 13.17).mean, 2)
    0.25
    """

    alpha: float = 4.4
    beta: float = 13.17

    def __post_init__(self) -> None:
        if not self.alpha > 0:
            raise PriorError(f"alpha={self.alpha!r} is not above 0.", "Pass a positive alpha.")
        if not self.beta > 1:
            raise PriorError(
                f"beta={self.beta!r} is not above 1, so the average over the prior does not exist.",
                "Pass beta > 1; BetaPrior(4.4, 13.17) has mean 0.25.",
            )

    @property
    def mean(self) -> float:
        """Expected share of positives among the unlabeled, α / (α + β)."""
        return self.alpha / (self.alpha + self.beta)


ClassPrior: TypeAlias = float | BetaPrior | Literal["estimate"]


def mean_of(prior: float | BetaPrior) -> float:
    """Expected share of positives among the unlabeled."""
    return prior.mean if isinstance(prior, BetaPrior) else prior


def check_class_prior(class_prior: Any) -> ClassPrior:
    """`class_prior`, if it is a share in (0, 1), a BetaPrior or "estimate".

    Raises
    ------
    PriorError : otherwise
    """
    if isinstance(class_prior, BetaPrior) or class_prior == "estimate":
        return class_prior
    return check_share(class_prior, "class_prior")


def estimate_from_counts(counts: ValueCounts) -> float:
    """The largest share of positives that every single value allows.

    If a share p of the unlabeled is positive, then P(value | unlabeled) is at least
    p P(value | positive), so p is at most the ratio of the two, for each value of each feature.
    The ratio is raised by two of its standard errors before the least is taken, since the least
    of many noisy ratios is too low. What is estimated is an upper bound: it is the share itself
    where some value occurs among positives only.

    Assumes that labels are selected completely at random (SCAR).

    Returns
    -------
    in [0.001, 0.9]
    """
    n_features = counts.n_features
    totals = [segment_sums(kind, counts.feature, n_features) for kind in counts.counts.T]
    of_entry = np.stack(totals, axis=1)[counts.feature]
    usable = (counts.counts > 0).all(axis=1)
    seen, of_entry = counts.counts[usable], of_entry[usable]
    share = seen / of_entry
    relative_error = np.sqrt(((1 - share) / seen).sum(axis=1))
    bounds = share[:, 0] / share[:, 1] * (1 + 2 * relative_error)
    return float(np.clip(bounds.min(initial=_MOST), _LEAST, _MOST))
