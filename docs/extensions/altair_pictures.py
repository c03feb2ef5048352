"""Pictures of the gallery: the Altair chart that a block of an example ends in, as SVG."""

from typing import Any

import altair as alt
from sphinx_gallery.scrapers import figure_rst


def draw(_block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Save the chart that the last expression of a block gave, and show it on the page."""
    chart = variables["example_globals"].get("___")  # as Sphinx-Gallery names this value
    if not isinstance(chart, alt.TopLevelMixin) or chart is variables.get("drawn"):
        return ""
    variables["drawn"] = chart
    path = next(variables["image_path_iterator"]).replace(".png", ".svg")
    chart.save(path)
    return figure_rst([path], settings["src_dir"])


def _get_sg_image_scraper() -> Any:
    """What Sphinx-Gallery calls, for it takes the name of this module."""
    return draw
