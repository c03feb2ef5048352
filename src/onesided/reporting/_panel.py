"""A panel: one part of a page, with its facts, pictures and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from onesided._charts import Chart

Facts: TypeAlias = Mapping[str, Any]
"""Facts by their key in the report."""
Pictures: TypeAlias = Mapping[str, tuple[Chart, str]]
"""Charts by name, each with a description for people who cannot see the chart."""


def _no_pictures(_: Facts) -> Pictures:
    return {}


@dataclass(frozen=True)
class Panel:
    """One part of a page: a module, and the template beside it.

    Another package can add its own panel: pass it to `summarize`, `render` and `read_report` beside
    `PANELS`. Such a panel stores its facts as a dictionary under one key.

    Attributes
    ----------
    file : path of the module, `__file__`. Its stem is the `id` of the section, and the Jinja
        template has the same path with the ending .html. The template sees `report`, the
        dictionary; `pictures`, the drawn charts; and `links`, the name and the words of the link
        to each panel below. It may define the macros `title` of the page, and `script` for its end
    facts : makes the facts of the report from the record of the page, `Ranked` for a ranking
    link : words of the link from the head of the page to the panel; empty for no link
    charts : draws the pictures of a report
    form : TypedDict of the facts, by which `read_report` checks them; None for the panels of this
        package, whose facts are those of `Report`

    Examples
    --------
    >>> from onesided.reporting import Panel
    >>> panel = Panel("cost.py", lambda ranked: {"cost": {"n_rows": len(ranked.table)}}, "Cost")
    >>> panel.template.name  # the template that must be beside the module
    'cost.html'
    """

    file: str
    facts: Callable[[Any], Facts]
    link: str = ""
    charts: Callable[[Facts], Pictures] = _no_pictures
    form: Any = None

    @property
    def template(self) -> Path:
        """The file with the words."""
        return Path(self.file).with_suffix(".html")
