"""A number that an audit estimates, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from onesided._text import agreeing, as_percent, capitalized, counted


@dataclass(frozen=True)
class AuditEstimate:
    """An estimated number about all unlabeled rows, with its interval, from the checked rows.

    Attributes
    ----------
    point : the estimate
    interval : lower and upper limit
    what : name of the number, in words
    confidence : share of audits in which the interval holds, at least
    mode : "anytime" or "planned"
    n_checked : number of rows with a verdict, including the verdict "cannot tell"
    n_unsure : number of checked rows with the verdict "cannot tell"; the interval allows for both
        verdicts of these rows
    n_waiting : number of rows whose verdict does not count yet, because a row that was drawn
        earlier has no verdict
    n_rows : number of unlabeled rows that the estimate is about
    is_count : True if the number is a number of rows, False if it is a share
    of_positives : True if the number is a share of all positives

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.audit import Audit
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000) < 0.2
    >>> audit = Audit(2 * truth + rng.normal(size=1000), random_state=0)
    >>> rows = audit.draw(200)
    >>> audit.record(rows, truth[rows])
    >>> print(audit.count())
    Number of positives: 173 of 1,000 rows, between 135 and 232.
    It rests on 200 checked rows. These numbers hold at every look, with 95% confidence, however
    labels were given and whatever the scores are worth.
    """

    point: float
    interval: tuple[float, float]
    what: str
    confidence: float
    mode: str
    n_checked: int
    n_unsure: int
    n_waiting: int
    n_rows: int
    is_count: bool
    of_positives: bool = False

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.interval[1] - self.interval[0]) / 2

    @property
    def as_share(self) -> tuple[float, tuple[float, float]]:
        """Point and interval divided by `n_rows`, if the number is a number of rows."""
        low, high = self.interval
        n_rows = max(self.n_rows, 1)
        return self.point / n_rows, (low / n_rows, high / n_rows)

    @property
    def whole_limits(self) -> tuple[int, int]:
        """The lower limit rounded down and the upper limit rounded up, for a number of rows."""
        return math.floor(self.interval[0]), math.ceil(self.interval[1])

    @property
    def sentence(self) -> str:
        """The number and its interval in words."""
        low, high = self.interval
        if self.is_count:
            return (
                f"{capitalized(self.what)}: {self.point:,.0f} of "
                f"{counted(self.n_rows, 'row')}, between "
                f"{self.whole_limits[0]:,} and {self.whole_limits[1]:,}"
            )
        if high == 1 and low < 1:
            return f"{capitalized(self.what)}: {as_percent(self.point)}, at least {as_percent(low)}"
        return (
            f"{capitalized(self.what)}: {as_percent(self.point)}, between {as_percent(low)} and "
            f"{as_percent(high)}"
        )

    @property
    def holds(self) -> str:
        """Conditions under which the interval holds, in words."""
        when = "at every look" if self.mode == "anytime" else "at the end that was planned"
        return (
            f"These numbers hold {when}, with {as_percent(self.confidence)} confidence, however "
            "labels were given and whatever the scores are worth"
        )

    def __str__(self) -> str:
        rests = f"It rests on {counted(self.n_checked, 'checked row')}"
        if self.n_unsure:
            rests += f", of which {self.n_unsure:,} could not be decided"
        if self.n_waiting:
            rests += f"; {waiting_verdicts(self.n_waiting, 'more verdict')}"
        return f"{self.sentence}.\n{rests}. {self.holds}."


def waiting_verdicts(number: int, noun: str = "verdict") -> str:
    """How many verdicts do not count yet, and why, in words."""
    return (
        f"{counted(number, noun)} {agreeing(number, 'do')} not count yet, because rows "
        f"that were drawn before {'it' if number == 1 else 'them'} have no verdict"
    )
