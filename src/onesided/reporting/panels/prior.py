"""How many are positive."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict, cast, get_type_hints

import altair as alt

from onesided._charts import INK, POSITIVE, Chart
from onesided._ranked import Ranked
from onesided._text import without_options
from onesided.prior import PRIOR_METHODS, AssumedPrior, ClassPriorEstimate
from onesided.prior._estimate import LIMITS
from onesided.reporting._charts import rows, styled
from onesided.reporting._panel import Facts, Panel, Pictures

_LABEL = 260  # widest label beside the chart


class MethodPrior(TypedDict):
    """The share of positives among the unlabeled rows by one estimator."""

    name: str
    class_prior: float


class OddsBound(TypedDict):
    """The upper bound if the odds of being labeled differ by this ratio among the positives."""

    label_odds_ratio: float
    class_prior: float


class PriorFacts(TypedDict):
    """The share of positives among the unlabeled rows.

    `upper_bounds` are those for several ratios of the odds of being labeled; `upper_bound` is that
    for `label_odds_ratio`, which was declared. From `tipping_point` on all unlabeled rows could be
    positive; None if there is no such ratio below 1,000. `by_assumption` has the smallest, the most
    plausible and the largest share under each assumption. `counted` is the number of rows that were
    screened at random and in which the positives were counted, 0 if there are none; with such rows
    `upper_bounds` and `by_assumption` are empty. Files of older versions lack these five.
    `only_at_most` says that only upper limits are known: `class_prior`, `n_hidden` and
    `population_prior` are upper limits then, and `label_frequency` is a lower one. `n_hidden` is
    the number of positives among the unlabeled rows, checked rows included.
    `population_prior` and `label_frequency` are None without a scenario.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided import rank_table
    >>> from onesided.reporting import summarize
    >>> rng, known, no = np.random.default_rng(0), np.arange(60) < 15, np.arange(60) > 44
    >>> table = pd.DataFrame({"size": rng.normal(size=60) + known, "known": known, "no": no})
    >>> asked = {"methods": ["center-of-mass"], "known_negative": "no", "screened_at_random": True}
    >>> prior = summarize(rank_table(table, "known", **asked))["prior"]
    >>> prior["counted"], prior["class_prior"], round(prior["low"], 2), round(prior["high"], 2)
    (30, 0.5, 0.23, 0.77)
    """

    scenario: str | None
    class_prior: float
    low: float
    high: float
    confidence: float
    upper_bound: float
    label_odds_ratio: NotRequired[float]
    upper_bounds: NotRequired[list[OddsBound]]
    tipping_point: NotRequired[float | None]
    by_assumption: NotRequired[list[AssumedPrior]]
    counted: NotRequired[int]
    only_at_most: bool
    n_hidden: float
    population_prior: float | None
    label_frequency: float | None
    methods: list[MethodPrior]


def is_only_at_most(report: Facts) -> bool:
    """Whether the numbers of positives in a report are upper bounds."""
    return report["prior"] is not None and bool(report["prior"]["only_at_most"])


def _facts(ranked: Ranked) -> Facts:
    return {
        "prior": None if ranked.prior is None else _of_estimate(ranked.prior, ranked),
        "no_prior": without_options(ranked.no_prior),
    }


def _of_estimate(found: ClassPriorEstimate, ranked: Ranked) -> PriorFacts:
    facts, scenario = found.facts(), ranked.scenario
    if found.only_at_most:
        facts |= {name: facts[f"{name}_{end}"] for name, end in LIMITS.items()}
    facts |= {
        "scenario": scenario,
        "counted": (found.n_positive + found.n_negative) * (found.method == "random-sample"),
        "methods": [
            MethodPrior(name=PRIOR_METHODS[name], class_prior=point)
            for name, point in found.by_method.items()
        ],
    }
    if scenario is None:  # they depend on it
        facts |= {"population_prior": None, "label_frequency": None}
    return cast("PriorFacts", {name: facts[name] for name in get_type_hints(PriorFacts)})


def _charts(report: Facts) -> Pictures:
    found = (report["prior"] or {}).get("by_assumption")
    if not found:
        return {}
    chart = _assumptions_chart(found)
    return {"assumptions": (chart, "Share of positives under each assumption.")}


def _assumptions_chart(found: Sequence[AssumedPrior]) -> Chart:
    """A line from the smallest to the largest share, and a point at the most plausible one."""
    y = alt.Y(
        "assumption:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL, labelPadding=8)
    )
    base = alt.Chart(rows(list(found))).encode(y=y)
    scale = alt.Scale(domain=[0, min(1.0, 1.05 * max(each["high"] for each in found))])
    x = alt.X("low:Q", title="positive among the unlabeled", scale=scale, axis=alt.Axis(format="%"))
    lines = base.mark_rule(color=INK, strokeWidth=2).encode(x=x, x2="high:Q")
    points = base.mark_point(filled=True, size=90, opacity=1, color=POSITIVE)
    ends = base.mark_tick(color=INK, thickness=2, size=12).encode(x=alt.X("high:Q", scale=scale))
    return styled(
        alt.layer(lines, ends, points.encode(x=alt.X("plausible:Q", scale=scale))),
        height=alt.Step(28),
    )


PANEL = Panel(__file__, _facts, "How many", _charts)
