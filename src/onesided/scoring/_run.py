"""Score a table part by part, in this process or in other processes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock

from onesided._blocks._load_dask import load_dask
from onesided._files._batches import (
    column_types,
    count_rows,
    read_batches,
)
from onesided._text import argument
from onesided._typing import OnProgress
from onesided.exceptions import ClusterError, OnesidedError, OnesidedWarning, TableError
from onesided.scoring._model_file import Model, load_model
from onesided.scoring._parts import (
    PARTS,
    Part,
    Rows,
    digest_of_part,
    is_whole,
    kept_parts,
    n_rows_read,
    read_manifest,
    read_part,
    write_manifest,
    write_part,
)
from onesided.scoring._plan import Scoring
from onesided.tables import write_files
from onesided.tables._write import locked

_TEMPORARY = ".onesided-*.part"  # names that `write_files` gives to unfinished files
_LOADING = Lock()


@dataclass(frozen=True)
class Task:
    """Rows that one process reads and scores: a text file, or some row groups of a Parquet file.

    Attributes
    ----------
    number : number of the file
    part : number of the first part within the file
    start : number of rows of the table before the task; used only if rows are numbered
    row_groups : row groups of a Parquet file; None for a text file
    size : number of bytes of the file that the task covers
    """

    number: int
    part: int
    start: int
    row_groups: tuple[int, ...] | None
    size: float


def score_parts(
    scoring: Scoring,
    model: Model,
    on_progress: OnProgress,
    *,
    n_workers: int | None = None,
    cluster: str | None = None,
) -> tuple[Sequence[Part], int]:
    """Score the rows that no earlier run has scored, and write the manifest.

    Parameters
    ----------
    scoring, model : what to score, and the model that scores
    on_progress : called with the stage, the number of bytes that are scored, and of all bytes
    n_workers : number of processes to start on this machine
    cluster : address of a Dask scheduler whose workers see the files by the same paths

    Returns
    -------
    parts : all parts, in the order of the rows
    n_scored : number of rows that this run scored

    Raises
    ------
    TableError : if a file cannot be scored; the new parts are then removed. After an interruption
        or a lost cluster, the folder keeps them for the next run
    """
    with _folder_of(scoring.folder):
        stated = read_manifest(scoring)
        damaged = {part.name for part in stated if not is_whole(scoring, part)}
        if stated and not damaged:
            return stated, 0
        kept = kept_parts(scoring)
        for name in damaged & kept:
            (scoring.folder / name).unlink()
        with _clean_after_refusal(scoring.folder, kept - damaged):
            return _score_rest(scoring, model, kept - damaged, on_progress, n_workers, cluster)


def _score_rest(
    scoring: Scoring,
    model: Model,
    kept: set[str],
    on_progress: OnProgress,
    n_workers: int | None,
    cluster: str | None,
) -> tuple[Sequence[Part], int]:
    """Score the rows that the parts `kept` do not hold; otherwise as `score_parts`."""
    stamps = {name: (scoring.folder / name).stat().st_mtime_ns for name in kept}
    _remove_temporary(scoring.folder)
    is_remote = bool(n_workers or cluster)
    tasks = _tasks(scoring, counted=is_remote)
    results: Iterable[tuple[float, list[Part]]]
    if is_remote:
        score = partial(_score_task, scoring, None)
        run_on_cluster = load_dask().run_on_cluster
        results = run_on_cluster(score, tasks, n_workers=n_workers, address=cluster)
    else:
        results = map(partial(_score_task, scoring, model), tasks)
    done = 0.0
    found: list[Part] = []
    for size, parts in results:
        found.extend(parts)
        done += size
        on_progress("scoring", round(done), sum(each.size for each in scoring.inputs))
    found.sort(key=lambda part: part.places)
    _remove_temporary(scoring.folder)  # processes that died leave such files
    for name in kept - {part.name for part in found}:  # left from a file that had more rows before
        (scoring.folder / name).unlink()
    write_manifest(scoring, found)
    n_scored = sum(
        part.rows
        for part in found
        if stamps.get(part.name) != (scoring.folder / part.name).stat().st_mtime_ns
    )
    return found, n_scored


@contextmanager
def _folder_of(folder: Path) -> Iterator[None]:
    """Make the folder if it does not exist, and keep other runs from writing into it.

    If the work fails, a new folder without files is removed again.
    """
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with locked(folder):
            yield
    except BaseException:
        if is_new:
            with suppress(OSError):  # a folder that holds parts stays
                folder.rmdir()
        raise


@contextmanager
def _clean_after_refusal(folder: Path, kept: Collection[str]) -> Iterator[None]:
    """Remove the parts of this run if a file of the table cannot be scored."""
    try:
        yield
    except ClusterError:
        raise
    except OnesidedError:
        _remove_temporary(folder)
        for path in folder.glob(PARTS):
            if path.name not in kept:
                path.unlink()
        raise


def _remove_temporary(folder: Path) -> None:
    for path in folder.glob(_TEMPORARY):
        path.unlink()


def _score_task(scoring: Scoring, model: Model | None, task: Task) -> tuple[float, list[Part]]:
    """Score the rows of a task into parts; return the size of the task, and its parts.

    If `model` is None, the process reads the model from its file.
    """
    source = scoring.inputs[task.number]
    found: list[Part] = []
    rows: Rows | None = None
    start = task.start
    for number in range(task.part, 10**6):
        name = f"part-{task.number:05}-{number:05}.parquet"
        about = {
            "model": scoring.digest,
            "input": asdict(source),
            "identifier": scoring.identifier,
            "start": None if scoring.identifier else start,
            "row_groups": task.row_groups,
            **scoring.labels,
        }
        n_rows, is_last = read_part(scoring.folder / name, about)
        if n_rows is None:
            model = model or _model(scoring)
            rows = rows or _rows_of(scoring, model, task, sum(part.rows for part in found))
            writer = partial(write_part, scoring, model, rows, task.start, about)
            write_files({scoring.folder / name: writer})
            n_rows, is_last = read_part(scoring.folder / name, about)
            assert n_rows is not None
        elif rows is not None:
            rows.skip(n_rows)
        found.append(Part(name, source.name, n_rows, digest_of_part(scoring, name)))
        start += n_rows
        if is_last:
            break
    return task.size, found


def _rows_of(scoring: Scoring, model: Model, task: Task, n_done: int) -> Rows:
    file = scoring.files[task.number]
    batches = read_batches(
        file,
        model.features,
        scoring.identifier,
        label=scoring.label,
        row_groups=task.row_groups,
    )
    limit, n_before = scoring.part_rows, 0
    if task.row_groups is not None:
        limit = sys.maxsize
        groups = file.format.groups(file.path) or ()
        n_before = sum(groups[: min(task.row_groups, default=0)])
    rows = Rows(file, batches, limit, n_before)
    rows.skip(n_done)
    return rows


def _model(scoring: Scoring) -> Model:
    """The model; each process reads it once, and its other threads wait for this."""
    assert scoring.model is not None
    with _LOADING:
        return _read_model(scoring.model, scoring.digest)


@lru_cache(maxsize=1)
def _read_model(path: Path, digest: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)  # the main process has warned already
        model = load_model(path)
    if model.digest != digest:
        raise TableError(
            f"The model file {str(path)!r} changed while the table was being scored.",
            f"Score the table again, with a new {argument('out')}.",
        )
    return model


def _tasks(scoring: Scoring, *, counted: bool) -> Iterator[Task]:
    """The tasks, in the order of the rows; each file is opened only when its turn comes.

    A task needs the number of rows before it. If `counted` is true, the rows of a file are counted
    before they are scored, because tasks are not done one after the other. Otherwise the number
    comes from the parts that are written by then.
    """
    start = 0
    last = len(scoring.inputs) - 1
    for number, file in enumerate(scoring.files):
        column_types(file)  # raises an error if the file is damaged
        groups = file.format.groups(file.path)
        if groups is not None:
            yield from _group_tasks(scoring, number, start, groups)
            start += 0 if scoring.identifier else sum(groups)
            continue
        yield Task(number, 0, start, None, scoring.inputs[number].size)
        if scoring.identifier or number == last:
            continue
        if counted:
            start += count_rows(file)
        else:
            start += n_rows_read(scoring.folder.glob(f"part-{number:05}-*.parquet"))


def _group_tasks(
    scoring: Scoring, number: int, start: int, group_rows: Sequence[int]
) -> Iterator[Task]:
    """The tasks of one Parquet file: each has as many row groups as fill a part."""
    size = scoring.inputs[number].size
    if not group_rows:
        yield Task(number, 0, start, (), size)
    groups: list[int] = []
    n_rows = part = 0
    for group, n_here in enumerate(group_rows):
        groups.append(group)
        n_rows += n_here
        if n_rows >= scoring.part_rows or group == len(group_rows) - 1:
            share = n_rows / max(sum(group_rows), 1)
            yield Task(number, part, start, tuple(groups), share * size)
            start += n_rows
            groups, n_rows, part = [], 0, part + 1
