"""A p-value that comes from random sets of rows."""

from typing import Any, Self

from onesided._typing import Floats


class ResampledPValue(float):
    """A p-value, with the distribution that it comes from.

    Attributes
    ----------
    statistic : of the positives
    null : shape (n_sets,), of the random sets
    n_as_high : random sets whose statistic is at or above that of the positives
    exact : whether all sets of the size were taken, not random ones
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
        """Share of `null` at or above `statistic`; with the +1 rule unless all sets are there.

        Parameters
        ----------
        statistic, null, exact : as above
        slack : relative error of the statistics; what lies within it counts as at or above
        """
        as_high = int((null >= statistic * (1 - slack)).sum())
        value = as_high / len(null) if exact else (1 + as_high) / (1 + len(null))
        return cls(value, statistic, null, as_high, exact=exact)

    def plot(self) -> Any:
        """The null distribution as an Altair histogram, the positives as a line."""
        import altair as alt  # noqa: PLC0415 - only a picture needs it
        import pyarrow as pa  # noqa: PLC0415

        bars = (
            alt.Chart(pa.table({"statistic": self.null}))
            .mark_bar(color="#5b7795")
            .encode(
                x=alt.X("statistic:Q", bin=alt.Bin(maxbins=40), title="statistic of a random set"),
                y=alt.Y("count()", title="random sets"),
            )
        )
        line = (
            alt.Chart(pa.table({"statistic": [self.statistic]}))
            .mark_rule(color="#b8431f", strokeWidth=2.5)
            .encode(x="statistic:Q")
        )
        title = f"positives (line) against random sets; p = {float(self):.3g}"
        return alt.layer(bars, line).properties(width=480, height=220, title=title)
