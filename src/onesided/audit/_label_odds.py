"""Whether some kinds of positives were labeled more often than others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._text import as_percent
from onesided._typing import Array, Bools, Floats
from onesided._validation import check_number, check_scores
from onesided.exceptions import DataError

_MANY_TIMES = 1000
_NEAR_ONE = 0.005  # three figures would say that such a ratio is 1
_FURTHEST = 100.0  # logarithm of an odds ratio


@dataclass(frozen=True)
class LabelOddsRatio(Displayed):
    """How much more often positives of each group were labeled than positives of other groups.

    The odds ratio of a group is (labeled in the group / labeled elsewhere) divided by (hidden
    positives in the group / hidden positives elsewhere). It is 1 in every group if labels were
    drawn evenly.

    Attributes
    ----------
    groups : names of the groups
    n_labeled : number of known positives in each group
    hidden : expected share of the hidden positives in each group
    hidden_intervals : lower and upper limit of each of these shares, each at the confidence by
        itself
    points : odds ratio of each group
    intervals : lower and upper limit of each odds ratio, valid for all groups together
    confidence : share of audits in which all intervals hold, at least

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.audit import Audit
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000) < 0.2
    >>> audit = Audit(2 * truth + rng.normal(size=1000), random_state=0)
    >>> rows = audit.draw(300)
    >>> audit.record(rows, truth[rows])
    >>> found = audit.label_odds_ratio(2, labeled_scores=2 + rng.normal(size=100))
    >>> found.n_labeled
    [50, 50]
    """

    groups: Sequence[Any]
    n_labeled: Sequence[int]
    hidden: Sequence[float]
    hidden_intervals: Sequence[tuple[float, float]]
    points: Sequence[float]
    intervals: Sequence[tuple[float, float]]
    confidence: float

    @property
    def strongest(self) -> int:
        """Position of the group with the interval that is furthest from 1."""
        return int(np.argmax([max(_away_from_one(*each), 1.0) for each in self.intervals]))

    @property
    def share_of_labeled(self) -> float:
        """Share of the known positives in the strongest group."""
        return self.n_labeled[self.strongest] / sum(self.n_labeled)

    @property
    def point(self) -> float:
        """Odds ratio of the strongest group."""
        return self.points[self.strongest]

    @property
    def interval(self) -> tuple[float, float]:
        """Limits of the odds ratio of the strongest group."""
        return self.intervals[self.strongest]

    @property
    def at_least(self) -> float:
        """Lower bound on the ratio between odds of being labeled; 1 if labels may be even."""
        return max(_away_from_one(*self.interval), 1.0)

    @property
    def is_even(self) -> bool:
        """Whether the audit allows that labels were drawn evenly."""
        return self.at_least == 1

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each group.

        Columns: `group`, `labeled`, `share_of_labeled`, `share_of_hidden`, `hidden_low`,
        `hidden_high`, `odds_ratio`, `low`, `high`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        total = sum(self.n_labeled)
        return frame_of(
            {
                "group": [str(each) for each in self.groups],
                "labeled": list(self.n_labeled),
                "share_of_labeled": [each / total for each in self.n_labeled],
                "share_of_hidden": list(self.hidden),
                "hidden_low": [low for low, _ in self.hidden_intervals],
                "hidden_high": [high for _, high in self.hidden_intervals],
                "odds_ratio": list(self.points),
                "low": [low for low, _ in self.intervals],
                "high": [high for _, high in self.intervals],
            },
            backend,
        )

    def __str__(self) -> str:
        if not any(self.hidden):
            return (
                "No hidden positive was found among the checked rows, so it is not known whether "
                "labels are even."
            )
        group, (low, high) = self.groups[self.strongest], self.interval
        few, many = map(as_percent, self.hidden_intervals[self.strongest])
        sure = as_percent(self.confidence)
        text = (
            f"The group {str(group)!r} has {as_percent(self.share_of_labeled)} of the labeled "
            f"positives and {as_percent(self.hidden[self.strongest])} of the hidden positives "
            f"({sure} confidence interval {few} to {many}). There the odds of being labeled are "
            f"{_times(self.point)} times as high as elsewhere ({sure} confidence interval "
            f"{_range(low, high)}).\n"
        )
        if self.is_even:
            return text + "Labels may be even, because this interval includes 1."
        return text + (
            "Labels are uneven: among the positives, the odds of being labeled differ by a factor "
            f"of at least {_times(self.at_least)}."
        )


def _times(ratio: float) -> str:
    """A ratio with three figures, without an exponent; only a ratio of 1 is written as 1."""
    if np.isinf(ratio):
        return "infinitely many"
    if 0 < abs(ratio - 1) < _NEAR_ONE:
        return f"{1 + float(f'{ratio - 1:.1g}'):.12g}"
    return f"{ratio:.3g}" if ratio < _MANY_TIMES else f"{ratio:,.0f}"


def _range(low: float, high: float) -> str:
    """The limits of a ratio in words; a ratio of any size has no upper limit."""
    return f"{_times(low)} or more" if np.isinf(high) else f"{_times(low)} to {_times(high)}"


def _away_from_one(low: float, high: float) -> float:
    """The smallest factor by which a ratio differs from 1; below 1 if its limits include 1."""
    return max(low, 1 / high if high else np.inf)


def groups_by_score(
    n_groups: int, scores: Floats, labeled_scores: ArrayLike | None
) -> tuple[Array, Array, list[str]]:
    """Groups by score with about equal numbers of labeled positives, the highest scores first.

    Returns
    -------
    group number of each unlabeled row, group number of each labeled row, and names of the groups
    """
    check_number(n_groups, "groups", "Pass 2 for example.", at_least=2, whole=True)
    if labeled_scores is None:
        raise DataError(
            f"groups={n_groups} are groups by score, for which the known positives have no scores.",
            "Pass labeled_scores, or the group of each row and labeled_groups.",
        )
    known = check_scores(labeled_scores, "labeled_scores", may_be_empty=False)
    cuts = np.unique(np.quantile(known, np.arange(1, n_groups) / n_groups, method="higher"))[::-1]
    names = [f"score of {cuts[0]:.4g} or more"]
    names += [f"{low:.4g} to {high:.4g}" for high, low in pairwise(cuts)]
    names += [f"below {cuts[-1]:.4g}"]
    of, of_known = (
        len(cuts) - np.searchsorted(cuts[::-1], each, side="right") for each in (scores, known)
    )
    return of, of_known, names


def odds_ratio_limits(
    labeled: tuple[int, int], hidden: tuple[int, int], error: float
) -> tuple[float, float]:
    """Fisher's exact limits for the odds of being labeled in a group divided by those outside it.

    Given all four margins, the number of labeled positives in the group has a noncentral
    hypergeometric distribution. At the lower limit of the ratio, the observed number or more has a
    chance of error / 2. At the upper limit, the observed number or fewer has this chance.

    Parameters
    ----------
    labeled, hidden : numbers of positives in the group and outside it
    error : in (0, 1), chance that one of the two limits fails
    """
    n, inside, outside = labeled[0], labeled[0] + hidden[0], labeled[1] + hidden[1]
    n_labeled = sum(labeled)
    x = np.arange(max(0, n_labeled - outside), min(n_labeled, inside) + 1)
    orders = -sum(gammaln(each + 1) for each in (x, inside - x, n_labeled - x))
    orders = orders - gammaln(outside - n_labeled + x + 1)

    def surplus(log_ratio: float, side: Bools) -> float:
        weights = orders + x * log_ratio
        return float(logsumexp(weights[side]) - logsumexp(weights) - np.log(error / 2))

    low, high = 0.0, np.inf
    if n > x[0]:
        low = float(np.exp(brentq(surplus, -_FURTHEST, _FURTHEST, args=(x >= n,))))
    if n < x[-1]:
        high = float(np.exp(brentq(surplus, -_FURTHEST, _FURTHEST, args=(x <= n,))))
    return low, high


def odds(share: float) -> float:
    """The odds of a share; infinite for 1."""
    return share / (1 - share) if share < 1 else np.inf


def ratio(above: float, below: float) -> float:
    """Ratio of two odds; 1 if both are 0 or both are infinite."""
    if above == below:
        return 1.0
    return above / below if below else np.inf
