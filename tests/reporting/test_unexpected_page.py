"""The page on new documents in a real browser, where all that it shows is markup."""

import json

import pandas as pd

from command_line import passed

NASTY = "<img src=x onerror=alert(1)>'\"&{{7*7}}"
KIND = "<script>alert(1)<"  # a folder: without a slash


def make(folder):
    for kind, word in ((KIND, "wheat"), ("ship", "cargo")):
        (folder / "known" / kind).mkdir(parents=True)
        for number in range(15):
            text = f"{word} {'harvest' if number % 2 else 'port'} {word}s & <b>"
            (folder / "known" / kind / f"{number}{NASTY}.txt").write_text(text)
    texts = ["wheat harvest wheats"] * 12 + ["goal <i>match</i> team league"] * 4
    ids = [f"{NASTY}{row}" for row in range(len(texts))]
    pd.DataFrame({"id": ids, "text": texts}).to_csv(folder / f"{NASTY}.csv", index=False)
    ask = (
        "unexpected",
        "--known",
        "known",
        "--new",
        f"{NASTY}.csv",
        "--text",
        "text",
        "--id",
        "id",
    )
    passed(*ask, "--fdr", "0.5", "--report", "new.html", cwd=folder)


def test_markup_is_shown_and_not_run(page, tmp_path):
    make(tmp_path)
    page.goto((tmp_path / "new.html").as_uri())
    shown = page.inner_text("body")
    assert f"{NASTY}12" in shown
    assert KIND in shown
    assert NASTY in page.title()
    assert page.locator("img").count() == 0


def test_markup_in_the_data_is_shown_and_not_run(page, tmp_path):
    """Somebody else's data of a report."""
    make(tmp_path)
    found = json.loads((tmp_path / "new.json").read_text(encoding="utf-8"))

    def nasty(value, key=""):
        if isinstance(value, dict):
            return {name: nasty(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [nasty(each) for each in value]
        return NASTY if isinstance(value, str) and key != "form" else value

    (tmp_path / "other.json").write_text(json.dumps(nasty(found)), encoding="utf-8")
    passed("report", "other.json", cwd=tmp_path)
    page.goto((tmp_path / "other.html").as_uri())
    assert page.inner_text("body").count(NASTY) > 10
    assert page.locator("img").count() == 0


def test_documents_show_their_text_and_are_searched(page, tmp_path):
    make(tmp_path)
    page.goto((tmp_path / "new.html").as_uri())
    articles = page.locator("#documents article")
    n_all = articles.count()
    assert n_all >= 4
    first = articles.first
    assert f"of kind {KIND}" in first.inner_text() or "of kind ship" in first.inner_text()
    first.locator("summary").click()
    assert first.locator("blockquote").inner_text() == "goal <i>match</i> team league"
    page.fill("#search", "league GOAL")
    assert page.locator("#documents article:visible").count() == 4
    assert page.inner_text("#search-said") == f"4 of {n_all}"
    page.fill("#search", "league nowhere")
    assert page.locator("#documents article:visible").count() == 0
    page.fill("#search", "")
    assert page.locator("#documents article:visible").count() == n_all


def test_a_narrow_screen_shows_groups_whole(page, tmp_path):
    make(tmp_path)
    page.set_viewport_size({"width": 400, "height": 700})
    page.goto((tmp_path / "new.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    words = page.locator("[aria-label=Groups] td:last-child").first.bounding_box()
    assert words["width"] > 180
