"""Which files make a table, and whether they are what their names say."""

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from onesided._files._arrow import pa
from onesided._files._encoding import ENCODINGS, UTF8, encoding_of, not_utf8, utf16_decoder
from onesided._files._format import COMPRESSIONS, Format, TableFile
from onesided._files._formats import FORMATS, SAVE_SHEET, format_of, is_table_name, table_endings
from onesided.exceptions import OnesidedWarning, TableError

_SNIFFED = 65_536
_EMPTY_PACKED = 256  # bytes that a compressed empty file may have, with its name
_PIECES = re.compile(r"[0-9]+|[^0-9]+")
_SIGNATURES = {
    b"PK\x03\x04": "a spreadsheet or another zip archive",
    b"\xd0\xcf\x11\xe0": "a spreadsheet or document of an older Office",
    b"%PDF-": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_OF_WINDOWS = ("thumbs.db", "desktop.ini")  # Windows puts these files into folders


def find_files(path: str | os.PathLike[str], delimiter: str | None = None) -> list[TableFile]:
    """The files of a table in order: one file, or those of a folder, part.2 before part.10.

    The delimiter of CSV files is found in the first lines of the first file unless it is given.
    Files that are not what their names say raise a TableError; text files that are not UTF-8 give
    a warning.
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
                f"delimiter={delimiter!r} is not one character.", "Pass ';' or ',' for example."
            )
    paths = _members(root) if root.is_dir() else (root,)
    formats = {each.name: each for each in map(format_of, paths)}
    if len(formats) > 1:
        raise TableError(
            f"The folder {str(path)!r} mixes formats: {', '.join(sorted(formats))}.",
            "Keep the files of one table in a folder of their own.",
        )
    (form,) = formats.values()
    for member in paths:
        check_file_name(member)
        _check_content(member, form)
    encodings = [encoding_of(member) if form.is_text else UTF8 for member in paths]
    files = [
        TableFile(member, form, encoding=encoding)
        for member, encoding in zip(paths, encodings, strict=True)
    ]
    for file in files:
        form.check_all(file)
    _warn_of_encodings(files)
    first = form.settle(files[0], delimiter)
    return [
        replace(file, delimiter=first.delimiter, skipped_lines=first.skipped_lines)
        for file in files
    ]


def check_links(folder: Path, members: Iterable[Path]) -> None:
    """Refuse links to files outside of a folder, which the user did not ask to read."""
    root = folder.resolve()
    for member in members:
        if member.is_symlink() and root not in member.resolve().parents and member.exists():
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
    return name.startswith(".") or name.lower() in _OF_WINDOWS


def _members(folder: Path) -> tuple[Path, ...]:
    """Files of a table in natural order, part.2 before part.10, without hidden files."""
    found = [
        member
        for member in folder.rglob("*")
        if is_table_name(member)
        and not any(part.startswith((".", "_")) for part in member.relative_to(folder).parts)
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
    """Whether a file has no content, or a compressed file unpacks to none."""
    size = path.stat().st_size
    if size > _EMPTY_PACKED or path.suffix.lower() not in COMPRESSIONS:
        return size == 0
    try:
        with pa.input_stream(str(path)) as stream:
            return not stream.read(1)
    except OSError:  # the reader reports it later
        return size == 0


def _natural(path: Path) -> list[list[tuple[int, str]]]:
    """The key to sort paths by, in which digits count as numbers."""
    return [
        [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in _PIECES.findall(part)]
        for part in path.parts
    ]


def _check_content(path: Path, form: Format) -> None:
    if path.stat().st_size == 0:
        raise TableError(f"The file {str(path)!r} is empty.", "Write a table into it.")
    if path.suffix.lower() in COMPRESSIONS:
        return  # the reader reports it later
    with path.open("rb") as file:
        head = file.read(_SNIFFED)
    if not head.startswith(form.magic):
        raise TableError(
            f"{str(path)!r} is not a {form.title} file: it starts with {head[:4]!r}.",
            "Give the file the ending of its format, or write it again.",
        )
    for other in FORMATS:
        if other.magic and other.name != form.name and head.startswith(other.magic):
            raise TableError(
                f"{str(path)!r} is a {other.title} file, not {form.name}.",
                f"Rename it to end in {other.endings[0]}.",
            )
    if form.is_text:
        _check_text(path, form, head)


def _check_text(path: Path, form: Format, head: bytes) -> None:
    """Refuse a file whose first bytes are not text."""
    for signature, what in _SIGNATURES.items():
        if head.startswith(signature):
            raise TableError(f"{str(path)!r} is {what}, not a table in text.", SAVE_SHEET)
    if decoder := utf16_decoder(head):
        head = decoder.decode(head).encode()
    if head.startswith(b"\x1f\x8b"):
        raise TableError(f"{str(path)!r} is compressed.", f"Rename it to end in {path.suffix}.gz.")
    form.check_start(path, head)
    if b"\x00" in head:
        raise TableError(
            f"{str(path)!r} is not a text file: byte {head.index(0)} is zero.",
            "Export the table as CSV in UTF-8, or pass a Parquet file.",
        )
    if not head.strip():
        raise TableError(
            f"The file {str(path)!r} holds only white space.", "Write a table into it."
        )


def _warn_of_encodings(files: Sequence[TableFile]) -> None:
    for encoding in ENCODINGS:
        paths = [file.path for file in files if file.encoding == encoding]
        if paths:
            others = f" and {len(paths) - 1:,} more are" if len(paths) > 1 else " is"
            note = not_utf8(paths[0].name + others, encoding)
            warnings.warn(note, OnesidedWarning, stacklevel=3)


def check_file_name(path: Path) -> None:
    """Refuse a name that is not UTF-8 text: Arrow opens no such file, and no page can show it.

    Parameters
    ----------
    path : of a file that is to be read or written

    Raises
    ------
    TableError : if the name is not UTF-8 text
    """
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise TableError(f"The name {str(path)!r} is not UTF-8 text.", "Rename it.") from error
