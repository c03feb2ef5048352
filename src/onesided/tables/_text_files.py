"""The text files of a folder."""

from pathlib import Path

from onesided._blocks._encoding import decoded
from onesided._blocks._files import check_links
from onesided._text import check_file_name
from onesided.exceptions import TableError

_OF_WINDOWS = ("thumbs.db", "desktop.ini")  # which it puts into folders, as macOS does .DS_Store


def files_below(folder: Path) -> list[Path]:
    """All files below a folder in the order of their paths; hidden ones are left out."""
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


def read_text(path: Path) -> str:
    """UTF-8, or else Windows-1252.

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
    return decoded(content)[0].removeprefix("\ufeff")


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.lower() in _OF_WINDOWS
