"""The dictionary of a report as one self-contained page."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from onesided.reporting import _charts as charts
from onesided.reporting._schema import Report


def render_html(report: Report) -> str:
    """A page that fetches nothing: style and pictures are inside, there is no script.

    Parameters
    ----------
    report : as `summarize_ranking` makes it; all text in it is escaped
    """
    environment = Environment(
        loader=PackageLoader("onesided.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = _percent
    environment.filters["count"] = "{:,}".format
    environment.filters["count_or_none"] = lambda number: f"{number:,}" if number else "none"
    pictures = {
        "recall": charts.to_svg(
            charts.recall_chart(report["curve"]),
            "Share of the hidden positives found against the number of candidates checked.",
        ),
        "histogram": charts.to_svg(
            charts.histogram_chart(report["histogram"]),
            "Distribution of the scores of hidden positives and of unlabeled rows.",
        ),
        "methods": charts.to_svg(
            charts.methods_chart(report["methods"]), "Hidden-positive AUC of each method."
        ),
    }
    if report["drivers"]:
        pictures["drivers"] = charts.to_svg(
            charts.drivers_chart(report["drivers"]), "Effect of the strongest features."
        )
    safe = {name: Markup(svg) for name, svg in pictures.items()}  # noqa: S704 - drawn here, text in it escaped
    best = next(method for method in report["methods"] if method["taken"])
    return environment.get_template("ranking.html").render(
        report=report, table=report["table"], best=best, pictures=safe
    )


def _percent(share: float) -> str:
    """A share as a percentage with two figures, 0.0163 as 1.6 %."""
    percent = 100 * share
    digits = 0 if percent >= 10 or percent == 0 else 1 if percent >= 1 else 2  # noqa: PLR2004
    return f"{percent:.{digits}f}\u202f%"
