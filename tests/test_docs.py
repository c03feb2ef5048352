"""What the pages show in Python comes out as they say."""

import doctest
from pathlib import Path

import pytest

PAGES = [
    page
    for page in sorted((Path(__file__).parents[1] / "docs").glob("*.rst"))
    if ">>>" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_snippets_come_out_as_shown(page):
    failed, tried = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert tried
    assert not failed
