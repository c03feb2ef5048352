"""What an audit knows: a number with its interval."""

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

    def __str__(self) -> str:
        low, high = self.interval
        if self.is_count:
            number = f"{self.point:,.0f}, between {low:,.0f} and {high:,.0f}"
            number += f" of {self.n_rows:,} rows"
        else:
            number = f"{as_percent(self.point)}, between {as_percent(low)} and {as_percent(high)}"
        rests = f"{self.n_checked:,} checked rows"
        if self.n_unsure:
            rests += f", of which {self.n_unsure:,} could not be decided"
        if self.n_waiting:
            rests += (
                f"; {self.n_waiting:,} verdicts wait for rows that were drawn before them and "
                "have none"
            )
        look = "whenever you look" if self.mode == "anytime" else "for a size planned ahead"
        return (
            f"{self.what.capitalize()}: {number}.\n"
            f"From {rests}. Valid at {as_percent(self.confidence)} confidence {look}, whatever "
            "the scores are worth and however labels were given."
        )
