"""Results as a plain dictionary, and the dictionary as a page."""

from onesided.reporting._charts import check_drawable
from onesided.reporting._files import data_path, read_report, render, report_writers
from onesided.reporting._gains import gains_table
from onesided.reporting._html import render_html, render_unexpected
from onesided.reporting._promises import summarize_promises
from onesided.reporting._schema import CutPoint, PriorFacts, PromiseFacts, Report, UnexpectedReport
from onesided.reporting._summary import summarize_ranking, summarize_tenths
from onesided.reporting._unexpected import summarize_unexpected

__all__ = [
    "CutPoint",
    "PriorFacts",
    "PromiseFacts",
    "Report",
    "UnexpectedReport",
    "check_drawable",
    "data_path",
    "gains_table",
    "read_report",
    "render",
    "render_html",
    "render_unexpected",
    "report_writers",
    "summarize_promises",
    "summarize_ranking",
    "summarize_tenths",
    "summarize_unexpected",
]
