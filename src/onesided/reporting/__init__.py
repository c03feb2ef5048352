"""Results as a plain dictionary, and the dictionary as a page."""

from onesided.reporting._html import render_html, render_unexpected
from onesided.reporting._promises import summarize_prior, summarize_promises
from onesided.reporting._schema import PriorFacts, PromiseFacts, Report, UnexpectedReport
from onesided.reporting._summary import places_shown, summarize_ranking
from onesided.reporting._unexpected import summarize_unexpected

__all__ = [
    "PriorFacts",
    "PromiseFacts",
    "Report",
    "UnexpectedReport",
    "places_shown",
    "render_html",
    "render_unexpected",
    "summarize_prior",
    "summarize_promises",
    "summarize_ranking",
    "summarize_unexpected",
]
