"""What an audit knows: a number with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from onesided._text import as_percent


@dataclass(frozen=True)
class AuditEstimate:
    """A number about all unlabeled rows, from those whose verdict is known.

    Attributes
    ----------
    point : the estimate
    interval : lower and upper limit
    what : what the number is, in words
    confidence : share of audits, at least, in which the interval holds
    mode : "anytime" or "planned"
    n_checked : rows with a verdict, those that could not be decided included
    n_unsure : of these, rows that could not be decided; the interval allows for both verdicts
    n_waiting : rows with a verdict that do not count yet, because a row drawn before them has none
    n_rows : unlabeled rows in question
    is_count : whether the number is one of rows; otherwise it is a share

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

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.interval[1] - self.interval[0]) / 2

    @property
    def as_share(self) -> tuple[float, tuple[float, float]]:
        """Point and interval of a number of rows as shares of `n_rows`."""
        low, high = self.interval
        n_rows = max(self.n_rows, 1)
        return self.point / n_rows, (low / n_rows, high / n_rows)

    @property
    def whole_limits(self) -> tuple[int, int]:
        """Limits of a number of rows as whole numbers, rounded away from each other."""
        return math.floor(self.interval[0]), math.ceil(self.interval[1])

    @property
    def sentence(self) -> str:
        """The number and its interval in words."""
        low, high = self.interval
        if self.is_count:
            return (
                f"{self.what.capitalize()}: {self.point:,.0f} of {self.n_rows:,} rows, between "
                f"{self.whole_limits[0]:,} and {self.whole_limits[1]:,}"
            )
        if high == 1 and low < 1:
            return f"{self.what.capitalize()}: {as_percent(self.point)}, at least {as_percent(low)}"
        return (
            f"{self.what.capitalize()}: {as_percent(self.point)}, between {as_percent(low)} and "
            f"{as_percent(high)}"
        )

    @property
    def holds(self) -> str:
        """When the interval holds, in words."""
        when = "at every look" if self.mode == "anytime" else "at the end that was planned"
        return (
            f"These numbers hold {when}, with {as_percent(self.confidence)} confidence, however "
            "labels were given and whatever the scores are worth"
        )

    def __str__(self) -> str:
        rests = f"It rests on {self.n_checked:,} checked rows"
        if self.n_unsure:
            rests += f", of which {self.n_unsure:,} could not be decided"
        if self.n_waiting:
            rests += (
                f"; {self.n_waiting:,} verdicts wait for rows that were drawn before them and "
                "have none"
            )
        return f"{self.sentence}.\n{rests}. {self.holds}."
