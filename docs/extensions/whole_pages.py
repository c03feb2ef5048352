"""Built pages are whole: their links lead somewhere, and they fetch nothing from another host.

A page that fails this is a warning of the build, which `develop.py docs` takes for an error.
"""

import re
from collections.abc import Iterator
from functools import cache
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.util import logging

_TAG = re.compile(r'<(\w+)\b[^>]*?\s(?:src|href)="([^"]*)"')
_ID = re.compile(r'\s(?:id|name)="([^"]*)"')
_IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")


def problems_of(folder: Path) -> Iterator[str]:
    """Sentences about broken links and about what is fetched, in the files of a folder."""
    pages = [page for page in sorted(folder.rglob("*.html")) if "_static" not in page.parts]
    for page in pages:
        for tag, address in sorted(set(_TAG.findall(page.read_text(encoding="utf-8")))):
            if problem := problem_of(page, tag, address.replace("&amp;", "&")):
                yield f"{page.relative_to(folder)} {problem}."
    for file in sorted([*pages, *folder.rglob("*.css"), *folder.rglob("*.svg")]):
        for address in sorted(set(_IN_STYLE.findall(file.read_text(encoding="utf-8")))):
            yield f"{file.relative_to(folder)} fetches {address}."


def problem_of(page: Path, tag: str, address: str) -> str:
    """What is wrong with an address on a page; empty if nothing is."""
    where = urlsplit(address)
    if where.scheme or where.netloc:
        is_resource = tag != "a" and where.scheme not in {"data", "mailto"}
        return f"fetches {address}" if is_resource else ""
    target = target_of(page.parent, unquote(where.path)) if where.path else page
    if target is None:
        return f"links to {address}, which does not exist"
    is_place = where.fragment and target.suffix == ".html"
    if is_place and unquote(where.fragment) not in ids_of(target):
        return f"links to {address}, a place that does not exist"
    return ""


@cache
def target_of(folder: Path, path: str) -> Path | None:
    """The file that a path of a page in a folder leads to, if it exists."""
    target = Path(normpath(folder / path))
    return target if target.exists() else None


@cache
def ids_of(page: Path) -> set[str]:
    """The places of a page that links can lead to."""
    return set(_ID.findall(page.read_text(encoding="utf-8")))


def check(app: Sphinx, failure: Exception | None) -> None:
    """Warn of each problem."""
    if failure is None and app.builder.format == "html":
        for problem in problems_of(Path(app.outdir)):
            logging.getLogger(__name__).warning("%s", problem)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the check."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
