"""A grid of experiments: it can be interrupted, and takes no other's results for its own."""

import json

import pytest

from onesided.exceptions import TableError
from onesided.reproduce._cells import Cell, Origin, check_data, find_data, run_cells

ORIGIN = Origin("paper1999", {"a.parquet": 10})


def cells(*names):
    return [Cell(name, lambda name=name: [{"name": name, "value": len(name)}], 1) for name in names]


def test_cells_are_run_once(tmp_path):
    runs = []

    def cell(name, *, fails=False):
        def run():
            runs.append(name)
            if fails:
                raise KeyboardInterrupt
            return [{"name": name, "value": len(name)}]

        return Cell(name, run, 1)

    with pytest.raises(KeyboardInterrupt):
        run_cells([cell("one"), cell("two", fails=True), cell("three")], tmp_path, ORIGIN)
    assert [path.name for path in (tmp_path / "cells").iterdir()] == ["one.csv"]
    table = run_cells([cell("one"), cell("two"), cell("three")], tmp_path, ORIGIN)
    assert runs == ["one", "two", "two", "three"]
    (tmp_path / "cells" / "two.csv").write_text('"name","value"\n')  # cut off
    (tmp_path / "cells" / "three.csv").write_bytes(b"\xff\x00,")
    run_cells([cell("one"), cell("two"), cell("three")], tmp_path, ORIGIN)
    assert runs[4:] == ["two", "three"]
    assert table.to_pydict() == {"name": ["one", "two", "three"], "value": [3, 3, 5]}


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (Origin("paper2001", {"b.parquet": 3}), r"holds results of paper1999, not of paper2001"),
        (Origin("paper1999", {"a.parquet": 11}), r"another a\.parquet, of 10 bytes; .* has 11\."),
    ],
)
def test_results_of_another_paper_or_of_other_data(tmp_path, other, problem):
    run_cells(cells("one"), tmp_path, ORIGIN)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    with pytest.raises(TableError, match=problem + r".* Pass another folder: `out='FOLDER'`"):
        run_cells(cells("one", "two"), tmp_path, other)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before


def test_more_of_the_data(tmp_path):
    """A quick run leaves a file out; what the whole one read is not forgotten by the next."""
    for n_bytes in ({"a.parquet": 10}, {"a.parquet": 10, "b.parquet": 5}, {"a.parquet": 10}):
        run_cells(cells("one"), tmp_path, Origin("paper1999", n_bytes))
    with pytest.raises(TableError, match=r"another b\.parquet"):
        run_cells(cells("one"), tmp_path, Origin("paper1999", {"b.parquet": 6}))


def test_results_without_a_mark(tmp_path):
    run_cells(cells("one"), tmp_path, ORIGIN)
    mark = tmp_path / "made-from.json"
    assert json.loads(mark.read_text()) == {"paper": "paper1999", "bytes": {"a.parquet": 10}}
    for damaged in ("{", "[]", '{"paper": 3}', '{"paper": "paper1999", "bytes": 4}'):
        mark.write_text(damaged)
        with pytest.raises(TableError, match=r"made-from\.json' is damaged\. Pass another folder"):
            run_cells(cells("one"), tmp_path, ORIGIN)
    mark.unlink()
    with pytest.raises(TableError, match=r"no made-from\.json that says of what"):
        run_cells(cells("one"), tmp_path, ORIGIN)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ("name,valu\ntwo,3\n", r"two\.csv' differs from the others in column 'valu'"),
        ("name\ntwo\n", r"two\.csv' differs from the others in column 'value'"),
        ("name,value\ntwo,three\n", r"two\.csv' does not fit the others"),
    ],
)
def test_a_cell_changed_by_hand(tmp_path, changed, problem):
    every = cells("one", "two", "three")
    run_cells(every, tmp_path, ORIGIN)
    path = tmp_path / "cells" / "two.csv"
    path.write_text(changed)
    with pytest.raises(TableError, match=problem + r".* Delete it, and it is made again\."):
        run_cells(every, tmp_path, ORIGIN)
    path.unlink()
    assert run_cells(every, tmp_path, ORIGIN)["value"].to_pylist() == [3, 3, 5]


def test_columns_may_be_empty_in_a_cell(tmp_path):
    values = {"one": None, "two": 1.5}
    every = [Cell(name, lambda a=a: [{"a": a, "b": 0}], 1) for name, a in values.items()]
    assert run_cells(every, tmp_path, ORIGIN)["a"].to_pylist() == [None, 1.5]


@pytest.mark.parametrize("out", ["file", "/proc/here"])
def test_a_folder_that_cannot_be(tmp_path, out):
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match=r"cannot be a folder: .* Pass another folder"):
        run_cells(cells("one"), tmp_path / out, ORIGIN)


def test_data_that_are_missing(tmp_path):
    """One file is asked for by the words for several, also in a folder that is not there."""
    with pytest.raises(TableError, match=r"no a\.csv in .* that holds it, also in sub-folders"):
        find_data(tmp_path, "a.csv")
    with pytest.raises(TableError, match=r"no a\.csv or b\.csv in .* that holds them, also in"):
        check_data(tmp_path, ["a.csv", "b.csv"])
    with pytest.raises(TableError, match="There is no folder"):
        find_data(tmp_path / "none", "a.csv")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").touch()
    assert find_data(tmp_path, "a.csv") == tmp_path / "deep" / "a.csv"
