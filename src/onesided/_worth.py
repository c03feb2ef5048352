"""The length of a list by what a positive is worth, and what a row of the list costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Literal, TypedDict

import numpy as np
import pyarrow as pa

from onesided._candidates import Candidates
from onesided._labels import Scenario
from onesided._text import argument, kind_of_value
from onesided._typing import Floats
from onesided.exceptions import TableError
from onesided.prior import ClassPriorEstimate

_N_POINTS = 60
_ROUNDING = 1e-9  # relative; smaller differences are errors of rounding


@dataclass(frozen=True)
class Worth:
    """The costs of a list and the value of its positives, in any currency.

    Attributes
    ----------
    cost : cost of each row of the list, for example of a letter
    value : value of each positive in the list; None if it is not known
    budget : largest total cost of the list; None for no limit

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(
    ...     table, "known", methods=["naive-bayes"], scenario="case-control", value=10, cost=1
    ... )
    >>> ranking.worth
    Worth(cost=1, value=10, budget=None)
    """

    cost: float
    value: float | None = None
    budget: float | None = None

    @classmethod
    def of(
        cls,
        value: float | None,
        cost: float | None,
        budget: float | None,
        scenario: Scenario | None,
    ) -> Worth | None:
        """The worth that a user gives, checked; None if no amount is given.

        Raises
        ------
        TableError : if a number is not above 0, or if a number needs another one that is missing
        """
        given = {"value": value, "cost": cost, "budget": budget}
        for name, amount in given.items():
            is_amount = isinstance(amount, Real) and not isinstance(amount, bool)
            if amount is not None and not (is_amount and 0 < amount < math.inf):
                said = f"{amount:g}" if is_amount else kind_of_value(amount)
                raise TableError(
                    f"{argument(name)} is {said}, which is not an amount above 0.",
                    f"Pass an amount: {argument(name, 2.5)}.",
                )
        if cost is None:
            for name in ("value", "budget"):
                if given[name] is not None:
                    raise TableError(
                        f"{argument(name)} alone does not give the length of a list: the cost of "
                        "each row is missing.",
                        f"Pass the cost too: {argument('cost', 2)}.",
                    )
            return None
        if value is None and budget is None:
            raise TableError(
                f"{argument('cost')} alone does not give the length of a list.",
                f"Pass the value of a positive, {argument('value', 50)}, or a budget, "
                f"{argument('budget', 500)}.",
            )
        if value is not None and scenario is None:
            raise TableError(
                f"{argument('value')} needs the number of positives and the probability of each "
                f"row, which is given only with {argument('scenario')}.",
                "Say how the rows were collected: "
                f"{argument('scenario', 'single-training-set')} or "
                f"{argument('scenario', 'case-control')}.",
            )
        return cls(cost, value, budget)


class ProfitPoint(TypedDict):
    """Expected profit of the first `n_listed` rows, and at both ends of the class prior.

    `profit` is None if only an upper bound of the class prior is known, and nothing is assumed.
    """

    n_listed: int
    profit: float | None
    profit_low: float
    profit_high: float


class ProfitFacts(TypedDict):
    """What the list is worth.

    `kind` is "possible" if only an upper bound of the number of positives is known and nothing is
    assumed, as the expected profit may then be lower at every length; otherwise it is "expected".
    `n_affordable` is the number of rows that the budget pays for; None without a budget. `n_best`
    is the length with the greatest profit of this kind that the budget allows, or `n_affordable` if
    the value of a positive is not given; `n_low` and `n_high` are this length at the lower and the
    upper limits of the number of positives. `positives` are expected in a list of `n_best` rows.

    If `only_at_most` holds, only an upper bound of the class prior is known. The numbers then rest
    on `assumption`, and the limits are those under this assumption. Without an assumption
    `positives` and `profit` are None, `n_best` is the length at the upper bound, and the high ends
    are upper bounds. `why_unknown` says why the number of positives tells nothing of this list: the
    positives and the profit are None then. It is "" otherwise.
    """

    value: float | None
    cost: float
    budget: float | None
    kind: Literal["expected", "possible"]
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
    why_unknown: str


def profit_facts(
    worth: Worth,
    listed: Candidates,
    prior: ClassPriorEstimate | None,
    *,
    scenario: Scenario | None,
    by_chance: bool,
) -> ProfitFacts:
    """The length of the list and its profit.

    Parameters
    ----------
    worth : what the list costs and brings
    listed : the candidates
    prior : the share of positives among the unlabeled rows; None if it is not known
    scenario : how the rows were collected; without it no probability of a row is asked for
    by_chance : whether the order of the list may be chance
    """
    n_rows = len(listed.rows)
    affordable = (
        None if worth.budget is None else min(n_rows, _affordable(worth.budget, worth.cost))
    )
    most = n_rows if affordable is None else affordable
    why_unknown = _why_unknown(prior, scenario, by_chance=by_chance)
    rests = prior is not None and prior.only_at_most and prior.plausible and not why_unknown
    found = ProfitFacts(
        value=worth.value,
        cost=worth.cost,
        budget=worth.budget,
        kind="possible" if listed.only_at_most and not rests else "expected",
        n_affordable=affordable,
        n_best=affordable if worth.value is None else None,
        n_low=None,
        n_high=None,
        only_at_most=listed.only_at_most,
        assumption=prior.by_assumption[0]["assumption"] if prior and rests else None,
        why_unknown=why_unknown,
        positives=None,
        positives_low=None,
        positives_high=None,
        profit=None,
        profit_low=None,
        profit_high=None,
        curve=[],
    )
    if why_unknown:
        return found
    positives = _by_end(listed.positives)
    if worth.value is not None:
        lengths = {
            end: _best_length(each[:most], worth.value, worth.cost)
            for end, each in positives.items()
        }
        found["n_low"], found["n_high"] = lengths["_low"], lengths["_high"]
        found["n_best"] = lengths.get("", lengths["_high"])
        shown = np.unique(np.linspace(1, n_rows, _N_POINTS).astype(np.int64))
        profits = {
            f"profit{end}": worth.value * each[shown - 1] - worth.cost * shown
            for end, each in positives.items()
        }
        profits = {"profit": pa.nulls(len(shown), pa.float64()), **profits}
        found["curve"] = pa.table({"n_listed": shown, **profits}).to_pylist()
    if n_best := found["n_best"]:
        for end, each in positives.items():
            in_list = float(each[n_best - 1])
            found[f"positives{end}"] = in_list  # type: ignore[literal-required]  # keys
            if worth.value is not None:
                profit = worth.value * in_list - worth.cost * n_best
                found[f"profit{end}"] = profit  # type: ignore[literal-required]  # keys
    return found


def _affordable(budget: float, cost: float) -> int:
    """Number of rows that a budget pays for: 100 at .55 for 55, though .55 is no exact number."""
    return math.floor(budget / cost * (1 + _ROUNDING))


def _why_unknown(
    prior: ClassPriorEstimate | None, scenario: Scenario | None, *, by_chance: bool
) -> str:
    """Why nothing is known of the positives in a list, in words that follow "because"."""
    if scenario is None:
        return "it was not said how the rows were collected"
    if by_chance:
        return "the order of the rows may be chance"
    if prior is None:
        return "the number of positives is not estimated"
    if prior.limits_nothing:
        return "the data give no upper bound of the number of positives"
    return ""


def _best_length(positives: Floats, value: float, cost: float) -> int:
    """Number of first rows with the greatest profit, the longest of several; 0 if none has any.

    Parameters
    ----------
    positives : number of positives up to each row
    value, cost : of a positive and of a row
    """
    profits = np.append(0.0, value * positives - cost * np.arange(1, len(positives) + 1))
    is_best = profits >= profits.max() - _ROUNDING * max(value, cost)
    return len(profits) - 1 - int(np.argmax(is_best[::-1]))


def _by_end(along: Mapping[str, Floats]) -> dict[str, Floats]:
    """Numbers along the list as they are expected, and at both ends of what is known.

    Parameters
    ----------
    along : `Candidates.positives`
    """
    if "_at_most" not in along:
        return dict(along)
    if "_plausible" in along:
        return {end: along[f"_plausible{end}"] for end in ("_low", "", "_high")}
    most = along["_at_most"]
    return {"_low": np.zeros_like(most), "_high": most}


def profit_sentences(found: ProfitFacts | None, n_rows: int) -> tuple[str, ...]:
    """The length of the list, and what it is worth, in words.

    Parameters
    ----------
    found : what the list is worth; None says nothing
    n_rows : number of candidates
    """
    if found is None:
        return ()
    said = []
    if (n_affordable := found["n_affordable"]) is not None:
        paid = f"{_first(n_affordable)} of {n_rows:,}" if n_affordable else "no row"
        said.append(
            f"The budget of {money(found['budget'])} pays for {paid}, at {money(found['cost'])} "
            "for each"
        )
    if n_affordable == 0:
        return tuple(said)
    if found["positives_high"] is not None and found["value"] is None:
        said.append(f"  {_positives(found)}")
    return (*said, *(_of_profit(found) if found["value"] is not None else ()))


def _of_profit(found: ProfitFacts) -> tuple[str, ...]:
    """The greatest expected profit, its range and its assumption, or why there is none."""
    n_best, assumption = found["n_best"], found["assumption"]
    if n_best is None:
        return (f"The profit is not known, because {found['why_unknown']}",)
    if_so = "" if assumption is None else f", if {assumption}"
    rates = f"{money(found['value'])} for a positive, less {money(found['cost'])} for each row"
    if n_best == 0:
        most = "even the first row costs more than it brings"
        return (f"No list is expected to make a profit at {rates}: {most}{if_so}",)
    low, high = money(found["profit_low"]), money(found["profit_high"])
    greatest = f"Greatest {found['kind']} profit, at {rates}: "
    if found["kind"] == "possible":
        return (
            f"{greatest}at most {high} from {_first(n_best)}",
            (
                f"  {_positives(found)}. The number of positives is only known from above: a "
                "shorter list, or none, may be the best"
            ),
        )
    return (
        f"{greatest}{money(found['profit'])} from {_first(n_best)}{if_so}",
        (
            f"  This profit is between {low} at the smallest and {high} at the largest number of "
            f"positives {'under this assumption' if assumption else 'in its confidence interval'}; "
            f"the best length is {_lengths(found)}"
        ),
        f"  {_positives(found)}",
    )


def _lengths(found: ProfitFacts) -> str:
    lengths = [found[end] or 0 for end in ("n_low", "n_best", "n_high")]
    low, high = min(lengths), max(lengths)
    return "the same at both" if low == high else f"between {low:,} and {high:,} rows"


def _first(n_rows: int) -> str:
    return "the first row" if n_rows == 1 else f"the first {n_rows:,} rows"


def _positives(found: ProfitFacts) -> str:
    low, high, assumption = found["positives_low"], found["positives_high"], found["assumption"]
    if found["kind"] == "possible":
        return f"At most {_expected(high)} in this list"
    number = f"About {_expected(found['positives'])} in this list"
    if_so = "" if assumption is None else f", if {assumption}"
    return f"{number} ({low:,.0f} to {high:,.0f}){if_so}"


def _expected(positives: float | None) -> str:
    number = f"{positives:,.0f}"
    return f"{number} {'positive is' if number == '1' else 'positives are'} expected"


def money(amount: float | None) -> str:
    """An amount, of any currency: whole from 100 on, else with two decimals where needed."""
    amount = amount or 0.0
    few = abs(amount) < 100 and amount != round(amount)  # noqa: PLR2004 - cents matter below
    return f"{amount:,.2f}" if few else f"{amount:,.0f}"
