"""The table of formats, and which format a file name means.

A new format is one file beside this one and one entry here.
"""

from __future__ import annotations

from pathlib import Path

from onesided._files._csv import Csv
from onesided._files._format import COMPRESSIONS, Format, inner_ending
from onesided._files._json import JsonLines
from onesided._files._names import named
from onesided._files._parquet import Parquet
from onesided._files._references import References
from onesided._files._svmlight import Svmlight
from onesided._files._text_files import TextFiles
from onesided.exceptions import TableError

TEXT_FILES = TextFiles()
FORMATS: list[Format] = [Csv(), Parquet(), JsonLines(), References(), TEXT_FILES, Svmlight()]

_SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")
SAVE_SHEET = "Save the sheet as 'CSV UTF-8' and pass that file."


def format_of(path: Path) -> Format:
    """Format of a table by the ending of its name; an unknown ending raises a TableError."""
    found = known_format(path)
    if found and found.form == "table":
        return found
    ending = inner_ending(path)
    if ending in _SPREADSHEETS:
        raise TableError(f"{path.name!r} is a spreadsheet, not a table in text.", SAVE_SHEET)
    raise TableError(
        f"{path.name!r} has the ending {ending!r}, which is not a known table format."
        if ending
        else f"{path.name!r} has no ending that says what format it is.",
        f"Rename it to one of {', '.join(sorted(table_endings()))}.",
    )


def known_format(path: Path, *, in_folder: bool = False) -> Format | None:
    """Format of a file by its name; None if no format has its ending.

    In a folder, tables whose names start with "." or "_" are hidden, and an ending such as .txt
    says nothing.
    """
    for each in FORMATS:
        endings = [name for name in each.endings if not (in_folder and name in each.endings_alone)]
        if (inner_ending(path) if each.is_packed else path.suffix.lower()) in endings:
            is_hidden = in_folder and each.form == "table" and path.name.startswith((".", "_"))
            return None if is_hidden else each
    return None


def is_table_name(path: Path) -> bool:
    """Whether a file of this name is read as a part of the folder that it is in."""
    found = known_format(path, in_folder=True)
    return found is not None and found.form == "table"


def table_endings(*, in_folder: bool = False) -> list[str]:
    """Endings of names of tables."""
    return [
        ending
        for each in FORMATS
        for ending in each.endings
        if each.form == "table" and not (in_folder and ending in each.endings_alone)
    ]


def table_name(path: Path) -> str:
    """The name of a table without the endings of its format; output files are named after it."""
    name = path.resolve().name
    for endings in (COMPRESSIONS, [ending for each in FORMATS for ending in each.endings]):
        if Path(name).suffix.lower() in endings:
            name = Path(name).stem
    return name


def column_names(path: Path) -> list[str]:
    """Names of the columns of a table, or of the first file of a folder, for completion.

    The formats' own errors are raised: completion drops every error.
    """
    if path.is_dir():
        path = min(part for part in path.iterdir() if not part.name.startswith((".", "_")))
    found = known_format(path)
    return [] if found is None else named(found.column_names(path))


def formats_in_words() -> str:
    """What a user may pass as a table, for the help text."""
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
