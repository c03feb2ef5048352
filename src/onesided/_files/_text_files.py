"""Folders of text files, each of which is a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onesided._files._arrow import pa
from onesided._files._encoding import read_texts
from onesided._files._format import Format, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DOCUMENT, TEXT, _FOLDER = "document", "text", "folder"


class TextFiles(Format):
    """Files without a format of their own: columns `document`, with the name, and `text`.

    If the folder has sub-folders, a column `folder` names them.
    """

    name = form = "documents"
    title = "a folder of text files"
    endings = ()
    noun = "text file"

    def rows(self, root: Path, members: Sequence[Path]) -> Rows:
        """The text of each file."""
        names = [member.relative_to(root) for member in members]
        columns: dict[str, list[str | None]] = {DOCUMENT: [name.as_posix() for name in names]}
        if any(len(name.parts) > 1 for name in names):
            columns[_FOLDER] = [name.parts[0] if len(name.parts) > 1 else None for name in names]
        columns[TEXT] = [*read_texts(members)]
        aside = {_FOLDER: "it is the folder of the file"} if _FOLDER in columns else {}
        return Rows(pa.table(columns), self.form, DOCUMENT, (TEXT,), aside)
