"""From results to the dictionary of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_type_hints

from onesided import __version__
from onesided._ranked import Ranked
from onesided.exceptions import DataError
from onesided.reporting._panel import Panel
from onesided.reporting.panels import PAGES, Report
from onesided.reporting.panels.each import EachReport
from onesided.reporting.panels.unexpected import UnexpectedReport


def summarize(ranked: Ranked, panels: Sequence[Panel] | None = None) -> Report:
    """The dictionary with everything that the report of a ranking shows.

    Parameters
    ----------
    ranked : the record of the ranking
    panels : the panels of the page, by default `PANELS`; other packages can add their own

    Raises
    ------
    DataError : if two panels add the same key

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes"])
    >>> from onesided.reporting import summarize
    >>> sorted(summarize(ranking))[:4]
    ['averaged', 'calibration', 'candidates', 'chance']
    """
    report: Report = _gathered("ranking", ranked, ranked.command, panels)
    return report


def summarize_unexpected(
    found: Any, command: str = "", panels: Sequence[Panel] | None = None
) -> UnexpectedReport:
    """The dictionary with everything that the report on new documents shows.

    Parameters
    ----------
    found : the record, an `onesided.unexpected.Unexpected`
    command : the command line that makes the same report
    panels : the panels of the page, as in `summarize`
    """
    report: UnexpectedReport = _gathered("unexpected", found, command, panels)
    return report


def summarize_each(
    found: Any, command: str = "", panels: Sequence[Panel] | None = None
) -> EachReport:
    """The dictionary with everything that the report on many rankings shows.

    Parameters
    ----------
    found : the record, an `onesided.ranking.RankedEach`
    command : the command line that makes the same report
    panels : the panels of the page, as in `summarize`
    """
    report: EachReport = _gathered("each", found, command, panels)
    return report


def _gathered(form: str, record: Any, command: str, panels: Sequence[Panel] | None) -> Any:
    kind, ours = PAGES[form]
    found: dict[str, Any] = {"form": form, "version": __version__, "command": command}
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
