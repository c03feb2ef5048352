"""Each benchmark runs on small problems. Its figures say nothing here."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("bench_*.py")), ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")  # a script shows its warnings
def test_it_prints_figures(path, data_dir, monkeypatch, capsys):
    monkeypatch.setenv("ONESIDED_DATA", str(data_dir.resolve()))
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(sys, "argv", [str(path), "--quick"])
    runpy.run_path(str(path), run_name="__main__")
    assert any(character.isdigit() for character in capsys.readouterr().out)
