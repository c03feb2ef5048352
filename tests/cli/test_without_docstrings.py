"""`python -OO` drops docstrings and asserts; everything works without them."""

import subprocess
import sys

import numpy as np
import pandas as pd

_IMPORT_ALL_AND_RUN = """
import importlib, pkgutil, onesided
assert False, "not run under -OO"
for each in pkgutil.walk_packages(onesided.__path__, "onesided."):
    if not each.name.endswith("__main__"):
        importlib.import_module(each.name)
from onesided.cli.__main__ import main
main()
"""


def _run(*arguments, cwd):
    command = [sys.executable, "-OO", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_modules_load_and_a_table_is_ranked(tmp_path, rng):
    known = np.arange(60) < 15
    table = pd.DataFrame({"size": rng.normal(size=60) + 2 * known, "known": known.astype(int)})
    table.to_csv(tmp_path / "table.csv", index=False)
    ask = ("--positive", "known", "--method", "naive-bayes", "--report", "page.html")
    _run("-c", _IMPORT_ALL_AND_RUN, "rank", "table.csv", *ask, "--out", "out.csv", cwd=tmp_path)
    assert len(pd.read_csv(tmp_path / "out.csv")) == (~known).sum()
    assert "--positive" in _run("-m", "onesided", "rank", "--help", cwd=tmp_path)
