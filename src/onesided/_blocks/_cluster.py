"""Run tasks on a Dask cluster; if its processes are lost, an error ends the wait."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import current_thread, main_thread
from typing import Any

import dask
from dask.base import get_scheduler
from dask.utils import parse_timedelta
from distributed import CancelledError, Client, KilledWorker, LocalCluster, get_worker
from distributed.client import ClosedClientError

from onesided._text import first_line
from onesided.exceptions import ClusterError

_SECONDS_TO_CONNECT = 10  # to a scheduler
_SECONDS_BETWEEN_LOOKS = 1.0  # at the workers, while no task is finished
_SECONDS_WITHOUT_WORKERS = 120.0  # longer than a restart takes, even on a busy machine
_SECONDS_TO_COME_BACK = 600.0  # after this time Dask restarts no lost worker; its default is 15
_TO_COME_BACK = "distributed.deploy.lost-worker-timeout"
_WARNED_OF = "distributed.admin.large-graph-warning-threshold"
_ANY_SIZE = "1 PiB"
_LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
_OTHER_VERSIONS = "deserialization of the task graph"  # in an error of Dask's scheduler
_UNREACHED = (CancelledError, ClosedClientError, OSError)


class Waiting:
    """Tasks that a cluster works on.

    Parameters
    ----------
    client : of the cluster
    n_tasks : number of all tasks, which an error names; None if it is unknown
    """

    def __init__(self, client: Any, n_tasks: int | None = None) -> None:
        self._client = client
        self._n_tasks = n_tasks
        self._n_done = 0
        self._waiting: dict[Any, tuple[Any, Any]] = {}
        self._finished: SimpleQueue[Any] = SimpleQueue()
        self._alone_since: float | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def submit(self, name: Any, of: Callable[..., Any], *arguments: Any) -> None:
        """Send a task; `next_done` returns its result with this name."""
        self._add(name, self.sent(of, *arguments))

    def sent(self, of: Callable[..., Any], *arguments: Any) -> Any:
        """Send a call, and return its future as an argument for tasks; `next_done` skips it."""
        with self._reaching():
            return self._client.submit(of, *arguments, pure=False)

    def compute(self, parts: Sequence[Any]) -> None:
        """Send delayed values as tasks, which `next_done` numbers from 0."""
        with self._reaching():
            futures = self._client.compute(list(parts))
        for number, future in enumerate(futures):
            self._add(number, future)

    def _add(self, name: Any, future: Any) -> None:
        self._waiting[future.key] = name, future
        future.add_done_callback(self._finished.put)

    def next_done(self) -> tuple[Any, Any]:
        """The name of a task that is done, and its result.

        Raises
        ------
        ClusterError : if the scheduler or all workers are lost, or if the task kills its workers
        """
        name, future = self._waiting.pop(self._next_finished().key)
        found = self._result(future)
        self._n_done += 1
        return name, found

    def _next_finished(self) -> Any:
        while True:
            try:
                return self._finished.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except Empty:
                self._look()

    def _result(self, future: Any) -> Any:
        while True:
            try:
                with self._reaching(future):
                    return future.result(timeout=_SECONDS_WITHOUT_WORKERS)
            except KilledWorker as error:
                raise ClusterError(
                    "The processes that worked on a task died repeatedly.",
                    "Give the processes more memory, or start fewer processes.",
                ) from error
            except TimeoutError:
                if future.status == "error":  # the task raised it
                    raise
                self._look()
            except (ImportError, RuntimeError) as error:
                if isinstance(error, RuntimeError) and _OTHER_VERSIONS not in str(error):
                    raise
                raise ClusterError(
                    "The processes of the Dask cluster lack a library, or have another version of "
                    f"it: {first_line(error)}.",
                    "Install the same versions of onesided and its libraries for the scheduler and "
                    "its workers.",
                ) from error

    @contextmanager
    def _reaching(self, future: Any = None) -> Iterator[None]:
        """Turn errors of the connection to the scheduler into ours, but not errors of a task."""
        try:
            yield
        except _UNREACHED as error:
            is_late = isinstance(error, TimeoutError)
            if future is not None and (is_late or future.status == "error"):
                raise
            raise self._lost("The connection to the Dask scheduler is lost") from error

    def _look(self) -> None:
        """Raise a ClusterError if the scheduler is lost, or all workers are lost for too long."""
        if self._client.status in ("closing", "closed"):
            raise self._lost("The connection to the Dask scheduler is lost")
        with suppress(*_UNREACHED):  # while the client connects again
            if self._client.scheduler_info()["workers"]:
                self._alone_since = None
                return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > _SECONDS_WITHOUT_WORKERS:
            raise self._lost(
                "All workers of the Dask cluster are lost, and none came back within "
                f"{_SECONDS_WITHOUT_WORKERS:g} seconds"
            )

    def _lost(self, why: str) -> ClusterError:
        """The error that ends the wait; all waiting tasks are dropped."""
        self._waiting.clear()
        of_all = f" of {self._n_tasks:,}" if self._n_tasks else ""
        return ClusterError(
            f"{why}; parts of the work that are done: {self._n_done:,}{of_all}.",
            "Check that the scheduler and its workers run, and have enough memory and the same "
            "libraries, then run this again.",
        )


def computed(parts: Sequence[Any]) -> tuple[Any, ...]:
    """The results of delayed values, from the cluster of the current client, or as Dask is set up.

    Raises
    ------
    ClusterError : as for `Waiting.next_done`
    """
    client = getattr(get_scheduler(collections=parts), "__self__", None)
    if not isinstance(client, Client) or _is_a_worker():
        found: tuple[Any, ...] = dask.compute(*parts)
        return found
    waiting = Waiting(client, len(parts))
    waiting.compute(parts)
    by_number = dict(waiting.next_done() for _ in parts)
    return tuple(by_number[number] for number in range(len(parts)))


def _is_a_worker() -> bool:
    """Whether a worker runs this code; a worker goes on with its own tasks while it waits."""
    try:
        get_worker()
    except ValueError:
        return False
    return True


def run_on_cluster(
    of: Callable[[Any], Any],
    tasks: Iterable[Any],
    *,
    n_workers: int | None = None,
    address: str | None = None,
) -> Iterator[Any]:
    """Yield the result of a function for each task, when one of several processes has finished it.

    If a process dies, another process repeats its task. After an error no new task begins; the
    error is raised once the tasks that have begun are finished.

    Parameters
    ----------
    of : function that is sent to the workers
    tasks : read one by one, a few ahead of the finished tasks
    n_workers : processes to start on this machine
    address : of a scheduler that has workers; they replace processes on this machine

    Raises
    ------
    ClusterError : if there is no scheduler at the address, if all workers are lost, or if tasks
        kill their processes
    """
    with ExitStack() as stack:
        client = stack.enter_context(
            _of_this_machine(stack, n_workers) if address is None else connected(address)
        )
        waiting, failed = Waiting(client), None
        ahead = 2 * max(sum(client.nthreads().values()), 1)
        upcoming = iter(tasks)
        is_over = False
        while waiting or not is_over:
            while not is_over and len(waiting) < ahead:
                try:
                    task = next(upcoming)
                except StopIteration:
                    is_over = True
                except ValueError as error:
                    failed, is_over = failed or error, True
                else:
                    waiting.submit(None, of, task)
            if waiting:
                try:
                    _, found = waiting.next_done()
                except ValueError as error:
                    failed, is_over = failed or error, True
                else:
                    yield found
        if failed:
            raise failed


def each_on_cluster(
    client: Any, of: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Yield `of(*task)` for each task, in the order of the tasks, from the cluster of a client.

    A value that several tasks share is sent once; the cluster restores it if a worker is lost.

    Parameters
    ----------
    client : of the cluster
    of : function that is sent to the workers
    tasks : arguments of each call

    Raises
    ------
    ClusterError : as for `run_on_cluster`
    """
    waiting, sent = Waiting(client), {}
    done: dict[int, Any] = {}

    def once(value: Any) -> Any:
        """A small value itself, or the future of a larger value, which is sent only once."""
        if isinstance(value, str | int | float | bool | None):
            return value
        if id(value) not in sent:
            sent[id(value)] = value, waiting.sent(_itself, value)
        return sent[id(value)][1]

    with dask.config.set({_WARNED_OF: _ANY_SIZE}):
        for number, task in enumerate(tasks):
            waiting.submit(number, of, *map(once, task))
    for number in range(len(waiting)):
        while number not in done:
            name, found = waiting.next_done()
            done[name] = found
        yield done.pop(number)


def _itself(value: Any) -> Any:
    return value


def _of_this_machine(stack: ExitStack, n_workers: int | None) -> Any:
    """A client of new processes on this machine; lost processes are restarted during the work."""
    usual = parse_timedelta(dask.config.get(_TO_COME_BACK))
    stack.enter_context(_quiet())
    stack.enter_context(dask.config.set({_TO_COME_BACK: max(usual, _SECONDS_TO_COME_BACK)}))
    try:
        with _deaf_to_interrupts():
            cluster = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address=":0",  # the usual port may be taken
                silence_logs=logging.CRITICAL,
            )
    except (OSError, RuntimeError) as error:
        raise ClusterError(
            f"The processes that work cannot be started: {first_line(error)}.",
            "Start fewer processes, or run this without other processes.",
        ) from error
    return Client(stack.enter_context(cluster))


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address.

    Raises
    ------
    ClusterError : if there is no scheduler at this address
    """
    with _quiet():
        try:
            client = Client(address, timeout=_SECONDS_TO_CONNECT)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"There is no Dask scheduler at {address!r}: {first_line(error)}.",
                "Start a scheduler with the command dask scheduler, and pass the address that it "
                "prints.",
            ) from error
        with client:
            yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the log of Dask with its tracebacks of lost connections; our own errors report them."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for each, level in zip(loggers, before, strict=True):
            each.setLevel(level)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which a terminal sends to all processes; we end them."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
