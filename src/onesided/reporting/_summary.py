"""From results to the dictionary of a report."""

from collections.abc import Sequence
from typing import Any

from onesided import __version__
from onesided._ranked import Ranked
from onesided.exceptions import DataError
from onesided.reporting._panel import Panel
from onesided.reporting.panels import PAGES, Report, UnexpectedReport
from onesided.reporting.panels.unexpected import FlaggedDocuments

_FIRST = (
    *("form", "version", "command", "table", "prior", "no_prior", "promises", "methods", "doubt"),
    *("curve", "top", "tenths", "suggested", "histogram", "calibration", "candidates"),
    *("explanations", "drivers", "structure", "enriched", "chance", "warnings"),
)
"""Keys in the order of the file, which is kept; those of other panels follow."""


def summarize(ranked: Ranked, panels: Sequence[Panel] = PAGES["ranking"]) -> Report:
    """All that the report of a ranking shows.

    Parameters
    ----------
    ranked : the ranking
    panels : whose facts the report holds

    Raises
    ------
    DataError : if two panels add the same key
    """
    found = _gathered("ranking", ranked, panels)
    # Sorting is stable, so that what is not in the list stays in the order of the panels.
    places = {name: place for place, name in enumerate(_FIRST)}
    names = sorted(found, key=lambda name: places.get(name, len(places)))
    report: Any = {name: found[name] for name in names}
    checked: Report = report
    return checked


def summarize_unexpected(
    found: FlaggedDocuments, panels: Sequence[Panel] = PAGES["unexpected"]
) -> UnexpectedReport:
    """All that the report on new documents shows.

    Parameters
    ----------
    found : the documents, and which of them are of no known kind
    panels : whose facts the report holds

    Raises
    ------
    DataError : if two panels add the same key
    """
    report: Any = _gathered("unexpected", found, panels)
    checked: UnexpectedReport = report
    return checked


def _gathered(
    form: str, record: Ranked | FlaggedDocuments, panels: Sequence[Panel]
) -> dict[str, Any]:
    found: dict[str, Any] = {"form": form, "version": __version__, "command": record.command}
    for panel in panels:
        facts = panel.facts(record)
        if taken := sorted(found.keys() & facts.keys()):
            raise DataError(
                f"The panel {panel.template.stem!r} adds {taken[0]!r}, a key that another has.",
                "Give the facts of the panel another key.",
            )
        found |= facts
    return found
