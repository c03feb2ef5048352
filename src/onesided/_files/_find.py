"""Find the files of a table, and check that their contents fit their names."""

from __future__ import annotations

import errno
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from onesided._files._csv import ROW_NAMES
from onesided._files._encoding import ENCODINGS, UTF8, encoding_of, lines_of, not_utf8
from onesided._files._foreign import refuse_foreign
from onesided._files._format import Format, TableFile
from onesided._files._formats import HIDDEN, is_table_name, said_of, table_endings, table_format_of
from onesided._files._packed import START_BYTES, first_bytes, packing_of
from onesided._text import argument, as_text, kind_of_value
from onesided.exceptions import DataError, OnesidedWarning, TableError

_EMPTY_PACKED = 256  # bytes that a compressed empty file may have, with its name
_NO_NAMES = (errno.ENAMETOOLONG, errno.ELOOP)
_PIECES = re.compile(r"[0-9]+|[^0-9]+")
_OF_WINDOWS = ("thumbs.db", "desktop.ini")  # Windows puts these files into folders


def find_files(
    path: str | os.PathLike[str],
    delimiter: str | None = None,
    sheet: str | None = None,
    missing: Sequence[str] = (),
) -> list[TableFile]:
    """The files of a table in order: one file, or those of a folder, part.2 before part.10.

    Unless `delimiter` is given, the delimiter of CSV files is found in the first lines of the first
    file. The default sheet of a workbook is its first sheet. `missing` are cells that mean a
    missing value, in addition to the cells that mean it in every table. Warnings say where the
    content of a file does not fit its name.
    """
    root = Path(path)
    check_file_name(root)
    if not root.exists():
        raise TableError(f"There is no file or folder {str(path)!r}.", "Check the path.")
    if not (root.is_dir() or root.is_file()):
        raise TableError(
            f"{str(path)!r} is not an ordinary file.", "Save the table as a file first."
        )
    if delimiter is not None:
        delimiter = delimiter.replace("\\t", "\t")
        if len(delimiter) != 1 or not delimiter.isascii():
            raise TableError(
                f"{argument('delimiter', delimiter)} is not one character.",
                "Pass ';' or ',' for example.",
            )
    paths = _members(root) if root.is_dir() else (root,)
    for member in paths:
        check_file_name(member)
    formats = [table_format_of(member, in_folder=root.is_dir()) for member in paths]
    if len({each.name for each in formats}) > 1:
        raise mixed_formats(root, formats)
    form = formats[0]
    for member in paths:
        _check_content(member, form)
    files: list[TableFile] = []
    for member in paths:
        file = TableFile(
            member,
            form,
            encoding=encoding_of(member) if form.is_text else UTF8,
            missing=tuple(map(as_text, missing)),
        )
        form.check_all(file)
        files.append(form.settle(file, files[0].delimiter if files else delimiter, sheet))
    _warn_of(files)
    tell_unused(paths[0], form, delimiter, sheet)
    return files


def tell_unused(path: Path, form: Format, delimiter: str | None, sheet: str | None) -> None:
    """Warn if a delimiter or a sheet was given for a file that has none."""
    for name, given, of, what in (
        ("delimiter", delimiter, "csv", "CSV file"),
        ("sheet", sheet, "spreadsheet", "workbook"),
    ):
        if given is not None and form.name != of:
            warnings.warn(
                f"{path.name!r} is no {what}, so {argument(name, given)} is not used for it.",
                OnesidedWarning,
                stacklevel=3,
            )


def check_links(folder: Path, members: Iterable[Path]) -> None:
    """Refuse links to files outside of a folder, which the user did not ask to read."""
    root = folder.resolve()
    for member in members:
        if member.is_symlink() and member.exists() and root not in member.resolve().parents:
            raise TableError(
                f"{str(member)!r} is a link to a place outside of the folder {str(folder)!r}, "
                "so it is not followed.",
                "Copy the file that the link names into the folder, or remove the link.",
            )


def files_below(folder: Path) -> list[Path]:
    """All files below a folder in the order of their paths, without hidden files."""
    members = [
        path
        for path in sorted(folder.rglob("*"))
        if not any(map(_is_hidden, path.relative_to(folder).parts))
    ]
    check_links(folder, members)
    found = [path for path in members if path.is_file()]
    for path in found:
        check_file_name(path)
    return found


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$")) or name.lower() in _OF_WINDOWS


def _members(folder: Path) -> tuple[Path, ...]:
    """Files of a table in natural order, part.2 before part.10, without hidden files."""
    found = [
        member
        for member in folder.rglob("*")
        if is_table_name(member)
        and not any(part.startswith(HIDDEN) for part in member.relative_to(folder).parts)
        and not member.is_dir()
    ]
    found.sort(key=lambda member: _natural(member.relative_to(folder)))
    check_links(folder, found)
    for member in found:
        if not member.is_file():
            raise TableError(
                f"{str(member)!r} cannot be read: it is a broken link, or not a file.",
                "Remove it, or correct the link.",
            )
        named = next((part for part in member.relative_to(folder).parts[:-1] if "=" in part), None)
        if named is not None:
            raise TableError(
                f"The folder {named!r} in {str(folder)!r} names a value of a column (as in "
                "year=2024), which would be lost.",
                "Write the column into the files, or pass a data frame.",
            )
    if not found:
        raise TableError(
            f"The folder {str(folder)!r} holds no table.",
            f"Put files into it that end in {', '.join(sorted(table_endings(in_folder=True)))}.",
        )
    filled = [member for member in found if not _is_empty(member)]  # Spark leaves empty parts
    return tuple(filled or found[:1])


def _is_empty(path: Path) -> bool:
    """Whether a file is empty, or a compressed file is empty when unpacked."""
    size = path.stat().st_size
    return size == 0 or (
        size <= _EMPTY_PACKED and packing_of(path) != "" and not first_bytes(path, 1)
    )


def _natural(path: Path) -> list[list[tuple[int, str]]]:
    """The sort key of a path, in which digits count as numbers."""
    return [
        [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in _PIECES.findall(part)]
        for part in path.parts
    ]


def _check_content(path: Path, form: Format) -> None:
    """Refuse a file whose first bytes are not those of its format."""
    if path.stat().st_size == 0:
        raise TableError(f"The file {str(path)!r} is empty.", "Write a table into it.")
    start = first_bytes(path)
    if not start:  # the reader reports it later
        return
    refuse_foreign(path)
    if form.magic and not start.startswith(form.magic):
        raise TableError(
            f"{str(path)!r} is not a {form.title} file: it starts with {start[:4]!r}.",
            "Give the file the ending of its format, or write it again.",
        )
    if not form.is_text:
        return
    text = lines_of(start, is_cut=len(start) == START_BYTES)
    if not text and b"\0" in start:
        raise TableError(
            f"{str(path)!r} is not a text file: byte {start.index(0)} is zero.",
            "Export the table as CSV in UTF-8, or pass a Parquet file.",
        )
    form.check_start(path, text)
    if not text.strip():
        raise TableError(
            f"The file {str(path)!r} holds only white space.", "Write a table into it."
        )


def _warn_of(files: Sequence[TableFile]) -> None:
    """Warn of names that do not fit the content, of other encodings, and of incomplete headers."""
    notes = [note for file in files if (note := said_of(file.path, file.format))]
    for encoding in ENCODINGS:
        if paths := [file.path for file in files if file.encoding == encoding]:
            others = f" and {len(paths) - 1:,} more are" if len(paths) > 1 else " is"
            notes.append(not_utf8(paths[0].name + others, encoding, files[0].format.name))
    if unnamed := [file for file in files if file.names]:
        notes.append(
            f"The header of {unnamed[0].path.name!r} has one cell fewer than the rows, as R writes "
            f"it, so the first cell of each row was read as its name, column {ROW_NAMES!r}."
        )
    for note in notes:
        warnings.warn(note, OnesidedWarning, stacklevel=3)


def as_path(path: Any, name: str) -> Path:
    """The path that a user passes as an argument.

    Parameters
    ----------
    path : what the user passes
    name : name of the argument

    Raises
    ------
    DataError : if it is neither text nor a path, or is empty
    TableError : if no file can have this name
    """
    if not isinstance(path, str | PathLike) or not str(path):
        raise DataError(f"{argument(name)} is {kind_of_value(path)}.", "Pass the path of a file.")
    check_file_name(found := Path(path))
    return found


def check_file_name(path: Path) -> None:
    r"""Refuse a name that no file can have, and a link that leads to itself.

    Arrow opens no file whose name is not UTF-8 text, and no page can show it.

    Parameters
    ----------
    path : of a file that is to be read or written

    Raises
    ------
    TableError : if the name is not UTF-8 text, or the system does not take it

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.tables import check_file_name
    >>> check_file_name(Path("genes.csv"))
    >>> check_file_name(Path("genes\0.csv"))
    Traceback (most recent call last):
        ...
    onesided.exceptions.TableError: The name 'genes\x00.csv' holds a null character. Rename it.
    """
    try:
        str(path).encode()
        path.stat()
    except UnicodeEncodeError as error:
        raise TableError(f"The name {str(path)!r} is not UTF-8 text.", "Rename it.") from error
    except ValueError as error:
        raise TableError(f"The name {str(path)!r} holds a null character.", "Rename it.") from error
    except OSError as error:
        if error.errno in _NO_NAMES:
            raise TableError(
                f"{str(path)!r} cannot be a file: {error.strerror}.", "Pass another name."
            ) from error


def mixed_formats(folder: Path, formats: Iterable[Format]) -> TableError:
    """The error for a folder whose files have several formats."""
    names = sorted({each.name for each in formats})
    return TableError(
        f"The folder {str(folder)!r} mixes formats: {', '.join(names)}.",
        "Keep the files of one table in a folder of their own.",
    )
