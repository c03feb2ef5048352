"""Fits that do not depend on each other, here or by as many processes as joblib's context says."""

from __future__ import annotations

import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Generic, TypeVar
from warnings import WarningMessage

import joblib
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits

from onesided._blocks._load_dask import load_dask
from onesided._blocks._pass import threaded
from onesided._text import argument
from onesided.exceptions import ClusterError, DataError, warn_again

R = TypeVar("R")
_heard: ContextVar[list[WarningMessage] | None] = ContextVar("heard", default=None)  # in a thread
_client: ContextVar[Any] = ContextVar("client", default=None)  # of the cluster that fits
_waiting: ContextVar[_Waiting | None] = ContextVar("waiting", default=None)
_SLOW = 5.0  # seconds of work, below which starting processes takes longer than they save


@dataclass(frozen=True)
class _Outcome(Generic[R]):
    """What a call returned or raised, and what it warned of before.

    An error is sent as a value, so that the calls before it are answered first, as they are here.
    """

    caught: list[WarningMessage]
    found: R | None = None
    error: Exception | None = None
    where: str = ""  # the traceback, which an error loses on its way from another process

    def given(self) -> R:
        """The result after its warnings, or the error after those."""
        warn_again(self.caught, stacklevel=6)
        if self.error is not None and self.where:
            raise self.error from _InWorker(self.where)
        if self.error is not None:
            raise self.error
        return self.found  # type: ignore[return-value]  # None only if the call returned None


class _Ear:
    """Context in which each thread that listens keeps its warnings; others are shown as before.

    Several generators may be in it at the same time, since each is left wherever its caller stops.
    """

    def __init__(self) -> None:
        self._lock, self._n_inside = Lock(), 0
        self._show: Callable[..., None] = warnings.showwarning

    def __enter__(self) -> None:
        with self._lock:
            self._n_inside += 1
            if warnings.showwarning != self._hear:
                self._show, warnings.showwarning = warnings.showwarning, self._hear

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside and warnings.showwarning == self._hear:
                warnings.showwarning = self._show

    def _hear(self, *told: Any, **more: Any) -> None:
        heard = _heard.get()
        if heard is None:
            self._show(*told, **more)
        else:
            heard.append(WarningMessage(*told, **more))


_EAR = _Ear()


class _InWorker(Exception):  # noqa: N818 - it only shows where the error after it was raised
    """The traceback of an error in another process."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass
class _Waiting:
    """Processes that start where the work is long."""

    are_there: bool = False


def each_in_turn(of: Callable[..., R], tasks: Iterable[tuple[Any, ...]]) -> Iterator[R]:
    """`of(*task)` for each task, in their order.

    They are done in this process unless the caller says otherwise: by `fits_elsewhere`, or by
    joblib's settings, as in ``with joblib.parallel_config(n_jobs=4)``. What is found is the same;
    warnings are given here.

    Parameters
    ----------
    of : is sent to other processes, with its task
    tasks : arguments of each call
    """
    backend, _ = joblib.parallel.get_active_backend()
    client = _client.get() or getattr(backend, "client", None)  # of joblib's backend "dask"
    if client is not None:
        each_on_cluster = load_dask().each_on_cluster
        with closing(each_on_cluster(client, partial(_listening, of), tasks)) as outcomes:
            yield from _given(outcomes)
        return
    n_jobs = joblib.effective_n_jobs(None)
    if n_jobs == 1:
        for task in tasks:
            found = of(*task)
            del task  # its rows may be large, and the next ones are made now
            yield found
        return
    if getattr(backend, "supports_sharedmem", False):
        yield from _by_threads(of, tasks, n_jobs)
        return
    processes = _waiting.get()
    if processes is not None and not processes.are_there:
        waiting, seconds = deque(tasks), [0.0]
        while waiting and min(seconds[-2:]) * len(waiting) < _SLOW:  # the first also loads modules
            start = time.perf_counter()
            found = of(*waiting.popleft())
            seconds.append(time.perf_counter() - start)
            yield found
        if not waiting:
            return
        tasks = waiting
        processes.are_there = True  # for other work too
    gives_one_by_one = getattr(backend, "supports_return_generator", False)
    run = joblib.Parallel(return_as="generator" if gives_one_by_one else "list")
    try:
        results = run(joblib.delayed(_listening)(of, *task) for task in tasks)
        with _closing(results) if gives_one_by_one else nullcontext():
            yield from _given(results)
    except BrokenProcessPool as error:
        raise ClusterError(
            "A process that worked on a task died, perhaps because memory was short.",
            f"Start fewer processes: {argument('n_workers')}.",
        ) from error


def _by_threads(
    of: Callable[..., R], tasks: Iterable[tuple[Any, ...]], n_threads: int
) -> Iterator[R]:
    """The results; what a thread warns of comes with them, so that the order is always the same."""

    def listening(task: tuple[Any, ...]) -> _Outcome[R]:
        heard: list[WarningMessage] = []
        _heard.set(heard)
        try:
            return _Outcome(heard, of(*task))
        except Exception as error:  # noqa: BLE001 - it is raised in the thread that asked
            return _Outcome(heard, error=error)

    with _EAR, closing(threaded(tasks, listening, n_threads)) as outcomes:
        yield from _given(outcomes)


def _given(outcomes: Iterable[_Outcome[R]]) -> Iterator[R]:
    """The results, each after its warnings, until the first error."""
    for outcome in outcomes:
        yield outcome.given()


def _listening(of: Callable[..., R], *task: Any) -> _Outcome[R]:
    """What the call returned or raised, and what it warned of."""
    found, failed, where = None, None, ""
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            found = of(*task)
        except Exception as error:  # noqa: BLE001 - it is raised in the process that asked
            failed, where = error, traceback.format_exc()
    for each in caught:
        each.source = None  # an open file, for example, which is not sent
    return _Outcome(caught, found, failed, where)


@contextmanager
def _closing(results: Any) -> Iterator[None]:
    """Close joblib's generator of results, without its advice to make fewer tasks.

    It gives the advice where an error leaves tasks that are not done.
    """
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* You could benefit from adjusting the input task")
            results.close()


@contextmanager
def in_threads() -> Iterator[None]:
    """Context in which `each_in_turn` calls threads of this process in place of processes.

    They share the rows and all imported modules, and suit tasks that spend their time in numpy,
    outside Python's lock. Where tasks are done one by one or on a cluster, nothing changes.
    """
    backend, _ = joblib.parallel.get_active_backend()
    n_jobs = joblib.effective_n_jobs(None)
    if n_jobs == 1 or _client.get() or hasattr(backend, "client"):
        yield
        return
    with joblib.parallel_config(backend="threading", n_jobs=n_jobs):
        yield


@contextmanager
def fits_elsewhere(
    n_workers: int | None = None, cluster: str | None = None, *, only_if_slow: bool = False
) -> Iterator[None]:
    """Context in which independent fits run in several processes at the same time.

    Within one fit, as many threads as `n_workers` read the rows, except with a cluster. Rankings of
    10,000 or more rows without text use threads in place of processes: threads share the rows and
    all imported modules. The results do not change, to the last bit.

    Parameters
    ----------
    n_workers : number of processes on this machine; with None or 1, fits run in the current process
    cluster : address of a Dask scheduler, whose workers then replace the processes
    only_if_slow : whether to use as many processes as cores, but start the processes only if the
        fits take longer than the start

    Raises
    ------
    DataError : if both are given, or Dask is not installed
    ClusterError : if there is no scheduler at the address `cluster`

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import fits_elsewhere, hidden_positive_ranks
    >>> X = np.array([[5.0], [4], [1], [3], [2], [1], [0], [1]])
    >>> with fits_elsewhere(1):  # with 4 in place of 1, four processes share the folds
    ...     ranks = hidden_positive_ranks(CenterOfMassRanker(), X, [1, 1, 1, 0, 0, 0, 0, 0], cv=3)
    >>> ranks.tolist()
    [0.0, 0.0, 0.6]
    """
    if n_workers is not None and cluster is not None:
        raise DataError("Both workers and a cluster are given.", "Pass one of them.")
    if cluster is None:
        # Threads of linear algebra would round sums otherwise than one does, and slow small ones.
        n_jobs = n_workers or (joblib.cpu_count() if only_if_slow else 1)
        with joblib.parallel_config(n_jobs=n_jobs), threadpool_limits(1):
            processes = _Waiting() if only_if_slow else None
            token_of_waiting = _waiting.set(processes)
            try:
                yield
            finally:
                _waiting.reset(token_of_waiting)
                if processes and processes.are_there:  # each holds what it imported, and rows
                    get_reusable_executor().shutdown(wait=False, kill_workers=True)
        return
    with load_dask().connected(cluster) as client:
        token = _client.set(client)
        try:
            yield
        finally:
            _client.reset(token)
