"""A headless browser."""

import os
import shutil

import pytest

RULES = {"runOnly": ["wcag2a", "wcag2aa", "best-practice"]}  # of axe


@pytest.fixture(scope="session")
def browser():
    """Chromium, run by Playwright; it is a program of the system, not a package."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("there is no Chromium; name it as CHROMIUM")
    with sync_api.sync_playwright() as started:
        # No sandbox, which root cannot have; nothing but our own page is opened.
        opened = started.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()
