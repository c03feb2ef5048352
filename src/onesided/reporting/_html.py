"""The dictionary of a report as one self-contained page."""

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from onesided._text import as_percent
from onesided.reporting import _charts as charts
from onesided.reporting._schema import Report, UnexpectedReport

_DRAWN_EDGES = 20  # of a network; of more a drawing is wider than a page, and a list tells more


def render_html(report: Report) -> str:
    """A page that fetches nothing: style, script, numbers and pictures are inside.

    Parameters
    ----------
    report : as `summarize_ranking` makes it; all text in it is escaped
    """
    candidates, explanations = report["candidates"], report["explanations"]
    best = next(method for method in report["methods"] if method["taken"])
    return _render(
        "ranking.html",
        _draw(report),
        report=report,
        table=report["table"],
        prior=report["prior"],
        promises=report["promises"],
        best=best,
        cut=report["curve"][report["suggested"]["place"]],
        data={
            "curve": report["curve"],
            "place": report["suggested"]["place"],
            "only_at_most": _only_at_most(report),
            "only_text": not _learns_from_cells(report),
            "candidates": candidates,
            "explanations": explanations,
        },
    )


def _only_at_most(report: Report) -> bool:
    """Whether the numbers of positives are upper ends."""
    return report["prior"] is not None and report["prior"]["only_at_most"]


def _learns_from_cells(report: Report) -> bool:
    """Whether more than text was learned from."""
    table = report["table"]
    return table["n_numbers"] + table["n_categories"] + table["n_numbered"] > 0


def _draw(report: Report) -> dict[str, tuple[charts.Chart, str]]:
    """The pictures, with a description of each."""
    promises = report["promises"]
    drawn = {
        "cuts": (
            charts.cut_chart(report["curve"], only_at_most=_only_at_most(report)),
            "Recall and precision of the list against its length.",
        ),
        "histogram": (
            charts.histogram_chart(report["histogram"]),
            "Distribution of the scores of hidden positives and of unlabeled rows.",
        ),
        "methods": (charts.methods_chart(report["methods"]), "Hidden-positive AUC of each method."),
    }
    if report["calibration"] and not _only_at_most(report):
        chart = charts.calibration_chart(report["calibration"], report["curve"][-1]["n_listed"])
        drawn["calibration"] = (chart, "Posterior and counted share of positives along the list.")
    listed = promises and promises["positives"]
    if listed and listed["curve"]:
        chart = charts.false_share_chart(
            listed["curve"], class_prior=listed["class_prior"], fdr=listed["fdr"]
        )
        drawn["false_share"] = (chart, "Share of the listed rows that is negative by class prior.")
    if report["drivers"]:
        chart = charts.drivers_chart(report["drivers"])
        drawn["drivers"] = (chart, "Effect of the strongest features.")
    if 0 < len(report["structure"]) <= _DRAWN_EDGES:
        chart = charts.structure_chart(report["structure"])
        drawn["structure"] = (chart, "Which feature depends on which, as a tree.")
    return drawn


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
    environment.filters["times"] = _times
    environment.filters["rounded"] = "{:,.0f}".format
    environment.filters["count_or_none"] = lambda number: f"{number:,}" if number else "none"
    charts.check_drawable()
    pictures = {
        name: Markup(charts.to_svg(chart, description))  # noqa: S704 - drawn here, text in it escaped
        for name, (chart, description) in drawn.items()
    }
    return environment.get_template(template).render(pictures=pictures, **values)


def _times(ratio: float) -> str:
    """A ratio with two figures, 2.5, 890."""
    return f"{ratio:.1f}" if ratio < 10 else f"{float(f'{ratio:.2g}'):,.0f}"  # noqa: PLR2004 - of one digit


def _percent(share: float) -> str:
    """A share as a percentage with two figures, 0.0163 as 1.6 %."""
    percent = 100 * share
    digits = 0 if percent >= 10 or percent == 0 else 1 if percent >= 1 else 2  # noqa: PLR2004 - two figures
    return f"{percent:.{digits}f}\u202f%"
