"""Results as a plain dictionary, and the dictionary as a page."""

from onesided.reporting._html import render_html, render_unexpected
from onesided.reporting._schema import Report, UnexpectedReport
from onesided.reporting._summary import summarize_ranking
from onesided.reporting._unexpected import summarize_unexpected

__all__ = [
    "Report",
    "UnexpectedReport",
    "render_html",
    "render_unexpected",
    "summarize_ranking",
    "summarize_unexpected",
]
