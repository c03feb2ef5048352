"""The text files of a folder."""

from pathlib import Path

from onesided._text import check_file_name
from onesided.exceptions import TableError


def files_below(folder: Path) -> list[Path]:
    """All files below a folder in the order of their paths; hidden ones are left out."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(map(_is_hidden, path.relative_to(folder).parts))
    ]
    for path in found:
        check_file_name(path)
    return found


def read_text(path: Path) -> str:
    """UTF-8, or else Latin-1, in which any byte is a character.

    Raises
    ------
    TableError : if the file is no text
    """
    content = path.read_bytes()
    if b"\0" in content:
        raise TableError(
            f"{str(path)!r} is no text file: it holds a zero byte.",
            "Take it out of the folder, or save it as plain text.",
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _is_hidden(name: str) -> bool:
    return name.startswith(".")
