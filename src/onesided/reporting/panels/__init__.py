"""The panels of each page, in its order."""

from collections.abc import Mapping
from typing import Literal

from onesided.reporting._panel import Head, Panel
from onesided.reporting.panels import (
    answer,
    candidates,
    drivers,
    evidence,
    prior,
    promises,
    table,
    unexpected,
)

PANELS: tuple[Panel, ...] = (
    answer.PANEL,
    candidates.PANEL,
    prior.PANEL,
    promises.PANEL,
    evidence.PANEL,
    drivers.PANEL,
    table.PANEL,
)
"""The page of a ranking."""


class Report(
    Head,
    answer.AnswerKeys,
    candidates.CandidateKeys,
    prior.PriorKeys,
    promises.PromiseKeys,
    evidence.EvidenceKeys,
    drivers.DriverKeys,
    table.TableKeys,
):
    """A ranking and the evidence for it: the keys that the panels add."""

    form: Literal["ranking"]


class UnexpectedReport(Head, unexpected.UnexpectedKeys):
    """New documents that belong to no known kind."""

    form: Literal["unexpected"]


PAGES: Mapping[str, tuple[Panel, ...]] = {"ranking": PANELS, "unexpected": (unexpected.PANEL,)}
"""Panels by the form of a report."""
