"""All file formats, and how to find the format of a file.

A new format is one file beside this one and one entry here.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from onesided._files._csv import CSV, TSV
from onesided._files._encoding import lines_of
from onesided._files._feather import Feather
from onesided._files._foreign import refuse_binary, refuse_foreign
from onesided._files._format import Format
from onesided._files._json import JsonLines
from onesided._files._names import named
from onesided._files._packed import COMPRESSIONS, START_BYTES, first_bytes, packing_of, zipped
from onesided._files._parquet import Parquet
from onesided._files._references import REFERENCES
from onesided._files._spreadsheet import SAVE_SHEET, SPREADSHEET
from onesided._files._svmlight import Svmlight
from onesided._files._text_files import TextFiles
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT_FILES = TextFiles()
_OWN = "onesided-table-"
HIDDEN = (".", "_", "~$")
"""Starts of the names of files that belong to no table: hidden files and Excel's lock files."""
FORMATS: list[Format] = [
    *(CSV, TSV, Parquet(), Feather(), JsonLines(), SPREADSHEET),
    *REFERENCES,
    *(TEXT_FILES, Svmlight()),
]
_OTHER_SPREADSHEETS = (".numbers", ".gsheet")


def format_of(path: Path, *, in_folder: bool = False) -> Format | None:
    """Format of a file by its content, or by its name if the content fits several formats.

    Content that looks like CSV overrides the name only if the format of the name would recognize
    its own content. In a folder, a file without a known ending is not read as CSV, since it may be
    a text.
    """
    by_name = known_format(path, in_folder=in_folder)
    if not path.is_file():
        return by_name
    by_content = _held_by(path, (path.stat().st_size, path.stat().st_mtime_ns))
    if by_content in (CSV, TSV):
        own = by_name is not None and (by_name.magic or type(by_name).holds is not Format.holds)
        return by_content if own or (by_name is None and not in_folder) else by_name
    return by_content or by_name


def table_format_of(path: Path, *, in_folder: bool = False) -> Format:
    """Format of a table; a file of another kind raises a TableError."""
    found = format_of(path, in_folder=in_folder)
    if found and found.form == "table":
        return found
    if found:
        raise TableError(
            f"{path.name!r} holds {found.title}, which can only be read whole.",
            "Pass it to rank_table or fit_table, or write it as a table.",
        )
    refuse_foreign(path)
    refuse_binary(path)
    ending = inner_ending(path)
    if ending in _OTHER_SPREADSHEETS:
        raise TableError(f"{path.name!r} is a spreadsheet of an unknown kind.", SAVE_SHEET)
    raise TableError(
        f"{path.name!r} has the ending {ending!r}, which is not a known table format."
        if ending
        else f"{path.name!r} has no ending that says what format it is.",
        f"Rename it to one of {', '.join(sorted(table_endings()))}.",
    )


@lru_cache(maxsize=65_536)
def _held_by(path: Path, state: tuple[int, int]) -> Format | None:  # noqa: ARG001 - of the cache
    """The format that the start of a file shows, CSV only if no other fits; None if none fits."""
    start = first_bytes(path)
    text = lines_of(start, is_cut=len(start) == START_BYTES)
    certain = [each for each in FORMATS if each.holds(start, text)]
    return max(certain, key=lambda each: each not in (CSV, TSV), default=None)


@contextmanager
def own_folder() -> Iterator[Path]:
    """A folder for files that we write under the name of a user's file, whatever its ending."""
    with tempfile.TemporaryDirectory(prefix=_OWN) as folder:
        yield Path(folder)


def said_of(path: Path, found: Format) -> str:
    """A note on a file whose name does not fit its content; empty if the name fits."""
    if path.parent.name.startswith(_OWN):
        return ""
    packing, ending = packing_of(path), inner_ending(path)
    of_packing = COMPRESSIONS.get(path.suffix.lower(), "")
    if packing == of_packing and ending in found.endings:
        return ""
    what = f"a {found.title} file" if found.form == "table" else found.title
    how = f" compressed with {packing}" if packing else " without compression" * bool(of_packing)
    known = of_packing or known_format(path)
    why = "the ending of its name says something else" if known else "its name does not say so"
    return f"{path.name!r} was read as {what}{how}, which is what it holds; {why}."


def inner_ending(path: Path) -> str:
    """The ending of a name in small letters, without the ending of a compression."""
    inner = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
    if path.suffix.lower() == ".zip" and not inner.suffix and len(names := zipped(path)) == 1:
        inner = Path(names[0])
    return inner.suffix.lower()


def known_format(path: Path, *, in_folder: bool = False) -> Format | None:
    """Format of a file by its name; None if no format has its ending.

    In a folder, tables whose names start with "." or "_" are hidden, and an ending such as .txt
    does not count.
    """
    ending = inner_ending(path)
    for each in FORMATS:
        if ending in each.endings and not (in_folder and ending in each.endings_alone):
            is_hidden = in_folder and each.form == "table" and path.name.startswith(HIDDEN)
            return None if is_hidden else each
    return None


def is_table_name(path: Path) -> bool:
    """Whether a file with this name is read as part of a table in a folder."""
    found = known_format(path, in_folder=True)
    return found is not None and found.form == "table"


def table_endings(*, in_folder: bool = False) -> list[str]:
    """Endings of the names of tables; `in_folder` excludes those that other files may have."""
    tables = [each for each in FORMATS if each.form == "table"]
    endings = dict.fromkeys(ending for each in tables for ending in each.endings)
    alone = {ending for each in tables for ending in each.endings_alone} if in_folder else set()
    return [ending for ending in endings if ending not in alone]


def table_name(path: Path) -> str:
    """The name of a table without the endings of its format; output files are named after it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.tables import table_name
    >>> table_name(Path("results/genes.csv.gz"))
    'genes'
    """
    name = path.resolve().name
    for endings in (COMPRESSIONS, [ending for each in FORMATS for ending in each.endings]):
        if Path(name).suffix.lower() in endings:
            name = Path(name).stem
    return name


def column_names(path: Path) -> list[str]:
    r"""Names of the columns of a table, or of the first file of a folder, for completion.

    If the file cannot be read, the error of its format is raised. Completion ignores all errors.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.formats import column_names
    >>> path = Path(tempfile.mkdtemp()) / "genes.csv"
    >>> _ = path.write_text("gene,size\nCLN1,3\n")
    >>> column_names(path)
    ['gene', 'size']
    """
    if path.is_dir():
        path = min(part for part in path.iterdir() if not part.name.startswith(HIDDEN))
    found = format_of(path)
    return [] if found is None else named(found.column_names(path))


def formats_in_words() -> str:
    """The formats and folders that a user may pass as a table, in words for the help text.

    Examples
    --------
    >>> from onesided.formats import formats_in_words
    >>> formats_in_words().split(", ")[:3]
    ['A CSV', 'TSV', 'Parquet']
    """
    tables = ", ".join(each.title for each in FORMATS if each.form == "table")
    others = [
        each.title + f" ({', '.join(each.endings)})" * bool(each.endings)
        for each in FORMATS
        if each.form != "table"
    ]
    return (
        f"A {' or '.join(tables.rsplit(', ', 1))} file, or a folder of such files that are parts "
        f"of one table; {'; '.join(others[:-1])}; or {others[-1]}."
    )
