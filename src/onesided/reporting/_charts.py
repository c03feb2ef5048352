"""What the charts of several panels share: the style, the drawing as SVG, and a histogram."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypedDict

import altair as alt
import numpy as np
import pyarrow as pa
from markupsafe import escape

from onesided._charts import INK, POSITIVE, UNLABELED, Chart, data
from onesided._typing import Floats
from onesided.exceptions import TableError

_EMPTY = {"data": {"values": []}, "mark": "bar"}
_GRID = "#e4e4e0"
_WIDTH, _FONT = 520, 14  # the letters are 10 pixels high on a telephone of 376 pixels
_BINS = 40
HEIGHT = 240
"""Of a chart with numbers on both axes, in pixels."""


@cache
def check_drawable() -> None:
    """Raise an error before any long work if this process cannot draw pictures.

    The renderer reserves more address space than a batch system may allow, and it aborts without
    this space. Therefore another process tries to draw a picture first.

    Raises
    ------
    TableError : if the limit on the address space is too low

    Examples
    --------
    The check does nothing if pictures can be drawn:

    >>> from onesided.reporting import check_drawable
    >>> check_drawable()
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
            "Raise the limit with ulimit -v unlimited, or ask for no picture and no report.",
        )


def to_svg(chart: Chart, description: str) -> str:
    """The chart as SVG, which a screen reader reads as one image with this description."""
    import vl_convert  # noqa: PLC0415 - slow to load, and only a page needs it

    drawn: str = vl_convert.vegalite_to_svg(chart.to_dict())
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1)


def styled(chart: Chart, height: int | alt.Step) -> Chart:
    """The chart with the width and the colors of the page."""
    config = alt.Config(
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=INK,
            titleColor=INK,
            gridColor=_GRID,
            labelFlush=False,  # moved labels at the ends touch their neighbours
            labelFontSize=_FONT,
            titleFontSize=_FONT,
        ),
        legend=alt.LegendConfig(labelFontSize=_FONT, labelColor=INK),
    )
    return chart.properties(  # once, since each call copies the chart
        width=_WIDTH,
        height=height,
        background="transparent",
        autosize={"type": "fit-x", "contains": "padding"},
        config=config,
    )


def rows(each: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    """Dictionaries with equal keys as the data of a chart."""
    return data({name: [row[name] for row in each] for name in each[0]})


class HistogramBin(TypedDict):
    """Shares of the rows with a score between `low` and `high`, in robust standard deviations."""

    low: float
    high: float
    positive_share: float
    unlabeled_share: float


def histogram(
    positive: Floats, unlabeled: Floats, lowest: float, highest: float
) -> list[HistogramBin]:
    """Shares of both groups in each bin; the first and the last bin also count scores beyond."""
    edges = np.linspace(lowest, highest, _BINS + 1)
    shares = (
        np.histogram(np.clip(scores, lowest, highest), edges)[0] / len(scores)
        for scores in (positive, unlabeled)
    )
    names = ("low", "high", "positive_share", "unlabeled_share")
    return pa.table([edges[:-1], edges[1:], *shares], names=names).to_pylist()


def histogram_chart(
    bins: Sequence[HistogramBin],
    *,
    names: tuple[str, str] = ("unlabeled", "hidden positives"),
    title: str = "score of the method, in robust standard deviations from the median",
    cut: float | None = None,
) -> Chart:
    """Scores of the unlabeled rows and of the positives, with a line at the threshold `cut`.

    It is `styled` on a page only: a notebook has a background of its own.
    """
    held = [n for n, each in enumerate(bins) if each["unlabeled_share"] or each["positive_share"]]
    # A bar beyond the ends of the axis would leave no width for the picture.
    drawn = bins[held[0] : held[-1] + 1] if held else bins
    long = [
        {"low": each["low"], "high": each["high"], "share": share, "rows": kind}
        for each in drawn
        for kind, share in zip(
            names, (each["unlabeled_share"], each["positive_share"]), strict=True
        )
    ]
    colors = alt.Scale(domain=names, range=[UNLABELED, POSITIVE])
    chart = (
        alt.Chart(rows(long))
        .mark_bar(opacity=0.6)
        .encode(
            x=alt.X(
                "low:Q",
                title=title,
                bin="binned",
                scale=alt.Scale(zero=False, nice=True),
                axis=alt.Axis(tickCount=8),
            ),
            x2=alt.X2("high:Q"),
            y=alt.Y("share:Q", title="share", axis=alt.Axis(format="%"), stack=None),
            color=alt.Color("rows:N", scale=colors, title=None, legend=alt.Legend(orient="top")),
        )
    )
    line = alt.Chart(rows([{"cut": cut}])).mark_rule(color=INK, strokeDash=[5, 4])
    layers = [chart] if cut is None else [chart, line.encode(x=alt.X("cut:Q"))]
    return alt.layer(*layers).properties(width=_WIDTH, height=HEIGHT)
