"""The charts of a report, Altair objects."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import altair as alt
import pyarrow as pa

from onesided._text import printable
from onesided.reporting._schema import (
    CurvePoint,
    Driver,
    FalseSharePoint,
    HistogramBin,
    Method,
)

Chart: TypeAlias = alt.LayerChart | alt.FacetChart

POSITIVE, UNLABELED = "#b8431f", "#5b7795"  # also told apart in grey
_INK, _GRID = "#333333", "#e4e4e0"
_WIDTH = 560
_LABEL = 280  # widest label beside a chart, pixels


def recall_chart(curve: Sequence[CurvePoint]) -> Chart:
    """Share of the hidden positives found against the length of the list."""
    base = alt.Chart(_rows(curve)).encode(
        x=alt.X("n_listed:Q", title="candidates checked, from the top", scale=alt.Scale(type="log"))
    )
    y_title = "share of hidden positives found"
    found = base.mark_line(color=POSITIVE, strokeWidth=2.5, interpolate="step-after").encode(
        y=alt.Y("found:Q", title=y_title, axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    )
    chance = base.mark_line(color=UNLABELED, strokeDash=[5, 4]).encode(y="by_chance:Q")
    return _styled(alt.layer(chance, found), height=300)


def histogram_chart(
    bins: Sequence[HistogramBin],
    *,
    names: tuple[str, str] = ("unlabeled", "hidden positives"),
    title: str = "score, robust standard deviations above the median",
    cut: float | None = None,
) -> Chart:
    """Scores of the unlabeled and of the positives, by these names; a line where they are cut."""
    long = [
        {"low": each["low"], "high": each["high"], "share": share, "rows": kind}
        for each in bins
        for kind, share in zip(
            names, (each["unlabeled_share"], each["positive_share"]), strict=True
        )
    ]
    colors = alt.Scale(domain=names, range=[UNLABELED, POSITIVE])
    chart = (
        alt.Chart(_rows(long))
        .mark_bar(opacity=0.6)
        .encode(
            x=alt.X("low:Q", title=title, bin="binned"),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of rows", axis=alt.Axis(format="%"), stack=None),
            color=alt.Color("rows:N", scale=colors, title=None, legend=alt.Legend(orient="top")),
        )
    )
    if cut is None:
        return _styled(alt.layer(chart), height=240)
    line = alt.Chart(_rows([{"cut": cut}])).mark_rule(color=_INK, strokeDash=[5, 4])
    return _styled(alt.layer(chart, line.encode(x="cut:Q")), height=240)


def methods_chart(methods: Sequence[Method]) -> Chart:
    """Hidden-positive AUC of each method, with one standard error either way."""
    rows = [
        {
            **method,
            "low": method["auc"] - method["standard_error"],
            "high": min(1.0, method["auc"] + method["standard_error"]),
        }
        for method in methods
    ]
    base = alt.Chart(_rows(rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL))
    )
    least = min([0.5, *(method["auc"] - method["standard_error"] for method in methods)])
    scale = alt.Scale(domain=[least, 1.0], zero=False)
    bars = base.mark_rule(color=_INK, strokeWidth=1.5).encode(
        x=alt.X("low:Q", title="hidden-positive AUC (0.5 is chance)", scale=scale), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("auc:Q", scale=scale),
        color=alt.condition("datum.taken", alt.value(POSITIVE), alt.value(UNLABELED)),
    )
    return _styled(alt.layer(bars, points), height=alt.Step(26))


def false_share_chart(
    curve: Sequence[FalseSharePoint], *, class_prior: float | None, fdr: float
) -> Chart:
    """Share of a list that is negative, over the class priors; a point where one was declared."""
    percent = alt.Axis(format="%")
    base = alt.Chart(_rows(curve)).encode(
        x=alt.X("class_prior:Q", title="positive among the unlabeled", axis=percent),
        y=alt.Y("false_share:Q", title="negative among the listed", axis=percent),
    )
    asked = alt.Chart(_rows([{"fdr": fdr}])).mark_rule(color=_INK, strokeDash=[5, 4])
    layers = [asked.encode(y="fdr:Q"), base.mark_line(color=POSITIVE, strokeWidth=2.5)]
    if class_prior is not None:
        declared = alt.Chart(_rows([{"class_prior": class_prior}]))
        layers.append(declared.mark_rule(color=_INK, strokeDash=[2, 3]).encode(x="class_prior:Q"))
    return _styled(alt.layer(*layers), height=200)


def drivers_chart(drivers: Sequence[Driver]) -> Chart:
    """The strongest features, by how common a value is or by weight."""
    rows = [
        {"what": f"{each['feature']}: {each['value']}", "effect": each["effect"]}
        for each in drivers
    ]
    chart = (
        alt.Chart(_rows(rows))
        .mark_bar()
        .encode(
            y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL)),
            x=alt.X("effect:Q", title=drivers[0]["unit"]),
            color=alt.condition("datum.effect > 0", alt.value(POSITIVE), alt.value(UNLABELED)),
        )
    )
    return _styled(alt.layer(chart), height=alt.Step(20))


def to_svg(chart: Chart, description: str) -> str:
    """The chart as SVG, which needs no script and fetches nothing.

    Parameters
    ----------
    chart : of this module
    description : for those who do not see it
    """
    import vl_convert  # noqa: PLC0415 - slow to load, and only a page needs it

    return vl_convert.vegalite_to_svg(chart.properties(description=description).to_dict())


def _styled(chart: Chart, height: int | alt.Step) -> Chart:
    return (
        chart.properties(
            width=_WIDTH,
            height=height,
            background="transparent",
            autosize={"type": "fit-x", "contains": "padding"},
        )
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=_INK, titleColor=_INK, gridColor=_GRID, labelFontSize=12, titleFontSize=12
        )
        .configure_legend(labelFontSize=12, labelColor=_INK)
    )


def _rows(rows: Sequence[Any]) -> pa.Table:
    """Rows as a table; characters that no XML may hold are shown as what they are not."""
    return pa.Table.from_pylist(
        [
            {
                name: printable(value) if isinstance(value, str) else value
                for name, value in row.items()
            }
            for row in rows
        ]
    )
