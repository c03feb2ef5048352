"""A folder of pages, and a browser that watches them."""

import pytest

from onesided.checking._page import render


class Folder:
    """Pages in a folder, each with its rows."""

    def __init__(self, path):
        self.path = path

    def write(self, data, name="check.html"):
        (self.path / name).write_text(render(data), encoding="utf-8")
        return (self.path / name).as_uri()


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture
def context(browser):
    """Tabs of one browser; after the test: nothing was fetched, and nothing went wrong."""
    opened = browser.new_context(viewport={"width": 1000, "height": 900})
    wrong = []
    opened.on("console", lambda message: wrong.append(message.text))
    opened.on("weberror", lambda error: wrong.append(str(error.error)))
    opened.on("request", lambda request: wrong.append(request.url) if is_far(request.url) else None)
    opened.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    yield opened
    opened.close()
    assert wrong == []


def is_far(address):
    return not address.startswith(("file:", "blob:"))


@pytest.fixture
def tab(context):
    return context.new_page()
