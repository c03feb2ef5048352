"""`python -OO` drops docstrings and asserts; everything works without them."""

import subprocess
import sys

import numpy as np
import pandas as pd

_IMPORT_ALL_AND_RUN = """
import importlib, pkgutil, sys, onesided
assert False, "not run under -OO"
for each in pkgutil.walk_packages(onesided.__path__, "onesided."):
    if not each.name.endswith("__main__"):
        importlib.import_module(each.name)
from onesided.cli.__main__ import main
try:
    main()
except SystemExit as ended:
    if ended.code:
        raise
sys.argv[1:] = ["rank", "--help"]
main()
"""


def test_all_modules_load_and_a_table_is_ranked(tmp_path, rng):
    known = np.arange(60) < 15
    table = pd.DataFrame({"size": rng.normal(size=60) + 2 * known, "known": known.astype(int)})
    table.to_csv(tmp_path / "table.csv", index=False)
    ask = ("--positive", "known", "--method", "naive-bayes", "--report", "page.html")
    # Python compiles all packages anew for -OO, so one process runs both commands.
    command = [sys.executable, "-OO", "-c", _IMPORT_ALL_AND_RUN, "rank", "table.csv", *ask]
    command += ["--out", "out.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(tmp_path / "out.csv")) == (~known).sum()
    assert "--positive" in done.stdout
