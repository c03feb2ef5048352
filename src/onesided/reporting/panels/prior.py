"""How many are positive."""

from dataclasses import replace
from typing import NotRequired, TypedDict

from onesided._ranked import Ranked
from onesided._text import as_options
from onesided.prior import PRIOR_METHODS, ClassPriorEstimate
from onesided.prior._estimate import uneven_facts
from onesided.reporting._panel import Facts, Panel


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
    positive; None if there is no such ratio below 1,000. Files of older versions lack these three.
    `counted` is the number of rows that were screened at random and in which the positives were
    counted, 0 if there are none; with such rows `upper_bounds` is empty. `only_at_most` says that
    only the upper limit is known. `n_hidden` is the number of positives among the unlabeled rows,
    checked rows included, from the upper limit in that case, otherwise from the class prior.
    `population_prior` and `label_frequency` are None without a scenario.
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
        "no_prior": as_options(ranked.no_prior),
    }


def _of_estimate(found: ClassPriorEstimate, ranked: Ranked) -> PriorFacts:
    shown, scenario = replace(found, point=found.headline), ranked.scenario
    return PriorFacts(
        scenario=scenario,
        class_prior=found.facts()["class_prior"],
        low=found.interval[0],
        high=found.interval[1],
        confidence=found.confidence,
        upper_bound=found.upper_bound,
        **uneven_facts(found),  # type: ignore[typeddict-item]  # these three
        counted=(found.n_positive + found.n_negative) * (found.method == "random-sample"),
        only_at_most=found.only_at_most,
        n_hidden=shown.point * found.n_unlabeled,
        population_prior=None if scenario is None else shown.population_prior,
        label_frequency=None if scenario is None else shown.label_frequency,
        methods=[
            MethodPrior(name=PRIOR_METHODS[name], class_prior=point)
            for name, point in found.by_method.items()
        ],
    )


PANEL = Panel(__file__, _facts, "How many")
