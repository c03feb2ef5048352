"""Scoring a table part by part, in this process or in others."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock

import pyarrow.parquet as pq

from onesided._blocks._load_dask import load_dask
from onesided._files._batches import column_types, count_rows, read_batches
from onesided._text import argument
from onesided._typing import OnProgress
from onesided.exceptions import OnesidedWarning, TableError
from onesided.scoring._model_file import Model, load_model
from onesided.scoring._parts import (
    MANIFEST,
    Part,
    Rows,
    finished_parts,
    kept_parts,
    numbers_of,
    read_part,
    write_manifest,
    write_part,
)
from onesided.scoring._plan import Scoring
from onesided.tables import write_files

_TEMPORARY = ".onesided-*.part"  # as `write_files` names them
_LOADING = Lock()


@dataclass(frozen=True)
class Task:
    """Rows that one process reads and scores: a file of text, or a part of a Parquet file.

    Attributes
    ----------
    number : of the file
    part : number of the first part, within the file
    start : row of the table that it begins with, None where rows are not numbered
    row_groups : of a Parquet file, None for a file of text
    share : of the bytes of the file
    """

    number: int
    part: int
    start: int | None
    row_groups: tuple[int, ...] | None
    share: float = 1.0


def score_parts(
    scoring: Scoring,
    model: Model,
    on_progress: OnProgress,
    *,
    n_workers: int | None = None,
    cluster: str | None = None,
) -> tuple[Sequence[Part], int]:
    """Score what no earlier run of the same model and table has scored, and write the manifest.

    Parameters
    ----------
    scoring, model : what to do
    on_progress : called with bytes of the input that are done, and of all
    n_workers : processes to start on this machine
    cluster : address of a Dask scheduler whose workers see the files by the same paths

    Returns
    -------
    parts : in the order of the rows
    n_scored : number of rows that were scored now

    Raises
    ------
    TableError : if the folder holds other scores, or a file cannot be read or written
    DataError : if Dask is not installed and other processes are asked for
    """
    scoring.folder.mkdir(exist_ok=True)
    finished = finished_parts(scoring)
    if finished is not None:
        return finished, 0
    kept = {name: (scoring.folder / name).stat().st_mtime_ns for name in kept_parts(scoring)}
    (scoring.folder / MANIFEST).unlink(missing_ok=True)
    _remove_temporary(scoring.folder)
    sizes = [each.size for each in scoring.inputs]
    is_remote = bool(n_workers or cluster)
    tasks: dict[tuple[int, int], Task] = {}

    def remembered() -> Iterator[Task]:
        for task in _tasks(scoring, counted=is_remote):
            tasks[task.number, task.part] = task
            yield task

    results: Iterable[list[Part]]
    if is_remote:
        run_on_cluster = load_dask().run_on_cluster
        score = partial(_score_task, scoring, None)
        results = run_on_cluster(score, remembered(), n_workers=n_workers, address=cluster)
    else:
        results = map(partial(_score_task, scoring, model), remembered())
    done = 0.0
    found: list[Part] = []
    for parts in results:
        found.extend(parts)
        number, first = numbers_of(parts[0].name)
        done += tasks[number, first].share * sizes[number]
        on_progress("scoring", round(done), sum(sizes))
    found.sort(key=lambda part: part.name)
    _remove_temporary(scoring.folder)  # of processes that died
    for name in set(kept) - {part.name for part in found}:  # of a file that had more rows
        (scoring.folder / name).unlink()
    write_manifest(scoring, found)
    n_scored = sum(
        part.rows
        for part in found
        if kept.get(part.name) != (scoring.folder / part.name).stat().st_mtime_ns
    )
    return found, n_scored


def _remove_temporary(folder: Path) -> None:
    for path in folder.glob(_TEMPORARY):
        path.unlink()


def _score_task(scoring: Scoring, model: Model | None, task: Task) -> list[Part]:
    """Score the rows of a task, unless that was done before, and write them into parts.

    Parameters
    ----------
    scoring : what the task is of
    model : that scores; None to read it from its file
    task : which rows
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
            "start": start,
            "row_groups": task.row_groups,
            **scoring.labels,
        }
        n_rows, is_last = read_part(scoring.folder / name, about)
        if n_rows is None:
            model = model or _model(scoring)
            rows = rows or _rows_of(scoring, model, task, sum(part.rows for part in found))
            writer = partial(write_part, scoring, model, rows, start, about)
            write_files({scoring.folder / name: writer})
            n_rows, is_last = read_part(scoring.folder / name, about)
            assert n_rows is not None
        elif rows is not None:
            rows.skip(n_rows)
        found.append(Part(name, source.name, n_rows))
        start = None if start is None else start + n_rows
        if is_last:
            break
    return found


def _rows_of(scoring: Scoring, model: Model, task: Task, n_done: int) -> Rows:
    batches = read_batches(
        scoring.files[task.number],
        model.features,
        scoring.identifier,
        label=scoring.label,
        row_groups=task.row_groups,
    )
    limit: int | None = scoring.part_rows
    n_before = 0
    if task.row_groups is not None:
        limit = None
        file = scoring.files[task.number]
        groups = file.format.groups(file.path) or ()
        n_before = sum(groups[: min(task.row_groups, default=0)])
    rows = Rows(batches, limit, n_before)
    rows.skip(n_done)
    return rows


def _model(scoring: Scoring) -> Model:
    """The model, read once by each process, whose threads wait for the first."""
    assert scoring.model is not None
    with _LOADING:
        return _read_model(scoring.model, scoring.digest)


@lru_cache(maxsize=1)
def _read_model(path: Path, digest: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)  # said before the work
        model = load_model(path)
    if model.digest != digest:
        raise TableError(
            f"The model file {str(path)!r} changed while the table was being scored.",
            f"Run the command again, with a new {argument('out')}.",
        )
    return model


def _tasks(scoring: Scoring, *, counted: bool) -> Iterator[Task]:
    """Tasks in the order of the rows; a file is looked at when its turn comes.

    Parameters
    ----------
    scoring : what to do
    counted : whether rows are counted before they are scored: tasks are not done in turn
    """
    start: int | None = None if scoring.identifier else 0
    last = len(scoring.inputs) - 1
    for number, file in enumerate(scoring.files):
        column_types(file)  # refuses a damaged file
        groups = file.format.groups(file.path)
        if groups is not None:
            yield from _group_tasks(scoring, number, start, groups)
            start = None if start is None else start + count_rows(file)
            continue
        yield Task(number, 0, start, None)
        if start is None or number == last:
            continue
        if counted:
            start += count_rows(file)
        else:
            parts = scoring.folder.glob(f"part-{number:05}-*.parquet")
            start += sum(pq.read_metadata(part).num_rows for part in parts)


def _group_tasks(
    scoring: Scoring, number: int, start: int | None, group_rows: Sequence[int]
) -> Iterator[Task]:
    """Tasks of one file: groups of rows together, until they have so many rows."""
    if not group_rows:
        yield Task(number, 0, start, ())
    groups: list[int] = []
    n_rows = part = 0
    for group, n_here in enumerate(group_rows):
        groups.append(group)
        n_rows += n_here
        if n_rows >= scoring.part_rows or group == len(group_rows) - 1:
            share = n_rows / max(sum(group_rows), 1)
            yield Task(number, part, start, tuple(groups), share)
            start = None if start is None else start + n_rows
            groups, n_rows, part = [], 0, part + 1
