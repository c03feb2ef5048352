"""A report in Python: shown, opened in a browser, or written."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from onesided._files._find import as_path
from onesided.reporting._files import check_page, report_writers
from onesided.reporting._page import render
from onesided.reporting._panel import Panel
from onesided.tables import write_files


class Page:
    """A report. A notebook shows the page itself.

    Parameters
    ----------
    data : all numbers and text of the page, as a plain dictionary
    panels : the panels of the page, as in `render`

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes"])
    >>> page = ranking.report()
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> page.save(folder / "sizes.html")
    >>> sorted(path.name for path in folder.iterdir())
    ['sizes.html', 'sizes.json']
    """

    def __init__(self, data: Any, panels: Sequence[Panel] | None = None) -> None:
        self.data = data
        self.panels = panels

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page, and its numbers as a .json file beside the page: both files, or none.

        Parameters
        ----------
        path : path of the page, .html

        Raises
        ------
        TableError : if one of the two files cannot be written, or would replace another file
        """
        page = as_path(path, "path")
        check_page(page)
        write_files(self.writers(page))

    def writers(self, page: str | PathLike[str]) -> dict[Path, Callable[[Path], None]]:
        """The functions that write the page and its data, for `onesided.tables.write_files`.

        Parameters
        ----------
        page : path of the page
        """
        return report_writers(self.data, as_path(page, "page"), self.panels)

    def open(self) -> None:
        """Show the page in a browser."""
        with tempfile.NamedTemporaryFile(
            "w", suffix=".html", encoding="utf-8", delete=False
        ) as file:
            file.write(render(self.data, self.panels))
        webbrowser.open(Path(file.name).as_uri())

    def _repr_html_(self) -> str:
        page = escape(render(self.data, self.panels))
        return (
            f'<iframe srcdoc="{page}" title="Report" '
            'style="width: 100%; height: 40em; border: 0"></iframe>'
        )
