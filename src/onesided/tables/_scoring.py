"""A large table scored by a kept model: file by file, in parts that appear whole or not at all."""

import hashlib
import json
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from threadpoolctl import threadpool_limits

from onesided._blocks._load_dask import load_dask
from onesided._files._batches import column_types, count_rows, read_batches
from onesided._files._find import find_files
from onesided._files._format import BATCH_ROWS, COMPRESSIONS, TableFiles
from onesided._files._formats import table_endings
from onesided._typing import Floats, Ints
from onesided.exceptions import OnesidedWarning, TableError
from onesided.metrics import rank_shares
from onesided.tables._drift import Drift, compare_counts, count_batch
from onesided.tables._labels import read_marks
from onesided.tables._model_file import Model, load_model
from onesided.tables._write import (
    RANKING_ENDINGS,
    check_folder,
    check_writable,
    write_files,
    write_parts,
    write_table,
    write_text,
)

PART_ROWS = 500_000  # of a part, about; at 24 bytes a row
_MANIFEST = "manifest.json"
_PARTS = "part-*.parquet"
_TEMPORARY = ".onesided-*.part"  # as `write_files` names them
_ABOUT = b"onesided"  # key of what a part says of itself
_SEEN = "seen"  # rows of a part in each bin of what the model has seen
_ROW = "row"
_SCORE, _SHARE, _RANK, _POSITIVE = "score", "share_below", "rank", "positive"
_ROW_PLACE = "place of the row"
_LOADING = Lock()


@dataclass(frozen=True)
class InputFile:
    """A file of the table to score.

    Attributes
    ----------
    name : below the folder of the table
    size : in bytes
    digest : SHA-256
    """

    name: str
    size: int
    digest: str


@dataclass(frozen=True)
class Scoring:
    """What is scored by what, and where to.

    Attributes
    ----------
    model : path of the model
    digest : SHA-256 of the model
    files : of the table
    inputs : what they are, in the same order
    identifier : column that names the rows, or empty: they are numbered
    positive : the option that says which rows are positive, empty where nobody knows
    label : its column
    out : the folder of the parts
    part_rows : rows from which a part is full
    """

    model: Path
    digest: str
    files: TableFiles
    inputs: tuple[InputFile, ...]
    identifier: str
    positive: str
    label: str
    out: Path
    part_rows: int

    @property
    def id_name(self) -> str:
        """What the column of identifiers is called beside the scores."""
        return id_name(self.identifier)


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


@dataclass(frozen=True)
class Part:
    """A file of scores.

    Attributes
    ----------
    name : of the file
    input : name of the file whose rows it scores
    rows : how many
    """

    name: str
    input: str
    rows: int


@dataclass(frozen=True)
class ScoredPositives:
    """Rows known to be positive, among all rows that were scored.

    Attributes
    ----------
    above, tied : each of shape (n_positive,), other rows that score higher, and the same
    scores : shape (n_positive,), ascending
    n_rows : of the table
    """

    above: Ints
    tied: Ints
    scores: Floats
    n_rows: int

    @property
    def auc(self) -> float:
        """Share of the other rows that stand below a positive one, ties half, on average."""
        n_positive = len(self.scores)
        below_or_tied = rank_shares(self.scores, self.scores) * n_positive - 0.5  # other positives
        others = self.above + self.tied / 2 - below_or_tied
        return 1.0 - float(others.mean()) / (self.n_rows - n_positive)


@dataclass(frozen=True)
class Scored:
    """A table that was scored.

    Attributes
    ----------
    parts : in the order of the rows
    n_scored : rows scored now, not by an earlier run
    """

    parts: tuple[Part, ...]
    n_scored: int

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return sum(part.rows for part in self.parts)


def plan_scoring(
    model: Model,
    path: Path,
    table: Path,
    out: Path,
    *,
    identifier: str = "",
    positive: str = "",
    delimiter: str | None,
) -> Scoring:
    """What has to be done to score a table.

    Parameters
    ----------
    model : as `load_model` read it
    path : of the model
    table : a file or a folder of files
    out : a folder, or a file that ends in .csv, .tsv or .parquet
    identifier : column that names the rows; by default that of the model, where the first file
        has it
    positive : the option that says which rows are positive, empty where nobody knows
    delimiter : between the cells of a CSV file; found in its first lines by default

    Raises
    ------
    TableError : if there is nothing to read, or `out` cannot be written
    """
    files = find_files(table, delimiter)
    root = table if table.is_dir() else table.parent
    known = model.name_of("identifier")
    found = column_types(files.paths[0], files)
    if not identifier and known in found:
        identifier = known
    label = _label_of(model, positive, found) if positive else ""
    if is_one_file(out):
        check_writable(out, RANKING_ENDINGS, source=table)
        folder = out.resolve().with_name(f".{out.name}.parts")
    else:
        _check_new_folder(out, table)
        folder = out.resolve()
    return Scoring(
        model=path.resolve(),
        digest=model.digest,
        files=files.resolved(),
        inputs=tuple(_input_of(each, root) for each in files.paths),
        identifier=identifier,
        positive=positive,
        label=label,
        out=folder,
        part_rows=PART_ROWS,
    )


def id_name(identifier: str) -> str:
    """What the column of identifiers is called beside the scores.

    Parameters
    ----------
    identifier : column that names the rows, or empty: they are numbered
    """
    name = identifier or _ROW
    return f"{name} (identifier)" if name in (_SCORE, _SHARE, _RANK, _POSITIVE) else name


def score_names(model: Model) -> list[str]:
    """What is written of each row: its score and, if the model knows, the share that is lower.

    Parameters
    ----------
    model : that scores
    """
    return [_SCORE, *([_SHARE] if model.unlabeled_scores else [])]


def score_columns(model: Model, rows: pa.Table) -> dict[str, Floats]:
    """The same as columns, each of shape (n_rows,).

    Parameters
    ----------
    model : that scores
    rows : with the columns that it takes
    """
    scores = np.asarray(model.pipeline.decision_function(rows), dtype=np.float64)
    shares = {_SHARE: model.shares_below(scores)} if model.unlabeled_scores else {}
    return {_SCORE: scores, **shares}


def _label_of(model: Model, positive: str, found: Mapping[str, pa.DataType]) -> str:
    """Column of the labels; refuse one that the scores are made of."""
    none = pa.schema(list(found.items())).empty_table()
    label = read_marks(none, positive, "positive")[0]
    if label in {column.name for column in model.features}:
        raise TableError(
            f"The model scores by column {label!r}, which cannot judge it.",
            "Pass the column of labels: --positive COLUMN.",
        )
    return label


def unused_columns(model: Model, scoring: Scoring) -> list[str]:
    """Columns of the first file that the model has never seen.

    Parameters
    ----------
    model : that scores
    scoring : what is scored
    """
    known = {column.name for column in model.columns} | {scoring.identifier, scoring.label}
    found = column_types(scoring.files.paths[0], scoring.files)
    return [name for name in found if name not in known]


def is_one_file(out: Path) -> bool:
    """Whether scores are to be written into one file, by the ending of its name."""
    return not out.is_dir() and out.suffix.lower() in RANKING_ENDINGS


def score_table(
    scoring: Scoring,
    run: Callable[[Callable[[Task], list[Part]], Iterable[Task]], Iterable[list[Part]]] | None,
    on_step: Callable[[int, int], None],
) -> Scored:
    """Score what no earlier run of the same model and table has scored, and write the manifest.

    Parameters
    ----------
    scoring : what to do
    run : calls a function on tasks, elsewhere; None is here, one after the other
    on_step : called with bytes of the input that are done, and of all

    Raises
    ------
    TableError : if the folder holds other scores, or a file cannot be read or written
    """
    scoring.out.mkdir(exist_ok=True)
    finished = _finished(scoring)
    if finished is not None:
        return Scored(finished, 0)
    kept = {name: (scoring.out / name).stat().st_mtime_ns for name in _kept_parts(scoring)}
    (scoring.out / _MANIFEST).unlink(missing_ok=True)
    _remove_temporary(scoring.out)
    sizes = [each.size for each in scoring.inputs]
    tasks: dict[tuple[int, int], Task] = {}

    def remembered() -> Iterator[Task]:
        for task in _tasks(scoring, counted=run is not None):
            tasks[task.number, task.part] = task
            yield task

    done = 0.0
    found: list[Part] = []
    score = partial(score_part, scoring)
    for parts in map(score, remembered()) if run is None else run(score, remembered()):
        found.extend(parts)
        number, first = _numbers_of(parts[0].name)
        done += tasks[number, first].share * sizes[number]
        on_step(round(done), sum(sizes))
    found.sort(key=lambda part: part.name)
    _remove_temporary(scoring.out)  # of processes that died
    for name in set(kept) - {part.name for part in found}:  # of a file that had more rows
        (scoring.out / name).unlink()
    manifest = {
        **_identity(scoring),
        "rows": sum(part.rows for part in found),
        "parts": [asdict(part) for part in found],
    }
    text = json.dumps(manifest, indent=1) + "\n"
    write_files({scoring.out / _MANIFEST: partial(write_text, text)})
    n_scored = sum(
        part.rows
        for part in found
        if kept.get(part.name) != (scoring.out / part.name).stat().st_mtime_ns
    )
    return Scored(tuple(found), n_scored)


def _remove_temporary(folder: Path) -> None:
    for path in folder.glob(_TEMPORARY):
        path.unlink()


def put_together(
    scoring: Scoring,
    scored: Scored,
    out: Path,
    *,
    top: int | None = None,
    for_spreadsheet: bool = False,
) -> None:
    """Write all parts into one file, which appears whole or not at all, and remove them.

    Parameters
    ----------
    scoring, scored : what was done
    out : a file that ends in .csv, .tsv or .parquet
    top : write the rows with so many highest scores, the highest first; None is all, as they came
    for_spreadsheet : as `write_parts` takes it
    """
    paths = [scoring.out / part.name for part in scored.parts]
    if top is None:
        write = partial(_join, paths, out, for_spreadsheet=for_spreadsheet)
    else:
        highest = _highest(paths, top)
        write = partial(write_table, highest, format_path=out, for_spreadsheet=for_spreadsheet)
    write_files({out: write})
    shutil.rmtree(scoring.out)


def find_drift(model: Model, scoring: Scoring, scored: Scored) -> Drift | None:
    """How the rows differ from those learned from, by counts that the parts hold.

    None where no part has any: the model, or the part, is of an older version.

    Parameters
    ----------
    model : that scored
    scoring, scored : what was done
    """
    found = [_read_about(scoring.out / part.name).get(_SEEN) for part in scored.parts]
    counted = [counts for counts in found if counts]
    if not counted:
        return None
    counts = [np.sum(of_column, axis=0) for of_column in zip(*counted, strict=True)]
    return compare_counts(model.seen, counts, model.n_positive, model.n_unlabeled)


def place_positives(scoring: Scoring, scored: Scored) -> ScoredPositives | None:
    """Where the rows known to be positive stand; None if there are none, or no others.

    Memory grows with the number of positives, not with that of rows.

    Parameters
    ----------
    scoring, scored : what was done, with labels
    """
    paths = [scoring.out / part.name for part in scored.parts]
    of_positives = [
        batch.filter(batch.column(_POSITIVE)).column(_SCORE).to_numpy()
        for batch in chain.from_iterable(map(_batches_of, paths))
    ]
    scores = np.sort(np.concatenate(of_positives)) if of_positives else np.zeros(0)
    if len(scores) in (0, scored.n_rows):
        return None
    higher, same = np.zeros((2, len(scores) + 1), dtype=np.int64)
    for batch in chain.from_iterable(map(_batches_of, paths)):
        found = batch.column(_SCORE).to_numpy()
        first = np.searchsorted(scores, found, side="left")
        higher += np.bincount(first, minlength=len(higher))
        tied = first[scores[np.minimum(first, len(scores) - 1)] == found]
        same += np.bincount(tied, minlength=len(same))
    # Above a positive are the rows for which the first positive at or above them comes after it.
    above = scored.n_rows - np.cumsum(higher)[:-1]
    first = np.searchsorted(scores, scores, side="left")
    return ScoredPositives(above[first], same[first] - 1, scores, scored.n_rows)


def _highest(paths: Sequence[Path], top: int) -> pa.Table:
    """Rows with the highest scores, in order; of equal scores the first row, all in one pass."""
    kept: pa.Table | None = None
    n_rows = 0
    for batch in chain.from_iterable(map(_batches_of, paths)):
        place = pa.array(np.arange(n_rows, n_rows + batch.num_rows))
        n_rows += batch.num_rows
        found = pa.Table.from_batches([batch]).append_column(_ROW_PLACE, place)
        both = found if kept is None else _below(kept, found)
        order = [(_SCORE, "descending"), (_ROW_PLACE, "ascending")]
        kept = both.take(pc.select_k_unstable(both, top, order))
    assert kept is not None  # a table has a row
    kept = kept.drop_columns([_ROW_PLACE]).combine_chunks()
    return kept.add_column(1, _RANK, pa.array(np.arange(1, kept.num_rows + 1)))


def on_dask(
    n_workers: int | None, address: str | None
) -> Callable[[Callable[[Task], list[Part]], Iterable[Task]], Iterable[list[Part]]]:
    """What `score_table` runs tasks with, in other processes.

    Parameters
    ----------
    n_workers : processes to start on this machine
    address : of a Dask scheduler whose workers see the files by the same paths, in their place

    Raises
    ------
    DataError : if Dask is not installed
    """
    return partial(load_dask().run_on_cluster, n_workers=n_workers, address=address)


def score_part(scoring: Scoring, task: Task) -> list[Part]:
    """Score the rows of a task, unless that was done before, and write them into parts.

    Parameters
    ----------
    scoring : what the task is of
    task : which rows
    """
    source = scoring.inputs[task.number]
    found: list[Part] = []
    rows: _Rows | None = None
    start = task.start
    for number in range(task.part, 10**6):
        name = f"part-{task.number:05}-{number:05}.parquet"
        about = {
            "model": scoring.digest,
            "input": asdict(source),
            "identifier": scoring.identifier,
            "start": start,
            "row_groups": task.row_groups,
            **_labels_of(scoring),
        }
        n_rows, is_last = _read_part(scoring.out / name, about)
        if n_rows is None:
            rows = rows or _rows_of(scoring, task, sum(part.rows for part in found))
            writer = partial(_write_part, scoring, rows, start, about)
            write_files({scoring.out / name: writer})
            n_rows, is_last = _read_part(scoring.out / name, about)
            assert n_rows is not None
        elif rows is not None:
            rows.skip(n_rows)
        found.append(Part(name, source.name, n_rows))
        start = None if start is None else start + n_rows
        if is_last:
            break
    return found


class _Rows:
    """The rows of a file, taken a few batches at a time."""

    def __init__(
        self, batches: Iterator[pa.RecordBatch], limit: int | None, n_before: int = 0
    ) -> None:
        self._batches = batches
        self._limit = limit
        self._n_before = n_before  # of the file
        self._next = next(batches, None)

    @property
    def at_end(self) -> bool:
        """Whether there are no more."""
        return self._next is None

    def take(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Batches up to the limit of rows, each with how many rows of the file are before it."""
        left = self._limit
        while self._next is not None and left != 0:
            batch = self._next if left is None else self._next.slice(0, left)
            n_before = self._n_before
            self._move(batch.num_rows)
            left = None if left is None else left - batch.num_rows
            yield n_before, batch

    def skip(self, n_rows: int) -> None:
        """Leave out the next rows."""
        while self._next is not None and n_rows:
            n_left_out = min(self._next.num_rows, n_rows)
            self._move(n_left_out)
            n_rows -= n_left_out

    def _move(self, n_rows: int) -> None:
        self._n_before += n_rows
        rest = None if self._next is None else self._next.slice(n_rows)
        while rest is not None and rest.num_rows == 0:
            rest = next(self._batches, None)
        self._next = rest


def _rows_of(scoring: Scoring, task: Task, n_done: int) -> _Rows:
    batches = read_batches(
        scoring.files.paths[task.number],
        scoring.files,
        _model(scoring.model, scoring.digest).features,
        scoring.identifier,
        label=scoring.label,
        row_groups=task.row_groups,
    )
    limit: int | None = scoring.part_rows
    n_before = 0
    if task.row_groups is not None:
        limit = None
        groups = scoring.files.format.groups(scoring.files.paths[task.number]) or ()
        n_before = sum(groups[: min(task.row_groups, default=0)])
    rows = _Rows(batches, limit, n_before)
    rows.skip(n_done)
    return rows


def _write_part(
    scoring: Scoring, rows: _Rows, start: int | None, about: dict[str, Any], path: Path
) -> None:
    model = _model(scoring.model, scoring.digest)
    names = [column.name for column in model.features]
    counts: list[Ints] = []
    writer = None
    with threadpool_limits(1):  # sums of one row are the same however many rows are beside it
        for n_before, batch in rows.take():
            if batch.num_rows == 0:
                continue
            features = pa.Table.from_batches([batch]).select(names)
            scored = score_columns(model, features)
            if start is None:
                ids = batch.column(scoring.identifier)
            else:
                ids = pa.array(np.arange(start + 1, start + 1 + batch.num_rows))
                start += batch.num_rows
            columns = {scoring.id_name: ids, **scored}
            if scoring.positive:
                whole = pa.Table.from_batches([batch])
                marks = read_marks(whole, scoring.positive, "positive", n_before=n_before)
                columns[_POSITIVE] = marks[-1]
            found = count_batch(model.seen, batch, scored[_SCORE])
            counts = [a + b for a, b in zip(counts, found, strict=True)] if counts else found
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
    if writer is None:
        kind = pa.null() if scoring.identifier else pa.int64()
        fields = [(scoring.id_name, kind), *((each, pa.float64()) for each in score_names(model))]
        fields += [(_POSITIVE, pa.bool_())] if scoring.positive else []
        writer = pq.ParquetWriter(path, pa.schema(fields))
    said = {
        **about,
        "last": rows.at_end or about["row_groups"] is not None,
        _SEEN: [each.tolist() for each in counts],
    }
    writer.add_key_value_metadata({_ABOUT: json.dumps(said)})
    writer.close()


def _model(path: Path, digest: str) -> Model:
    """The model, read once by each process, whose threads wait for the first."""
    with _LOADING:
        return _read_model(path, digest)


@lru_cache(maxsize=1)
def _read_model(path: Path, digest: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)  # said before the work
        model = load_model(path)
    if model.digest != digest:
        raise TableError(
            f"The model file {str(path)!r} has changed while the table was scored.",
            "Run the command again, with a new --out.",
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
    for number, path in enumerate(scoring.files.paths):
        column_types(path, scoring.files)  # refuses a damaged file
        groups = scoring.files.format.groups(path)
        if groups is not None:
            yield from _group_tasks(scoring, number, start, groups)
            start = None if start is None else start + count_rows(path, scoring.files)
            continue
        yield Task(number, 0, start, None)
        if start is None or number == last:
            continue
        if counted:
            start += count_rows(path, scoring.files)
        else:
            parts = scoring.out.glob(f"part-{number:05}-*.parquet")
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


def _read_part(path: Path, about: dict[str, Any]) -> tuple[int | None, bool]:
    """Rows of a part and whether it is the last of its file; None if there is no such part.

    One that is damaged, or was made of what the file held before, is none: it is written again.
    """
    try:
        metadata = pq.read_metadata(path)
        said = _read_about(path)
        is_last = bool(said.pop("last"))
        said.pop(_SEEN, None)
    except (OSError, ValueError, KeyError, TypeError):  # of pyarrow too
        return None, False
    if said != json.loads(json.dumps(about)):
        return None, False
    return metadata.num_rows, is_last


def _read_about(path: Path) -> dict[str, Any]:
    """What a part says of itself."""
    return dict(json.loads(pq.read_metadata(path).metadata[_ABOUT]))


def _labels_of(scoring: Scoring) -> dict[str, str]:
    """What makes labels beside scores the same; nothing without labels."""
    return {_POSITIVE: scoring.positive} if scoring.positive else {}


def _numbers_of(name: str) -> tuple[int, int]:
    _, number, part = Path(name).stem.split("-")
    return int(number), int(part)


def _identity(scoring: Scoring) -> dict[str, Any]:
    """What makes scores the same."""
    return {
        "model": scoring.digest,
        "identifier": scoring.identifier or None,
        "inputs": [asdict(each) for each in scoring.inputs],
        **_labels_of(scoring),
    }


def _finished(scoring: Scoring) -> tuple[Part, ...] | None:
    """Parts of an earlier run of the same, if it came to its end."""
    path = scoring.out / _MANIFEST
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        parts = tuple(Part(**part) for part in found["parts"])
        is_same = all(
            found.get(key) == value
            for key, value in ({_POSITIVE: None} | _identity(scoring)).items()
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _other_scores(scoring.out) from error
    if not is_same:
        raise _other_scores(scoring.out)
    complete = all(_n_rows(scoring.out / part.name) == part.rows for part in parts)
    return parts if complete else None


def _n_rows(path: Path) -> int:
    """Rows of a part, −1 if it cannot be read."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, ValueError):
        return -1


def _kept_parts(scoring: Scoring) -> set[str]:
    """Names of the parts that are there; all must be of this model and files of these names."""
    kept = {
        path.name
        for path in scoring.out.iterdir()
        if not path.name.startswith(".") and path.name != _MANIFEST
    }
    if not all(_is_part_of(scoring, scoring.out / name) for name in kept):
        raise _other_scores(scoring.out)
    return kept


def _is_part_of(scoring: Scoring, path: Path) -> bool:
    if not path.match(_PARTS):
        return False
    try:
        said = _read_about(path)
        number = _numbers_of(path.name)[0]
        found = (
            *(said["model"], said["identifier"], said["input"]["name"]),
            said.get(_POSITIVE, ""),
        )
    except (OSError, ValueError):  # a part that is damaged is written again
        return True
    except (KeyError, TypeError):
        return False
    names = [each.name for each in scoring.inputs]
    return found == (
        scoring.digest,
        scoring.identifier,
        names[number] if number < len(names) else "",
        scoring.positive,
    )


def _other_scores(folder: Path) -> TableError:
    return TableError(
        f"The folder {str(folder)!r} holds something else than scores of this table by this model.",
        "Pass a new folder: --out.",
    )


def clear_other_parts(scoring: Scoring) -> None:
    """Remove parts of another run, where they were on the way to one file.

    Parameters
    ----------
    scoring : of a hidden folder beside that file
    """
    if scoring.out.is_dir():
        try:
            _finished(scoring)
            _kept_parts(scoring)
        except TableError:
            shutil.rmtree(scoring.out)


def _check_new_folder(out: Path, table: Path) -> None:
    ending = out.suffix.lower()
    if not out.is_dir() and (out.exists() or ending in (*table_endings(), *COMPRESSIONS)):
        raise TableError(
            f"{str(out)!r} is no folder and does not end in {' or '.join(RANKING_ENDINGS)}.",
            "Pass a folder, or a name whose ending says what to write: --out.",
        )
    if table.is_dir() and table.resolve() in (out.resolve(), *out.resolve().parents):
        raise TableError(
            f"{str(out)!r} lies in the input folder {str(table)!r} and would be read as a part of "
            "the table.",
            "Write it into another folder: --out.",
        )
    folder = out if out.is_dir() else out.absolute().parent
    if not folder.is_dir():
        raise TableError(
            f"There is no folder {str(folder)!r} to make {out.name!r} in.", "Make it first."
        )
    check_folder(folder)


def _input_of(path: Path, root: Path) -> InputFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return InputFile(path.relative_to(root).as_posix(), path.stat().st_size, digest)


def _join(paths: list[Path], out: Path, path: Path, *, for_spreadsheet: bool) -> None:
    """Write the parts to `path`, in the format of `out`."""
    schemas = [pq.read_schema(path).remove_metadata() for path in paths]
    try:
        schema = pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowTypeError:  # identifiers are numbers in one file, text in another
        schema = schemas[0].set(0, pa.field(schemas[0].names[0], pa.string()))
    batches = chain.from_iterable(map(_batches_of, paths))
    parts = (pa.Table.from_batches([batch]).cast(schema) for batch in batches)
    write_parts(parts, schema, path, out, for_spreadsheet=for_spreadsheet)


def _below(first: pa.Table, second: pa.Table) -> pa.Table:
    """Two tables; identifiers that are numbers in one and text in the other become text."""
    try:
        return pa.concat_tables([first, second], promote_options="permissive")
    except pa.ArrowTypeError:
        tables = [
            each.set_column(0, each.column_names[0], each.column(0).cast(pa.string()))
            for each in (first, second)
        ]
        return pa.concat_tables(tables)


def _batches_of(path: Path) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path) as file:
        yield from file.iter_batches(BATCH_ROWS)
