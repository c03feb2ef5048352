"""The parts of the scores of a large table: files that appear whole or not at all."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from threadpoolctl import threadpool_limits

from onesided._files._format import BATCH_ROWS
from onesided._text import argument
from onesided._typing import Floats, Ints
from onesided.exceptions import TableError
from onesided.scoring._drift import count_batch
from onesided.scoring._model_file import Model
from onesided.scoring._plan import Scoring
from onesided.tables import write_files, write_text
from onesided.tables._labels import read_marks

SEEN = "seen"  # rows of a part in each bin of what the model has seen
SCORE, RANK, POSITIVE = "score", "rank", "positive"
MANIFEST = "manifest.json"
_PARTS = "part-*.parquet"
_ABOUT = b"onesided"  # key of what a part says of itself
_ROW = "row"
_SHARE = "share_below"


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


def id_name(identifier: str) -> str:
    """What the column of identifiers is called beside the scores.

    Parameters
    ----------
    identifier : column that names the rows, or empty: they are numbered
    """
    name = identifier or _ROW
    return f"{name} (identifier)" if name in (SCORE, _SHARE, RANK, POSITIVE) else name


def score_names(model: Model) -> list[str]:
    """What is written of each row: its score and, if the model knows, the share that is lower.

    Parameters
    ----------
    model : that scores
    """
    return [SCORE, *([_SHARE] if model.unlabeled_scores else [])]


def score_columns(model: Model, rows: pa.Table) -> dict[str, Floats]:
    """The same as columns, each of shape (n_rows,).

    Parameters
    ----------
    model : that scores
    rows : with the columns that it takes
    """
    scores = np.asarray(model.pipeline.decision_function(rows), dtype=np.float64)
    shares = {_SHARE: model.shares_below(scores)} if model.unlabeled_scores else {}
    return {SCORE: scores, **shares}


class Rows:
    """The rows of a file, taken a few batches at a time.

    Parameters
    ----------
    batches : of the file
    limit : rows of a part, None for all rows
    n_before : rows of the file that are before those of the batches
    """

    def __init__(
        self, batches: Iterator[pa.RecordBatch], limit: int | None, n_before: int = 0
    ) -> None:
        self._batches = batches
        self._limit = limit
        self._n_before = n_before
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


def write_part(
    scoring: Scoring, model: Model, rows: Rows, start: int | None, about: dict[str, Any], path: Path
) -> None:
    """Score the next rows of a file and write what is to be known of them.

    Parameters
    ----------
    scoring, model : what is scored by what
    rows : of the file
    start : rows of the table before them, None where rows are not numbered
    about : what the part says of itself
    path : to write
    """
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
            columns = {id_name(scoring.identifier): ids, **scored}
            if scoring.positive:
                whole = pa.Table.from_batches([batch])
                marks = read_marks(whole, scoring.positive, "positive", n_before=n_before)
                columns[POSITIVE] = marks[-1]
            found = count_batch(model.seen, batch, scored[SCORE])
            counts = [a + b for a, b in zip(counts, found, strict=True)] if counts else found
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
    if writer is None:
        kind = pa.null() if scoring.identifier else pa.int64()
        fields = [
            (id_name(scoring.identifier), kind),
            *((each, pa.float64()) for each in score_names(model)),
        ]
        fields += [(POSITIVE, pa.bool_())] if scoring.positive else []
        writer = pq.ParquetWriter(path, pa.schema(fields))
    said = {
        **about,
        "last": rows.at_end or about["row_groups"] is not None,
        SEEN: [each.tolist() for each in counts],
    }
    writer.add_key_value_metadata({_ABOUT: json.dumps(said)})
    writer.close()


def read_part(path: Path, about: dict[str, Any]) -> tuple[int | None, bool]:
    """Rows of a part and whether it is the last of its file; None if there is no such part.

    One that is damaged, or was made of what the file held before, is none: it is written again.
    """
    try:
        metadata = pq.read_metadata(path)
        said = read_about(path)
        is_last = bool(said.pop("last"))
        said.pop(SEEN, None)
    except (OSError, ValueError, KeyError, TypeError):  # of pyarrow too
        return None, False
    if said != json.loads(json.dumps(about)):
        return None, False
    return metadata.num_rows, is_last


def read_about(path: Path) -> dict[str, Any]:
    """What a part says of itself."""
    return dict(json.loads(pq.read_metadata(path).metadata[_ABOUT]))


def numbers_of(name: str) -> tuple[int, int]:
    """Number of the input file, and of the part within it, by the name of a part."""
    _, number, part = Path(name).stem.split("-")
    return int(number), int(part)


def write_manifest(scoring: Scoring, parts: Sequence[Part]) -> None:
    """Write what the folder holds, once all of it is there."""
    manifest = {
        **scoring.identity,
        "rows": sum(part.rows for part in parts),
        "parts": [asdict(part) for part in parts],
    }
    text = json.dumps(manifest, indent=1) + "\n"
    write_files({scoring.folder / MANIFEST: partial(write_text, text)})


def finished_parts(scoring: Scoring) -> tuple[Part, ...] | None:
    """Parts of an earlier run of the same, if it came to its end."""
    path = scoring.folder / MANIFEST
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        parts = tuple(Part(**part) for part in found["parts"])
        is_same = all(
            found.get(key) == value for key, value in ({POSITIVE: None} | scoring.identity).items()
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _other_scores(scoring.folder) from error
    if not is_same:
        raise _other_scores(scoring.folder)
    complete = all(_n_rows(scoring.folder / part.name) == part.rows for part in parts)
    return parts if complete else None


def _n_rows(path: Path) -> int:
    """Rows of a part, −1 if it cannot be read."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, ValueError):
        return -1


def kept_parts(scoring: Scoring) -> set[str]:
    """Names of the parts that are there; all must be of this model and files of these names."""
    kept = {
        path.name
        for path in scoring.folder.iterdir()
        if not path.name.startswith(".") and path.name != MANIFEST
    }
    if not all(_is_part_of(scoring, scoring.folder / name) for name in kept):
        raise _other_scores(scoring.folder)
    return kept


def _is_part_of(scoring: Scoring, path: Path) -> bool:
    if not path.match(_PARTS):
        return False
    try:
        said = read_about(path)
        number = numbers_of(path.name)[0]
        found = (
            *(said["model"], said["identifier"], said["input"]["name"]),
            said.get(POSITIVE, ""),
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
        f"The folder {str(folder)!r} holds files other than the scores of this table by this "
        "model.",
        f"Pass a new folder: {argument('out')}.",
    )


def batches_of(path: Path) -> Iterator[pa.RecordBatch]:
    """The rows of a part."""
    with pq.ParquetFile(path) as file:
        yield from file.iter_batches(BATCH_ROWS)
