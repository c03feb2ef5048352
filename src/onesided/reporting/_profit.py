"""The length of a list by what a positive is worth, and what a row of the list costs."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import pyarrow as pa

from onesided._candidates import Candidates
from onesided._ranked import Ranked
from onesided._typing import Floats

_N_POINTS = 60


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
    `only_at_most` holds, only an upper bound of the class prior is known: the numbers rest on
    `assumption`, and the high ends are upper bounds; without an assumption all are upper bounds.
    The positives and the profit are None where the number of positives is not known.
    """

    value: float | None
    cost: float
    budget: float | None
    n_affordable: int | None
    n_best: int | None
    n_low: int | None
    n_high: int | None
    only_at_most: bool
    assumption: str | None
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
        n_best=affordable if worth.value is None else None,
        n_low=None,
        n_high=None,
        only_at_most=ranked.candidates.only_at_most,
        assumption=None,
        positives=None,
        positives_low=None,
        positives_high=None,
        profit=None,
        profit_low=None,
        profit_high=None,
        curve=[],
    )
    if ranked.prior is not None and "_plausible" in ranked.candidates.posteriors:
        found["assumption"] = ranked.prior.by_assumption[0]["assumption"]
    posteriors = _posteriors(ranked.candidates)
    if ranked.scenario is None or not posteriors:
        return found
    if worth.value is not None:
        # One more row is worth its cost as long as its probability is high enough.
        least = worth.cost / worth.value
        lengths = {end: min(most, int((each >= least).sum())) for end, each in posteriors.items()}
        found["n_low"], found["n_best"], found["n_high"] = (
            lengths["_low"],
            lengths[""],
            lengths["_high"],
        )
        shown = np.unique(np.linspace(1, n_rows, _N_POINTS).astype(np.int64))
        profits = {
            f"profit{end}": worth.value * each.cumsum()[shown - 1] - worth.cost * shown
            for end, each in posteriors.items()
        }
        found["curve"] = pa.table({"n_listed": shown, **profits}).to_pylist()
    if n_best := found["n_best"]:
        for end, each in posteriors.items():
            positives = float(each[:n_best].sum())
            found[f"positives{end}"] = positives  # type: ignore[literal-required]  # keys
            if worth.value is not None:
                profit = worth.value * positives - worth.cost * n_best
                found[f"profit{end}"] = profit  # type: ignore[literal-required]  # keys
    return found


def _posteriors(listed: Candidates) -> dict[str, Floats]:
    """The probabilities of the candidates, and at both ends of what is known of the class prior."""
    if not listed.only_at_most:
        return dict(listed.posteriors)
    most = listed.posteriors["_at_most"]
    middle = listed.posteriors.get("_plausible", most)
    return {"_low": np.zeros_like(most), "": middle, "_high": most}


def profit_sentences(ranked: Ranked) -> tuple[str, ...]:
    """The length of the list, and what it is worth, in words."""
    found = profit_facts(ranked)
    if found is None:
        return ()
    n_best, assumption = found["n_best"], found["assumption"]
    is_bound = found["only_at_most"] and assumption is None
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
        if_so = "" if assumption is None else f", if {assumption}"
        said += [
            (
                f"Greatest expected profit, at {rates}: {most}{money(found['profit'])} from the "
                f"first {n_best:,} rows{if_so}"
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
    if found["only_at_most"] and found["assumption"] is None:
        return f"at most {found['positives']:,.0f} positives expected in it"
    return f"about {found['positives']:,.0f} positives expected in it ({low:,.0f} to {high:,.0f})"


def money(amount: float | None) -> str:
    """An amount, of any currency: whole from 100 on, else with two decimals where needed."""
    amount = amount or 0.0
    few = abs(amount) < 100 and amount != round(amount)  # noqa: PLR2004 - cents matter below
    return f"{amount:,.2f}" if few else f"{amount:,.0f}"
