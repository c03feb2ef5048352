"""Any paper by its name: its data sets, its progress, and what an interrupted run leaves."""

import re
from functools import partial
from pathlib import Path

import pytest

from command_line import run
from onesided.cli.reproduce import _kept
from onesided.exceptions import TableError
from onesided.reproduce import PAPERS, reproduce
from onesided.reproduce._cells import Cell, Origin, run_grids
from onesided.reproduce._paper import _DATA


@pytest.mark.parametrize("paper", PAPERS)
def test_help_and_documentation_name_the_data_sets(paper, tmp_path):
    said = " ".join(run("reproduce", "--help", cwd=tmp_path).stdout.split())
    of_paper = re.search(rf"{paper}: ((?:[^.:]|\.(?! ))*)", said.partition("files.")[2])[1]
    page = Path(__file__, "../../../docs/papers/index.rst").resolve().read_text(encoding="utf-8")
    for name in _DATA[paper]:
        assert name.removesuffix(".parquet") in of_paper
        assert f"``{name}``" in page


@pytest.mark.parametrize("paper", PAPERS)
def test_all_missing_data_sets_are_named_at_once(paper, tmp_path):
    with pytest.raises(TableError) as raised:
        reproduce(paper, tmp_path, tmp_path / "out")
    for name in _DATA[paper]:
        assert name in raised.value.problem
    assert not (tmp_path / "out").exists()


def test_a_file_is_no_folder_of_data(tmp_path):
    path = tmp_path / "letter.parquet"
    path.touch()
    with pytest.raises(TableError, match="is a file, not a folder"):
        reproduce("calvo2007", path, tmp_path / "out")


def test_several_grids_are_counted_together(tmp_path):
    grids = [
        [Cell(f"{grid}-{n}", partial(list, [{"grid": grid, "n": n}]), 1) for n in range(size)]
        for grid, size in enumerate((3, 1, 2))
    ]
    seen = []
    found = run_grids(
        grids, tmp_path, Origin("paper", {}), lambda _, done, total: seen.append((done, total))
    )
    assert seen == [(n, 6) for n in range(1, 7)]
    assert [table.num_rows for table in found] == [3, 1, 2]


def test_an_interrupted_run_says_how_to_continue(capsys):
    with pytest.raises(KeyboardInterrupt), _kept(Path("results")):
        raise KeyboardInterrupt
    said = capsys.readouterr().err
    assert "results" in said
    assert "give the same command again" in said
