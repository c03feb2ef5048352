"""Fits by other processes have the numbers, the warnings and the errors of fits here."""

import os
import time
import warnings
from contextlib import nullcontext
from functools import partial
from threading import Barrier

import joblib
import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster
from numpy.testing import assert_array_equal

from onesided import PUBagging, WeightedLogisticRegression, hidden_positive_ranks
from onesided.exceptions import DataError, OnesidedWarning
from onesided.model_selection import _parallel, fits_elsewhere, unlabeled_out_of_fold_scores
from onesided.model_selection._parallel import each_in_turn, in_threads
from onesided.prior import out_of_fold_scores


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as found:
        yield found


@pytest.fixture
def problem(rng):
    y = np.arange(300) < 60
    return rng.normal(size=(300, 4)) + y[:, None], y


def everything(X, y):
    model = WeightedLogisticRegression()
    known, rest = out_of_fold_scores(X, y, estimator=PUBagging(n_estimators=40, random_state=0))
    return [
        hidden_positive_ranks(model, X, y),
        unlabeled_out_of_fold_scores(model, X, y).scores,
        known,
        rest,
    ]


def sent():
    """Functions that other processes get by value, as they do not have this file."""

    def process_of(_):
        return os.getpid()

    def warned(number):
        warnings.warn(f"number {number}", OnesidedWarning, stacklevel=1)
        return number

    def refused(number):
        raise DataError(f"number {number}.", "Pass another.")

    return process_of, warned, refused


def test_same_numbers_by_two_processes_and_on_a_cluster(problem, cluster):
    here = everything(*problem)
    with fits_elsewhere(n_workers=2):
        by_two = everything(*problem)
    with fits_elsewhere(cluster=cluster.scheduler_address):
        on_cluster = everything(*problem)
    for one, two, three in zip(here, by_two, on_cluster, strict=True):
        assert_array_equal(one, two)
        assert_array_equal(one, three)


def test_they_are_other_processes(cluster):
    process_of, *_ = sent()
    tasks = [(number,) for number in range(8)]
    assert set(each_in_turn(process_of, tasks)) == {os.getpid()}
    with fits_elsewhere(n_workers=2):
        assert os.getpid() not in set(each_in_turn(process_of, tasks))
    with fits_elsewhere(cluster=cluster.scheduler_address):
        found = set(each_in_turn(process_of, tasks))
    with Client(cluster.scheduler_address) as client:
        assert found <= set(client.run(os.getpid).values())


def test_warnings_and_errors_come_here():
    _, warned, refused = sent()
    with fits_elsewhere(n_workers=2):
        with pytest.warns(OnesidedWarning, match="number"):
            assert list(each_in_turn(warned, [(0,), (1,)])) == [0, 1]
        with pytest.raises(DataError, match="number"):
            list(each_in_turn(refused, [(0,), (1,)]))


@pytest.mark.parametrize("where", ["here", "processes", "threads", "cluster"])
@pytest.mark.parametrize("as_errors", [False, True])
def test_warnings_come_before_the_error_that_they_may_explain(where, as_errors, cluster):
    """The first error in the order of the tasks, as here, also if a later task fails earlier."""

    def fails(number):
        time.sleep(0.2 * (2 - number))
        warnings.warn(f"number {number}", UserWarning, stacklevel=1)
        if number:
            raise ValueError(f"no {number}")
        return number

    how = {
        "here": nullcontext,
        "processes": partial(fits_elsewhere, n_workers=2),
        "threads": partial(joblib.parallel_config, backend="threading", n_jobs=2),
        "cluster": partial(fits_elsewhere, cluster=cluster.scheduler_address),
    }
    action = "error" if as_errors else "always"
    found = []
    with (
        how[where](),
        warnings.catch_warnings(record=True, action=action) as told,
        pytest.raises(UserWarning if as_errors else ValueError) as raised,
    ):
        found.extend(each_in_turn(fails, [(0,), (1,), (2,)]))
    assert str(raised.value) == ("number 0" if as_errors else "no 1")
    told = [str(each.message) for each in told if each.category is UserWarning]
    assert told == ([] if as_errors else ["number 0", "number 1"])


def test_an_error_shows_where_another_process_raised_it():
    *_, refused = sent()
    with fits_elsewhere(n_workers=2), pytest.raises(DataError) as raised:
        list(each_in_turn(refused, [(0,), (1,)]))
    assert "in refused" in str(raised.value.__cause__)


def test_an_error_gives_no_advice_on_the_tasks_that_it_ends():
    def refused(number):
        if number:
            time.sleep(1)
        raise ValueError(number)

    with fits_elsewhere(n_workers=2), pytest.raises(ValueError, match="0"):
        list(each_in_turn(refused, [(0,), (1,), (2,)]))


def test_as_joblib_says(problem):
    here = everything(*problem)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        by_threads = everything(*problem)
    for one, two in zip(here, by_threads, strict=True):
        assert_array_equal(one, two)


def test_what_cannot_be():
    with pytest.raises(DataError, match="Both workers and a cluster"), fits_elsewhere(2, "there"):
        pass


@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_warnings_are_not_lost_afterwards(backend):
    """Threads share what warnings are shown; processes that give no results one by one give all."""
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert list(each_in_turn(abs, [(-number,) for number in range(20)])) == list(range(20))
    with pytest.warns(OnesidedWarning, match="after"):
        warnings.warn("after", OnesidedWarning, stacklevel=1)


def test_threads_share_this_process_and_warn_in_the_order_of_their_tasks():
    process_of, warned, _ = sent()
    both = Barrier(2)

    def last_first(number):
        both.wait(timeout=30)  # so there are two threads
        time.sleep(0.1 * (1 - number))
        return warned(number)

    with fits_elsewhere(n_workers=2), in_threads():
        assert set(each_in_turn(process_of, [(number,) for number in range(8)])) == {os.getpid()}
        with pytest.warns(OnesidedWarning) as told:
            assert list(each_in_turn(last_first, [(0,), (1,)])) == [0, 1]
    assert [str(each.message) for each in told] == ["number 0", "number 1"]


def test_threads_leave_the_warnings_of_the_process_as_they_were():
    """Two generators at a time, the first ended first, and a warning while both wait."""
    shown = warnings.showwarning
    with fits_elsewhere(n_workers=2), in_threads():
        first, second = (each_in_turn(abs, [(n,) for n in range(4)]) for _ in range(2))
        next(first), next(second)
        with pytest.warns(OnesidedWarning, match="between"):
            warnings.warn("between", OnesidedWarning, stacklevel=1)
        first.close()
        second.close()
        assert warnings.showwarning is shown
        assert list(each_in_turn(abs, [(n,) for n in range(4)])) == [*range(4)]
    assert warnings.showwarning is shown


def test_processes_that_start_by_themselves_end_with_the_work(monkeypatch):
    monkeypatch.setattr(_parallel, "_SLOW", 0.0)
    process_of, *_ = sent()
    with fits_elsewhere(only_if_slow=True):
        found = set(each_in_turn(process_of, [(number,) for number in range(8)])) - {os.getpid()}
        started = [psutil.Process(pid) for pid in found]
    assert started
    _, alive = psutil.wait_procs(started, timeout=20)
    assert not alive
