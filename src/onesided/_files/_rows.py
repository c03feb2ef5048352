"""Rows of any format, read into memory."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from onesided._files._find import check_file_name, files_below, mixed_formats, tell_unused
from onesided._files._format import Format, Rows
from onesided._files._formats import TEXT_FILES, format_of, known_format, said_of
from onesided._files._references import without_lines
from onesided._files._whole import check_size, read_table
from onesided.exceptions import OnesidedWarning, TableError


def read_rows(
    path: Path,
    *,
    delimiter: str | None = None,
    sheet: str | None = None,
    as_text: Collection[str] = (),
    at_least: int = 2,
    like: pa.Schema | None = None,
    missing: Sequence[str] = (),
) -> Rows:
    """Read a table, reference records, text files or a file of svmlight's format into memory.

    Parameters
    ----------
    path : a table as for `read_table`; a file of reference records (.ris, .nbib, .bib, .enw or
        .xml), or a folder of such files, whose rows are the records without duplicates; a folder of
        text files, whose rows have columns
        `document`, `text` and, if there are sub-folders, `folder`; or a .svm, .svmlight, .libsvm or
        .dat file, with columns `label` and `features`
    delimiter, sheet, as_text, at_least, like, missing : as for `read_table`

    Raises
    ------
    TableError : if there is no such file, it cannot be read, or it is larger than memory
    """
    form, members = _form_of(path)
    if form is None:
        return Rows(
            read_table(
                path,
                delimiter=delimiter,
                sheet=sheet,
                as_text=as_text,
                at_least=at_least,
                like=like,
                missing=missing,
            )
        )
    tell_unused(path, form, delimiter, sheet)
    check_size(path, members)
    for member in members if form is not TEXT_FILES else ():
        if note := said_of(member, format_of(member) or form):
            warnings.warn(note, OnesidedWarning, stacklevel=2)
    rows = form.rows(path, members)
    if rows.data.num_rows < at_least:
        raise TableError(
            f"{str(path)!r} has 1 {form.noun}.",
            "At least two positive rows and two unlabeled rows are needed.",
        )
    return rows


def as_table(path: Path, folder: Path) -> tuple[Path, int]:
    """A table that can be read in batches: the path itself, or a Parquet file with its rows.

    Parameters
    ----------
    path : as for `read_rows`
    folder : the `own_folder` in which the Parquet file is written, under the name of the table

    Returns
    -------
    path : path of the table
    n_merged : number of duplicate records that were left out

    Raises
    ------
    TableError : as for `read_rows`
    """
    if _form_of(path)[0] is None:
        return path, 0
    rows = read_rows(path, at_least=1)
    written = folder / path.resolve().name
    pq.write_table(without_lines(rows.data), written)
    return written, rows.n_merged


def has_parts(folder: Path) -> bool:
    """Whether a folder holds parts of a table or reference records, rather than text files."""
    return any(known_format(member, in_folder=True) for member in folder.iterdir()) or bool(
        _of_content(files_below(folder))
    )


def _form_of(path: Path) -> tuple[Format | None, list[Path]]:
    """The format that reads all files at once, and the files; the format is None for a table."""
    check_file_name(path)
    if not path.is_dir():
        form = format_of(path) if path.is_file() else None
        return (form if form and form.form != "table" else None), [path]
    members = files_below(path)
    named = [member for member in members if known_format(member, in_folder=True)]
    if not named:
        return (_of_content(members) or TEXT_FILES) if members else None, members
    forms = {member: format_of(member, in_folder=True) or TEXT_FILES for member in named}
    if len({form.form for form in forms.values()}) > 1:
        raise mixed_formats(path, forms.values())
    form = forms[named[0]]
    return (None if form.form == "table" else form), named


def _of_content(members: Sequence[Path]) -> Format | None:
    """The format of records or features that all files of a folder hold, whatever their names."""
    found = None
    for member in members:
        here = format_of(member, in_folder=True)
        if here is None or here.form not in ("references", "svmlight"):
            return None
        found = found or here
    return found
