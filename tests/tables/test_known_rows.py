"""A table, and files of positive and negative rows beside it."""

import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from onesided.exceptions import LeakWarning, OnesidedWarning, TableError
from onesided.tables import describe, read_known_rows, warn_of_lacking


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
    with pytest.warns(OnesidedWarning, match="1 rows that are named in another file .* 'other'"):
        warn_of_lacking(known, summary)
    with pytest.raises(TableError, match=r"'p\.csv' has no column of 'all2\.csv'"):
        read_known_rows(write(tmp_path, "all2.csv", size=[1, 2]), positive=positive)


def test_a_column_that_one_file_lacks_is_missing_there_and_warned_of(tmp_path, table):
    positive = write(tmp_path, "p.csv", size=[6, 7], color=["red", "blue"])
    known = read_known_rows(table, positive=positive)
    assert known.rows.data["color"].to_pylist() == [None] * 5 + ["red", "blue"]
    assert known.lacking == {"key": "p.csv", "color": "all.csv"}
    with pytest.warns(LeakWarning, match=r"'color' \(all\.csv\)\. .* --drop color"):
        warn_of_lacking(known, describe(known.rows.data, drop=["key"]))
    warn_of_lacking(known, describe(known.rows.data, drop=["key", "color"]))


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
        ({"positive": "p.csv", "negative": "p.csv"}, "given for two kinds"),
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
