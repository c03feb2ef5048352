"""A page is a list of panels, to which another package can add its own."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, get_type_hints

import altair as alt
import pytest

from onesided._ranked import Doubt
from onesided.exceptions import DataError, TableError
from onesided.reporting import (
    PANELS,
    Page,
    Panel,
    Report,
    check_page,
    data_path,
    gains_table,
    read_report,
    render,
    report_writers,
    summarize,
)
from onesided.reporting.panels import PAGES

PAGE_OF_OURS = """
{% macro script() %}<script>/* of ours */</script>{% endmacro %}
<section id="ours"><h2>Letters</h2>{{ pictures.letters }}
<p>{{ report.ours.n_letters|count }} letters in {{ report.ours.name }}</p></section>
"""


class Letters(TypedDict):
    name: str
    n_letters: int


class Keys(TypedDict):
    ours: Letters


def count_letters(ranked):
    name = ranked.problem.name
    return Keys(ours=Letters(name=f"<{name}>", n_letters=1000 * len(name)))


def draw(report):
    bars = alt.Chart(alt.InlineData([{"n": report["ours"]["n_letters"]}])).mark_bar()
    return {"letters": (alt.layer(bars.encode(x="n:Q")), "How many letters.")}


@pytest.fixture
def ours(tmp_path):
    """A panel of another package: a module with a template beside it."""
    (tmp_path / "ours.html").write_text(PAGE_OF_OURS)
    return Panel(str(tmp_path / "ours.py"), count_letters, "Letters", draw, Keys)


@pytest.fixture(scope="module")
def summary(ranked):
    return summarize(ranked)


def written(report, folder, panels=None):
    for path, write in report_writers(report, folder / "r.html", panels).items():
        write(path)
    return folder / "r.json"


def test_keys_stand_in_the_order_of_earlier_files(summary, report):
    named = [name for name in get_type_hints(Report) if name in summary]
    assert list(summary) == list(report) == named
    assert Report.__required_keys__ <= set(named)
    assert list(summary)[:5] == ["form", "version", "command", "table", "prior"]
    assert list(summary)[-2:] == ["chance", "warnings"]


def test_a_summary_is_read_as_it_was_written(summary, tmp_path):
    again = read_report(written(summary, tmp_path))
    assert again == json.loads(json.dumps(summary))
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == render(again)


def test_the_facts_are_those_of_the_record(ranked, summary):
    assert summary["table"]["name"] == "customers.csv"
    assert summary["candidates"]["identifier"] == ranked.table["customer"].to_pylist()
    assert summary["promises"]["recall"]["recall"] == 0.5
    asked = summary["curve"][summary["suggested"]["place"]]
    assert asked["n_listed"] == ranked.promises.kept["recall"].rows.sum()
    assert len(summary["structure"]) == len(summary["explanations"]["names"]) - 1


@pytest.mark.parametrize("kind", ["chance", "leak"])
def test_doubt_is_a_kind_and_a_warning(ranked, kind):
    notes = ("Leave it out: `drop=['weight']`.",)
    doubted = replace(ranked, doubt=Doubt(kind, "Test it: `resamples=99`."), notes=notes)
    found = summarize(doubted, [panel for panel in PANELS if panel.template.stem == "answer"])
    assert found["doubt"] == kind
    assert found["warnings"] == ["Leave it out: --drop weight.", "Test it: --resamples 99."]


def test_a_panel_of_another_package(ranked, ours, tmp_path):
    """No line of ours knows it: facts, picture, words, link, script and file."""
    panels = [*PANELS[:2], ours, *PANELS[2:]]
    found = summarize(ranked, panels)
    assert found["ours"] == {"name": "<customers.csv>", "n_letters": 13_000}
    path = written(found, tmp_path, panels)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "13,000 letters in &lt;customers.csv&gt;" in page
    assert "X-axis titled 'n'" in page
    assert page.count("/* of ours */") == 1
    places = [page.index(f'<a href="#{name}">') for name in ("candidates", "ours", "prior")]
    assert places == sorted(places)
    assert page.index('<section id="candidates">') < page.index('<section id="ours">')
    assert read_report(path, panels) == json.loads(json.dumps(found))


def test_facts_of_an_unknown_panel_are_kept(ranked, ours, summary, tmp_path):
    """Who has not the panel has the page without it, and loses nothing of the data."""
    again = read_report(written(summarize(ranked, [*PANELS, ours]), tmp_path, [*PANELS, ours]))
    assert again["ours"] == {"name": "<customers.csv>", "n_letters": 13_000}
    assert render(again) == render(summary)


def test_facts_of_a_known_panel_are_checked(ranked, ours, tmp_path):
    panels = [*PANELS, ours]
    found = summarize(ranked, panels)
    found["ours"]["n_letters"] = "many"
    path = written(found, tmp_path)
    with pytest.raises(TableError, match=r"report.ours.n_letters is 'many'"):
        read_report(path, panels)
    path.write_text(json.dumps({**found, "ours": 3}))
    with pytest.raises(TableError, match="report has 'ours'"):
        read_report(path)


def test_two_panels_with_one_key_are_refused(ranked, ours):
    with pytest.raises(DataError, match="'ours' adds 'ours'"):
        summarize(ranked, [ours, ours])


def test_each_panel_has_its_template():
    folder = Path(PANELS[0].file).parent
    panels = [panel for _, of_form in PAGES.values() for panel in of_form]
    assert {panel.template for panel in panels} == {*folder.glob("*.html")}


@pytest.mark.parametrize("panels", [None, PANELS])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda report: report.clear(), "its form is not known"),
        (lambda report: report.update(form="x"), "its form is not known"),
        (lambda report: report.update(form=["ranking"]), "its form is not known"),
        (lambda report: report.pop("prior"), "report lacks 'prior'"),
        (lambda report: report.update(curve=3), "report.curve is not a list"),
        (lambda report: report.update(form="each"), "report has"),
    ],
)
def test_a_foreign_dictionary_is_refused_in_words(change, said, panels, summary, tmp_path):
    """By each function that draws a page; `read_report` says the same of a file."""
    changed = {**summary}
    change(changed)
    page = tmp_path / "r.html"
    for draw in (
        lambda: render(changed, panels),
        lambda: report_writers(changed, page, panels),
        lambda: Page(changed, panels).save(page),
    ):
        with pytest.raises(DataError, match=f"^`report` is not the dictionary .*: {said}"):
            draw()
    assert not page.exists()
    (tmp_path / "r.json").write_text(json.dumps(changed))
    with pytest.raises(TableError, match=said):
        read_report(tmp_path / "r.json")


def test_a_page_of_some_panels_shows_a_part_of_the_report(ranked, ours):
    assert "letters in" in render(summarize(ranked, [PANELS[0], ours]), [ours])


@pytest.mark.parametrize("points", [[], {}, 3, None, [{"recall": 1}], [3], "text"])
def test_a_gains_table_of_no_points(points):
    with pytest.raises(DataError, match=r"^`points` is .*\. Pass one dictionary for each tenth"):
        gains_table(points)


def test_paths_may_be_text(summary, tmp_path):
    page = str(tmp_path / "r.html")
    check_page(page)
    written(summary, tmp_path)
    assert str(data_path(page)) == page.replace("html", "json")
    assert read_report(str(data_path(page)))["form"] == "ranking"
    with pytest.raises(DataError, match="`page` is 3"):
        data_path(3)
