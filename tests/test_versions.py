"""What docs/versions.rst promises of releases, as far as one release can show it."""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command_line import passed, run
from model_files import HEADER, entries, rewrite
from onesided import __version__
from onesided.exceptions import TableError
from onesided.scoring import load_model

ROOT = Path(__file__).parents[1]
PAGE = " ".join((ROOT / "docs" / "versions.rst").read_text(encoding="utf-8").split())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_oldest_versions_are_those_of_the_project():
    (python,) = re.findall(r"Python ([\d.]+) is the oldest version", PAGE)
    assert PROJECT["requires-python"] == f">={python}"
    asked = " ".join(PROJECT["dependencies"])
    for package in ("numpy", "scipy", "scikit-learn"):
        assert re.search(rf"\b{package}>=\d", asked), package


@pytest.fixture
def model(tmp_path):
    size = np.random.default_rng(0).normal(size=60) + (np.arange(60) < 20)
    table = pd.DataFrame({"size": size, "known": (np.arange(60) < 20).astype(int)})
    table.to_csv(tmp_path / "t.csv", index=False)
    ask = ["t.csv", "--positive", "known", "--method", "naive-bayes", "--out", "m.onesided"]
    passed("fit", *ask, cwd=tmp_path)
    return tmp_path / "m.onesided"


def test_a_later_patch_release_is_read_and_a_later_minor_release_refused(model):
    major, minor, patch = (int(number) for number in re.findall(r"\d+", __version__)[:3])
    header = json.loads(entries(model)[HEADER])
    for later in (f"{major}.{minor}.{patch + 7}", f"{major}.{minor}.0"):
        rewrite(model, {HEADER: json.dumps(header | {"onesided": later})})
        assert load_model(model).method
    for later in (f"{major}.{minor + 1}.0", f"{major + 1}.0.0"):
        rewrite(model, {HEADER: json.dumps(header | {"onesided": later})})
        with pytest.raises(TableError, match=f"was written by onesided {later}; this is"):
            load_model(model)


def test_the_exit_codes_are_those_of_the_page(model):
    success, mistake = (int(each) for each in re.search(r"code is (\d+) .*?, (\d+)", PAGE).groups())
    assert run("score", model, "t.csv", cwd=model.parent).returncode == success
    assert run("score", model, "none.csv", cwd=model.parent).returncode == mistake
    assert run("score", "--strange", cwd=model.parent).returncode == mistake
