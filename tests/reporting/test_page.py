"""The page of a ranking in a real browser."""

import copy
import re

import pandas as pd
import pytest
from numpy.testing import assert_allclose

from onesided._text import as_percent
from onesided.reporting import render

MANY = 100_000
CUT_OFF = """all => all.filter(each => each.scrollWidth > each.clientWidth + 1
    || each.scrollHeight > each.clientHeight + 2).map(each => each.textContent)"""
LINES = """all => all.map(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getClientRects().length;
})"""


def show(page, path):
    page.goto(path.as_uri())
    return page


def show_dictionary(page, report, folder):
    path = folder / "page.html"
    path.write_text(render(report), encoding="utf-8")
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
        "recall": share,
        "posterior": [1 - each for each in share],
        "posterior_at_most": None,
    }
    many["curve"][-1]["n_listed"] = n
    return many


def with_bounds(report):
    """The same report if only an upper bound of the number of positives were known."""
    told = copy.deepcopy(report)
    told["calibration"] = []  # bounds are not compared with counts
    prior = told["prior"]
    prior["only_at_most"] = True
    for name in ("class_prior", "n_hidden"):
        prior[f"{name}_at_most"], prior[name] = prior[name], None
    for facts in (told["candidates"], *told["curve"], *told["top"], *told["tenths"]):
        for name in ("posterior", "positives", "precision"):
            if name in facts:
                facts[f"{name}_at_most"] = facts[name]
                facts.update(dict.fromkeys({name, f"{name}_low", f"{name}_high"} & facts.keys()))
                facts.update({f"{name}_plausible": None} if name != "posterior" else {})
    return told


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
    n_with = sum("sunflower" in each for each in report["explanations"]["text"])
    assert page.locator("#search-said").text_content().startswith(f"{n_with} of ")
    page.locator("#search").fill("")
    assert len(listed(page)) >= 10


def test_all_words_must_occur_in_any_order(page, report, tmp_path):
    """Accents and case aside, in identifier, title and text."""
    titled = copy.deepcopy(report)
    n = len(titled["candidates"]["identifier"])
    titled["candidates"]["title"] = [f"Weizen und Ma\u00efs {rank}" for rank in range(n)]
    titled["explanations"]["text"] = ["Zoll in Z\u00fcrich"] * 3 + ["Zoll in Bern"] * (n - 3)
    show_dictionary(page, titled, tmp_path)
    page.locator("#search").fill("  ZURICH mais\u00a0weizen ")
    assert [rank for rank, _ in listed(page)] == ["1", "2", "3"]
    page.locator("#search").fill("zu\u0308rich bern")
    assert listed(page) == []


def test_a_search_says_what_it_did_not_find(page, reported, report):
    show(page, reported / "r.html")
    search, said, why = (page.locator(f"#{name}") for name in ("search", "search-said", "why"))
    assert report["candidates"]["identifier"][0] in why.text_content()
    search.fill("no such thing")
    assert listed(page) == []
    assert said.text_content() == "No candidate has \u201cno such thing\u201d."
    assert why.text_content() == ""
    known = report["explanations"]["known"][3]
    search.fill(known.upper())
    assert said.text_content() == f"{known} is a known positive, so it is not a candidate."
    search.fill(report["candidates"]["identifier"][7])
    assert report["candidates"]["identifier"][7] in why.text_content()


@pytest.mark.parametrize(
    ("identifier", "address"),
    [
        ("10.1016/j.jfm.4385<1>", "https://doi.org/10.1016/j.jfm.4385%3C1%3E"),
        ("doi:10.1016/X", "https://doi.org/10.1016/X"),
        ("https://example.org/a?b=c", "https://example.org/a?b=c"),
        ("javascript:alert(1)//https://x", None),
        ("javascript://x%0aalert(1)", None),
        ("10.5", None),
    ],
)
def test_addresses_are_links(page, report, tmp_path, identifier, address):
    linked = copy.deepcopy(report)
    linked["candidates"]["identifier"][0] = identifier
    show_dictionary(page, linked, tmp_path)
    links = page.locator("#why h3 a")
    assert links.count() == (address is not None)
    if address:
        assert links.get_attribute("href") == address
        assert links.get_attribute("rel") == "noopener noreferrer"
    assert page.locator("#why h3").text_content() == f"1. {identifier}"


@pytest.mark.parametrize(
    ("measure", "n_numbers", "text", "said"),
    [
        ("cosine", 0, "garden", "computed from their words; 0"),
        ("cosine", 0, "", "This row has no text, so no nearest known positives are listed."),
        ("cosine", 3, "garden", "computed from all columns, including words; 0"),
        (
            "cosine",
            3,
            "",
            "computed from all columns except the text, which is empty in this row; 0",
        ),
        ("euclidean", 3, "", "computed from all columns, each in standard deviations; 0"),
    ],
)
def test_what_nearness_is_of(page, report, tmp_path, measure, n_numbers, text, said):
    near = copy.deepcopy(report)
    near["table"] |= {"n_numbers": n_numbers, "n_categories": 0, "n_numbered": 0}
    near["explanations"]["measure"] = measure
    near["explanations"]["text"][0] = near["explanations"]["context"][0] = text
    show_dictionary(page, near, tmp_path)
    assert said in page.locator("#why").text_content()


def test_the_text_of_a_candidate_can_be_read(page, report, tmp_path):
    """Once opened it stays open for the next."""
    long = copy.deepcopy(report)
    long["explanations"]["text"][:2] = ["The first " + "word " * 200, "The second " + "word " * 200]
    show_dictionary(page, long, tmp_path)
    assert not page.locator("#why details p").is_visible()
    page.locator("#why summary").click()
    assert page.locator("#why details p").text_content().startswith("The first word")
    page.locator("#list tr[data-row='1'] button").click()
    assert page.locator("#why details p").is_visible()
    assert page.locator("#why details p").text_content().startswith("The second word")


@pytest.mark.parametrize(("doubt", "words"), [("leak", "too good?"), ("chance", "may be chance")])
def test_in_doubt_no_answer_shines(page, report, tmp_path, doubt, words):
    doubted = copy.deepcopy(report) | {"doubt": doubt, "warnings": ["Look at this."]}
    show_dictionary(page, doubted, tmp_path)
    large = page.locator(".answers strong")
    assert large.nth(2).text_content() == words
    assert "first" not in large.nth(1).text_content().replace("check first", "")
    sizes = large.evaluate_all(
        "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert max(sizes) < 20
    above = page.locator(".warning").bounding_box()
    assert above["y"] + above["height"] < page.locator(".answers").bounding_box()["y"]


def test_void_promises_are_said_first(page, report, tmp_path):
    void = copy.deepcopy(report)
    void["promises"] = {
        "n_held_out": 20,
        "n_rows": 358,
        "confidence": 0.95,
        "label_odds_ratio": 1.0,
        "upper_bound": 0.1,
        "prior_at_least": 0.2,
        "scar_p_value": 0.001,
        "labels_uneven": True,
        "recall": {
            "recall": 0.9,
            "n_rows": 100,
            "n_below": 1,
            "level": 0.96,
            "n_hidden": None,
            "level_among": None,
        },
        "discard": None,
        "positives": None,
    }
    show_dictionary(page, void, tmp_path)
    warning = page.locator(".warning").first
    assert "No promise holds." in warning.text_content()
    assert warning.bounding_box()["y"] < page.locator(".answers").bounding_box()["y"]


@pytest.mark.parametrize("only_at_most", [True, False])
def test_posteriors_are_checked_where_they_are_estimates(page, report, tmp_path, only_at_most):
    told = with_bounds(report) if only_at_most else report
    show_dictionary(page, told, tmp_path)
    shown = page.locator("h3", has_text="Are the posteriors right?").count()
    assert shown == (not only_at_most)


@pytest.mark.parametrize("n_edges", [20, 21])
def test_a_large_network_is_a_list(page, report, tmp_path, n_edges):
    """The strongest edges first; a drawing of it would be wider than any page."""
    network = copy.deepcopy(report)
    network["structure"] = [
        {"parent": f"f{j // 2}", "child": f"f{j + 1}", "weight": (7 * j % n_edges) / n_edges}
        for j in range(n_edges)
    ]
    show_dictionary(page, network, tmp_path)
    first = max(network["structure"], key=lambda edge: edge["weight"])
    row = page.locator("#drivers tr", has_text=f"{first['child']}{first['parent']}")
    assert row.count() == (n_edges > 20)
    assert page.locator("figure.wide").count() == (n_edges <= 20)


def test_plain_words(reported):
    text = re.sub(r"\s+", " ", (reported / "r.html").read_text("utf-8"))
    shown = re.sub(r"<script.*?</script>", "", text)
    for words in ("nats", "missingindicator", "recall squared", "= None", ": lower", ": higher"):
        assert words not in shown
    script = re.findall(r"<script>.*?</script>", text)[0]
    assert "nats" not in script


def marked(page):
    """The sheet of marks that the page saves."""
    with page.expect_download() as found:
        page.get_by_role("button", name="Save sheet").click()
    return found.value.path().read_text(encoding="utf-8")


def test_candidates_are_marked_by_keys(page, reported, report):
    """Marks are kept, and saved with the columns of a sheet of verdicts."""
    ids = report["candidates"]["identifier"]
    show(page, reported / "r.html")
    page.locator("#list tr[data-row='1'] button").click()
    for key in ("y", "ArrowRight", "n", "?", "u", "Backspace", "y", "?"):
        page.keyboard.press(key)
    assert ids[5] in page.locator("#why h3").text_content()
    sheet = marked(page)
    assert sheet.splitlines() == [
        '"customer","rank","stands_for","verdict","note"',
        f'"{ids[1]}",2,,"yes",',
        f'"{ids[3]}",4,,"yes",',
        f'"{ids[4]}",5,,"?",',
    ]
    page.locator("#search").fill(f"{ids[1]}")
    assert [name for _, name in listed(page)] == [f"yes {ids[1]}"]
    page.locator("#marking [data-wish='no']").click()
    assert [name for _, name in listed(page)] == [f"no {ids[1]}"]
    for key in "yn?u":
        page.locator("#length").press(key)  # keys of other parts of the page mark nothing
        page.locator("#search").press(key)
    again = page.context.new_page()
    show(again, reported / "r.html")
    assert marked(again) == sheet.replace(f'{ids[1]}",2,,"yes"', f'{ids[1]}",2,,"no"')
    files = {"name": "m.csv", "mimeType": "text/csv", "buffer": sheet.encode()}
    again.locator("#sheet-file").set_input_files(files)
    again.locator("#sheet-said", has_text="3 rows of m.csv fitted, and 1 row changed.").wait_for()
    assert marked(again) == sheet


def test_marks_of_another_ranking_are_apart(page, report, tmp_path):
    show_dictionary(page, report, tmp_path)
    page.locator("#list tr[data-row='0'] button").click()
    page.keyboard.press("y")
    other = page.context.new_page()
    reverse = copy.deepcopy(report)
    reverse["candidates"]["score"][0] = 0.5
    show_dictionary(other, reverse, tmp_path)
    assert len(marked(page).splitlines()) == 2
    assert len(marked(other).splitlines()) == 1


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
    assert "Only the first 358 candidates are explained." in page.locator("#why").text_content()


@pytest.mark.parametrize("length", [1, 7, 137, 358])
def test_a_list_of_any_length(page, reported, report, length):
    """Its recall is that of the ranking, the positives in it between those of the curve."""
    ranking = pd.read_csv(reported / "customers-ranking.csv")
    show(page, reported / "r.html")
    said, box = page.locator("#cut-said"), page.locator("#length")
    box.fill(str(length))
    text = said.text_content()
    recall = re.match(rf"The first {length} of 358 unlabeled rows hold ([\d.]+)", text)[1]
    share = ranking["recall"][length - 1]
    assert_allclose(float(recall), 100 * share, atol=0.5)
    before, after = (
        [point for point in report["curve"] if point["n_listed"] <= length][-1],
        next(point for point in report["curve"] if point["n_listed"] >= length),
    )
    found = re.search(r"(?:about|most|to) ([\d,]+) of these rows are", text)
    positives = float(found[1].replace(",", ""))
    assert before["positives"] - 1 < positives < after["positives"] + 1
    assert page.evaluate("document.querySelector('#cut').value") == str(
        report["curve"].index(after)
    )
    box.fill("0")
    assert f"The first {length} of " in said.text_content()
    box.blur()
    assert box.input_value() == str(length)


@pytest.mark.parametrize(
    ("only_at_most", "shares", "said"),
    [
        (True, (0.2, 0.6, 0.6), "at most {1} of these rows are positive"),
        (True, (0.2, 1, 1), "the data do not tell how many of these rows are positive"),
        (False, (0.2, 0.4, 0.6), "about {1} of these rows are positive"),
        (False, (0.2, 0.6, 0.6), "{0} to {2} of these rows are positive"),
        (False, (0.6, 0.6, 0.6), "about {1} of these rows are positive"),
    ],
)
def test_how_many_of_the_list_are_positive(page, report, tmp_path, only_at_most, shares, said):
    """Where the estimate is the upper end it is not told as one number; the card says the same."""
    told = with_bounds(report) if only_at_most else copy.deepcopy(report)
    point = told["curve"][told["suggested"]["place"]]
    numbers = [share * point["n_listed"] for share in shares]
    ends = ("_low", "", "_high")
    if only_at_most:
        ends, shares, numbers = ("_at_most",), shares[1:2], numbers[1:2] * 2
    for end, share, number in zip(ends, shares, numbers, strict=False):
        point |= {f"precision{end}": share, f"positives{end}": number}
    show_dictionary(page, told, tmp_path)
    said = said.format(*map(round, numbers))
    assert said in page.locator("#cut-said").text_content()
    assert said in " ".join(page.locator(".answers").text_content().split())


@pytest.mark.parametrize("bound", [0.5, 1.0])
def test_the_bound_without_assumptions_is_said_once(report, bound):
    told = with_bounds(report)
    told["prior"] |= {"label_odds_ratio": 1.0, "high": 0.3, "class_prior_at_most": 0.3}
    told["prior"]["upper_bounds"] = [
        {"label_odds_ratio": ratio, "class_prior": share} for ratio, share in ((1, bound), (3, 1.0))
    ]
    text = " ".join(re.findall(r'<dl class="answers.*?</dd>', render(told), re.DOTALL)[0].split())
    assert "positives and negatives are normally distributed" in text
    assert text.count("at most 50 %") == (bound < 1)
    assert text.count("(otherwise the data give no upper bound)") == (bound == 1)


def test_page_and_terminal_round_shares_alike(page, report, tmp_path):
    """The page writes the cells of the list and the sentence on its length by its own script."""
    shares = [0, 1.2e-8, 0.00003, 0.0089, 0.123456, 0.996, 0.99995, 0.99999951, 1 - 1e-12]
    few = with_candidates(report, 40)
    few["candidates"]["recall"][: len(shares)] = shares
    show_dictionary(page, few, tmp_path)
    cells = page.locator("[role=row]").all_inner_texts()
    for place, share in enumerate(shares):
        page.locator("#length").fill(str(place + 1))
        said = as_percent(share).replace("%", "\u202f%")
        assert f"hold {said} of" in page.locator("#cut-said").inner_text()
        assert any(f"row {place + 1}\t" in cell and said in cell for cell in cells), said


def test_large_ratios_are_written_out(page, report, tmp_path):
    many = with_candidates(report, MANY)
    many["candidates"]["recall"][0] = 0.0089
    show_dictionary(page, many, tmp_path)
    page.locator("#length").fill("1")
    assert (
        "hold 0.89\u202f% of the positives, 890 times as many"
        in page.locator("#cut-said").text_content()
    )


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
    assert listed(page)[0] == ["45", "<b>On 44</b>"]
    page.locator("#list tr[data-row='44'] button").click()
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


def test_accessible(page, reported):
    """The checks of axe-core: names, roles, contrast, headings, focus."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    show(page, reported / "r.html")
    for width in (1000, 380):
        page.set_viewport_size({"width": width, "height": 900})
        found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "best-practice"]})
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_telephone_shows_names_numbers_and_letters(page, report, tmp_path):
    """Titles in two lines of the whole width, no cut heading, no broken number, no tiny letter."""
    titled = copy.deepcopy(report)
    n = len(titled["candidates"]["identifier"])
    titled["candidates"]["title"] = ["Stilling waters, a review of rivers, lakes and seas"] * n
    page.set_viewport_size({"width": 400, "height": 900})
    show_dictionary(page, titled, tmp_path)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for part in ("#list tbody button", "#list thead button", "thead th"):
        assert page.eval_on_selector_all(part, CUT_OFF) == []
    assert max(page.eval_on_selector_all("td.number:not(.ends)", LINES)) == 1
    heights = page.eval_on_selector_all(
        "#list tr[data-row]", "rows => rows.map(row => row.getBoundingClientRect().height)"
    )
    assert max(heights) - min(heights) < 0.5
    letters = page.eval_on_selector_all(
        "svg text",
        """all => all.map(each => parseFloat(getComputedStyle(each).fontSize)
            * each.ownerSVGElement.getBoundingClientRect().width
            / each.ownerSVGElement.viewBox.baseVal.width)""",
    )
    assert min(letters) >= 10


def test_charts_are_images_with_a_description(page, reported):
    show(page, reported / "r.html")
    images = page.get_by_role("img")
    assert images.count() == page.locator("figure svg").count() >= 4
    for what in ("Recall and precision of the list", "Hidden-positive AUC of each method"):
        assert page.get_by_role("img", name=what).count() == 1


def test_shares_have_three_figures(page, report, tmp_path):
    """In the page that was written, and where its script writes them."""
    close = copy.deepcopy(report)
    close["top"][0]["recall"] = close["candidates"]["recall"][9] = 0.09998
    show_dictionary(page, close, tmp_path)
    assert "10\u202f%" in page.locator("#evidence tbody tr").first.inner_text()
    page.locator("#length").fill("10")
    assert "hold 10\u202f% of" in page.locator("#cut-said").inner_text()


def test_all_is_reached_by_keyboard(page, reported):
    show(page, reported / "r.html")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"cut", "length", "search", "scroll", "A", "BUTTON"} <= reached


def test_without_scripts_the_first_candidates_show(browser, reported, report):
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto((reported / "r.html").as_uri())
    rows = plain.locator("#list tbody tr th").all_text_contents()
    context.close()
    assert rows == report["candidates"]["identifier"][:20]


@pytest.mark.parametrize("length", [50, 700, MANY])
def test_paper_has_the_list_of_the_chosen_length(page, report, tmp_path, length):
    """With a head that is repeated on each page, and one line on the rows that are left out."""
    show_dictionary(page, with_candidates(report, MANY if length == MANY else 2000), tmp_path)
    total = page.evaluate("Number(document.getElementById('length').max)")
    length = min(length, 3000) if length == MANY else length
    page.fill("#length", str(length))
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    rows = listed(page)
    assert [int(rank.replace(",", "")) for rank, _ in rows] == list(range(1, length + 1))
    assert page.locator("#list .spacer").count() == 0
    said = f"{total - length:,} of {total:,} unlabeled rows are not printed"
    assert page.inner_text("#not-printed").startswith(said)
    styles = page.eval_on_selector_all(
        "#list thead button", "all => all.map(each => getComputedStyle(each).display)"
    )
    assert {*styles} == {"contents"}, "Chromium repeats no head with buttons"
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert not page.locator("#not-printed").is_visible()
    assert len(listed(page)) < 60


def test_each_picture_has_room(page, reported):
    show(page, reported / "r.html")
    frames = page.eval_on_selector_all(
        "figure svg",
        "all => all.map(each => each.querySelector('.background').getBoundingClientRect().width)",
    )
    assert len(frames) >= 4
    assert min(frames) > 100


def test_print_shows_the_list_and_no_controls(page, reported):
    show(page, reported / "r.html")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(listed(page)) == int(page.input_value("#length"))
    assert not page.locator("#search").is_visible()
    assert not page.locator("#cut").is_visible()
    styles = "[...document.querySelectorAll('#list tbody button')].map(b => getComputedStyle(b))"
    found = page.evaluate(f"{styles}.map(s => [s.overflow, s.whiteSpace, s.webkitLineClamp])")
    assert {tuple(each) for each in found} == {("visible", "normal", "none")}  # nothing is cut off
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert len(listed(page)) < 60
