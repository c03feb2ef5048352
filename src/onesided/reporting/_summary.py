"""From results to the dictionary of a report."""

from collections.abc import Sequence
from typing import Any, get_type_hints

from onesided import __version__
from onesided._ranked import Ranked
from onesided.exceptions import DataError
from onesided.reporting._panel import Panel
from onesided.reporting.panels import PAGES, Report
from onesided.reporting.panels.unexpected import FlaggedDocuments, UnexpectedReport


def summarize(ranked: Ranked, panels: Sequence[Panel] | None = None) -> Report:
    """All that the report of a ranking shows.

    Parameters
    ----------
    ranked : the ranking
    panels : ours, `PANELS`, and those of other packages; by default ours

    Raises
    ------
    DataError : if two panels add the same key
    """
    report: Report = _gathered("ranking", ranked, panels)
    return report


def summarize_unexpected(
    found: FlaggedDocuments, panels: Sequence[Panel] | None = None
) -> UnexpectedReport:
    """All that the report on new documents shows, from panels as in `summarize`.

    Parameters
    ----------
    found : the documents, and which of them are of no known kind
    panels : of the page
    """
    report: UnexpectedReport = _gathered("unexpected", found, panels)
    return report


def _gathered(form: str, record: Ranked | FlaggedDocuments, panels: Sequence[Panel] | None) -> Any:
    kind, ours = PAGES[form]
    found: dict[str, Any] = {"form": form, "version": __version__, "command": record.command}
    for panel in ours if panels is None else panels:
        facts = panel.facts(record)
        if taken := sorted(found.keys() & facts.keys()):
            raise DataError(
                f"The panel {panel.template.stem!r} adds {taken[0]!r}, a key that another "
                "panel has.",
                "Give the facts of the panel another key.",
            )
        found |= facts
    names = [name for name in get_type_hints(kind) if name in found]
    return {name: found[name] for name in dict.fromkeys([*names, *found])}
