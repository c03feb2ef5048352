"""The page of a report, one file that needs no other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from onesided._files._memory import give_memory_back
from onesided._text import agreeing, argument, as_percent, as_times, counted, counted_of
from onesided._validation import check_object
from onesided.exceptions import DataError
from onesided.prior._facts import tells_nothing
from onesided.reporting._charts import check_drawable, to_svg
from onesided.reporting._form import misfit_of_report
from onesided.reporting._panel import Panel
from onesided.reporting.panels import PAGES, PANELS, AnyReport
from onesided.tables._verdicts import MEANINGS


def _times(ratio: float) -> str:
    """A ratio with two figures, 2.5, 890."""
    return f"{ratio:.1f}" if ratio < 10 else f"{float(f'{ratio:.2g}'):,.0f}"  # noqa: PLR2004 - of one digit


def _digest(value: Any) -> str:
    """A short text that differs if the value does."""
    return sha256(json.dumps(value).encode()).hexdigest()[:16]


def _command(line: str) -> Markup:
    """A command whose options are not broken at their hyphens where the line is too long."""
    shown = re.sub(r"(?<=\s)(-[\w-]+)", r'<span class="option">\1</span>', str(escape(line)))
    return Markup(shown)  # noqa: S704 - escaped above


_SHARED = Path(__file__).parent / "templates"
_FILTERS: dict[str, Callable[..., str | bool]] = {
    "percent": lambda share: as_percent(share).replace("%", "\u202f%"),
    "fold": as_times,
    "count": "{:,}".format,
    "counted": counted,
    "counted_of": counted_of,
    "agreeing": agreeing,
    "times": _times,
    "rounded": "{:,.0f}".format,
    "command": _command,
    "digest": _digest,
    "tells_nothing": lambda ends: tells_nothing(*ends),
    "count_or_none": lambda number: f"{number:,}" if number else "none",
}


@cache  # a template is compiled once
def page_environment(*folders: Path) -> Environment:
    """Templates in `folders`, and those that all pages share."""
    environment = Environment(
        loader=FileSystemLoader([*folders, _SHARED]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= _FILTERS
    environment.globals["meanings"] = MEANINGS
    return environment


def render(report: AnyReport, panels: Sequence[Panel] | None = None) -> str:
    """The page of a report as HTML, with its style, scripts and pictures.

    Parameters
    ----------
    report : the dictionary that `summarize` or `summarize_unexpected` makes; all its text is
        escaped
    panels : the panels in the order of the page; by default those of the form of the report

    Raises
    ------
    DataError : if the dictionary lacks what its page shows, or holds something else

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes"])
    >>> from onesided.reporting import render, summarize
    >>> render(summarize(ranking))[:15]
    '<!doctype html>'
    """
    check_object(report, "report", dict, by="onesided.reporting.summarize")
    # A page without some of our panels may show a report that lacks their facts.
    is_whole = panels is None or all(each in panels for each in PANELS)
    if is_whole and (place := misfit_of_report(report, panels or ())):
        raise DataError(
            f"{argument('report')} is not the dictionary of a report: {place}.",
            "Pass what onesided.reporting.summarize makes.",
        )
    check_drawable()
    give_memory_back()
    environment = page_environment()
    parts: list[Any] = []
    links: list[tuple[str, str]] = []
    # The last panel is rendered first: the head of the page links to the panels below.
    for panel in reversed(PAGES[report["form"]][1] if panels is None else panels):
        pictures = {
            name: Markup(to_svg(chart, description))  # noqa: S704 - drawn here, text in it escaped
            for name, (chart, description) in panel.charts(report).items()
        }
        beside = page_environment(panel.template.parent)
        shown = {"report": report, "pictures": pictures, "links": links[::-1]}
        part = beside.get_template(panel.template.name).make_module(shown)
        parts.append(part)
        if panel.link and str(part):
            links.append((panel.template.stem, panel.link))
    return environment.get_template("page.html").render(report=report, parts=parts[::-1])
