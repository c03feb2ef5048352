"""Documents: a folder of text files, or a table with a column of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from os import PathLike
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from onesided._files._encoding import read_texts
from onesided._files._find import files_below
from onesided._files._names import plain_type, takes_names, texts_of, values_of
from onesided._files._rows import has_parts, read_rows
from onesided._text import argument, as_text, counted
from onesided._typing import Bools
from onesided._validation import check_object
from onesided._words import AS_CHARACTERS, has_runs
from onesided.exceptions import TableError
from onesided.tables import describe
from onesided.tables._columns import find_column, find_key, row_names
from onesided.tables._describe import NoColumnLeftError
from onesided.tables._table_file import table_file, table_title

_MOST_KINDS = 50
_OF_A_KIND = 5  # least mean number of documents of a kind, for a column to count as kinds
_MOST_COLUMNS = 3  # largest number of columns that a note names


@dataclass(frozen=True)
class Documents:
    """Texts with their identifiers and kinds.

    Attributes
    ----------
    ids : identifier of each document: the name of a file, a cell of a column, or a row number
    texts : text of each document
    kinds : kind of each document, "" for a document without a kind; None if no kinds were given
    columns : columns that the texts were read from
    kind_like : other columns that may hold kinds, because most rows share one of a few values
    kind : column that the kinds were read from; empty for none
    name : name of the folder or table

    Examples
    --------
    >>> from onesided.unexpected import Documents
    >>> letters = Documents(["a", "b"], ["a late parcel", "a lost card"], ["delivery", "payment"])
    >>> letters.n_kinds
    2
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
        """Number of kinds; 0 if no kinds were given."""
        return len(set(self.kinds or ()))

    @cached_property
    def reading(self) -> str:
        """How words are found in text without spaces; empty if all texts have spaces."""
        return AS_CHARACTERS if any(map(has_runs, self.texts)) else ""

    def __len__(self) -> int:
        return len(self.ids)

    def in_words(self, what: str) -> str:
        """The name, and the numbers of documents and kinds; `what` is "known" or "new"."""
        column = f" (column {self.kind})" * bool(self.kind)
        of_kinds = f", of {self.n_kinds:,} kinds{column}" * (self.n_kinds > 1)
        return f"{self.name}: {counted(len(self), f'{what} document')}{of_kinds}"

    def where(self, kept: Bools) -> Self:
        """Only the documents for which the mask `kept`, shape (n_documents,), is true."""
        ids, texts = (list(compress(each, kept)) for each in (self.ids, self.texts))
        kinds = None if self.kinds is None else list(compress(self.kinds, kept))
        return replace(self, ids=ids, texts=texts, kinds=kinds)

    def joined(self, other: Documents) -> Self:
        """These documents, followed by the others; documents without a kind get the kind ""."""
        check_object(other, "other", Documents, by="onesided.unexpected.read_documents")
        kinds = None
        if self.kinds is not None or other.kinds is not None:
            kinds = [*(self.kinds or [""] * len(self)), *(other.kinds or [""] * len(other))]
        return replace(
            self, ids=[*self.ids, *other.ids], texts=[*self.texts, *other.texts], kinds=kinds
        )

    def to_table(self, identifier: str, kind: str, text: str) -> pa.Table:
        """The documents as a table with these column names; without kinds, no column of kinds."""
        kinds = {} if self.kinds is None else {kind: self.kinds}
        return pa.table({identifier: self.ids, **kinds, text: self.texts})


@takes_names
def read_documents(
    path: str | PathLike[str] | Any,
    *,
    text: Sequence[str] = (),
    like: Sequence[str] = (),
    identifier: str = "",
    kind: str = "",
    delimiter: str | None = None,
    sheet: str | None = None,
    folders_are_kinds: bool = True,
) -> Documents:
    """Read documents from a folder of text files or from a table.

    Parameters
    ----------
    path : a folder of text files; the path of a table; or a data frame. A folder of CSV, Parquet
        or JSON-lines files is a table
    text : columns of text of a table; by default those whose cells hold several words
    like : columns of text of another table; they are the default of `text` if this table has all of
        these columns
    identifier, kind : columns of identifiers and of kinds in a table; "" for no such column
    delimiter : character between the cells of a CSV file; by default found in its first lines
    sheet : name of a sheet of a workbook; by default the first
    folders_are_kinds : whether the sub-folders of a folder of text files are kinds

    Raises
    ------
    TableError : if there are no documents, if a column is missing, or if `kind` names a column of
        a folder of text files

    Examples
    --------
    >>> import pandas as pd
    >>> from onesided.unexpected import read_documents
    >>> table = pd.DataFrame({"mail": ["m1", "m2"], "text": ["a late parcel", "a lost card"]})
    >>> read_documents(table, text=["text"], identifier="mail").ids
    ['m1', 'm2']
    """
    return _read_documents(
        path,
        text=text,
        like=like,
        identifier=identifier,
        kind=kind,
        delimiter=delimiter,
        sheet=sheet,
        folders_are_kinds=folders_are_kinds,
    )


def _read_documents(  # noqa: PLR0913 - each says how one thing is read
    path: str | PathLike[str] | Any,
    *,
    text: Sequence[str],
    identifier: str,
    kind: str,
    delimiter: str | None,
    sheet: str | None,
    like: Sequence[str] = (),
    folders_are_kinds: bool = True,
    must_name: bool = True,
) -> Documents:
    """Read documents as `read_documents` does; with `must_name`, a table must have an identifier.

    Without `must_name`, a table that lacks the identifier has row numbers in its place.
    """
    as_it_is = [name for name in (identifier, kind) if name]
    with table_file(path) as file:
        if file.is_dir() and not has_parts(file):
            if kind:
                raise TableError(
                    f"{str(path)!r} is a folder of text files, whose kinds are its sub-folders; "
                    f"it has no column {kind!r}.",
                    f"Leave {argument('kind')} out.",
                )
            return _read_folder(file, folders_are_kinds=folders_are_kinds)
        rows = read_rows(file, delimiter=delimiter, sheet=sheet, as_text=as_it_is, at_least=1)
        table, name = rows.data, table_title(path)
    if not must_name and identifier not in table.column_names:
        as_it_is, identifier = as_it_is[bool(identifier) :], ""
    for each in as_it_is:
        find_key(table, each, name)
    like = like if set(like) <= set(table.column_names) else ()
    names = list(text or rows.text or like) or _columns_of_text(table, as_it_is, name)
    columns = [values_of(table.column(find_column(table, each, name))) for each in names]
    names_rows = identifier or rows.identifier
    cells = table.column(names_rows) if names_rows else row_names(table)
    return Documents(
        texts_of(cells),
        ["\n".join(as_text(cell) for cell in row) for row in zip(*columns, strict=True)],
        texts_of(table.column(kind)) if kind else None,
        tuple(names),
        () if kind or rows.form != "table" else _kind_like(table, [*as_it_is, *names]),
        kind,
        name,
    )


def _columns_of_text(table: pa.Table, without: Sequence[str], title: str) -> list[str]:
    """Columns whose cells hold several words.

    Parameters
    ----------
    table : the table
    without : columns of identifiers and kinds
    title : name of the table, for errors

    Raises
    ------
    TableError : if there is no such column, or if a column cannot be read; the mend names a column
        of strings, because columns that the user names are taken as they are
    """
    strings = [name for name in _columns_of_strings(table) if name not in without]
    mend = (
        f"Name the column that holds the documents: {argument('text', strings[-1:])}."
        if strings
        else "Pass a table with a column of the texts of the documents."
    )
    found = []
    try:
        found = describe(table, without=without).names("text")
    except NoColumnLeftError:
        pass  # no column tells rows apart, so none holds texts
    except TableError as error:
        raise TableError(error.problem, mend) from error
    if not found:
        raise TableError(f"No column of {title!r} holds text of several words.", mend)
    return found


def read_known_and_new(
    known: Any, new: Any, *, kind: str | None, **reading: Any
) -> tuple[Documents, Documents]:
    """Read known and new documents.

    Parameters
    ----------
    known, new : as in `find_unexpected`
    kind : column of kinds in the table of known documents. If it is None, the column that may hold
        kinds and that the new table lacks is used, if there is exactly one
    **reading : other arguments of `_read_documents`; a table of known documents may lack the
        identifier
    """
    of_known = _read_documents(known, kind=kind or "", must_name=False, **reading)
    of_new = _read_documents(
        new, like=of_known.columns, kind="", folders_are_kinds=False, **reading
    )
    only_known = _only_known(of_known, of_new)
    if kind is None and len(only_known) == 1 and of_known.kinds is None:
        of_known = _read_documents(known, kind=only_known[0], must_name=False, **reading)
    return of_known, of_new


def notes_of_kinds(known: Documents, new: Documents) -> list[str]:
    """A note that names the columns that may hold the kinds of the known documents."""
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
    identifier, kind, text : the arguments of `find_unexpected`

    Raises
    ------
    TableError : if two columns would have the same name

    Examples
    --------
    >>> from onesided.unexpected import known_columns
    >>> known_columns("mail", "topic", ["body"])
    ('mail', 'topic', 'body')
    >>> known_columns("", "", [])  # the names by default
    ('id', 'kind', 'text')
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


def _columns_of_strings(table: pa.Table) -> list[str]:
    return [each.name for each in table.schema if pa.types.is_string(plain_type(each.type))]


def _kind_like(table: pa.Table, without: Sequence[str]) -> tuple[str, ...]:
    """Columns of text with few values, which several rows share on average."""
    found = []
    for name in _columns_of_strings(table):
        if name in without:
            continue
        column = table.column(name)
        n_present, n_values = len(column) - column.null_count, pc.count_distinct(column).as_py()
        if n_present > len(column) / 2 and 1 < n_values <= min(_MOST_KINDS, n_present / _OF_A_KIND):
            found.append(name)
    return tuple(found)


def _read_folder(folder: Path, *, folders_are_kinds: bool) -> Documents:
    """Read the text files below a folder, except hidden ones."""
    paths = files_below(folder)
    if not paths:
        raise TableError(
            f"The folder {str(folder)!r} holds no file.", "Pass a folder of text files, or a table."
        )
    names = [path.relative_to(folder) for path in paths]
    return Documents(
        [each.as_posix() for each in names],
        read_texts(paths),
        _kinds_of(names, folder) if folders_are_kinds else None,
        name=folder.resolve().name,
    )


def _kinds_of(names: Sequence[Path], folder: Path) -> list[str] | None:
    """The sub-folder of each file; None if there are no sub-folders."""
    kinds = [name.parts[0] if len(name.parts) > 1 else "" for name in names]
    if any(kinds) and not all(kinds):
        beside = names[kinds.index("")]
        raise TableError(
            f"{str(beside)!r} lies beside the sub-folders of {str(folder)!r}, but the "
            "sub-folders are the kinds of the documents.",
            "Move the file into a sub-folder, or put all files into one folder.",
        )
    return kinds if any(kinds) else None
