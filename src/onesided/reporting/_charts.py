"""The charts of a report, Altair objects."""

import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import altair as alt
import numpy as np
import pyarrow as pa

from onesided._charts import FAINT, INK, POSITIVE, UNLABELED, bars, false_shares
from onesided._text import printable
from onesided.exceptions import TableError
from onesided.models.bayes import _network_chart as drawing
from onesided.reporting._schema import (
    CalibrationBin,
    CutPoint,
    Driver,
    Edge,
    FalseSharePoint,
    HistogramBin,
    Method,
)

Chart: TypeAlias = alt.LayerChart | alt.FacetChart

_EMPTY = {"data": {"values": []}, "mark": "bar"}  # a chart
_GRID = "#e4e4e0"
_WIDTH, _FONT = 520, 14  # on a telephone of 376 pixels the letters are 10 high
_LABEL = 230  # widest label beside a chart


def cut_chart(curve: Sequence[CutPoint], *, only_at_most: bool) -> Chart:
    """Recall and, with a class prior, precision of the list, or its most, against its length.

    The line of recall is the first layer, with a vertex for each point of the curve: the page
    looks up there where a length stands.
    """
    percent = alt.Axis(format="%", labelFlush=False)
    base = alt.Chart(_rows(curve)).encode(
        x=alt.X(
            "n_listed:Q", title="candidates in the list, from the top", scale=_logarithmic(curve)
        )
    )
    y = alt.Y("recall:Q", title="share", axis=percent, scale=alt.Scale(domain=[0, 1]))
    names = ["recall", "recall by chance"]
    colors = [POSITIVE, FAINT]
    recall = base.mark_line(strokeWidth=2.5).encode(y=y, color=_named(names[0]))
    chance = base.mark_line(strokeWidth=1.5, strokeDash=[5, 4]).encode(
        y="by_chance:Q", color=_named(names[1])
    )
    layers = [recall, chance]
    if curve[0]["precision"] is not None:
        names.append("precision, at most" if only_at_most else "precision")
        colors.append(UNLABELED)
        band = base.mark_area(color=UNLABELED, opacity=0.18).encode(
            y="precision_low:Q", y2="precision_high:Q"
        )
        precision = base.mark_line(strokeWidth=2.5).encode(y="precision:Q", color=_named(names[-1]))
        layers += [band, precision]
    legend = alt.Legend(orient="top", title=None, symbolType="stroke", symbolStrokeWidth=3)
    return _styled(
        alt.layer(*layers).encode(
            color=alt.Color(scale=alt.Scale(domain=names, range=colors), legend=legend)
        ),
        height=260,
    )


def calibration_chart(bins: Sequence[CalibrationBin], n_candidates: int) -> Chart:
    """Posterior along the list, and what the hidden positives in it say, with a standard error."""
    rows = [
        {
            **each,
            "middle": (each["first"] * each["last"]) ** 0.5,
        }
        for each in bins
    ]
    scale = alt.Scale(type="log", domain=[1, n_candidates], nice=False)
    x_title = "rank of the candidates"
    base = alt.Chart(_rows(rows))
    y = alt.Scale(domain=[0, max(1.0, *(each["counted"] for each in bins))], clamp=True)
    posterior = base.mark_rule(color=UNLABELED, strokeWidth=4, opacity=0.7).encode(
        x=alt.X("first:Q", title=x_title, scale=scale),
        x2="last:Q",
        y=alt.Y("posterior:Q", title="share positive", axis=alt.Axis(format="%"), scale=y),
    )
    errors = base.mark_rule(color=POSITIVE).encode(
        x=alt.X("middle:Q", scale=scale), y="counted_low:Q", y2="counted_high:Q"
    )
    points = base.mark_point(color=POSITIVE, filled=True, size=70, opacity=1).encode(
        x=alt.X("middle:Q", scale=scale), y="counted:Q"
    )
    return _styled(alt.layer(posterior, errors, points), height=220)


def structure_chart(edges: Sequence[Edge]) -> Chart:
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


def _named(name: str) -> Any:
    return alt.datum(name, type="nominal")


def _logarithmic(curve: Sequence[CutPoint]) -> alt.Scale:
    return alt.Scale(type="log", domain=[1, curve[-1]["n_listed"]], nice=False)


def histogram_chart(
    bins: Sequence[HistogramBin],
    *,
    names: tuple[str, str] = ("unlabeled", "hidden positives"),
    title: str = "score, from the median",
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
    line = alt.Chart(_rows([{"cut": cut}])).mark_rule(color=INK, strokeDash=[5, 4])
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
    bars = base.mark_rule(color=INK, strokeWidth=1.5).encode(
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
    columns = {name: [each[name] for each in curve] for name in ("class_prior", "false_share")}
    chart = false_shares(columns, class_prior=class_prior, fdr=fdr)
    return _styled(chart, height=200)


def drivers_chart(drivers: Sequence[Driver]) -> Chart:
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
    return _styled(alt.layer(chart), height=alt.Step(24))


@cache
def check_drawable() -> None:
    """Refuse before the work where pictures would end the process.

    The renderer reserves more address space than a batch system may allow, and aborts where it
    does not get it; so another process tries.

    Raises
    ------
    TableError : then
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - only here, and not on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    tried = [sys.executable, "-c", f"import vl_convert; vl_convert.vegalite_to_svg({_EMPTY!r})"]
    if subprocess.run(tried, capture_output=True, check=False).returncode:  # noqa: S603 - our line
        raise TableError(
            f"Pictures take more address space than the {limit // 2**20:,} MiB that are allowed "
            "here.",
            "Allow it, ulimit -v unlimited, or ask for no picture and no report.",
        )


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
            labelColor=INK,
            titleColor=INK,
            gridColor=_GRID,
            labelFontSize=_FONT,
            titleFontSize=_FONT,
        )
        .configure_legend(labelFontSize=_FONT, labelColor=INK)
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
