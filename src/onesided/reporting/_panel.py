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
    """One part of a page: a module, and a template in the same folder.

    Another package can add its own panel: pass the panel together with `PANELS` to `summarize`,
    `render` and `read_report`. Such a panel stores its facts as a dictionary under one key.

    Attributes
    ----------
    file : path of the module, `__file__`. Its stem is the `id` of the section, and the Jinja
        template has the same path with the ending .html. The template sees `report`, the
        dictionary; `pictures`, the drawn charts; and `links`, the name and the words of the link
        to each panel below. The template may define two macros: `title`, the title of the page,
        and `script`, which is put at the end of the page
    facts : function that makes the facts of the report from the record of the page; the record of a
        ranking is a `Ranked`
    link : words of the link from the head of the page to the panel; empty for no link
    charts : function that draws the pictures of a report
    form : TypedDict of the facts, by which `read_report` checks them; None for the panels of this
        package, whose facts are checked by `Report`

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
        """Path of the Jinja template of the panel, beside its module."""
        return Path(self.file).with_suffix(".html")
