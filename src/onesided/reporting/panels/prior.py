"""How many are positive."""

from collections.abc import Sequence
from textwrap import fill

import altair as alt

from onesided._charts import INK, POSITIVE, Chart
from onesided._ranked import Ranked
from onesided._text import without_options
from onesided.prior import AssumedPrior
from onesided.reporting._charts import rows, styled
from onesided.reporting._panel import Facts, Panel, Pictures

_LABEL, _LETTERS = 290, 40  # widest label beside the chart, and letters of a line of it


def _facts(ranked: Ranked) -> Facts:
    return {
        "prior": None if ranked.prior is None else ranked.prior.facts(),
        "no_prior": without_options(ranked.no_prior),
    }


def _charts(report: Facts) -> Pictures:
    found = report["prior"] and report["prior"]["by_assumption"]
    if not found:
        return {}
    chart = _assumptions_chart(found)
    return {"assumptions": (chart, "Share of positives under each assumption.")}


def _assumptions_chart(found: Sequence[AssumedPrior]) -> Chart:
    """A line from the smallest to the largest share, and a point at the most plausible one."""
    lines = alt.Axis(labelLimit=_LABEL, labelPadding=8, labelExpr="split(datum.label, '\\n')")
    y = alt.Y("assumption:N", sort=None, title=None, axis=lines)
    wrapped = [{**each, "assumption": fill(each["assumption"], _LETTERS)} for each in found]
    base = alt.Chart(rows(wrapped)).encode(y=y)
    scale = alt.Scale(domain=[0, min(1.0, 1.05 * max(each["high"] for each in found))])
    axis = alt.Axis(format="%", tickCount=5)
    x = alt.X("low:Q", title="positive among the unlabeled", scale=scale, axis=axis)
    ranges = base.mark_rule(color=INK, strokeWidth=2).encode(x=x, x2=alt.X2("high:Q"))
    points = base.mark_point(filled=True, size=90, opacity=1, color=POSITIVE)
    ends = base.mark_tick(color=INK, thickness=2, size=12).encode(x=alt.X("high:Q", scale=scale))
    return styled(
        alt.layer(ranges, ends, points.encode(x=alt.X("plausible:Q", scale=scale))),
        height=alt.Step(36),
    )


PANEL = Panel(__file__, _facts, "How many", _charts)
