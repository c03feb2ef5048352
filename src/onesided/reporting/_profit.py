"""The length of a list by what a positive is worth, and what a row of the list costs."""

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from onesided._ranked import Ranked
from onesided.reporting._cuts import CutPoint, Cuts

_N_POINTS = 60
_ENDS = ("positives_low", "positives", "positives_high")


class ProfitPoint(TypedDict):
    """Expected profit of the first `n_listed` rows, and at both ends of the class prior."""

    n_listed: int
    profit: float
    profit_low: float
    profit_high: float


class ProfitFacts(TypedDict):
    """What the list is worth.

    `n_affordable` is the number of rows that the budget pays for; None without a budget. `n_best`
    is the length with the greatest expected profit that the budget allows, or `n_affordable` if the
    value of a positive is not given; `n_low` and `n_high` are this length at both ends of the
    interval of the class prior. `positives` are expected in a list of `n_best` rows. If
    `only_at_most` holds, the positives and the profit are upper bounds, and so is `n_best`. The
    positives and the profit are None where the number of positives is not known.
    """

    value: float | None
    cost: float
    budget: float | None
    n_affordable: int | None
    n_best: int | None
    n_low: int | None
    n_high: int | None
    only_at_most: bool
    positives: float | None
    positives_low: float | None
    positives_high: float | None
    profit: float | None
    profit_low: float | None
    profit_high: float | None
    curve: list[ProfitPoint]


def profit_facts(ranked: Ranked) -> ProfitFacts | None:
    """The length of the list and its profit; None if nobody says what a row costs."""
    worth = ranked.worth
    if worth is None:
        return None
    n_rows = ranked.table.num_rows
    affordable = None if worth.budget is None else min(n_rows, int(worth.budget / worth.cost))
    most = n_rows if affordable is None else affordable
    found = ProfitFacts(
        value=worth.value,
        cost=worth.cost,
        budget=worth.budget,
        n_affordable=affordable,
        n_best=None,
        n_low=None,
        n_high=None,
        only_at_most=ranked.prior is not None and ranked.prior.only_at_most,
        positives=None,
        positives_low=None,
        positives_high=None,
        profit=None,
        profit_low=None,
        profit_high=None,
        curve=[],
    )
    if worth.value is None:
        found["n_best"] = affordable
    if ranked.scenario is None or ranked.posterior is None:
        return found
    cuts = Cuts(ranked.placed, ranked.scored, ranked.posterior)
    if worth.value is not None:
        value, cost = worth.value, worth.cost
        lengths = [_best(cuts, end, cost / value, most) for end in _ENDS]
        found["n_low"], found["n_best"], found["n_high"] = lengths
        points = cuts.at(_lengths(n_rows))
        found["curve"] = [
            ProfitPoint(
                n_listed=each["n_listed"],
                profit=_profit(each, "positives", value, cost),
                profit_low=_profit(each, "positives_low", value, cost),
                profit_high=_profit(each, "positives_high", value, cost),
            )
            for each in points
        ]
    if n_best := found["n_best"]:
        (point,) = cuts.at([n_best])
        for end in ("", "_low", "_high"):
            found[f"positives{end}"] = point[f"positives{end}"]  # type: ignore[literal-required]  # keys
            if worth.value is not None:
                found[f"profit{end}"] = _profit(point, f"positives{end}", worth.value, worth.cost)  # type: ignore[literal-required]  # keys
    return found


def _profit(point: CutPoint, end: str, value: float, cost: float) -> float:
    positives: float = point[end]  # type: ignore[literal-required]  # a key
    return value * positives - cost * point["n_listed"]


def _best(cuts: Cuts, end: str, threshold: float, most: int) -> int:
    """The last row before `most` whose probability is at least the threshold; 0 if none is.

    Expected positives rise ever less along a list, so a bisection finds where one more row adds
    less than it costs.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        points = cuts.at([middle - 1, middle] if middle > 1 else [1])
        before = points[0][end] if middle > 1 else 0.0  # type: ignore[literal-required]  # a key
        added = points[-1][end] - before  # type: ignore[literal-required]  # a key
        low, high = (middle, high) if added >= threshold else (low, middle - 1)
    return low


def _lengths(n_rows: int) -> Sequence[int]:
    lengths: list[int] = np.unique(np.linspace(1, n_rows, _N_POINTS).astype(np.int64)).tolist()
    return lengths


def profit_sentences(ranked: Ranked) -> tuple[str, ...]:
    """The length of the list, and what it is worth, in words."""
    found = profit_facts(ranked)
    if found is None:
        return ()
    n_best, is_bound = found["n_best"], found["only_at_most"]
    said = []
    if (n_affordable := found["n_affordable"]) is not None:
        said.append(
            f"The budget of {money(found['budget'])} pays for the first {n_affordable:,} rows of "
            f"{ranked.table.num_rows:,}, at {money(found['cost'])} for each"
        )
    if found["positives"] is not None and found["value"] is None:
        said.append(f"  {_positives(found)}")
    if found["value"] is None:
        return tuple(said)
    rates = f"{money(found['value'])} for a positive, less {money(found['cost'])} for each row"
    if n_best is None:
        said.append("The profit is not known, because the number of positives is not estimated")
    elif n_best == 0:
        said.append(
            f"No list is expected to make a profit at {rates}: even the first row costs more than "
            "it brings"
        )
    else:
        most = "at most " if is_bound else ""
        said += [
            (
                f"Greatest expected profit, at {rates}: {most}{money(found['profit'])} from the "
                f"first {n_best:,} rows"
            ),
            (
                f"  {_positives(found)}; profit {money(found['profit_low'])} to "
                f"{money(found['profit_high'])}, and best length {found['n_low']:,} to "
                f"{found['n_high']:,} rows, by the interval of the class prior"
            ),
        ]
        if is_bound:
            said.append(
                "  These are upper bounds, since the number of positives is only known from above: "
                "a shorter list, or none, may be the best"
            )
    return tuple(said)


def _positives(found: ProfitFacts) -> str:
    low, high = found["positives_low"], found["positives_high"]
    if found["only_at_most"]:
        return f"at most {found['positives']:,.0f} positives expected in it"
    return f"about {found['positives']:,.0f} positives expected in it ({low:,.0f} to {high:,.0f})"


def money(amount: float | None) -> str:
    """An amount, of any currency: whole from 100 on, else with two decimals where needed."""
    amount = amount or 0.0
    few = abs(amount) < 100 and amount != round(amount)  # noqa: PLR2004 - cents matter below
    return f"{amount:,.2f}" if few else f"{amount:,.0f}"
