"""The page of many rankings: a table of the values, and the first candidates of each."""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

import altair as alt

from onesided._charts import INK, POSITIVE, Chart
from onesided._ranked import LeftOutValue, RankedValue
from onesided._text import as_text, without_options
from onesided.reporting._charts import rows, styled
from onesided.reporting._panel import Facts, Panel, Pictures
from onesided.reporting.panels.candidates import about

_CANDIDATES, _MOST_DRAWN = 50, 60  # of each value, and values in the chart
_LABEL = 230  # widest label beside a chart


class EachCandidate(TypedDict):
    """A row of the ranking of a value; `about` has the cells that are shown with it, if any."""

    rank: int
    identifier: str
    about: NotRequired[str]
    score: float
    recall: float


class EachValue(RankedValue):
    """A value that is positive in turn, how well its records are found, and its candidates."""

    n_listed: int
    candidates: list[EachCandidate]


class EachReport(TypedDict):
    """Rankings by each value of a column, as `onesided rank --positive-each` makes them.

    `background` is missing if the methods learned from all unlabeled rows.
    """

    form: Literal["each"]
    version: str
    command: str
    name: str
    column: str
    background: NotRequired[str]
    values: list[EachValue]
    left_out: list[LeftOutValue]
    notes: list[str]


def _facts(found: Any) -> Facts:
    """Facts of the record `onesided.ranking.RankedEach`, which is in a later layer."""
    by_value: dict[str, list[EachCandidate]] = {}
    counts: dict[str, int] = {}
    label, identifier = found.table.column_names[:2]
    columns = [label, identifier, "rank", "score", "recall"]
    shown = [name for name in found.table.column_names if name not in columns]
    rows = zip(*(found.table.column(each).to_pylist() for each in columns), strict=True)
    for place, (value, name, rank, score, share) in enumerate(rows):
        counts[value] = counts.get(value, 0) + 1
        if counts[value] <= _CANDIDATES:
            candidate = EachCandidate(rank=rank, identifier=str(name), score=score, recall=share)
            if shown:
                cells = {each: [as_text(found.table.column(each)[place].as_py())] for each in shown}
                (candidate["about"],) = about(cells)
            by_value.setdefault(value, []).append(candidate)
    return {
        "name": found.name,
        "column": found.column,
        **({} if found.background is None else {"background": found.background}),
        "values": [
            {**each, "n_listed": counts[each["value"]], "candidates": by_value[each["value"]]}
            for each in found.values
        ],
        "left_out": [dict(each) for each in found.left_out],
        "notes": [without_options(note) for note in found.notes],
    }


def _charts(report: Facts) -> Pictures:
    what = "Hidden-positive AUC of each value, with its 95 % confidence interval."
    return {"aucs": (_auc_chart(report["values"][:_MOST_DRAWN]), what)}


def _auc_chart(values: Sequence[EachValue]) -> Chart:
    names = ("value", "auc", "auc_low", "auc_high")
    data = rows([{name: each[name] for name in names} for each in values])  # type: ignore[literal-required]  # keys
    axis = alt.Axis(labelLimit=_LABEL)
    base = alt.Chart(data).encode(y=alt.Y("value:N", sort=None, title=None, axis=axis))
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("auc_low:Q", title="hidden-positive AUC", scale=scale)
    layers = [
        base.mark_rule(color=INK).encode(x=x, x2=alt.X2("auc_high:Q")),
        base.mark_point(filled=True, size=70, color=POSITIVE, opacity=1).encode(
            x=alt.X("auc:Q", scale=scale)
        ),
    ]
    return styled(alt.layer(*layers), height=alt.Step(22))


PANEL = Panel(__file__, _facts, charts=_charts)
