"""Documents: a folder of text files, or a table with a column of text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._encoding import read_text
from onesided._files._find import files_below
from onesided._files._rows import has_parts, read_rows
from onesided._text import argument
from onesided._typing import Bools
from onesided.exceptions import TableError
from onesided.tables import describe, find_column, find_key, row_numbers
from onesided.tables._columns import as_text, plain_type

_MOST_KINDS = 50
_OF_A_KIND = 5  # documents, on average
_MOST_COLUMNS = 3  # that may hold kinds, and are named


@dataclass(frozen=True)
class Documents:
    """Texts and what they are called.

    Attributes
    ----------
    ids : one a document: names of files, cells of a column, or row numbers
    texts : the documents
    kinds : one a document, "" for none; or None where no kinds were given
    columns : that the texts were read from
    kind_like : other columns whose few values come again and again, as kinds do
    kind : column that the kinds were read from, empty where there is none
    name : of the folder or table
    """

    ids: list[str]
    texts: list[str]
    kinds: list[str] | None = None
    columns: tuple[str, ...] = ()
    kind_like: tuple[str, ...] = ()
    kind: str = ""
    name: str = ""

    @property
    def n_kinds(self) -> int:
        """Number of kinds; 0 where no kinds were given."""
        return len(set(self.kinds or ()))

    def __len__(self) -> int:
        return len(self.ids)

    def where(self, kept: Bools) -> Self:
        """Some of the documents; `kept` has shape (n_documents,)."""
        places = np.flatnonzero(kept)
        kinds = None if self.kinds is None else [self.kinds[i] for i in places]
        return replace(
            self,
            ids=[self.ids[i] for i in places],
            texts=[self.texts[i] for i in places],
            kinds=kinds,
        )

    def joined(self, other: "Documents") -> Self:
        """These and then the others; those without a kind have the kind ""."""
        kinds = None
        if self.kinds is not None or other.kinds is not None:
            kinds = [*(self.kinds or [""] * len(self)), *(other.kinds or [""] * len(other))]
        return replace(
            self, ids=[*self.ids, *other.ids], texts=[*self.texts, *other.texts], kinds=kinds
        )

    def to_table(self, identifier: str, kind: str, text: str) -> pa.Table:
        """Columns of these names; of kinds only where there are any."""
        kinds = {} if self.kinds is None else {kind: self.kinds}
        return pa.table({identifier: self.ids, **kinds, text: self.texts})


def read_documents(
    path: Path,
    *,
    text: Sequence[str] = (),
    like: Sequence[str] = (),
    identifier: str = "",
    kind: str = "",
    delimiter: str | None = None,
    folders_are_kinds: bool = True,
) -> Documents:
    """Documents of a folder of text files, whose sub-folders are kinds, or of a table.

    Parameters
    ----------
    path : folder or table; a folder of CSV, Parquet or JSON-lines files is a table
    text : columns of text of a table; by default those that hold several words
    like : columns of text of another table, which are taken where this one has them all
    identifier, kind : columns of a table, or "" for none
    delimiter : between the cells of a CSV file; found by default
    folders_are_kinds : sub-folders of a folder of text files are; otherwise they say nothing

    Raises
    ------
    TableError : if there are no documents, or a column is missing; a folder of text files has none
    """
    if path.is_dir() and not has_parts(path):
        if kind:
            raise TableError(
                f"{str(path)!r} is a folder of text files, whose kinds are its sub-folders; it has "
                f"no column {kind!r}.",
                f"Leave {argument('kind')} out.",
            )
        return _read_folder(path, folders_are_kinds=folders_are_kinds)
    as_it_is = [name for name in (identifier, kind) if name]
    rows = read_rows(path, delimiter=delimiter, as_text=as_it_is, at_least=1)
    table = rows.data
    for name in as_it_is:
        find_key(table, name)
    like = like if set(like) <= set(table.column_names) else ()
    names = list(text or rows.text or like) or describe(table, without=as_it_is).names("text")
    if not names:
        raise TableError(
            f"No column of {path.name!r} holds text of several words.",
            "Name the column that holds the documents: "
            f"{argument('text', [table.column_names[-1]])}.",
        )
    columns = [table.column(find_column(table, name)).to_pylist() for name in names]
    names_rows = identifier or rows.identifier
    cells = table.column(names_rows) if names_rows else row_numbers(table)
    return Documents(
        [as_text(cell) for cell in cells.to_pylist()],
        ["\n".join(as_text(cell) for cell in row) for row in zip(*columns, strict=True)],
        [as_text(cell) for cell in table.column(kind).to_pylist()] if kind else None,
        tuple(names),
        () if kind or rows.form != "table" else _kind_like(table, [*as_it_is, *names]),
        kind,
        path.resolve().name,
    )


def read_known_and_new(
    known: Path, new: Path, *, kind: str | None, **reading: Any
) -> tuple[Documents, Documents]:
    """Known and new documents.

    Parameters
    ----------
    known, new : folders or tables
    kind : column of kinds of the known, "" for none; by default the one column of few values that
        only the known have, if there is one
    reading : other arguments of `read_documents`
    """
    of_known = read_documents(known, kind=kind or "", **reading)
    of_new = read_documents(new, like=of_known.columns, folders_are_kinds=False, **reading)
    only_known = _only_known(of_known, of_new)
    if kind is None and len(only_known) == 1 and of_known.kinds is None:
        of_known = read_documents(known, kind=only_known[0], **reading)
    return of_known, of_new


def notes_of_kinds(known: Documents, new: Documents) -> list[str]:
    """Which columns may hold the kinds, those first that only the known have."""
    found = _only_known(known, new) or known.kind_like
    if not found or known.kinds is not None:
        return []
    named = " or ".join(argument("kind", name) for name in found[:_MOST_COLUMNS])
    note = f"All known documents count as one kind. If a column of {known.name} holds their kinds, "
    return [f"{note}name it: {named}."]


def known_columns(identifier: str, kind: str, text: Sequence[str]) -> tuple[str, str, str]:
    """Names of the columns of identifiers, kinds and texts in a table of known documents.

    Parameters
    ----------
    identifier, kind, text : columns that were asked for, as `find_unexpected` takes them

    Raises
    ------
    TableError : if two would have one name
    """
    names = (identifier or "id", kind or "kind", text[0] if text else "text")
    for name in names:
        if names.count(name) > 1:
            raise TableError(
                f"The table of known documents would have two columns {name!r}.",
                f"Pass other columns as {argument('identifier')}, {argument('kind')} and "
                f"{argument('text')}.",
            )
    return names


def _only_known(known: Documents, new: Documents) -> list[str]:
    return [name for name in known.kind_like if name not in new.kind_like]


def _kind_like(table: pa.Table, without: Sequence[str]) -> tuple[str, ...]:
    """Columns of text of few values, most of which several rows have."""
    found = []
    for name in table.column_names:
        column = table.column(name)
        if name in without or not pa.types.is_string(plain_type(column.type)):
            continue
        n_present, n_values = len(column) - column.null_count, pc.count_distinct(column).as_py()
        if n_present > len(column) / 2 and 1 < n_values <= min(_MOST_KINDS, n_present / _OF_A_KIND):
            found.append(name)
    return tuple(found)


def _read_folder(folder: Path, *, folders_are_kinds: bool) -> Documents:
    """Text files below a folder; hidden ones are not read."""
    paths = files_below(folder)
    if not paths:
        raise TableError(
            f"The folder {str(folder)!r} holds no file.", "Pass a folder of text files, or a table."
        )
    names = [path.relative_to(folder) for path in paths]
    return Documents(
        [name.as_posix() for name in names],
        [read_text(path) for path in paths],
        _kinds_of(names, folder) if folders_are_kinds else None,
        name=folder.resolve().name,
    )


def _kinds_of(names: Sequence[Path], folder: Path) -> list[str] | None:
    """The sub-folder that each file of a folder lies in, None where there are none."""
    kinds = [name.parts[0] if len(name.parts) > 1 else "" for name in names]
    if any(kinds) and not all(kinds):
        beside = names[kinds.index("")]
        raise TableError(
            f"{str(beside)!r} lies beside the sub-folders of {str(folder)!r}, but the "
            "sub-folders are the kinds of the documents.",
            "Move the file into a sub-folder, or put all files into one folder.",
        )
    return kinds if any(kinds) else None
