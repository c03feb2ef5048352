"""Records of one file are found in another, or it is said why not."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from onesided.exceptions import OnesidedWarning
from onesided.tables._known_rows import read_known_rows, warn_of_known

ZINC = "Effects of zinc on the heart in old age"
LONG = "Rats got zinc in their water for a month and their hearts were weighed"
OTHER = "Forty patients with anaemia were followed in one hospital during ten years"
TAGS = {
    "title": "TI",
    "authors": "AU",
    "year": "PY",
    "doi": "DO",
    "abstract": "AB",
    "id": "ID",
    "pages": "SP",
}
ENDNOTE = {"title": "%T", "authors": "%A", "year": "%D", "abstract": "%X", "id": "%M", "doi": "%R"}
PAPER = {"title": ZINC, "authors": "S. J. Hopkins", "year": 1991, "abstract": LONG}
SHORT = {"title": "Zinc sulphate", "authors": "S. J. Hopkins", "year": 1991, "id": "816"}
REPLY = {"title": "In reply", "authors": "Hopkins, S. J.", "year": 1991}


def ris(*records):
    lines = (
        ["TY  - JOUR", *(f"{TAGS[name]}  - {value}" for name, value in each.items()), "ER  - \n"]
        for each in records
    )
    return "\n".join(line for record in lines for line in record)


def enw(*records):
    lines = (
        ["%0 Journal Article", *(f"{ENDNOTE[name]} {value}" for name, value in each.items()), "\n"]
        for each in records
    )
    return "\n".join(line for record in lines for line in record)


def found_in(folder, table, wanted, ending=".ris"):
    """The rows of the table that a file with one record marks, and the known rows."""
    rest = [{"title": f"A study of number {n} of birds", "year": 2000} for n in range(4)]
    (folder / "all.ris").write_text(ris(*table, *rest))
    written = enw if ending == ".enw" else ris
    (folder / f"known{ending}").write_text(written(*rest[:2], wanted))
    known = read_known_rows(folder / "all.ris", positive=folder / f"known{ending}")
    return np.flatnonzero(known.positive[: len(table)]).tolist(), known


def without(record, *names, **more):
    return {name: value for name, value in record.items() if name not in names} | more


@pytest.mark.parametrize(
    ("table", "wanted", "row"),
    [
        pytest.param([SHORT, REPLY], SHORT, 0, id="identical, with a short title"),
        pytest.param([SHORT, without(SHORT, "id", id="9")], SHORT, 0, id="names tell them apart"),
        pytest.param([PAPER], without(PAPER, "year"), 0, id="no year"),
        pytest.param([PAPER], without(PAPER, "year", "abstract"), 0, id="title and authors"),
        pytest.param([PAPER], {"title": ZINC}, 0, id="a long title alone"),
        pytest.param([without(PAPER, "year")], PAPER, 0, id="no year in the table"),
        pytest.param(
            [PAPER, without(PAPER, "authors", "abstract", authors="A. Other", year=2001)],
            without(PAPER, "year"), 0, id="authors choose one of two",
        ),
        pytest.param([SHORT], without(SHORT, "id"), 0, id="all that both say, with authors"),
        pytest.param(
            [without(SHORT, abstract=LONG)], without(SHORT, "year", abstract=LONG + "."), 0,
            id="a short title and the abstract",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", [".ris", ".enw"])
def test_a_record_is_found(tmp_path, table, wanted, row, ending):
    rows, known = found_in(tmp_path, table, wanted, ending)
    assert rows == [row]
    assert not known.absent


@pytest.mark.parametrize(
    ("table", "wanted", "why"),
    [
        pytest.param(
            [PAPER], without(PAPER, "year", year=2001), "has another year", id="another year"
        ),
        pytest.param(
            [without(PAPER, doi="10.1000/a")], without(PAPER, "year", doi="10.1000/b"),
            "has another DOI", id="another DOI",
        ),
        pytest.param(
            [PAPER], without(PAPER, "year", "authors", authors="Li, X."), "has other authors",
            id="other authors",
        ),
        pytest.param(
            [PAPER], without(PAPER, "year", "abstract", abstract=OTHER), "has another abstract",
            id="another abstract",
        ),
        pytest.param(
            [PAPER, without(PAPER, "year", year=2001)], without(PAPER, "year"),
            "2 records may be the same", id="two years",
        ),
        pytest.param(
            [REPLY, without(REPLY, pages=7)], without(REPLY, "year"), "so few words",
            id="short titles, no year",
        ),
        pytest.param(
            [without(REPLY, id="1"), without(REPLY, id="2")], REPLY, "2 records may be the same",
            id="two replies",
        ),
        pytest.param(
            [without(REPLY, pages=7)], without(REPLY, pages=9), "so few words", id="other pages"
        ),
        pytest.param(
            [{"title": "Letter to the editor", "year": 1991}], {"title": "Letter to the editor"},
            "title alone", id="a letter",
        ),
    ],
)  # fmt: skip
def test_a_record_that_may_be_another_is_not_joined(tmp_path, table, wanted, why):
    rows, known = found_in(tmp_path, table, wanted)
    assert rows == []
    with pytest.warns(OnesidedWarning, match=why) as caught:
        warn_of_known(known, None)
    said = str(caught[0].message)
    assert said.startswith("1 of 3 records of 'known.ris' is not in 'all.ris': ")
    assert repr(wanted["title"]) in said


def test_one_of_two_with_the_authors_and_one_without_is_not_chosen(tmp_path):
    title = {"title": "Zinc and the heart"}
    table = [{**title, "authors": "A. Ng", "year": 1991}, {**title, "year": 2001}]
    rows, known = found_in(tmp_path, table, {**title, "authors": "A. Ng"})
    assert rows == []
    assert list(known.absent[0].why.values()) == ["2 records may be the same"]


def test_an_editorial_of_another_program_is_not_joined(tmp_path):
    editorial = {"title": "Editorial", "year": 2019}
    assert found_in(tmp_path, [editorial], editorial, ".enw")[0] == []


def test_records_that_nothing_resembles_are_counted_without_a_warning(tmp_path):
    new = [{"title": f"A later study of zinc {n}", "year": 2020} for n in range(5)]
    old = [{"title": f"A study of number {n} of birds", "year": 2000} for n in range(4)]
    (tmp_path / "all.ris").write_text(ris(*old))
    (tmp_path / "known.ris").write_text(ris(*old[:2], *new))
    known = read_known_rows(tmp_path / "all.ris", positive=tmp_path / "known.ris")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_known(known, None)
    (note,) = known.notes
    assert note == (
        "records of known.ris that are not in all.ris, added: 5 of 7 ('A later study of zinc 0', "
        "'A later study of zinc 1', 'A later study of zinc 2', ...)"
    )
    assert_array_equal(known.positive, [1, 1, 0, 0, 1, 1, 1, 1, 1])


def test_an_identical_record_is_found_whatever_it_lacks(tmp_path):
    editorial = {"title": "Editorial", "year": 2019}
    assert found_in(tmp_path, [SHORT, editorial], editorial)[0] == [1]


def test_a_record_that_onesided_named_is_the_same(tmp_path):
    """In a RIS file of ours, a record without a name has one made of its title."""
    named = without(SHORT, "id", id="zinc sulphate 1991")
    assert found_in(tmp_path, [without(SHORT, "id")], named)[0] == [0]
