"""A table, and files of positive and negative rows beside it."""

import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from onesided.exceptions import LeakWarning, OnesidedWarning, TableError
from onesided.tables import describe, read_problem
from onesided.tables._known_rows import read_known_rows, warn_of_known


def write(folder, name, **columns):
    path = folder / name
    frame = pd.DataFrame(columns)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path


def records(folder, name, *numbers, **more):
    fields = "".join(f"{tag}  - {value}\n" for tag, value in more.items())
    text = [
        f"TY  - JOUR\nTI  - Study of number {n}\nDO  - 10.1000/{n}\n{fields}ER  - \n"
        for n in numbers
    ]
    (folder / name).write_text("".join(text))
    return folder / name


def documents(folder, name, **texts):
    (folder / name).mkdir()
    for each, text in texts.items():
        (folder / name / f"{each}.txt").write_text(text)
    return folder / name


@pytest.fixture
def table(tmp_path):
    return write(tmp_path, "all.csv", key=["007", "8", "9", "10", "11"], size=[1, 2, 3, 4, 5])


def test_rows_of_a_file_follow_those_of_the_table(tmp_path, table):
    positive = write(tmp_path, "p.parquet", size=[7.5, 8.5], key=["a", "b"])
    known = read_known_rows(table, positive=positive, as_text=["key"])
    assert known.rows.data["size"].to_pylist() == [1, 2, 3, 4, 5, 7.5, 8.5]
    assert_array_equal(known.positive, [0, 0, 0, 0, 0, 1, 1])
    assert not known.negative.any()
    assert known.n_shared == 0
    assert known.lacking == {}


def test_rows_with_one_identifier_count_once_and_are_read_from_the_table(tmp_path, table):
    positive = write(tmp_path, "p.csv", key=["9", "x", "007"], size=[-1, -2, -3])
    negative = write(tmp_path, "n.csv", key=["8", "y", "y"], size=[-4, -5, -6])
    known = read_known_rows(
        table, positive=positive, negative=negative, identifier="key", as_text=["key"]
    )
    assert known.rows.data["key"].to_pylist() == ["007", "8", "9", "10", "11", "x", "y", "y"]
    assert known.rows.data["size"].to_pylist() == [1, 2, 3, 4, 5, -2, -5, -6]
    assert_array_equal(known.positive, [1, 0, 1, 0, 0, 1, 0, 0])
    assert_array_equal(known.negative, [0, 1, 0, 0, 0, 0, 1, 1])
    assert known.n_shared == 3


def test_a_missing_identifier_is_like_no_other(tmp_path):
    table = write(tmp_path, "t.csv", key=["a", None, "b"], size=[1, 2, 3])
    positive = write(tmp_path, "p.csv", key=[None, "a"], size=[4, 5])
    known = read_known_rows(table, positive=positive, identifier="key", as_text=["key"])
    assert_array_equal(known.positive, [1, 0, 0, 1])


def test_many_identifiers_take_linear_time(tmp_path):
    """Each compared with each took 4 s."""
    names = [f"row {number}" for number in range(20_000)]
    table = write(tmp_path, "t.csv", key=names, size=range(20_000))
    positive = write(tmp_path, "p.csv", key=[*names[::5], "new"], size=range(4_001))
    start = time.process_time()
    known = read_known_rows(table, positive=positive, identifier="key", as_text=["key"])
    assert time.process_time() - start < 1.5
    assert_array_equal(np.flatnonzero(known.positive), [*range(0, 20_000, 5), 20_000])


def test_identifiers_of_several_types(tmp_path):
    table = write(tmp_path, "t.parquet", key=[1, 2, 3, 4], size=[1, 2, 3, 4])
    positive = write(tmp_path, "p.csv", key=["2", "3", "x"], size=[1, 2, 3])
    known = read_known_rows(table, positive=positive, identifier="key", as_text=["key"])
    assert known.rows.data["key"].to_pylist() == ["1", "2", "3", "4", "x"]
    assert_array_equal(known.positive, [0, 1, 1, 0, 1])


def test_a_list_of_identifiers(tmp_path, table):
    positive = write(tmp_path, "p.csv", key=["8", "9", "other"])
    known = read_known_rows(table, positive=positive, identifier="key", as_text=["key"])
    assert_array_equal(known.positive, [0, 1, 1, 0, 0])
    summary = describe(known.rows.data, without=["key"])
    with pytest.warns(
        OnesidedWarning, match=r"1 of 3 rows of 'p.csv' is not in 'all\.csv': 'other'\. .* left out"
    ):
        warn_of_known(known, summary)
    with pytest.raises(TableError, match=r"'p\.csv' has no column in common with 'all2\.csv'"):
        read_known_rows(write(tmp_path, "all2.csv", size=[1, 2]), positive=positive)


@pytest.mark.parametrize(
    ("lines", "n_listed", "n_positive"),
    [
        (["a1", "b2", "c3"], 3, 3),
        (["x9", "a1", "b2"], 3, 2),  # the first name is not in the table
        (["key", "a1", "b2"], 2, 2),
        (["Key", "a1", "b2"], 2, 2),
        (["keys", "a1", "b2"], 2, 2),
        (["ID", "a1", "b2"], 2, 2),
        (["Genes of interest", "", "a1", "b2"], 2, 2),
        (["genes", "a1", "b2"], 2, 2),  # each other name has a digit
    ],
)
def test_the_first_line_of_a_list_counts_unless_it_is_a_header(
    tmp_path, lines, n_listed, n_positive
):
    table = write(tmp_path, "all.csv", key=["a1", "b2", "c3", "d4", "e5", "f6"], size=range(6))
    path = tmp_path / "p.txt"
    path.write_text("\n".join(lines) + "\n")
    known = read_known_rows(table, positive=path, identifier="key", as_text=["key"])
    assert known.positive.sum() == n_positive
    assert [each.n_rows for each in known.absent] == [n_listed] * (n_listed > n_positive)


@pytest.mark.parametrize(
    ("lines", "n_listed"),
    [
        (["Key", "ann", "bob"], 2),
        (["keys", "ann", "bob"], 2),
        (["Names", "ann", "bob"], 2),
        (["zoe", "ann", "bob"], 3),
    ],
)
def test_a_header_that_looks_like_a_name(tmp_path, lines, n_listed):
    table = write(tmp_path, "all.csv", key=["ann", "bob", "eve", "tom", "kim"], size=range(5))
    (tmp_path / "p.txt").write_text("\n".join(lines))
    known = read_known_rows(table, positive=tmp_path / "p.txt", identifier="key")
    assert known.positive.sum() == 2
    assert sum(len(each.names) for each in known.absent) == n_listed - 2


def test_names_that_look_like_none_of_the_table_are_no_header(tmp_path, table):
    (tmp_path / "p.txt").write_text("one\ntwo\n8\n9\n")
    known = read_known_rows(table, positive=tmp_path / "p.txt", identifier="key", as_text=["key"])
    assert known.absent[0].names == ("one", "two")


def test_numbers_in_a_list_below_a_header(tmp_path):
    table = write(tmp_path, "all.csv", key=range(100, 106), size=range(6))
    for header, n_listed in (("customers", 2), ("999", 3)):
        (tmp_path / "p.txt").write_text(f"{header}\n100\n777\n104\n")
        known = read_known_rows(table, positive=tmp_path / "p.txt", identifier="key")
        assert known.positive.sum() == 2
        assert known.absent[0].n_rows == n_listed + 1


@pytest.mark.parametrize(("lines", "n"), [(["A1", "B2 "], "2 rows"), (["z9"], "1 row")])
def test_a_list_that_names_no_row(tmp_path, lines, n):
    table = write(tmp_path, "all.csv", key=["a1", "b2", "c3", "d4"], size=range(4))
    (tmp_path / "p.txt").write_text("\n".join(lines))
    with pytest.raises(TableError, match=rf"None of {n} of 'p\.txt' is in 'all\.csv'") as caught:
        read_known_rows(table, positive=tmp_path / "p.txt", identifier="key", as_text=["key"])
    by_case = "2 of 2 names would be found if letter case did not count. Write them as in 'all.csv'"
    assert (by_case in caught.value.mend) == (lines[0] == "A1")
    assert ("'a1', not 'A1'" in caught.value.mend) == (lines[0] == "A1")


def test_a_list_of_one_row(tmp_path):
    table = write(tmp_path, "all.csv", key=["a1", "b2", "c3", "d4"], size=range(4))
    (tmp_path / "p.txt").write_text("a1\nb2\n")
    (tmp_path / "n.txt").write_text("c3\n")
    files = {"positive": tmp_path / "p.txt", "negative": tmp_path / "n.txt"}
    known = read_known_rows(table, **files, identifier="key", as_text=["key"])
    assert_array_equal(known.negative, [0, 0, 1, 0])
    (tmp_path / "n.txt").write_text("key\n")
    with pytest.raises(TableError, match=r"'n\.txt' has 0 rows"):
        read_known_rows(table, **files, identifier="key", as_text=["key"])


def test_names_in_another_letter_case_are_pointed_out(tmp_path):
    table = write(tmp_path, "all.csv", key=["a1", "b2", "c3", "d4"], size=range(4))
    positive = write(tmp_path, "p.csv", key=["a1", "b2", "C3"], size=[0, 1, 2])
    known = read_known_rows(table, positive=positive, identifier="key", as_text=["key"])
    with pytest.warns(OnesidedWarning, match=r"1 of 1 name would be found .* 'c3', not 'C3'"):
        warn_of_known(known, None)


def test_a_column_that_one_file_lacks_is_missing_there_and_warned_of(tmp_path, table):
    positive = write(tmp_path, "p.csv", size=[6, 7], color=["red", "blue"])
    known = read_known_rows(table, positive=positive)
    assert known.rows.data["color"].to_pylist() == [None] * 5 + ["red", "blue"]
    assert known.lacking == {"key": "p.csv", "color": "all.csv"}
    with pytest.warns(LeakWarning, match=r"'color' \(all\.csv\)\. .* `drop=\['color'\]`"):
        warn_of_known(known, describe(known.rows.data, drop=["key"]))
    warn_of_known(known, describe(known.rows.data, drop=["key", "color"]))


def test_records_are_known_without_an_identifier(tmp_path):
    search = records(tmp_path, "search.ris", 1, 2, 3, 4, 2)
    included = records(tmp_path, "included.ris", 4, 9, KW="seen")
    excluded = tmp_path / "excluded.bib"
    excluded.write_text("@article{k, title={Study of number 1}, doi={10.1000/1}}")
    known = read_known_rows(search, positive=included, negative=excluded)
    doi = known.rows.data["doi"].to_pylist()
    assert doi == [f"10.1000/{n}" for n in (1, 2, 3, 4, 9)]
    assert_array_equal(known.positive, [0, 0, 0, 1, 1])
    assert_array_equal(known.negative, [1, 0, 0, 0, 0])
    assert known.rows.identifier == "record"
    assert (known.rows.n_merged, known.n_shared) == (1, 2)
    assert known.rows.data["keywords"].to_pylist() == [None] * 4 + ["seen"]


def write_search(folder):
    fields = [
        "TI  - Study of Zinc in mice\nPY  - 2001\nDO  - 10.1000/1",
        "TI  - Study of zinc in men\nPY  - 2002",
        "TI  - Study of copper in mice\nPY  - 2003",
        "TI  - Study of copper in mice\nPY  - 2004",
        "TI  - Editorial",
    ]
    text = "".join(f"TY  - JOUR\n{each}\nER  - \n" for each in fields)
    (folder / "search.ris").write_text(text)
    return folder / "search.ris"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"record": ["10.1000/1", "editorial"], "rank": [1, 2]}, [1, 0, 0, 0, 1]),
        ({"DOI": ["https://doi.org/10.1000/1"], "Year": [1999]}, [1, 0, 0, 0, 0]),
        ({"Titel": ["Study of Zinc in Men!", "Study of zinc in mice"]}, [1, 1, 0, 0, 0]),
        ({"record": ["old: 7"] * 2, "title": ["Study of zinc in men", ""]}, [0, 1, 0, 0, 0]),
        ({"title": ["study of copper in mice", "study of zinc in men"]}, [0, 1, 0, 0, 0]),
        ({"title": ["study of copper in mice"] * 2, "year": ["2004", "2001"]}, [0, 0, 0, 1, 0]),
    ],
)
def test_rows_of_a_table_mean_records(tmp_path, columns, expected):
    """By name, DOI, or title and year; a title that several records have tells none."""
    negative = write(tmp_path, "excluded.csv", **columns)
    known = read_known_rows(write_search(tmp_path), negative=negative)
    assert_array_equal(known.negative, expected)
    assert known.rows.data.num_rows == 5
    assert known.rows.identifier == "record"
    n_absent = sum(len(each.names) for each in known.absent)
    assert n_absent == len(pd.DataFrame(columns)) - sum(expected)


def test_records_mean_rows_of_a_table(tmp_path):
    names = {"Title": ["Study of zinc in men", "On tin", "On lead", "Study of Zinc in mice"]}
    table = write(tmp_path, "all.csv", **names, DOI=[None, "10.1/2", "10.1/3", "10.1000/1"])
    known = read_known_rows(table, positive=write_search(tmp_path))
    assert_array_equal(known.positive, [1, 0, 0, 1])
    assert (known.rows.text, known.rows.aside) == ((), {})  # they have no such columns
    assert known.absent[0].names[0] == "Study of copper in mice"


@pytest.mark.parametrize("identifier", ["", "record"])
def test_records_of_another_name_are_known_by_their_title(tmp_path, identifier):
    """The record has a DOI in one file only, and so another name."""
    included = tmp_path / "included.ris"
    one = "TY  - JOUR\nTI  - Study of zinc in mice\nPY  - 2001\nER  - \n"
    included.write_text(one + one.replace("mice", "men").replace("2001", "2002"))
    known = read_known_rows(write_search(tmp_path), positive=included, identifier=identifier)
    assert_array_equal(known.positive, [1, 1, 0, 0, 0])


def test_tables_that_mean_no_record_are_refused(tmp_path):
    search = write_search(tmp_path)
    for columns, problem in (
        ({"record": ["x", "y"]}, r"None of 2 rows of 'n\.csv' is in 'search\.ris'"),
        ({"author": ["x", "y"], "year": [2001, 2002]}, "no column that tells which records"),
    ):
        with pytest.raises(TableError, match=problem):
            read_known_rows(search, negative=write(tmp_path, "n.csv", **columns))


def test_a_table_with_abstracts_is_learned_from(tmp_path):
    texts = {"title": ["On tin in mice", "On lead in mice"], "abstract": ["tin", "lead"]}
    known = read_known_rows(write_search(tmp_path), positive=write(tmp_path, "p.csv", **texts))
    assert_array_equal(known.positive, [0, 0, 0, 0, 0, 1, 1])
    with pytest.warns(OnesidedWarning, match=r"No row of 'p\.csv' is in 'search\.ris': 'On tin in"):
        warn_of_known(known, None)


def test_lists_none_of_which_is_in_the_table(tmp_path, table):
    negative = write(tmp_path, "n.csv", key=["a", "b"])
    with pytest.raises(TableError, match=r"None of 2 rows of 'n\.csv' is in 'all\.csv'"):
        read_known_rows(table, negative=negative, identifier="key", as_text=["key"])


def test_documents_are_known_by_their_text(tmp_path):
    table = documents(tmp_path, "all", a="one text", b="another", c="a third")
    positive = documents(tmp_path, "some", a="another", b="a new one")
    known = read_known_rows(table, positive=positive)
    assert known.rows.data["document"].to_pylist() == ["a.txt", "b.txt", "c.txt", "some/b.txt"]
    assert_array_equal(known.positive, [0, 1, 0, 1])
    assert known.rows.text == ("text",)


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        ({"positive": "p.csv", "negative": "p.csv"}, "is given more than once"),
        ({"positive": "p.csv", "negative": "n.csv"}, "'8' is both in 'p.csv' and in 'n.csv'."),
        ({"positive": "one.csv"}, "'one.csv' makes 1 row positive"),
        ({"positive": "every.csv"}, "'all.csv' has 1 row that is not in 'every.csv'"),
        ({"positive": "other.csv"}, "'other.csv' has no column 'key' to name its rows"),
        ({"positive": "words.csv"}, "The columns of words.csv do not fit the table"),
        ({"positive": "none.csv"}, "no file or folder"),
    ],
)
def test_files_that_do_not_fit(tmp_path, table, ask, problem):
    write(tmp_path, "p.csv", key=["8", "9"], size=[1, 2])
    write(tmp_path, "n.csv", key=["8"], size=[1])
    write(tmp_path, "one.csv", key=["8"], size=[1])
    write(tmp_path, "every.csv", key=["007", "8", "9", "10"], size=[1, 2, 3, 4])
    write(tmp_path, "other.csv", size=[1, 2])
    write(tmp_path, "words.csv", key=["x", "y"], size=["big", "small"])
    paths = {name: tmp_path / path for name, path in ask.items()}
    with pytest.raises(TableError) as caught:
        read_known_rows(table, **paths, identifier="key", as_text=["key"])
    assert problem in caught.value.problem


def test_a_missing_column_is_reported_with_the_files(tmp_path, table):
    positive = write(tmp_path, "p.csv", key=["8", "x"], size=[1, 2])
    for name in ("color", "siz"):
        with pytest.raises(TableError, match=rf"'{name}' in 'all\.csv' or 'p\.csv'\."):
            read_problem(table, positive_table=positive, identifier="key", drop=[name])
    with pytest.raises(TableError, match=r"no column 'siz'\."):
        read_problem(table, "siz")
