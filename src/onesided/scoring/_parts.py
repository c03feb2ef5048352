"""Parts: files that hold the scores of some rows of a table; a part is written whole or not."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn import config_context
from threadpoolctl import threadpool_limits

from onesided._files._batches import BlankRows
from onesided._files._format import BATCH_ROWS, TableFile
from onesided._files._json_file import read_json
from onesided._text import argument
from onesided._typing import Array, Ints
from onesided.exceptions import TableError
from onesided.scoring._drift import Counted
from onesided.scoring._model_file import Model
from onesided.scoring._plan import Scoring
from onesided.tables import write_files, write_text
from onesided.tables._columns import marked_identifier
from onesided.tables._labels import read_marks

SEEN = "seen"  # key of the counts of a part: its number of rows in each bin
SCORE, RANK, POSITIVE = "score", "rank", "positive"
MANIFEST = "manifest.json"
PARTS = "part-*.parquet"
_ABOUT = b"onesided"  # key of the description of a part, in the metadata of its file
_ROW = "row"
_SHARE = "share_below"
ALERT = "alert"
_TAKEN = (SCORE, _SHARE, RANK, POSITIVE, ALERT, "posterior", "posterior_at_most")
_READ = "n_read"  # key of the number of rows that were read from a file; only its last part has it


@dataclass(frozen=True)
class Part:
    """A file of scores: its name, the file that it scores, its number of rows, and its SHA-256."""

    name: str
    input: str
    rows: int
    digest: str = ""

    @property
    def places(self) -> list[int]:
        """Number of the file that it scores, and its own number among the parts of this file."""
        return [int(number) for number in re.findall(r"\d+", self.name)]


def id_name(identifier: str) -> str:
    """Name of the identifier column of a table of scores; without identifier, rows are numbered."""
    return marked_identifier(identifier or _ROW, _TAKEN)


def score_names(model: Model) -> dict[str, pa.DataType]:
    """Names and types of the columns that `score_columns` computes."""
    found = {SCORE: pa.float64()}
    if model.unlabeled_scores:
        found[_SHARE] = pa.float64()
    if model.posterior:
        found[model.posterior.column] = pa.float64()
    if model.alerts:
        found[ALERT] = pa.bool_()
    return found


def score_columns(model: Model, rows: pa.Table) -> dict[str, Array]:
    """Columns of scores, and what the model knows about the scores.

    The model may know the share of unlabeled rows that score lower, the probability of being
    positive, and whether the row raises an alert.

    Raises
    ------
    TableError : if a score is not finite
    """
    with config_context(assume_finite=True), np.errstate(all="ignore"):
        scores = np.asarray(
            model.pipeline.decision_function(model.as_features(rows)), dtype=np.float64
        )
    if not np.isfinite(scores).all():
        raise TableError(
            "The model gives some rows a score that is not finite, because they hold numbers far "
            "beyond those that it learned from.",
            "Correct these numbers, or learn a model from rows like these.",
        )
    found: dict[str, Array] = {SCORE: scores}
    if model.unlabeled_scores:
        found[_SHARE] = model.shares_below(scores)
    if model.posterior:
        found[model.posterior.column] = model.posterior.given(scores)
    if model.alerts:
        found[ALERT] = model.alerts.among(scores)
    return found


class Rows:
    """The rows of a file that are still to be scored, without rows whose cells are all missing.

    A part takes at most `limit` rows. The batches begin after `n_before` rows of the file, and
    `n_read` rows have been read so far.
    """

    def __init__(
        self, file: TableFile, batches: Iterator[pa.RecordBatch], limit: int, n_before: int
    ) -> None:
        self.limit = limit
        self.n_before, self.n_read = n_before, 0
        self._batches = self._numbered(BlankRows(file), batches)
        self._next = next(self._batches, None)

    def _numbered(
        self, blank: BlankRows, batches: Iterator[pa.RecordBatch]
    ) -> Iterator[tuple[Ints, pa.RecordBatch]]:
        """Batches without blank rows, each with the numbers of its rows in the file, from 1."""
        for batch in batches:
            start = self.n_before + self.n_read
            self.n_read += batch.num_rows
            kept = np.delete(np.arange(batch.num_rows), blank.in_batch(batch, start))
            if len(kept):
                is_whole = len(kept) == batch.num_rows
                yield start + kept + 1, batch if is_whole else batch.take(pa.array(kept))

    @property
    def at_end(self) -> bool:
        """Whether no rows are left."""
        return self._next is None

    def take(self, n_rows: int) -> Iterator[tuple[Ints, pa.RecordBatch]]:
        """Batches of the next rows, each with the numbers of its rows in the file, from 1."""
        while self._next is not None and n_rows:
            numbers, batch = self._next
            taken = numbers[:n_rows]
            rest = numbers[n_rows:], batch.slice(n_rows)
            self._next = rest if len(rest[0]) else next(self._batches, None)
            n_rows -= len(taken)
            yield taken, batch.slice(0, len(taken))

    def skip(self, n_rows: int) -> None:
        """Skip the next `n_rows` rows."""
        for _ in self.take(n_rows):
            pass


def write_part(
    scoring: Scoring, model: Model, rows: Rows, start: int, about: dict[str, Any], path: Path
) -> None:
    """Score the next rows, and write them into a part.

    Parameters
    ----------
    scoring, model : what to score, and the model that scores
    rows : rows of the file that are still to be scored
    start : number of rows of the table before all of `rows`
    about : description of the part, which its file keeps
    path : path of the part
    """
    names = [column.name for column in model.features]
    counted = Counted()
    writer = None
    with threadpool_limits(1):  # with more threads, a score may depend on the rows beside its row
        for numbers, batch in rows.take(rows.limit):
            whole = pa.Table.from_batches([batch])
            scored = score_columns(model, whole.select(names))
            named = batch.column(scoring.identifier) if scoring.identifier else None
            ids = pa.array(numbers - rows.n_before + start) if named is None else named
            columns = {id_name(scoring.identifier): ids, **scored}
            if scoring.positive:
                marks = read_marks(whole, scoring.positive, "positive", numbers=numbers)
                columns[POSITIVE] = marks[-1]
            counted += model.count(batch, scored[SCORE])
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(path, table.schema, write_page_checksum=True)
            writer.write_table(table)
    if writer is None:
        kind = pa.null() if scoring.identifier else pa.int64()
        fields = [
            (id_name(scoring.identifier), kind),
            *score_names(model).items(),
        ]
        fields += [(POSITIVE, pa.bool_())] if scoring.positive else []
        writer = pq.ParquetWriter(path, pa.schema(fields), write_page_checksum=True)
    is_last = rows.at_end or about["row_groups"] is not None
    said = {
        **about,
        "last": is_last,
        _READ: rows.n_read if is_last else 0,
        SEEN: counted.as_json(),
    }
    writer.add_key_value_metadata({_ABOUT: json.dumps(said)})
    writer.close()


def read_part(path: Path, about: dict[str, Any]) -> tuple[int | None, bool]:
    """Number of rows of a part, and whether it is the last part of its file.

    The number is None if there is no such part, or if the part is damaged or has another
    description: such a part must be written again.
    """
    try:
        said = read_about(path)
        is_last = bool(said.pop("last"))
        said.pop(SEEN, None)
        said.pop(_READ, None)
        if said != json.loads(json.dumps(about)):
            return None, False
        n_rows = sum(batch.num_rows for batch in batches_of(path))
    except (OSError, ValueError, KeyError, TypeError):  # pyarrow's errors are kinds of these
        return None, False
    return n_rows, is_last


def read_about(path: Path) -> dict[str, Any]:
    """The description of a part, from the metadata of its file."""
    return dict(json.loads(pq.read_metadata(path).metadata[_ABOUT]))


def n_rows_read(paths: Iterable[Path]) -> int:
    """Number of rows that were read for some parts, including blank rows, which get no score."""
    return sum(read_about(path).get(_READ, 0) for path in paths)


def write_manifest(scoring: Scoring, parts: Sequence[Part]) -> None:
    """Write the manifest, which describes a folder after all parts are written."""
    manifest = {
        **scoring.identity,
        "rows": sum(part.rows for part in parts),
        "parts": [asdict(part) for part in parts],
    }
    text = json.dumps(manifest, indent=1) + "\n"
    write_files({scoring.folder / MANIFEST: partial(write_text, text)})


def read_manifest(scoring: Scoring) -> tuple[Part, ...]:
    """The parts of an earlier run for the same scores; empty if no earlier run finished.

    Raises
    ------
    TableError : if the folder holds other scores
    """
    path = scoring.folder / MANIFEST
    if not path.exists():
        return ()
    try:
        found = read_json(path, "The manifest", "")
        parts = tuple(Part(**part) for part in found["parts"])
        is_same = all(Path(part.name).name == part.name for part in parts) and all(
            found.get(key) == value for key, value in ({POSITIVE: None} | scoring.identity).items()
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _other_scores(scoring.folder) from error
    if not is_same:
        raise _other_scores(scoring.folder)
    return parts


def is_whole(scoring: Scoring, part: Part) -> bool:
    """Whether a part has the number of rows and the SHA-256 that the manifest states."""
    try:
        n_rows = pq.read_metadata(scoring.folder / part.name).num_rows
        return bool(n_rows == part.rows and digest_of_part(scoring, part.name) == part.digest)
    except (OSError, ValueError):  # pyarrow's errors are kinds of these
        return False


def digest_of_part(scoring: Scoring, name: str) -> str:
    """SHA-256 of the file of a part."""
    with (scoring.folder / name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def kept_parts(scoring: Scoring) -> set[str]:
    """Names of the parts in the folder.

    Raises
    ------
    TableError : if the folder holds a file that is not a part of these files by this model
    """
    kept = {
        path.name
        for path in scoring.folder.iterdir()
        if not path.name.startswith(".") and path.name != MANIFEST
    }
    if not all(_is_part_of(scoring, scoring.folder / name) for name in kept):
        raise _other_scores(scoring.folder)
    return kept


def _is_part_of(scoring: Scoring, path: Path) -> bool:
    if not (path.match(PARTS) and path.is_file()):
        return False
    try:
        said = read_about(path)
        number = int(path.stem.split("-")[1])
        found = [said[key] for key in ("model", "identifier")]
        found += [said["input"]["name"], said.get(POSITIVE, "")]
    except (OSError, ValueError):  # a damaged part is written again
        return True
    except (KeyError, TypeError):
        return False
    names = [each.name for each in scoring.inputs]
    name = names[number] if number < len(names) else ""
    return found == [scoring.digest, scoring.identifier, name, scoring.positive]


def _other_scores(folder: Path) -> TableError:
    return TableError(
        f"The folder {str(folder)!r} holds files other than the scores of this table by this "
        "model.",
        f"Pass a new folder: {argument('out')}.",
    )


def batches_of(path: Path) -> Iterator[pa.RecordBatch]:
    """The rows of a part; a wrong checksum raises an error."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        yield from file.iter_batches(BATCH_ROWS)
