"""Rows of any format that is read into memory, and what the format says of their columns."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from onesided._blocks._files import COMPRESSIONS, is_table_name
from onesided.exceptions import TableError
from onesided.tables._read import check_size, read_table
from onesided.tables._references import (
    LIST_FIELDS,
    RECORD,
    REFERENCE_ENDINGS,
    TEXT_FIELDS,
    other_fields,
    read_references,
)
from onesided.tables._svmlight import SVMLIGHT_ENDINGS, read_svmlight
from onesided.tables._text_files import files_below, read_text
from onesided.tables._write import table_name

Form: TypeAlias = Literal["table", "references", "documents", "svmlight"]

DOCUMENT, TEXT, _FOLDER = "document", "text", "folder"
_WHO = "it tells who and where, not what; --text NAME learns from it"


@dataclass(frozen=True)
class Rows:
    """Rows that were read.

    Attributes
    ----------
    data : the rows
    form : what they were read from
    identifier : column that names the rows, empty where the format has none
    text : columns that are read as text
    aside : columns that are not learned from unless they are named, and why
    lists : columns whose cells hold several items
    n_merged : records that were left out, since another is the same
    """

    data: pa.Table
    form: Form = "table"
    identifier: str = ""
    text: tuple[str, ...] = ()
    aside: dict[str, str] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    n_merged: int = 0


def read_rows(
    path: Path,
    *,
    delimiter: str | None = None,
    as_text: Collection[str] = (),
    at_least: int = 2,
    like: pa.Schema | None = None,
) -> Rows:
    """Read a table, reference records, text files or a file of svmlight's format into memory.

    Parameters
    ----------
    path : as for `read_table`; or a .ris, .nbib or .bib file, or a folder of such, whose rows are
        the records, each once; or a folder of text files, a row a file with columns `document`, its
        name, `text`, and `folder` where there are sub-folders; or a .svm, .svmlight, .libsvm or
        .dat file, with columns `label` and `features`
    delimiter, as_text, at_least, like : as for `read_table`

    Raises
    ------
    TableError : if there is no such file, it cannot be read, or is larger than the memory of the
        machine
    """
    form, members = _form_of(path)
    if form == "table":
        return Rows(
            read_table(path, delimiter=delimiter, as_text=as_text, at_least=at_least, like=like)
        )
    check_size(path, members)
    if form == "references":
        data, n_merged = read_references(members)
        aside = dict.fromkeys(other_fields(data), _WHO)
        rows = Rows(data, form, RECORD, TEXT_FIELDS, aside, LIST_FIELDS, n_merged)
    elif form == "svmlight":
        parts = [read_svmlight(member) for member in members]
        rows = Rows(pa.concat_tables(parts).combine_chunks(), form)
    else:
        rows = _read_documents(path, members)
    if rows.data.num_rows < at_least:
        what = {"references": "record", "documents": "text file", "svmlight": "row"}[form]
        raise TableError(
            f"{str(path)!r} has 1 {what}.",
            "At least two positive rows and two unlabeled rows are needed.",
        )
    return rows


def as_table(path: Path, folder: Path) -> tuple[Path, int]:
    """A table that can be read in batches: the path itself, or what is read from it as Parquet.

    Parameters
    ----------
    path : as for `read_rows`
    folder : to write into

    Returns
    -------
    path : of the table
    n_merged : records that were left out, since another is the same

    Raises
    ------
    TableError : as for `read_rows`
    """
    if _form_of(path)[0] == "table":
        return path, 0
    rows = read_rows(path, at_least=1)
    written = folder / f"{table_name(path)}.parquet"
    pq.write_table(rows.data, written)
    return written, rows.n_merged


def has_parts(folder: Path) -> bool:
    """Whether a folder holds parts of a table or reference records, rather than text files."""
    return any(_form_of_name(member, in_folder=True) for member in folder.iterdir())


def _form_of(path: Path) -> tuple[Form, Sequence[Path]]:
    """What is to be read, and from which files; tables find their own."""
    if not path.is_dir():
        form = _form_of_name(path)
        return (form if path.is_file() and form else "table"), [path]
    members = files_below(path)
    by_form: dict[Form | None, list[Path]] = {}
    for member in members:
        by_form.setdefault(_form_of_name(member, in_folder=True), []).append(member)
    known = [form for form in by_form if form]
    if len(known) > 1:
        raise TableError(
            f"The folder {str(path)!r} mixes formats: "
            f"{', '.join(sorted({by_form[form][0].suffix for form in known}))}.",
            "Keep the files of one table in a folder of their own.",
        )
    if known:
        return known[0], by_form[known[0]]
    return ("documents" if members else "table"), members


def _form_of_name(path: Path, *, in_folder: bool = False) -> Form | None:
    """Form of a file by its name; None is text in a folder, a table or unknown by itself."""
    packed = path.suffix.lower() in COMPRESSIONS
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    if path.suffix.lower() in REFERENCE_ENDINGS:
        return "references"
    if ending in SVMLIGHT_ENDINGS and not (in_folder and ending == ".dat"):
        return "svmlight"
    return "table" if is_table_name(path) else None


def _read_documents(folder: Path, members: Sequence[Path]) -> Rows:
    names = [member.relative_to(folder) for member in members]
    columns: dict[str, list[str | None]] = {DOCUMENT: [name.as_posix() for name in names]}
    if any(len(name.parts) > 1 for name in names):
        columns[_FOLDER] = [name.parts[0] if len(name.parts) > 1 else None for name in names]
    columns[TEXT] = [read_text(member) for member in members]
    aside = {_FOLDER: "it is where the file lies"} if _FOLDER in columns else {}
    return Rows(pa.table(columns), "documents", DOCUMENT, (TEXT,), aside)
