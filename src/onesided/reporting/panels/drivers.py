"""What sets the positives apart: what drives the score, a network, and enriched features."""

from collections.abc import Sequence
from typing import TypedDict

import altair as alt

from onesided._charts import Chart, bars
from onesided._ranked import Ranked
from onesided.model_selection import RankAverage, leading
from onesided.models.bayes._network_chart import chart
from onesided.reporting._charts import styled
from onesided.reporting._drivers import (
    Driver,
    Edge,
    LabeledRows,
    find_drivers,
    find_structure,
)
from onesided.reporting._panel import Facts, Panel, Pictures

_SHOWN_ENRICHED = 15
_SHOWN_OF_METHOD = 5
_DRAWN_EDGES = 20  # a drawing of more edges is wider than a page, and a list is easier to read


class EnrichedFeature(TypedDict):
    """A feature in which the positives differ from random sets of their size."""

    feature: str
    direction: str
    statistic: float
    p_value: float
    adjusted_p_value: float


class AveragedMethod(TypedDict):
    """A method of the average: its weight, of 1 in all, and what drives its score most."""

    name: str
    weight: float
    drivers: list[Driver]


def _facts(ranked: Ranked) -> Facts:
    taken, tested = ranked.comparison.best_estimator_, ranked.enriched
    best, problem = leading(taken), ranked.problem
    rows = LabeledRows(problem.features, problem.positive, ~problem.positive & ~problem.negative)
    names = list(EnrichedFeature.__annotations__)
    return {
        "drivers": find_drivers(best, rows),
        "averaged": _averaged(taken, rows) if isinstance(taken, RankAverage) else [],
        "structure": find_structure(best),
        "enriched": tested.select(names).slice(0, _SHOWN_ENRICHED).to_pylist() if tested else [],
    }


def _averaged(average: RankAverage, rows: LabeledRows) -> list[AveragedMethod]:
    """The methods of an average, the one with the largest weight first."""
    methods = [
        AveragedMethod(
            name=name, weight=float(weight), drivers=find_drivers(model, rows, _SHOWN_OF_METHOD)
        )
        for name, weight, model in zip(
            average.names_, average.weights_, average.estimators_, strict=True
        )
    ]
    return sorted(methods, key=lambda each: -each["weight"])


def _charts(report: Facts) -> Pictures:
    drawn = {}
    if report["drivers"]:
        drawn["drivers"] = (_drivers_chart(report["drivers"]), "Effect of the strongest features.")
    if 0 < len(report["structure"]) <= _DRAWN_EDGES:
        what = "Which feature depends on which, as a tree."
        drawn["structure"] = (_structure_chart(report["structure"]), what)
    return drawn


def _drivers_chart(drivers: Sequence[Driver]) -> Chart:
    """The strongest features, by how common a value is or by weight."""
    names = [each["feature"] for each in drivers]
    title = "\u2190 lowers the score | raises it \u2192"
    if drivers[0]["positive_share"] is not None:
        names = [f"{each['feature']}: {each['value']}" for each in drivers]
        title = "times as common among positives"
    effects = bars(names, [each["effect"] for each in drivers], title)
    return styled(alt.layer(effects), height=alt.Step(24))


def _structure_chart(edges: Sequence[Edge]) -> Chart:
    """A network: each feature below the one that it depends on."""
    names = list(dict.fromkeys(name for edge in edges for name in (edge["parent"], edge["child"])))
    numbered = [
        (names.index(edge["parent"]), names.index(edge["child"]), edge["weight"]) for edge in edges
    ]
    drawn: Chart = chart(names, numbered)
    return drawn.properties(background="transparent")


PANEL = Panel(__file__, _facts, "What sets them apart", _charts)
