"""`find_unexpected` in Python: the table, the known documents and the report of the command."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from command_line import passed
from onesided.exceptions import DataError, TableError
from onesided.tables import write_table
from onesided.unexpected import find_unexpected


def text_of(rng, topic):
    """Words of one topic, and of all."""
    own = [f"{topic}{n}" for n in rng.zipf(1.5, 30) % 60]
    return " ".join([*own, *(f"common{n}" for n in rng.zipf(1.5, 15) % 30)])


@pytest.fixture
def folder(rng, tmp_path, monkeypatch):
    """80 known on two topics; 30 new on them, 8 on a third, one empty."""
    known = [(f"k{n}", ("ape", "bee")[n % 2]) for n in range(80)]
    new = [
        *((f"n{n}", ("ape", "bee")[n % 2]) for n in range(30)),
        *((f"c{n}", "cat") for n in "12345678"),
    ]
    pd.DataFrame(
        [(key, topic, text_of(rng, topic)) for key, topic in known],
        columns=["key", "topic", "text"],
    ).to_csv(tmp_path / "known.csv", index=False)
    pd.DataFrame(
        [*((key, text_of(rng, topic)) for key, topic in new), ("empty", "the of")],
        columns=["key", "text"],
    ).to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_table_and_known_documents_are_those_of_the_command(folder):
    read, stages = [], []
    asked = {"identifier": "key", "text": ["text"], "fdr": 0.2}
    first = find_unexpected(
        "known.csv",
        "new.csv",
        **asked,
        on_read=lambda *documents: read.append((*documents, len(stages))),
        on_progress=lambda *step: stages.append(step),
    )
    assert read == [(first.known, first.new, 1)]
    assert stages == [("reading", 0, 0), ("comparing documents", 0, 0)]
    assert (first.known.kind, first.known.n_kinds) == ("topic", 2)
    write_table(first.table, folder / "python.csv")
    options = ["--known", "known.csv", "--new", "new.csv", "--id", "key", "--text", "text"]
    options += ["--fdr", "0.2"]
    passed("unexpected", *options, cwd=folder)
    assert (folder / "python.csv").read_bytes() == (folder / "new-unexpected.csv").read_bytes()

    again = {"previous": "new-unexpected.csv", "make_known": {1: "cats"}, "top": 5}
    second = find_unexpected("known.csv", "new.csv", **asked, **again)
    write_table(second.listed, folder / "second.csv")
    write_table(second.known_table(), folder / "saved.csv")
    options += ["--previous", "new-unexpected.csv", "--make-known", "1=cats", "--top", "5"]
    options += ["--save-known", "all.csv", "--report", "r.html", "--out", "o.csv"]
    done = passed("unexpected", *options, cwd=folder)
    assert (folder / "second.csv").read_bytes() == (folder / "o.csv").read_bytes()
    assert (folder / "saved.csv").read_bytes() == (folder / "all.csv").read_bytes()
    assert second.to_frame("pandas").iloc[:, 0].tolist() == pd.read_csv("o.csv").iloc[:, 0].tolist()
    assert second.known.kinds.count("cats") >= 8
    in_text = find_unexpected(
        "known.csv", "new.csv", **asked, **again | {"make_known": {"1": "cats"}}
    )
    assert in_text.table == second.table
    report = json.loads((folder / "r.json").read_text())
    data = second.report(report["command"]).data
    assert data | {name: report[name] for name in ("notes", "adopt")} == report
    assert str(second).splitlines()[0] in done.stderr


def test_notes_are_data_that_name_arguments(folder):
    found = find_unexpected("known.csv", "new.csv", kind="", text=["text"], fdr=0.005)
    assert found.n_flagged == 0
    kinds, flagged, wordless = found.notes
    assert "a column of known.csv holds their kinds, name it: `kind='topic'`" in kinds
    assert "if at most 0.5% of the flagged may belong to a known kind" in flagged
    assert "without words: 1" in wordless
    assert str(found).count("note: ") == 3
    assert "note: " in found._repr_html_()
    told = passed(
        *("unexpected", "--known", "known.csv", "--new", "new.csv", "--kind", "", "--text", "text"),
        *("--fdr", "0.005", "--json"),
        cwd=folder,
    )
    assert "name it: --kind topic." in told.stderr
    assert json.loads(told.stdout)["result"]["notes"][0] == "All known documents count as one kind."


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kind", [pd.DataFrame, pa.Table])
def test_data_frames_are_tables(kind):
    asked = {"identifier": "key", "text": ["text"], "make_known": {1: "cats"}}
    frames = [pd.read_csv(name) for name in ("known.csv", "new.csv")]
    if kind is pa.Table:
        frames = [pa.Table.from_pandas(frame) for frame in frames]
    previous = find_unexpected(*frames, identifier="key", text=["text"]).to_frame("pandas")
    found = find_unexpected(*frames, **asked, previous=previous)
    previous.to_csv("previous.csv", index=False)
    expected = find_unexpected("known.csv", "new.csv", **asked, previous="previous.csv")
    assert found.table == expected.table
    assert found.known.kinds.count("cats") >= 8
    assert (found.known.kind, found.known.name, found.new.name) == ("topic", "table", "table")


def test_errors_name_arguments(folder):
    for asked, problem, mend in (
        ({"make_known": {1: "x"}}, "`make_known` needs", "`previous='FILE'`"),
        (
            {"previous": "new.csv"},
            "`previous` is given without `make_known`",
            "`make_known={1: 'KIND'}`",
        ),
        ({"known": "new.csv", "new": "bare.csv"}, "No column of 'bare.csv'", "`text=['n']`"),
    ):
        (folder / "bare.csv").write_text("n\na\nb\n")
        with pytest.raises(TableError) as caught:
            find_unexpected(**{"known": "known.csv", "new": "new.csv"} | asked)
        assert problem in caught.value.problem
        assert mend in caught.value.mend
    with pytest.raises(DataError, match="`top` is 0"):
        find_unexpected("known.csv", "new.csv", top=0)


@pytest.mark.usefixtures("folder")
def test_columns_of_the_known_differ():
    found = find_unexpected("known.csv", "new.csv", identifier="text", kind="topic", text=["text"])
    assert np.isfinite(found.known_scores).all()
    with pytest.raises(TableError, match="two columns 'text'"):
        found.known_table()
