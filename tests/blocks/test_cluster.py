"""A cluster that is lost in the middle of the work: one error that says how far it came."""

import contextlib
import importlib
import os
import signal
import sys
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from clusters import other_scheduler
from onesided._blocks import _cluster, read_features
from onesided._blocks._cluster import run_on_cluster
from onesided.exceptions import ClusterError
from onesided.model_selection import fits_elsewhere
from onesided.model_selection._parallel import each_in_turn

N_TASKS = 8


def mark(folder):
    """Leave a mark that a task has begun; those after the first two take ten minutes."""
    n_before = len(list(folder.iterdir()))
    (folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(600 if n_before >= 2 else 0.05)
    return n_before


def by_pass(address, folder):
    """A pass over a Dask array, by the client in use."""
    with Client(address):
        X = da.from_array(np.ones((N_TASKS, 2)), chunks=(1, 2))
        source = read_features(X, numeric=True)
        source.total(lambda _: mark(folder), 0)


def by_fits(address, folder):
    """Fits that do not depend on each other."""
    with fits_elsewhere(cluster=address):
        list(each_in_turn(lambda _: mark(folder), [(each,) for each in range(N_TASKS)]))


def by_tasks(address, folder):
    """Parts of a table, as they are scored."""
    list(run_on_cluster(lambda _: mark(folder), range(N_TASKS), address=address))


doors = pytest.mark.parametrize("work", [by_pass, by_fits, by_tasks])


@contextlib.contextmanager
def after_two(folder, act):
    """Act as soon as a third task has begun."""

    def watch():
        ends = time.monotonic() + 120
        while len(list(folder.iterdir())) < 3 and time.monotonic() < ends:
            time.sleep(0.02)
        act()

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join()


@pytest.fixture(scope="module")
def workers():
    """A cluster whose workers a test may take away."""
    with LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=":0") as started:
        yield started


@pytest.fixture
def cluster(workers):
    """The same cluster, with one worker."""
    workers.scale(1)
    workers.wait_for_workers(1, timeout=60)
    return workers


@doors
def test_all_workers_are_lost(work, cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(_cluster, "_SECONDS_WITHOUT_WORKERS", 2.0)
    lose = lambda: cluster.scale(0)  # noqa: E731 - short
    began = time.monotonic()
    with after_two(tmp_path, lose), pytest.raises(ClusterError) as caught:
        work(cluster.scheduler_address, tmp_path)
    assert time.monotonic() - began < 300  # and does not wait for the tasks
    assert "none came back within 2 seconds; " in caught.value.problem
    assert "; parts of the work that are done: " in caught.value.problem


@doors
def test_the_scheduler_dies(work, tmp_path, monkeypatch):
    monkeypatch.setattr(_cluster, "_SECONDS_TO_CONNECT", 2)
    marks = tmp_path / "marks"
    marks.mkdir()
    with other_scheduler(tmp_path) as (process, address):
        began = time.monotonic()
        with after_two(marks, process.kill), pytest.raises(ClusterError) as caught:
            work(address, marks)
    assert time.monotonic() - began < 300  # and does not wait for the tasks
    assert caught.value.problem.startswith("The connection to the Dask scheduler is lost; ")


def test_what_tasks_share_outlives_a_worker(cluster, tmp_path):
    """It is sent once, and made again for the tasks that come after the loss."""
    marker = tmp_path / "killed"

    def kill_once(shared, number):
        if number == 3 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return shared.sum() + number

    shared = np.arange(1000.0)
    with fits_elsewhere(cluster=cluster.scheduler_address):
        found = list(each_in_turn(kill_once, [(shared, number) for number in range(6)]))
    assert marker.exists()
    assert found == [shared.sum() + number for number in range(6)]


def test_an_error_of_a_task_is_no_lost_cluster(cluster):
    """Even if it is one of input and output, as a lost connection is."""

    def fails(kind):
        raise kind("of the task")

    with fits_elsewhere(cluster=cluster.scheduler_address):
        for kind in (OSError, TimeoutError, ZeroDivisionError):
            with pytest.raises(kind, match="of the task"):
                list(each_in_turn(fails, [(kind,)]))


def test_a_task_that_kills_each_worker(cluster, monkeypatch):
    """The cluster gives it up after some tries; the error names what most likely lacks: memory."""
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 1)
    kill = lambda _: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731 - short
    with fits_elsewhere(cluster=cluster.scheduler_address), pytest.raises(ClusterError) as caught:
        list(each_in_turn(kill, [(1,)]))
    assert caught.value.problem == "The processes that worked on a task died repeatedly."
    assert caught.value.mend.startswith("Give the processes more memory")


def test_a_library_that_only_this_process_has(cluster, tmp_path, monkeypatch):
    """A task finds that it lacks, or already the scheduler, if it has a process of its own."""
    (tmp_path / "here").mkdir()
    with other_scheduler(tmp_path) as (_, apart):
        (tmp_path / "here" / "only_here.py").write_text("def double(n):\n    return 2 * n\n")
        monkeypatch.syspath_prepend(tmp_path / "here")
        double = importlib.import_module("only_here").double

        def imports(number):
            return importlib.import_module("only_here").double(number)

        for work, address in ((imports, cluster.scheduler_address), (double, apart)):
            with pytest.raises(ClusterError) as caught:
                list(run_on_cluster(work, [1], address=address))
            assert caught.value.problem.startswith(
                "The processes of the Dask cluster lack a library, or have another version of it: "
            )
            assert work is double or "'only_here'" in caught.value.problem
            assert caught.value.mend.startswith("Install the same versions of onesided")
    del sys.modules["only_here"]


def test_processes_that_cannot_be_started(tmp_path):
    """Here because the folder that they keep their files in cannot be made."""
    (tmp_path / "file").touch()
    with (
        dask.config.set({"temporary-directory": str(tmp_path / "file" / "folder")}),
        pytest.raises(ClusterError, match=r"The processes that work cannot be started: .*file"),
    ):
        list(run_on_cluster(abs, [1], n_workers=1))
