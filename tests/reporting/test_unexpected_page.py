"""The page on new documents in a real browser, where all that it shows is markup."""

import json
import shlex

import numpy as np
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
    assert "It shares no word with a known document." in first.inner_text()
    assert f"of kind {KIND}" not in first.inner_text()
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


def many(folder):
    """1,200 new documents, of which 150 are in 15 groups of no known kind."""
    rng = np.random.default_rng(3)
    words = ["corn", "barley", "rye"]
    known = [f"wheat harvest grain {rng.choice(words)} field" for _ in range(60)]
    pd.DataFrame({"ticket": range(60), "text": known}).to_csv(folder / "known.csv", index=False)
    texts = [f"wheat harvest grain {rng.choice(words)} field"] * 1050
    names = [f"topic{chr(97 + n)}" for n in range(15)]
    texts += [" ".join([f"{name}{k}" for k in range(6)] * 2) for name in names for _ in range(10)]
    new = pd.DataFrame({"ticket": [f"T{n}" for n in range(1200)], "text": texts})
    new.to_csv(folder / "new mail.csv", index=False)
    ask = ["unexpected", "--known", "known.csv", "--new", "new mail.csv", "--id", "ticket"]
    return passed(*ask, "--kind", "", "--report", "r.html", "--out", "first.csv", cwd=folder)


def test_a_page_on_many_documents_is_short(page, tmp_path):
    many(tmp_path)
    page.goto((tmp_path / "r.html").as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") < 9000
    articles = page.locator("#documents article:visible")
    n_all = page.locator("#documents article").count()
    assert n_all >= 150
    assert articles.count() == 20
    page.locator("#more").click()
    assert articles.count() == 40
    page.get_by_role("searchbox").fill("T1199")  # further down than what is shown
    assert articles.count() == 1
    assert page.locator("#more").is_hidden()
    page.get_by_role("searchbox").fill("")
    assert articles.count() == 20
    assert page.locator("tbody tr:visible button[data-group]").count() == 10
    page.locator("summary", has_text="The other 5 groups").click()
    assert page.locator("tbody tr:visible button[data-group]").count() == 15


def test_a_click_prints_the_command_that_adopts_a_group(page, tmp_path):
    many(tmp_path)
    page.goto((tmp_path / "r.html").as_uri())
    page.locator("button[data-group]").nth(1).click()
    command = page.locator("#adopt-command")
    assert command.inner_text().endswith("--make-known 2=KIND")
    page.get_by_label("Name of the kind").fill("it's new")
    words = shlex.split(command.inner_text())
    assert words[:2] == ["onesided", "unexpected"]
    assert words[-2:] == ["--make-known", "2=it's new"]
    done = passed(*words[1:], cwd=tmp_path)
    assert "70 known documents, of 2 kinds" in done.stderr
    assert (tmp_path / "first-again.csv").exists()
