"""A p-value that comes from random sets of rows."""

from __future__ import annotations

from typing import Any, Self

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._typing import Floats


class ResampledPValue(Displayed, float):
    """A p-value, with the distribution that it comes from.

    Attributes
    ----------
    statistic : value of the test statistic for the positives
    null : shape (n_sets,), value of the test statistic for each random set
    n_as_high : number of random sets whose statistic is at or above that of the positives
    exact : whether all sets of this size were used instead of random sets

    Examples
    --------
    Two of nine random sets have a statistic of 3 or more:

    >>> import numpy as np
    >>> from onesided.metrics import ResampledPValue
    >>> p_value = ResampledPValue.of(3.0, np.array([1.0, 4, 2, 0, 3, 1, 2, 1, 0]))
    >>> float(p_value), p_value.n_as_high
    (0.3, 2)
    """

    statistic: float
    null: Floats
    n_as_high: int
    exact: bool

    def __new__(
        cls, value: float, statistic: float, null: Floats, n_as_high: int, *, exact: bool
    ) -> Self:
        made = super().__new__(cls, value)
        made.statistic, made.null, made.n_as_high = statistic, null, n_as_high
        made.exact = exact
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (float(self), self.statistic, self.null, self.n_as_high), {"exact": self.exact}

    @classmethod
    def of(cls, statistic: float, null: Floats, *, exact: bool = False, slack: float = 0.0) -> Self:
        """Share of `null` at or above `statistic`; with the +1 rule unless `null` has all sets.

        Parameters
        ----------
        statistic, null, exact : as above
        slack : relative error of the statistics; a lower statistic within this error counts as
            equal
        """
        as_high = int((null >= statistic - slack * abs(statistic)).sum())
        value = as_high / len(null) if exact else (1 + as_high) / (1 + len(null))
        return cls(value, statistic, null, as_high, exact=exact)

    def plot(self) -> Any:
        """The null distribution as an Altair histogram, the positives as a line."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        chart = _charts.histogram(
            self.null, self.statistic, x="statistic of a random set", y="random sets"
        )
        title = f"positives (line) against random sets; p = {float(self):.3g}"
        return chart.properties(title=title)

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row.

        Columns: `p_value`, `statistic`, `n_as_high`, `n_sets` (random sets), `exact`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these three that is
            installed (pyarrow always is)
        """
        columns: dict[str, list[Any]] = {
            "p_value": [float(self)],
            "statistic": [float(self.statistic)],
            "n_as_high": [self.n_as_high],
            "n_sets": [len(self.null)],
            "exact": [self.exact],
        }
        return frame_of(columns, backend)

    def _in_words(self) -> str:
        sets = "sets of their size, which are all" if self.exact else "random sets"
        return (
            f"p = {float(self):.3g}: {self.n_as_high} of {len(self.null)} {sets} have a statistic "
            "as high as that of the positives."
        )
