"""From results to the dictionary of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_type_hints

from onesided import __version__
from onesided._files._memory import give_memory_back
from onesided._ranked import Ranked
from onesided._validation import check_object
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
    check_object(ranked, "ranked", Ranked, by="onesided.rank_table")
    give_memory_back()
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

    Examples
    --------
    >>> from onesided.reporting import summarize_unexpected
    >>> from onesided.unexpected import Documents, compare_documents
    >>> known = Documents(["k1", "k2", "k3"], ["late parcel", "lost parcel", "parcel is late"])
    >>> new = Documents(["n1", "n2"], ["the parcel is lost", "my account was hacked"])
    >>> report = summarize_unexpected(compare_documents(known, new))
    >>> [document["identifier"] for document in report["documents"]]
    ['n2']
    """
    check_object(found, "found", "Unexpected", by="onesided.unexpected.find_unexpected")
    report: UnexpectedReport = _gathered("unexpected", found, command, panels)
    return report


def summarize_each(
    found: Any, command: str = "", panels: Sequence[Panel] | None = None
) -> EachReport:
    """The dictionary with everything that the report on the rankings of many values shows.

    Parameters
    ----------
    found : the record, an `onesided.ranking.RankedEach`
    command : the command line that makes the same report
    panels : the panels of the page, as in `summarize`

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.ranking import rank_each, read_each
    >>> from onesided.reporting import summarize_each
    >>> kinds = np.repeat(["owl", "jay", ""], [6, 3, 21])
    >>> table = pd.DataFrame({"wet": np.random.default_rng(0).normal(size=30), "species": kinds})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_csv(f"{folder}/records.csv", index=False)
    ...     given = read_each(f"{folder}/records.csv", "species")
    >>> found = rank_each(given, methods=["center-of-mass"])
    >>> report = summarize_each(found)
    >>> [each["value"] for each in report["values"]], [each["value"] for each in report["left_out"]]
    (['owl'], ['jay'])
    """
    check_object(found, "found", "RankedEach", by="onesided.ranking.rank_each")
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
