"""What sets the positives apart: what drives the score, a network, and enriched features."""

from collections.abc import Sequence
from typing import TypedDict

import altair as alt
import numpy as np

from onesided._charts import Chart, bars
from onesided._ranked import Ranked
from onesided.models.bayes import _network_chart as drawing
from onesided.reporting._charts import styled
from onesided.reporting._drivers import Driver, Edge, find_drivers, find_structure
from onesided.reporting._panel import Facts, Panel, Pictures

_SHOWN_ENRICHED = 15
_DRAWN_EDGES = 20  # of a network; of more a drawing is wider than a page, and a list tells more


class EnrichedFeature(TypedDict):
    """A feature in which the positives differ from random sets of their size."""

    feature: str
    direction: str
    statistic: float
    p_value: float
    adjusted_p_value: float


def _facts(ranked: Ranked) -> Facts:
    best, tested = ranked.comparison.best_estimator_, ranked.enriched
    names = list(EnrichedFeature.__annotations__)
    return {
        "drivers": find_drivers(best),
        "structure": find_structure(best),
        "enriched": tested.select(names).slice(0, _SHOWN_ENRICHED).to_pylist() if tested else [],
    }


def _charts(report: Facts) -> Pictures:
    drawn = {}
    if report["drivers"]:
        chart = _drivers_chart(report["drivers"])
        drawn["drivers"] = (chart, "Effect of the strongest features.")
    if 0 < len(report["structure"]) <= _DRAWN_EDGES:
        chart = _structure_chart(report["structure"])
        drawn["structure"] = (chart, "Which feature depends on which, as a tree.")
    return drawn


def _drivers_chart(drivers: Sequence[Driver]) -> Chart:
    """The strongest features, by how common a value is or by weight."""
    if drivers[0]["positive_share"] is None:
        names, title = (
            [each["feature"] for each in drivers],
            "\u2190 lowers the score | raises it \u2192",
        )
    else:
        names = [f"{each['feature']}: {each['value']}" for each in drivers]
        title = "times as common among positives"
    chart = bars(names, [each["effect"] for each in drivers], title)
    return styled(alt.layer(chart), height=alt.Step(24))


def _structure_chart(edges: Sequence[Edge]) -> Chart:
    """A network: each feature below the one that it depends on."""
    names = list(dict.fromkeys(name for edge in edges for name in (edge["parent"], edge["child"])))
    places = {name: place for place, name in enumerate(names)}
    weights = np.zeros((len(names), len(names)))
    own: list[list[int]] = [[] for _ in names]
    for edge in edges:
        parent, child = places[edge["parent"]], places[edge["child"]]
        weights[parent, child] = edge["weight"]
        own[child].append(parent)
    most = max(map(len, own))
    parents = np.array([each + [-1] * (most - len(each)) for each in own])
    return drawing.chart(names, parents, weights).properties(background="transparent")


PANEL = Panel(__file__, _facts, "What sets them apart", _charts)
