"""A table that was read and understood: which rows are positive, and what the columns are."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from onesided._text import argument
from onesided._typing import Array, Bools
from onesided.exceptions import TableError
from onesided.tables._columns import (
    check_names_rows,
    find_key,
    find_titles,
    row_numbers,
)
from onesided.tables._describe import TableSummary, describe
from onesided.tables._features import count_equal_rows, used_columns
from onesided.tables._known_rows import KnownRows, read_known_rows, warn_of_lacking
from onesided.tables._labels import (
    check_kinds,
    label_columns,
    label_notes,
    read_known_negative,
    read_labels,
)
from onesided.tables._leaks import warn_of_leaks, warn_of_other_labels
from onesided.tables._table_file import table_file


@dataclass(frozen=True)
class Problem:
    """The rows and columns to learn from.

    Attributes
    ----------
    name : of the table
    data : the whole table
    label : name of the column of labels, or of the file of positive rows
    positive : shape (n_rows,)
    negative : shape (n_rows,), rows verified to be negative; they count as unlabeled
    summary : what the columns are
    group : column whose rows belong together, empty where there is none
    identifier : column that names the rows, empty where there is none
    known : what the files beside the table said of its rows; None where there were none
    files : names of these files: that of positive rows, that of known negatives, or empty
    negative_label : column that marks the known negatives, or empty
    label_notes : what a person should know of how the labels were read
    asked : columns whose role was given
    """

    name: str
    data: pa.Table
    label: str
    positive: Bools
    negative: Bools
    summary: TableSummary
    group: str = ""
    identifier: str = ""
    known: KnownRows | None = None
    files: tuple[str, str] = ("", "")
    negative_label: str = ""
    label_notes: tuple[str, ...] = ()
    asked: tuple[str, ...] = field(default=())

    @cached_property
    def features(self) -> pa.Table:
        """The columns to learn from."""
        return used_columns(self.data, self.summary)

    @cached_property
    def groups(self) -> Array | None:
        """Shape (n_rows,), the group of each row; None where there are no groups."""
        return _as_groups(self.data.column(self.group)) if self.group else None

    @property
    def ids(self) -> pa.ChunkedArray:
        """What the rows are called: the cells of the identifier, else the numbers of the rows."""
        return self.data.column(self.identifier) if self.identifier else row_numbers(self.data)

    @cached_property
    def titles(self) -> Array | None:
        """What people know the rows by, shape (n_rows,): a column called title, or the like.

        A row without a title has its identifier; None where no such column tells rows apart.
        """
        name = find_titles(self.data, without=(self.identifier, self.label))
        if name is None:
            return None
        pairs = zip(self.data.column(name).to_pylist(), self.ids.to_pylist(), strict=True)
        return np.array([title or str(each) for title, each in pairs], dtype=object)

    @property
    def n_equal(self) -> int:
        """Number of rows that equal an earlier row in all columns used."""
        return count_equal_rows(self.data, self.summary)


def read_problem(  # noqa: PLR0913 - each says how one thing is read
    table: str | PathLike[str] | Any,
    positive: str = "",
    *,
    positive_table: str | PathLike[str] | None = None,
    identifier: str = "",
    group: str = "",
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    known_negative: str = "",
    known_negative_table: str | PathLike[str] | None = None,
    delimiter: str | None = None,
) -> Problem:
    """Read a table, decide what its columns are, and warn of leaks.

    Parameters
    ----------
    table : path of a file, or a data frame, of unlabeled rows and, without `positive_table`, of
        positive ones; a frame is read as the Parquet file is that it would be written to
    positive : column of labels, as `read_labels` takes it
    positive_table, known_negative_table : files of positive rows and of known negatives
    identifier : column that names the rows
    group : column whose rows belong together
    drop, categorical, text : columns not to learn from, and columns whose role is given
    known_negative : column that marks the rows verified to be negative
    delimiter : between the cells of a CSV file; found in its first lines by default

    Raises
    ------
    TableError : if the files cannot be read, or do not say which rows are positive

    Warns
    -----
    OnesidedWarning : of what may give the labels away, and of rows that are not told apart
    """
    _check_positive(positive, positive_table)
    marks = [each for each in (positive, known_negative) if each]
    as_text = [
        *(name for each in marks for name in label_columns(each)),
        *filter(None, (identifier, group)),
    ]
    beside = [
        None if each is None else Path(each) for each in (positive_table, known_negative_table)
    ]
    with table_file(table) as path:
        name = path.resolve().name if isinstance(table, str | PathLike) else path.stem
        known = read_known_rows(
            path,
            positive=beside[0],
            negative=beside[1],
            identifier=identifier,
            delimiter=delimiter,
            as_text=as_text,
        )
    rows, data = known.rows, known.rows.data
    named_rows = identifier or rows.identifier
    label, is_positive = "", known.positive
    if positive:
        label, is_positive = read_labels(data, positive, lists=rows.lists)
    verified, negative = "", known.negative
    if known_negative:
        verified, marked = read_known_negative(data, known_negative, is_positive, lists=rows.lists)
        negative = negative | marked
    check_kinds(is_positive, negative)
    named = [find_key(data, name) for name in (named_rows, group) if name]
    if identifier:
        check_names_rows(data, identifier, label)
    if group and named[-1] == label:
        raise TableError(
            f"Column {label!r} is the column of labels, so it cannot group the rows.",
            f"Pass another column as {argument('group')}.",
        )
    summary = describe(
        data,
        without=[*filter(None, [label, verified]), *named],
        drop=drop or (),
        categorical=categorical or (),
        text=[*(text or ()), *rows.text],
        aside=rows.aside,
    )
    warn_of_lacking(known, summary)
    warn_of_leaks(data, is_positive, summary)
    if positive:
        warn_of_other_labels(data, label, summary)
    notes = () if positive_table else label_notes(data, positive, negatives=bool(known_negative))
    files = [each.name if each else "" for each in beside]
    return Problem(
        name=name,
        data=data,
        label=files[0] or label,
        positive=is_positive,
        negative=negative,
        summary=summary,
        group=group,
        identifier=named_rows,
        known=known,
        files=(files[0], files[1]),
        negative_label=verified,
        label_notes=tuple(notes),
        asked=(*(categorical or ()), *(text or ())),
    )


def _check_positive(positive: str, positive_table: object) -> None:
    either, other = argument("positive"), argument("positive_table")
    if positive and positive_table:
        raise TableError(
            f"{either} and {other} both say which rows are positive.", "Pass one of them."
        )
    if not positive and not positive_table:
        raise TableError(
            f"Neither {either} nor {other} says which rows are positive.",
            f"Name the column of labels, {argument('positive', 'COLUMN')}, or a file of positive "
            f"rows, {argument('positive_table', 'FILE')}.",
        )


def _as_groups(column: pa.ChunkedArray) -> Array:
    """A group for each row; a row without one is a group of its own; shape (n_rows,)."""
    cells = enumerate(column.to_pylist(), start=1)
    alone = "row {} without a group"
    return np.array([str(cell) if cell not in (None, "") else alone.format(n) for n, cell in cells])
