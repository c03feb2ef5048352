"""What a result of a search for unexpected documents says and shows."""

from dataclasses import replace

import altair as alt
import pytest

from onesided.exceptions import TableError
from onesided.unexpected import Documents, compare_documents, find_unexpected

SPORT = ["team goal match", "coach team score", "match score goal", "goal coach match"] * 10
WEATHER = ["storm rain wind", "snow cloud rain", "wind storm snow", "cloud rain storm"]


def documents(texts):
    return Documents([str(n) for n in range(len(texts))], texts)


def test_flagged_documents_are_counted_among_the_likely():
    found = compare_documents(
        documents([f"{text} word{n}" for n, text in enumerate(SPORT)]),
        documents([*WEATHER, "team goal match today"]),
        fdr=0.3,
    )
    flagged, likely = (found.table[name].to_pylist() for name in ("flagged", "likely"))
    n_both = sum(map(all, zip(flagged, likely, strict=True)))
    assert n_both > 0
    assert f"; {n_both} of these are flagged\n" in str(found)
    assert "in expectation at most 30% of the flagged" in str(found)
    assert "more than 30% of the flagged" in str(replace(found, exchangeable=0.001))


def test_nothing_flagged_promises_nothing_about_the_flagged():
    found = compare_documents(documents(SPORT), documents(SPORT[:3]))
    assert found.n_flagged == 0
    assert "belong to a known kind" not in str(found).splitlines()[1]


@pytest.mark.parametrize(("n_new", "is_said"), [(0, False), (1, True), (3, True)])
def test_repeated_documents_are_counted(n_new, is_said):
    new = [*SPORT[:n_new], "  ", *WEATHER[:2]]
    found = compare_documents(documents([*SPORT, "  "]), documents(new))
    assert found.n_repeated == n_new
    said = [note for note in found.notes if "same text" in note]
    assert len(said) == is_said
    assert ["Check" in note for note in said] == [n_new > len(new) / 2] * is_said


@pytest.mark.parametrize(("n_repeated", "is_noted"), [(0, True), (4, True), (40, False)])
def test_a_note_is_referred_to_only_where_it_is(tmp_path, n_repeated, is_noted):
    found = compare_documents(documents(SPORT), documents([*SPORT[:n_repeated], *WEATHER]), fdr=0.9)
    found = replace(found, exchangeable=0.001)
    assert found.differs
    assert found.n_flagged > 0
    assert any("differ from the known documents" in note for note in found.notes) == is_noted
    assert ("see the note" in str(found)) == is_noted
    assert "more than 90% of the flagged documents may belong to a known kind" in str(found)
    found.report().save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "differ from the known documents." in page
    assert "see the note" not in page


def test_a_notebook_keeps_the_lines_of_its_list_apart():
    found = compare_documents(documents(SPORT), documents(WEATHER))
    page = found._repr_html_()
    assert f"\n{found.n_flagged} are flagged: in expectation" in page
    assert f"\n{found.n_likely} are likely unexpected" in page


def test_the_picture_is_of_the_scores():
    chart = compare_documents(documents(SPORT), documents(WEATHER)).plot()
    assert isinstance(chart, alt.LayerChart)
    assert "background" not in chart.to_dict(), "a dark page would show through"
    values = next(iter(chart.to_dict()["datasets"].values()))
    assert {each["rows"] for each in values if "rows" in each} == {
        "new documents",
        "known documents",
    }


def test_a_table_without_texts_asks_for_them(tmp_path):
    known, new = tmp_path / "known.csv", tmp_path / "new.csv"
    rows = [f"{n},{text}" for n, text in enumerate(SPORT)]
    known.write_text("\n".join(["id,text", *rows]) + "\n")
    new.write_text("id\n" + "\n".join(map(str, range(10))) + "\n")
    with pytest.raises(TableError, match=r"'new.csv' holds text of several words") as raised:
        find_unexpected(known, new, identifier="id")
    assert "Pass a table with a column of the texts" in raised.value.mend
