"""Results as a plain dictionary, and the dictionary as a page."""

from __future__ import annotations

from onesided._candidates import CutPoint, gains_table
from onesided._public import name_publicly
from onesided.prior import PriorFacts
from onesided.reporting._charts import check_drawable
from onesided.reporting._files import check_page, data_path, read_report, report_writers
from onesided.reporting._page import render
from onesided.reporting._panel import Panel
from onesided.reporting._report import Page
from onesided.reporting._summary import summarize, summarize_each, summarize_unexpected
from onesided.reporting.panels import PANELS, Report
from onesided.reporting.panels.promises import PromiseFacts
from onesided.reporting.panels.unexpected import UnexpectedReport

__all__ = [
    "PANELS",
    "CutPoint",
    "Page",
    "Panel",
    "PriorFacts",
    "PromiseFacts",
    "Report",
    "UnexpectedReport",
    "check_drawable",
    "check_page",
    "data_path",
    "gains_table",
    "read_report",
    "render",
    "report_writers",
    "summarize",
    "summarize_each",
    "summarize_unexpected",
]

name_publicly(__name__)
