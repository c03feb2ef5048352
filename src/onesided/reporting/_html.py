"""The dictionary of a report as one self-contained page."""

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from onesided._text import as_percent
from onesided.reporting import _charts as charts
from onesided.reporting._schema import Report, UnexpectedReport


def render_html(report: Report) -> str:
    """A page that fetches nothing: style and pictures are inside, there is no script.

    Parameters
    ----------
    report : as `summarize_ranking` makes it; all text in it is escaped
    """
    drawn = {
        "recall": (
            charts.recall_chart(report["curve"]),
            "Share of the hidden positives found against the number of candidates checked.",
        ),
        "histogram": (
            charts.histogram_chart(report["histogram"]),
            "Distribution of the scores of hidden positives and of unlabeled rows.",
        ),
        "methods": (charts.methods_chart(report["methods"]), "Hidden-positive AUC of each method."),
    }
    listed = report["promises"] and report["promises"]["positives"]
    if listed and listed["curve"]:
        chart = charts.false_share_chart(
            listed["curve"], class_prior=listed["class_prior"], fdr=listed["fdr"]
        )
        drawn["false_share"] = (chart, "Share of the listed rows that is negative by class prior.")
    if report["drivers"]:
        drawn["drivers"] = (
            charts.drivers_chart(report["drivers"]),
            "Effect of the strongest features.",
        )
    best = next(method for method in report["methods"] if method["taken"])
    return _render(
        "ranking.html",
        drawn,
        report=report,
        table=report["table"],
        prior=report["prior"],
        promises=report["promises"],
        best=best,
    )


def render_unexpected(report: UnexpectedReport) -> str:
    """The page on new documents, as self-contained.

    Parameters
    ----------
    report : as `summarize_unexpected` makes it; all text in it is escaped
    """
    chart = charts.histogram_chart(
        report["histogram"],
        names=("new documents", "known documents"),
        title="score; 0 and below are likely unexpected",
        cut=0.0,
    )
    what = "Distribution of the scores of known and of new documents."
    return _render("unexpected.html", {"histogram": (chart, what)}, report=report)


def _render(template: str, drawn: Mapping[str, tuple[charts.Chart, str]], **values: Any) -> str:
    environment = Environment(
        loader=PackageLoader("onesided.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = _percent
    environment.filters["asked"] = lambda share: as_percent(share).replace("%", "\u202f%")
    environment.filters["count"] = "{:,}".format
    environment.filters["count_or_none"] = lambda number: f"{number:,}" if number else "none"
    pictures = {
        name: Markup(charts.to_svg(chart, description))  # noqa: S704 - drawn here, text in it escaped
        for name, (chart, description) in drawn.items()
    }
    return environment.get_template(template).render(pictures=pictures, **values)


def _percent(share: float) -> str:
    """A share as a percentage with two figures, 0.0163 as 1.6 %."""
    percent = 100 * share
    digits = 0 if percent >= 10 or percent == 0 else 1 if percent >= 1 else 2  # noqa: PLR2004
    return f"{percent:.{digits}f}\u202f%"
