"""The columns that a person knows a row by."""

import pandas as pd
import pytest

from command_line import passed, run
from onesided import rank_table
from onesided.exceptions import TableError
from onesided.tables import read_problem

N = 60
CELLS = {
    "few": [f"kind {n % 3}" for n in range(N)],
    "many": [f"Ann{n} Ho" for n in range(N)],
    "long": [f"{n} " + "word " * 20 for n in range(N)],
    "numbers": [*range(N)],
}


def frame(**columns):
    """60 rows with two features and labels, and further columns."""
    table = {"y": [n % 4 == 0 for n in range(N)], "a": [n * 7 % 11 for n in range(N)]}
    return pd.DataFrame(table | columns)


@pytest.mark.parametrize(
    ("name", "cells", "is_shown"),
    [
        ("first_name", "many", True),
        ("Last Name", "many", True),
        ("gene symbol", "many", True),
        ("Nachname", "many", True),
        ("surname", "few", False),  # tells no rows apart
        ("full name", "long", False),
        ("symbol", "numbers", False),
        ("namesake", "many", False),
        ("comment", "many", False),
    ],
)
def test_columns_of_short_names_are_shown_unasked(name, cells, is_shown):
    problem = read_problem(frame(**{name: CELLS[cells]}), "y")
    assert problem.show == ((name,) if is_shown else ())
    assert any("shown with each row" in each for each in problem.sentences) == is_shown


def test_references_are_known_by_authors_and_year():
    text = [f"a study of the growth of plants, number {n}" for n in range(N)]
    table = frame(title=text, abstract=text, Authors=CELLS["many"], year=2000)
    assert read_problem(table.drop(columns="a"), "y").show == ("Authors", "year")
    nameless = table.assign(Authors=None).drop(columns="a")
    assert read_problem(nameless, "y").show == ("year",)


def test_what_is_asked_for_is_shown_in_the_list_as_it_is_in_the_table(tmp_path):
    rows = {"code": [f"c{n}" for n in range(N)], "surname": CELLS["many"], "rank": CELLS["numbers"]}
    rows["size"] = [n / 4 if n % 5 else None for n in range(N)]
    table = frame(**rows)
    table.to_csv(tmp_path / "t.csv", index=False)
    ask = ["t.csv", "--positive", "y", "--id", "code", "--method", "logistic", "--report", "r.html"]
    show = ["--show", "size", "--show", "rank", "--show", "code"]
    passed("rank", *ask, *show, cwd=tmp_path)
    listed = pd.read_csv(tmp_path / "t-ranking.csv").set_index("code")
    assert list(listed) == ["rank", "score", "recall", "size", "rank (of the table)"]
    assert listed["rank"].tolist() == [*range(1, len(listed) + 1)]
    of_table = table.set_index("code").loc[listed.index]
    pd.testing.assert_series_equal(listed["size"], of_table["size"])
    assert listed["rank (of the table)"].tolist() == of_table["rank"].tolist()
    first = of_table.iloc[0]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    said = f"size: {first['size']:g} · " * bool(pd.notna(first["size"]))
    assert f"{said}rank (of the table): {first['rank']}</span>" in page
    assert "--show</span> size" in page
    found = rank_table(table, "y", identifier="code", methods=["logistic"])
    assert "surname" in found.to_frame("pandas")


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(TableError, match="no column 'nmae'"):
        read_problem(frame(name=CELLS["many"]), "y", show=["nmae"])
    lists = frame(tags=[[n, n + 1] for n in range(N)])
    with pytest.raises(TableError, match="several values in a cell"):
        read_problem(lists, "y", drop=["tags"], show=["tags"])


def test_many_rankings_show_them_too(tmp_path):
    table = frame(species=["elm" if n % 4 == 0 else "" for n in range(N)], place=CELLS["many"])
    table.to_csv(tmp_path / "t.csv", index=False)
    ask = ["--positive-each", "species", "--drop", "y", "--show", "place", "--method", "logistic"]
    passed("rank", "t.csv", *ask, "--report", "r.html", cwd=tmp_path)
    listed = pd.read_csv(tmp_path / "t-ranking.csv")
    assert listed["place"].tolist() == [CELLS["many"][row - 1] for row in listed["row"]]
    assert f"place: {listed['place'][0]}" in (tmp_path / "r.html").read_text(encoding="utf-8")
    done = run("rank", "t.csv", *ask, "--show", "x", cwd=tmp_path)
    assert "no column 'x'" in done.stderr
