"""Documents from folders and tables."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from onesided.exceptions import TableError
from onesided.unexpected import Documents, read_documents


@pytest.fixture
def folder(tmp_path):
    for kind in ("b", "a"):
        (tmp_path / "docs" / kind / ".hidden").mkdir(parents=True)
        (tmp_path / "docs" / kind / ".hidden" / "x.txt").write_text("not read")
        for n in (2, 1):
            (tmp_path / "docs" / kind / f"{n}.txt").write_text(f"{kind} {n}")
    (tmp_path / "docs" / ".DS_Store").write_bytes(b"\0\0")
    return tmp_path / "docs"


def test_sub_folders_are_kinds(folder):
    found = read_documents(folder)
    assert found.ids == ["a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt"]
    assert found.texts == ["a 1", "a 2", "b 1", "b 2"]
    assert found.kinds == ["a", "a", "b", "b"]
    flat = read_documents(folder / "a")
    assert flat.ids == ["1.txt", "2.txt"]
    assert flat.kinds is None


def test_sub_folders_that_are_no_kinds(folder):
    (folder / "beside.txt").write_text("of no kind")
    found = read_documents(folder, folders_are_kinds=False)
    assert found.ids == ["a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt", "beside.txt"]
    assert found.kinds is None


def test_encodings(tmp_path):
    (tmp_path / "1").write_text("naïve", encoding="utf-8")
    (tmp_path / "2").write_text("naïve", encoding="latin-1")
    (tmp_path / "3").write_text("naïve", encoding="utf-8-sig")
    assert read_documents(tmp_path).texts == ["naïve"] * 3


def test_folders_that_cannot_be_read(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="holds no file"):
        read_documents(tmp_path / "empty")
    (folder / "beside.txt").write_text("of which kind?")
    with pytest.raises(TableError, match=r"'beside\.txt' lies beside the sub-folders"):
        read_documents(folder)
    (folder / "beside.txt").unlink()
    (folder / "a" / "3.txt").write_bytes(b"PK\0\1")
    with pytest.raises(TableError, match=r"3\.txt' is not a text file"):
        read_documents(folder)
    with pytest.raises(TableError, match="no file or folder"):
        read_documents(tmp_path / "nowhere")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_tables(tmp_path, ending):
    frame = pd.DataFrame(
        {
            "key": ["007", "008", "009"],
            "title": ["the red fox ran", None, "a long walk home"],
            "size": [1, 2, 3],
            "topic": ["x", "x", None],
            "body": ["over the hill today", "and back again now", "in the cold rain"],
        }
    )
    path = tmp_path / f"t.{ending}"
    write = {
        "csv": lambda: frame.to_csv(path, index=False),
        "parquet": lambda: frame.to_parquet(path),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
    }
    write[ending]()
    found = read_documents(path, identifier="key", kind="topic", text=["title", "body"])
    assert found.ids == ["007", "008", "009"]
    assert found.texts[:2] == ["the red fox ran\nover the hill today", "\nand back again now"]
    assert found.kinds == ["x", "x", ""]
    assert read_documents(path, text=["body"]).ids == ["1", "2", "3"]


def test_column_of_text_is_found(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(50)])
    texts = [" ".join(rng.choice(words, 12)) for _ in range(40)]
    frame = pd.DataFrame({"n": range(40), "kind": ["a", "b"] * 20, "text": texts})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert read_documents(tmp_path / "t.csv").texts == texts
    (tmp_path / "many").mkdir()
    for part in (0, 1):
        frame[part * 20 : part * 20 + 20].to_csv(tmp_path / "many" / f"{part}.csv", index=False)
    assert read_documents(tmp_path / "many").texts == texts  # a folder of tables is a table
    frame.drop(columns="text").to_csv(tmp_path / "no.csv", index=False)
    with pytest.raises(TableError, match=r"No column of 'no\.csv' holds text"):
        read_documents(tmp_path / "no.csv")
    with pytest.raises(TableError, match="no column 'txt'"):
        read_documents(tmp_path / "t.csv", text=["txt"])
    with pytest.raises(TableError, match="no column 'topic'"):
        read_documents(tmp_path / "t.csv", kind="topic")


def test_one_document_is_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("text\nall alone here today\n")
    assert len(read_documents(tmp_path / "t.csv", text=["text"])) == 1
    (tmp_path / "none.csv").write_text("text\n")
    with pytest.raises(TableError, match="has 0 rows"):
        read_documents(tmp_path / "none.csv", text=["text"])


def test_parts_and_sums():
    some = Documents(["1", "2"], ["one", "two"], ["a", "b"])
    plain = Documents(["3"], ["three"])
    both = some.joined(plain)
    assert both.kinds == ["a", "b", ""]
    assert plain.joined(plain).kinds is None
    assert both.where(np.array([False, True, True])) == Documents(
        ["2", "3"], ["two", "three"], ["b", ""]
    )
    assert both.to_table("key", "topic", "body").column_names == ["key", "topic", "body"]
    assert plain.to_table("key", "topic", "body").column_names == ["key", "body"]


def test_a_column_that_cannot_be_read_is_named_with_the_column_of_texts():
    table = pa.table(
        {
            "text": [f"letter {n} about cats" for n in range(20)],
            "of": [{"a": n} for n in range(20)],
            "size": list(range(20)),
        }
    )
    with pytest.raises(TableError, match="'of' holds a struct") as raised:
        read_documents(table)
    assert "`text=['text']`" in raised.value.mend
    assert read_documents(table, text=["text"]).texts[3] == "letter 3 about cats"


def test_the_column_that_is_proposed_as_text_holds_strings():
    table = pd.DataFrame({"zone": ["a", "b"] * 10, "size": range(20), "cost": np.arange(20) % 7})
    with pytest.raises(TableError, match="holds text of several words") as raised:
        read_documents(table)
    assert "`text=['zone']`" in raised.value.mend
    with pytest.raises(TableError, match="holds text of several words") as raised:
        read_documents(table.assign(zone="a")[["zone"]])  # no column tells rows apart
    assert "`text=['zone']`" in raised.value.mend
    with pytest.raises(TableError, match="holds text of several words") as raised:
        read_documents(table[["size", "cost"]])
    assert raised.value.mend.startswith("Pass a table with a column of the texts")
