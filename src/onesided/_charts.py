"""Colors and charts of results, Altair objects; imported where a picture is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from onesided._text import printable
from onesided._typing import Floats

Chart: TypeAlias = alt.LayerChart | alt.FacetChart

POSITIVE, UNLABELED = "#b8431f", "#5b7795"  # also told apart in grey
INK, FAINT = "#333333", "#77776f"
LABEL = 280  # widest label beside a chart, pixels
_WIDTH = 480
_BARS, _POINTS = 40, 500  # of a histogram, of a curve
_FEW = 2000  # rows on a logarithmic axis that has room for more than the powers of 10


def intervals(columns: Mapping[str, Any]) -> Chart:
    """Points with the ends of their intervals, in the order of the rows.

    Parameters
    ----------
    columns : `method`, `hidden_positive_auc`, `auc_low`, `auc_high`, and more that is told on hover
    """
    base = alt.Chart(data(columns)).encode(y=_named("method"))
    title = "hidden-positive AUC, with its 95 % interval"
    x = alt.X("auc_low:Q", scale=_near(), title=title)
    ends = base.mark_rule(strokeWidth=2, color=UNLABELED).encode(x=x, x2=alt.X2("auc_high:Q"))
    points = base.mark_circle(size=70, opacity=1, color=POSITIVE).encode(
        x=alt.X("hidden_positive_auc:Q"),
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("hidden_positive_auc:Q"),
            alt.Tooltip("lee_liu:Q"),
            alt.Tooltip("seconds:Q"),
        ],
    )
    return _sized(alt.layer(ends, points), alt.Step(26))


def of_tasks(columns: Mapping[str, Any], methods: list[str]) -> Chart:
    """A point for each task and method; a tick is the mean.

    Parameters
    ----------
    columns : `task`, `method`, `hidden_positive_auc`
    methods : the first on top
    """
    base = alt.Chart(data(columns)).encode(y=alt.Y("method:N", sort=methods, title=None))
    title = "hidden-positive AUC of a task"
    points = base.mark_circle(size=40, opacity=0.45, color=UNLABELED).encode(
        x=alt.X("hidden_positive_auc:Q", scale=_near(), title=title),
        tooltip=[alt.Tooltip("task:N"), alt.Tooltip("hidden_positive_auc:Q")],
    )
    means = base.mark_tick(thickness=3, color=POSITIVE).encode(
        x=alt.X("mean(hidden_positive_auc):Q")
    )
    return _sized(alt.layer(points, means), alt.Step(26))


def histogram(
    values: ArrayLike,
    cut: float | None,
    *,
    x: str,
    y: str,
    span: tuple[float, float] | None = None,
) -> Chart:
    """How often values occur; a line at a value of interest.

    Parameters
    ----------
    values : shape (n,); those that are not finite are left out
    cut : where the line is, None for none
    x, y : titles
    span : the ends of the axis; by default the least and the greatest value
    """
    numbers = np.asarray(values, dtype=np.float64)
    counts, edges = np.histogram(numbers[np.isfinite(numbers)], bins=_BARS, range=span)
    bars = (
        alt.Chart(data({"low": edges[:-1], "high": edges[1:], "count": counts}))
        .mark_bar(color=UNLABELED)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title=x,
                scale=alt.Scale(domain=list(span)) if span else alt.Undefined,
                axis=alt.Axis(tickCount=8),
            ),
            x2=alt.X2("high:Q"),
            y=alt.Y("count:Q", title=y, axis=alt.Axis(tickMinStep=1)),
        )
    )
    line = alt.Chart(data({"cut": [cut]})).mark_rule(color=POSITIVE, strokeWidth=2.5)
    layers = (
        [bars] if cut is None or not math.isfinite(cut) else [bars, line.encode(x=alt.X("cut:Q"))]
    )
    return _sized(alt.layer(*layers), 220)


def bars(names: list[str], values: ArrayLike, title: str) -> alt.Chart:
    """A bar each, in the order of the names; colored by the sign.

    Parameters
    ----------
    names : beside the bars
    values : shape (n_names,)
    title : of the values
    """
    return (
        alt.Chart(data({"name": names, "value": values}))
        .mark_bar()
        .encode(
            y=_named("name"),
            x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=6)),
            color=alt.condition("datum.value > 0", alt.value(POSITIVE), alt.value(UNLABELED)),
        )
        .properties(width=_WIDTH, height=alt.Step(20))
    )


def statistics(names: list[str], values: ArrayLike) -> alt.Chart:
    """The statistics of tests of features, a bar each.

    Parameters
    ----------
    names : of the features, the most significant first
    values : shape (n_names,)
    """
    return bars(names, values, "statistic, above 0: positives are higher")


def found_along(ranks: Floats, n_unlabeled: int) -> Chart:
    """Share of the hidden positives found, by the unlabeled rows that stand above.

    Parameters
    ----------
    ranks : shape (n_positive,), share of the unlabeled above each
    n_unlabeled : rows
    """
    ordered = np.sort(ranks) * n_unlabeled
    found = np.arange(1, len(ordered) + 1) / len(ordered)
    kept = np.unique(np.linspace(0, len(ordered) - 1, _POINTS).astype(int))
    above = np.concatenate([[0.0], ordered[kept], [n_unlabeled]])
    curve = {"above": above, "recall": np.concatenate([[0.0], found[kept], [1.0]])}
    symlog = alt.Scale(type="symlog", domain=[0, n_unlabeled], nice=False)
    x = alt.X(
        "above:Q",
        title="unlabeled rows above (logarithmic); dashed: a random order",
        scale=symlog,
        axis=alt.Axis(values=_round_numbers(n_unlabeled), format="~s", labelOverlap=True),
    )
    y = alt.Y("recall:Q", title="hidden positives found", axis=alt.Axis(format="%"))
    line = alt.Chart(data(curve)).mark_line(
        color=POSITIVE, strokeWidth=2.5, interpolate="step-after"
    )
    checked = np.append(0, np.geomspace(1, n_unlabeled, 50))
    chance = alt.Chart(data({"above": checked, "recall": checked / n_unlabeled}))
    dashed = chance.mark_line(color=FAINT, strokeDash=[5, 4])
    return _sized(alt.layer(dashed.encode(x=x, y=y), line.encode(x=x, y=y)), 240)


def _round_numbers(most: int) -> list[int]:
    """0, 1, 10, 100 and so on up to a number; with 2, 5, 20, 50, ... where there is room."""
    steps = (1, 2, 5) if most <= _FEW else (1,)
    decades = (10**power for power in range(len(str(most))))
    return [0, *(step * ten for ten in decades for step in steps if step * ten <= most)]


def banded(x: Floats, height: Floats, low: Floats, high: Floats, across: str, up: str) -> Chart:
    """A curve within [0, 1] and its band.

    Parameters
    ----------
    x, height, low, high : each of shape (n_points,)
    across, up : titles
    """
    base = alt.Chart(data({"x": x, "height": height, "low": low, "high": high}))
    place = alt.X("x:Q", title=across, scale=alt.Scale(domain=[0, 1]))
    scale = alt.Scale(domain=[0, 1], clamp=True)
    band = base.mark_area(color=POSITIVE, opacity=0.2).encode(
        x=place, y=alt.Y("low:Q", title=up, scale=scale), y2=alt.Y2("high:Q")
    )
    line = base.mark_line(color=POSITIVE, strokeWidth=2.5).encode(
        x=place, y=alt.Y("height:Q", title=up, scale=scale)
    )
    return _sized(alt.layer(band, line), 320)


def false_shares(columns: Mapping[str, Any], *, class_prior: float | None, fdr: float) -> Chart:
    """Share of a list that is negative, over the class priors; a line where one was declared.

    Parameters
    ----------
    columns : `class_prior`, `false_share`
    class_prior : that was declared, or None
    fdr : share that was asked for
    """
    percent = alt.Axis(format="%")
    curve = alt.Chart(data(columns)).mark_line(color=POSITIVE, strokeWidth=2.5)
    x = alt.X("class_prior:Q", title="positive among the unlabeled", axis=percent)
    y = alt.Y("false_share:Q", title="negative among the listed", axis=percent)
    asked = alt.Chart(data({"fdr": [fdr]})).mark_rule(color=INK, strokeDash=[5, 4])
    layers = [asked.encode(y=alt.Y("fdr:Q")), curve.encode(x=x, y=y)]
    if class_prior is not None:
        declared = alt.Chart(data({"class_prior": [class_prior]}))
        layers.append(
            declared.mark_rule(color=INK, strokeDash=[2, 3]).encode(x=alt.X("class_prior:Q"))
        )
    return _sized(alt.layer(*layers), 200)


def class_priors(columns: Mapping[str, Any], interval: tuple[float, float], bound: float) -> Chart:
    """What each method says, the interval behind, and the bound as a line.

    Parameters
    ----------
    columns : `method`, `class_prior`
    interval, bound : as in `ClassPriorEstimate`
    """
    title = "positive among the unlabeled: interval shaded, upper bound dashed"
    x = alt.X("class_prior:Q", title=title, axis=alt.Axis(format="%"), scale=alt.Scale(domainMin=0))
    points = (
        alt.Chart(data(columns))
        .mark_circle(size=90, opacity=1, color=POSITIVE)
        .encode(
            x=x, y=_named("method"), tooltip=[alt.Tooltip("method:N"), alt.Tooltip("class_prior:Q")]
        )
    )
    low, high = interval
    ends = alt.Chart(data({"low": [low], "high": [high]}))
    band = ends.mark_rect(color=UNLABELED, opacity=0.25).encode(
        x=alt.X("low:Q"), x2=alt.X2("high:Q")
    )
    line = alt.Chart(data({"bound": [bound]})).mark_rule(color=INK, strokeDash=[5, 4])
    return _sized(alt.layer(band, line.encode(x=alt.X("bound:Q")), points), alt.Step(26))


def posterior_curve(columns: Mapping[str, Any]) -> alt.Chart:
    """The posterior along the score.

    Parameters
    ----------
    columns : `score`, `posterior`
    """
    percent = alt.Axis(format="%")
    y = alt.Y("posterior:Q", title="positive", axis=percent, scale=alt.Scale(domain=[0, 1]))
    return (
        alt.Chart(data(columns))
        .mark_line(color=POSITIVE, strokeWidth=2.5)
        .encode(x=alt.X("score:Q", scale=alt.Scale(zero=False)), y=y)
        .properties(width=_WIDTH, height=220)
    )


def data(columns: Mapping[str, Any]) -> alt.InlineData:
    """Columns as rows inside the chart, which Altair's limit of 5,000 rows is not for.

    Parameters
    ----------
    columns : names and values; what is not finite becomes null, and text is such as SVG may hold
    """
    lists = [each.tolist() if isinstance(each, np.ndarray) else each for each in columns.values()]
    rows = zip(*lists, strict=True)
    # Altair copies lists with all that is in them at each call of a chart, and tuples it does not.
    return alt.InlineData(
        values=tuple(dict(zip(columns, map(_plain, row), strict=True)) for row in rows)
    )


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return printable(value) if isinstance(value, str) else value


def _named(column: str) -> alt.Y:
    return alt.Y(f"{column}:N", sort=None, title=None, axis=alt.Axis(labelLimit=LABEL))


def _near() -> alt.Scale:
    """From the least to the greatest value, which do not touch the frame."""
    return alt.Scale(zero=False, padding=10)


def _sized(chart: Chart, height: int | alt.Step) -> Chart:
    return chart.properties(width=_WIDTH, height=height)
