"""All public names with their first sentences: ``.. summary::`` and the pages of names.

The pages become entries of the navigation too. The names are read off the pages, so a new name
appears by itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_NAMES = re.compile(
    r"^\.\. currentmodule:: (?P<module>\S+)\n\n"
    r"\.\. autosummary::\n(?: {3}:.*\n)+\n(?P<names>(?: {3}\w+\n)+)",
    re.MULTILINE,
)


class Summary(SphinxDirective):
    """A table for each page of names."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The nodes of the page."""
        here = Path(self.env.doc2path(self.env.docname)).parent
        lines = [".. toctree::", "   :hidden:", "", *(f"   {page}" for page in self.content), ""]
        for page in self.content:
            source = here / f"{page}.rst"
            self.env.note_dependency(str(source))
            lines += tables(page, source.read_text(encoding="utf-8"))
        return self.parse_text_to_nodes("\n".join(lines))


def tables(page: str, text: str) -> Iterator[str]:
    """Lines of reStructuredText: the tables of a page under a link to it."""
    yield from (f".. rubric:: :doc:`{page}`", "")
    for found in _NAMES.finditer(text):
        yield from (f".. currentmodule:: {found['module']}", "")
        yield from (".. autosummary::", "   :nosignatures:", "", found["names"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("summary", Summary)
    return {"parallel_read_safe": True}
