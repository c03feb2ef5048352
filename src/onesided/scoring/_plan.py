"""Plans of scoring: which files a model scores, and into which folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._files._batches import check_columns, column_types
from onesided._files._format import TableFile
from onesided._files._formats import table_endings
from onesided._files._packed import COMPRESSIONS
from onesided._text import argument
from onesided.exceptions import TableError
from onesided.scoring._model_file import Model, digest_of
from onesided.tables import RANKING_ENDINGS
from onesided.tables._labels import read_marks
from onesided.tables._write import check_folder

PART_ROWS = 500_000  # about 12 MB in a part


@dataclass(frozen=True)
class InputFile:
    """A file of the table to score: name below the folder, number of bytes, and SHA-256."""

    name: str
    size: int
    digest: str


@dataclass(frozen=True)
class Scoring:
    """Everything that a process needs to score a part of a table.

    Attributes
    ----------
    model : path of the model; None if the model is in no file
    digest : SHA-256 of the file of the model
    files : the files of the table
    inputs : the names, sizes and digests of these files, in the same order
    identifier : column that names the rows; empty if rows are numbered
    positive : the column that marks positive rows, as for `read_problem`; empty without such a
        column
    label : name of this column
    unused : columns of the first file that the model does not know
    folder : folder of the parts
    part_rows : number of rows that fill a part

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.scoring import fit_table, plan_scoring
    >>> rng, known = np.random.default_rng(0), np.arange(60) < 15
    >>> table = pd.DataFrame({"size": rng.normal(size=60) + known, "known": known})
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.assign(lab="north").to_csv(f"{folder}/sizes.csv", index=False)
    ...     with plan_scoring(model, f"{folder}/sizes.csv", f"{folder}/scores.csv") as plan:
    ...         print([file.path.name for file in plan.scoring.files], plan.scoring.unused)
    ['sizes.csv'] ('lab',)
    """

    model: Path | None
    digest: str
    files: tuple[TableFile, ...]
    inputs: tuple[InputFile, ...]
    identifier: str
    positive: str
    label: str
    unused: tuple[str, ...]
    folder: Path
    part_rows: int

    @property
    def labels(self) -> dict[str, str]:
        """Settings that determine the labels; empty without labels."""
        return {"positive": self.positive} if self.positive else {}

    @property
    def identity(self) -> dict[str, Any]:
        """Settings that determine the scores: with the same settings, the scores are the same."""
        return {
            "model": self.digest,
            "identifier": self.identifier or None,
            "inputs": [asdict(each) for each in self.inputs],
            **self.labels,
        }


def scoring_of(
    model: Model,
    table: Path,
    files: Sequence[TableFile],
    folder: Path,
    *,
    identifier: str = "",
    positive: str = "",
) -> Scoring:
    """A plan to score the files of a table into a folder of parts.

    Parameters
    ----------
    model : the model that scores
    table : path of the table, a file or a folder
    files : the files of the table
    folder : folder of the parts
    identifier : column that names the rows; by default that of the model, if the table has it
    positive : column that marks positive rows; empty for no such column

    Raises
    ------
    TableError : if a file lacks a column of the model, or if the labels cannot be used
    """
    root = table if table.is_dir() else table.parent
    known = model.name_of("identifier")
    found = column_types(files[0])
    if not identifier and known in found:
        identifier = known
    label = _label_of(model, positive, found) if positive else ""
    for each in files:  # before the work, so that an error cannot waste it
        check_columns(each, model.features, identifier, label=label)
    not_new = {column.name for column in model.columns} | {identifier, label}
    return Scoring(
        model=model.path,
        digest=digest_of(model),
        files=tuple(each.resolved() for each in files),
        inputs=tuple(_input_of(each, root) for each in files),
        identifier=identifier,
        positive=positive,
        label=label,
        unused=tuple(name for name in found if name not in not_new),
        folder=folder,
        part_rows=PART_ROWS,
    )


def _label_of(model: Model, positive: str, found: Mapping[str, pa.DataType]) -> str:
    """Name of the column of labels; an error if the model learned from this column."""
    none = pa.schema(list(found.items())).empty_table()
    label = read_marks(none, positive, "positive")[0]
    if label in {column.name for column in model.features}:
        raise TableError(
            f"The model learned from column {label!r}, so this column cannot judge the scores.",
            f"Pass the column of labels: {argument('positive', 'COLUMN')}.",
        )
    return label


def is_one_file(out: Path) -> bool:
    """Whether an output path names one file, and not a folder of parts."""
    return not out.is_dir() and out.suffix.lower() in RANKING_ENDINGS


def check_parts_folder(out: Path, table: Path) -> None:
    """Raise an error if a folder of parts cannot be made, or lies in the folder of the table."""
    ending = out.suffix.lower()
    if not out.is_dir() and (out.exists() or ending in (*table_endings(), *COMPRESSIONS)):
        raise TableError(
            f"{str(out)!r} is not a folder and does not end in {' or '.join(RANKING_ENDINGS)}.",
            f"Pass a folder, or a name whose ending says what to write: {argument('out')}.",
        )
    known = [*RANKING_ENDINGS, *table_endings()]
    if not out.is_dir() and (guess_type(out.name)[0] or get_close_matches(ending, known, 1, 0.7)):
        raise TableError(
            f"{out.name!r} ends as a file does, but not in {' or '.join(RANKING_ENDINGS)}.",
            f"Correct the ending. If {out.name!r} is a folder, make it first.",
        )
    if table.is_dir() and table.resolve() in (out.resolve(), *out.resolve().parents):
        raise TableError(
            f"{str(out)!r} lies in the input folder {str(table)!r} and would be read as a part of "
            "the table.",
            f"Write it into another folder: {argument('out')}.",
        )
    folder = out if out.is_dir() else out.absolute().parent
    if not folder.is_dir():
        raise TableError(
            f"There is no folder {str(folder)!r} in which {out.name!r} could be made.",
            "Make this folder first.",
        )
    check_folder(folder)


def _input_of(file: TableFile, root: Path) -> InputFile:
    with file.path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    name = file.path.relative_to(root).as_posix() + f" [{file.sheet}]" * bool(file.sheet)
    return InputFile(name, file.path.stat().st_size, digest)
