"""A panel: one part of a page, with the facts, pictures and words that it shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from onesided._charts import Chart

Facts: TypeAlias = Mapping[str, Any]
"""Keys of a report."""
Pictures: TypeAlias = Mapping[str, tuple[Chart, str]]
"""Charts by name, each with a description for people who do not see it."""


def _no_pictures(_: Facts) -> Pictures:
    return {}


@dataclass(frozen=True)
class Panel:
    """One part of a page: a module, and the template beside it.

    A package of its own can add a panel: `summarize`, `render` and `read_report` take one beside
    ours. Such a panel stores its facts under one key, and the value is a dictionary.

    Attributes
    ----------
    file : of the module, `__file__`. Its stem is the `id` of the section of the page, and with the
        ending .html it is the Jinja template. The template sees `report`, the dictionary;
        `pictures`, the drawn charts; and `links`, the name and the link of each panel below. It
        may define macros `title`, of the page, and `script`, for the end of the page
    facts : from the record of the page, which is `Ranked` for a ranking, to keys of the report
    link : words of the link to the panel from the head of the page, empty for no link
    charts : draws the pictures of a report
    form : TypedDict of the keys, by which `read_report` checks them; None for our panels, whose
        keys are those of `Report`
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
