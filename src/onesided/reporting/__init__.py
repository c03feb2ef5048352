"""Results as a plain dictionary, and the dictionary as a page."""

from onesided.reporting._html import render_html
from onesided.reporting._schema import Report
from onesided.reporting._summary import summarize_ranking

__all__ = ["Report", "render_html", "summarize_ranking"]
