"""Commands that learn, by other processes: the same bytes."""

import os

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

from command_line import passed, refused, run
from onesided._blocks import _cluster


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    known = np.arange(200) < 40
    frame = pd.DataFrame(rng.normal(size=(200, 3)) + known[:, None], columns=["a", "b", "c"])
    frame.round(3).assign(known=known.astype(int)).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_same_bytes_by_two_processes_and_on_a_cluster(table, tmp_path):
    ask = ["--positive", "known", "--method", "logistic", "--method", "naive-bayes"]
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        for verb, kind, elsewhere in (
            ("rank", "csv", ["--workers", 2]),
            ("fit", "onesided", ["--cluster", cluster.scheduler_address]),
        ):
            passed(verb, table, *ask, "--out", f"here.{kind}", cwd=tmp_path)
            passed(verb, table, *ask, "--out", f"there.{kind}", *elsewhere, cwd=tmp_path)
            here, there = (tmp_path / f"{name}.{kind}" for name in ("here", "there"))
            assert here.read_bytes() == there.read_bytes()


def test_one_or_the_other(table, tmp_path, monkeypatch):
    monkeypatch.setattr(_cluster, "_SECONDS_TO_CONNECT", 1)
    ask = ["rank", table, "--positive", "known", "--cluster", "x:1"]
    done = run(*ask, "--workers", 2, cwd=tmp_path)
    refused(done, "Both workers and a cluster are given", "one of them")
    refused(run(*ask, cwd=tmp_path), "no Dask scheduler at 'x:1'", "dask scheduler")


def test_no_more_processes_than_cores(table, tmp_path):
    """A hundred thousand would fill the memory before the first of them has learned."""
    ask = ["--positive", "known", "--method", "logistic"]
    done = passed("rank", table, *ask, "--workers", 100_000, cwd=tmp_path)
    assert f"workers used: {os.cpu_count()}\n" in done.stderr
