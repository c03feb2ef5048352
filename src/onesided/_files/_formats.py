"""The formats, and what names of files say of them. A new format is a file and an entry here."""

from __future__ import annotations

from pathlib import Path

from onesided._files._csv import Csv
from onesided._files._format import COMPRESSIONS, Format
from onesided._files._json import JsonLines
from onesided._files._parquet import Parquet
from onesided._files._references import References
from onesided._files._svmlight import Svmlight
from onesided._files._text_files import TextFiles
from onesided.exceptions import TableError

FORMATS: list[Format] = [Csv(), Parquet(), JsonLines(), References(), Svmlight(), TextFiles()]

_SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")
SAVE_SHEET = "Save the sheet as 'CSV UTF-8' and pass that file."


def format_of(path: Path) -> Format:
    """Format of a table by the ending of its name.

    Raises
    ------
    TableError : if the ending is not known
    """
    found = known_format(path)
    if found and found.form == "table":
        return found
    ending = _ending(path)
    if ending in _SPREADSHEETS:
        raise TableError(f"{path.name!r} is a spreadsheet, not a table in text.", SAVE_SHEET)
    raise TableError(
        f"{path.name!r} has the ending {ending!r}, which is not a known table format."
        if ending
        else f"{path.name!r} has no ending that says what format it is.",
        f"Rename it to one of {', '.join(sorted(table_endings()))}.",
    )


def known_format(path: Path, *, in_folder: bool = False) -> Format | None:
    """Format of a file by its name; None where no format has its ending.

    Parameters
    ----------
    path : of the file
    in_folder : whether it is one of several files
    """
    ending = _ending(path)
    for each in FORMATS:
        endings = [name for name in each.endings if not (in_folder and name in each.endings_alone)]
        if (ending if each.is_packed else path.suffix.lower()) in endings:
            return each
    return None


def is_table_name(path: Path) -> bool:
    """Whether a file of this name is read as a part of the folder that it is in."""
    found = known_format(path, in_folder=True)
    return not path.name.startswith((".", "_")) and found is not None and found.form == "table"


def table_endings(*, in_folder: bool = False) -> list[str]:
    """Endings of names of tables."""
    return [
        ending
        for each in FORMATS
        for ending in each.endings
        if each.form == "table" and not (in_folder and ending in each.endings_alone)
    ]


def table_name(path: Path) -> str:
    """What the outputs of a table are named after: its name without the endings of a table."""
    name = path.resolve().name
    for endings in (COMPRESSIONS, [ending for each in FORMATS for ending in each.endings]):
        if Path(name).suffix.lower() in endings:
            name = Path(name).stem
    return name


def _ending(path: Path) -> str:
    inner = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
    return inner.suffix.lower()
