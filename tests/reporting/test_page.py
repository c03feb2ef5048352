"""The page of a ranking in a real browser."""

import copy

import pandas as pd
import pytest

from onesided.reporting import render_html

MANY = 100_000


def show(page, path):
    page.goto(path.as_uri())
    return page


def show_dictionary(page, report, folder):
    path = folder / "page.html"
    path.write_text(render_html(report), encoding="utf-8")
    return show(page, path)


def listed(page):
    """Ranks and identifiers of the rows that are in the page."""
    return page.eval_on_selector_all(
        "#list tr[data-row]",
        "rows => rows.map(row => [row.cells[0].textContent, row.cells[1].textContent])",
    )


def with_candidates(report, n):
    """The same report with so many candidates."""
    many = copy.deepcopy(report)
    share = [(rank + 1) / n for rank in range(n)]
    many["candidates"] = {
        "identifier": [f"row {rank + 1}" for rank in range(n)],
        "title": None,
        "score": [1 - each for each in share],
        "share_of_known_positives": share,
        "posterior": [1 - each for each in share],
    }
    many["curve"][-1]["n_listed"] = n
    return many


def test_the_list_is_that_of_the_ranking(page, reported):
    ranking = pd.read_csv(reported / "customers-ranking.csv", dtype=str)
    show(page, reported / "r.html")
    rows = listed(page)
    assert len(rows) >= 10
    assert rows == ranking[["rank", "customer"]].to_numpy().tolist()[: len(rows)]


def test_slider_moves_the_list(page, reported, report):
    show(page, reported / "r.html")
    slider, said = page.locator("#cut"), page.locator("#cut-said")
    line = page.locator(".cut-line")
    before = float(line.get_attribute("x1"))
    place = report["suggested"]["place"]
    assert int(slider.input_value()) == place
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    point = report["curve"][place + 3]
    assert f"The first {point['n_listed']} of " in said.text_content()
    assert f"{100 * point['recall']:.0f}" in said.text_content()
    about = "at most" if report["prior"]["only_at_most"] else "about"
    assert f"{about} {point['positives']:.0f} of them are positive" in said.text_content()
    assert float(line.get_attribute("x1")) > before
    assert slider.get_attribute("aria-valuetext") == f"the first {point['n_listed']}"
    marked = page.locator("#list tr.listed").count()
    page.keyboard.press("Home")
    assert page.locator("#list tr.listed").count() == 1 < marked
    page.keyboard.press("End")
    assert "hold 100" in said.text_content()
    assert page.locator("#list tr[data-row]:not(.listed)").count() == 0


def test_search_finds_identifiers_and_words(page, reported, report):
    show(page, reported / "r.html")
    wanted = report["candidates"]["identifier"][170]
    page.locator("#search").fill(wanted.upper())
    assert listed(page) == [["171", wanted]]
    assert page.locator("#search-said").text_content().startswith("1 of ")
    page.locator("#search").fill("sunflower")
    n_with = sum("sunflower" in each for each in report["explanations"]["context"])
    assert page.locator("#search-said").text_content().startswith(f"{n_with} of ")
    page.locator("#search").fill("no such thing")
    assert listed(page) == []
    page.locator("#search").fill("")
    assert len(listed(page)) >= 10


def test_sorting(page, reported, report):
    show(page, reported / "r.html")
    head = page.locator("#list thead th").nth(1)
    head.locator("button").click()
    expected = sorted(each for each in report["candidates"]["identifier"] if each.startswith("c"))
    found = [name for _, name in listed(page) if name.startswith("c")]
    assert found == expected[: len(found)]
    assert head.get_attribute("aria-sort") == "ascending"
    page.locator("#list thead button", has_text="Score").click()
    page.locator("#list thead button", has_text="Score").click()
    scores = report["candidates"]["score"]
    assert scores[int(listed(page)[0][0]) - 1] == min(scores)
    assert head.get_attribute("aria-sort") is None


def test_a_candidate_explains_itself(page, reported, report):
    show(page, reported / "r.html")
    why, explanations = page.locator("#why"), report["explanations"]
    page.locator("#list tr[data-row='2'] button").click()
    text = why.text_content()
    assert report["candidates"]["identifier"][2] in text
    for feature, value in zip(explanations["feature"][2], explanations["value"][2], strict=True):
        assert explanations["names"][feature] in text
        assert value in text
    for place in explanations["nearest"][2]:
        assert explanations["known"][place] in text
    assert explanations["context"][2] in text
    page.locator("#scroll").focus()
    for _ in range(30):  # out of the window: the row comes into it
        page.keyboard.press("ArrowDown")
    assert report["candidates"]["identifier"][32] in why.text_content()
    assert page.locator("#list tr[aria-current]").is_visible()
    page.keyboard.press("ArrowUp")
    assert report["candidates"]["identifier"][31] in why.text_content()


def test_a_hundred_thousand_candidates(page, report, tmp_path):
    """Only the rows in view are in the page; each of the others can be reached."""
    show_dictionary(page, with_candidates(report, MANY), tmp_path)
    assert len(listed(page)) < 60
    page.evaluate("document.getElementById('scroll').scrollTop = 1e9")
    page.locator(f"#list tr[data-row='{MANY - 1}']").wait_for()
    assert listed(page)[-1] == [f"{MANY:,}", f"row {MANY}"]
    assert len(listed(page)) < 60
    page.locator("#search").fill(f"row {MANY // 2}")
    assert listed(page)[0] == [f"{MANY // 2:,}", f"row {MANY // 2}"]
    page.locator("#list tr[data-row] button").first.click()
    assert "are explained" in page.locator("#why").text_content()


@pytest.mark.parametrize("n", [1, 2, 11])
def test_few_candidates(page, report, tmp_path, n):
    few = with_candidates(report, n)
    few["curve"] = few["curve"][: n - 1] + few["curve"][-1:]
    few["suggested"]["place"] = 0
    show_dictionary(page, few, tmp_path)
    assert len(listed(page)) == n


def test_without_a_prior_and_explanations(page, report, tmp_path):
    plain = copy.deepcopy(report)
    plain["prior"] = None
    plain["candidates"]["posterior"] = None
    plain["calibration"] = plain["structure"] = plain["drivers"] = plain["enriched"] = []
    for name in ("positives", "precision"):
        for point in (*plain["curve"], *plain["top"], *plain["tenths"]):
            for each in (name, f"{name}_low", f"{name}_high"):
                point[each] = None
    plain["explanations"] |= {"feature": [[]] * 3, "effect": [[]] * 3, "value": [[]] * 3}
    plain["explanations"] |= {"context": [], "nearest": [[0]] * 3, "distance": [[1.0]] * 3}
    show_dictionary(page, plain, tmp_path)
    assert "positive (" not in page.locator("#cut-said").text_content()
    page.locator("#list tr[data-row='1'] button").click()
    assert plain["explanations"]["known"][0] in page.locator("#why").text_content()


def test_records_show_their_titles(page, report, tmp_path):
    titled = copy.deepcopy(report)
    n = len(titled["candidates"]["identifier"])
    titled["candidates"]["title"] = [f"<b>On {rank}</b>" for rank in range(n)]
    show_dictionary(page, titled, tmp_path)
    assert listed(page)[4] == ["5", "<b>On 4</b>"]
    page.locator("#search").fill("on 44<")
    assert listed(page) == [["45", "<b>On 44</b>"]]
    page.locator("#list tr[data-row] button").click()
    text = page.locator("#why").text_content()
    assert "<b>On 44</b>" in text
    assert titled["candidates"]["identifier"][44] in text


def test_markup_in_the_data_is_text(page, reported, report):
    """An identifier, the name of a column and a category that would be scripts."""
    nasty = next(each for each in report["candidates"]["identifier"] if "<" in each)
    show(page, reported / "r.html")
    page.locator("#search").fill(nasty)
    assert [name for _, name in listed(page)] == [nasty]
    page.locator("#list tr[data-row] button").click()
    assert nasty in page.locator("#why").text_content()
    assert page.evaluate("document.scripts.length") == 2


@pytest.mark.parametrize("width", [1000, 380])
def test_accessible(page, reported, width):
    """The checks of axe-core: names, roles, contrast, headings, focus."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.set_viewport_size({"width": width, "height": 900})
    show(page, reported / "r.html")
    found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "best-practice"]})
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_all_is_reached_by_keyboard(page, reported):
    show(page, reported / "r.html")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"cut", "search", "scroll", "A", "BUTTON"} <= reached


def test_without_scripts_the_first_candidates_show(browser, reported, report):
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto((reported / "r.html").as_uri())
    rows = plain.locator("#list tbody tr th").all_text_contents()
    context.close()
    assert rows == report["candidates"]["identifier"][:20]


def test_print_shows_the_list_and_no_controls(page, reported):
    show(page, reported / "r.html")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(listed(page)) > 100
    assert not page.locator("#search").is_visible()
    assert not page.locator("#cut").is_visible()
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert len(listed(page)) < 60
