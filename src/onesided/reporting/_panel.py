"""A panel: one part of a page, with the facts, pictures and words that it shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from onesided._charts import Chart

Pictures: TypeAlias = Mapping[str, tuple[Chart, str]]
"""Charts by name, each with a description for people who do not see it."""


class Head(TypedDict):
    """Keys of every report: the version and the command that made it."""

    version: str
    command: str


def _no_pictures(_: Any) -> Pictures:
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
    form : TypedDict of the keys that the panel adds to the report
    facts : makes these keys from the record of the page, which is `Ranked` for a ranking
    link : words of the link to the panel from the head of the page, empty for no link
    charts : draws the pictures of a report
    """

    file: str
    form: Any
    facts: Callable[[Any], Mapping[str, object]]
    link: str = ""
    charts: Callable[[Any], Pictures] = _no_pictures

    @property
    def template(self) -> Path:
        """The file with the words."""
        return Path(self.file).with_suffix(".html")
