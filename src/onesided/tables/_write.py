"""Write files so that they appear whole or not at all."""

from __future__ import annotations

import errno
import os
import signal
import tempfile
import threading
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from secrets import token_hex

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]  # Windows has none

from onesided._files._find import check_file_name
from onesided._files._formats import is_table_name
from onesided._files._names import as_strings
from onesided._text import argument, first_line
from onesided.exceptions import TableError
from onesided.tables._excel import load_writer, write_workbook

_SPREADSHEET_ENDINGS = (".csv", ".tsv")
_WORKBOOK_ENDING = ".xlsx"
RANKING_ENDINGS = (*_SPREADSHEET_ENDINGS, _WORKBOOK_ENDING, ".parquet", ".pq")
REPORT_ENDINGS = (".html", ".htm")
_INTERRUPTIONS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_UNSEEN = r"[\s\p{Z}\p{Cc}\p{Cf}]"  # blanks, control characters and characters without a width
_FORMULA = rf"(?s)\A(?:[\t\n\r]|{_UNSEEN}*[=+\-@＝＋－＠﹦﹢﹣﹫−])"  # noqa: RUF001 - as in Chinese
_ZERO_FRACTION = r"\.0+\b"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_writable(
    path: Path, endings: Sequence[str], *, source: Path | None = None, option: str = argument("out")
) -> None:
    """Raise an error before the work begins if a file cannot be written.

    Parameters
    ----------
    path : path of the file to be written
    endings : the allowed endings of the name of the file
    source : path of the input, which must not be overwritten or mixed with the output
    option : the option or the argument that names the file; the error shows it

    Raises
    ------
    TableError : if the path cannot be a file of this kind, or the input would be lost
    DataError : if no library that writes such a file is installed

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.tables import check_writable
    >>> check_writable(Path("scores.csv"), [".csv", ".parquet"])
    >>> check_writable(Path("scores.txt"), [".csv", ".parquet"])
    Traceback (most recent call last):
        ...
    onesided.exceptions.TableError: 'scores.txt' does not end in .csv or .parquet. Pass a name
        whose ending says what to write.
    """
    check_file_name(path)
    _check_place(path)
    if path.suffix.lower() not in endings:
        raise TableError(
            f"{path.name!r} does not end in {' or '.join(endings)}.",
            "Pass a name whose ending says what to write.",
        )
    if path.suffix.lower() == _WORKBOOK_ENDING:
        load_writer()
    if source is None:
        return
    if path.exists() and source.exists() and path.samefile(source):
        raise TableError(
            f"{str(path)!r} is the input file and would be overwritten.", "Pass another name."
        )
    if source.is_dir() and source.resolve() in path.resolve().parents and is_table_name(path):
        raise TableError(
            f"{str(path)!r} lies in the input folder {str(source)!r} and would be read as a part "
            "of the table.",
            f"Write it into another folder: {option}.",
        )


def _check_place(path: Path) -> None:
    """Refuse a path at which no file can be made or replaced."""
    folder = path.resolve().parent  # of the file that a link names
    if path.is_dir():
        raise TableError(f"{str(path)!r} is a folder.", "Pass the name of a file.")
    if path.exists() and not path.is_file():
        raise TableError(
            f"{str(path)!r} is not an ordinary file.", "Pass the name of a file to be written."
        )
    if not folder.is_dir():
        raise TableError(
            f"There is no folder {str(folder)!r} to write {path.name!r} into.",
            "Make this folder first.",
        )
    check_folder(folder)


def check_folder(folder: Path) -> None:
    """Refuse a folder in which no file can be made; a temporary file without a name tests this."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise TableError(
            f"The folder {str(folder)!r} cannot be written to: {error.strerror}.",
            "Pass a path in another folder.",
        ) from error


def write_files(writers: Mapping[Path, Callable[[Path], None]]) -> None:
    """Write files under temporary names beside their final ones, then rename all of them.

    An interruption leaves all files old or all files new, and no temporary file. If the process is
    killed, each file is still whole, but temporary files may stay. If the process is killed between
    two renamings, some files are new and the others are old. Written files survive a loss of power.

    Parameters
    ----------
    writers : for each final path, a function that writes the file to the path that it gets

    Raises
    ------
    TableError : if a file cannot be written; in this case no file has changed

    Examples
    --------
    >>> import tempfile
    >>> from functools import partial
    >>> from pathlib import Path
    >>> from onesided.tables import write_files, write_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = Path(folder) / "one.txt", Path(folder) / "two.txt"
    ...     write_files({one: partial(write_text, "first"), two: partial(write_text, "second")})
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['one.txt', 'two.txt']
    """
    temporary: dict[Path, Path] = {}
    try:
        for given, write in writers.items():
            path = given.resolve()  # a link stays a link: the file that it names is replaced
            with _uninterrupted():
                temporary[path] = path.with_name(f".onesided-{token_hex(8)}.part")
                temporary[path].touch(exist_ok=False)
            write(temporary[path])
            _sync(temporary[path])
        with _uninterrupted():
            for path, part in temporary.items():
                part.replace(path)
        for folder in {path.parent for path in temporary}:
            sync_folder(folder)
    except OSError as error:
        is_full = error.errno in _FULL
        raise TableError(
            f"{str(path)!r} cannot be written: {error.strerror or first_line(error)}.",
            "Free some disk space, or pass another path." if is_full else "Pass another path.",
        ) from error
    finally:
        with _uninterrupted():
            for part in temporary.values():
                part.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until the content of a file is on its disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on its disk, if the system supports this."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network folders do not support it
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Refuse a folder into which another run on this machine is writing; the lock leaves no file.

    Raises
    ------
    TableError : if another run is writing into the folder
    """
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TableError(
                f"Another run is writing into the folder {str(folder)!r}.",
                f"Wait until it ends, or pass another folder: {argument('out')}.",
            ) from error
        except OSError:  # some network folders cannot be locked
            pass
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay an interruption until the block is done."""
    came: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()  # only this thread gets signals
    before = {
        kind: signal.signal(kind, lambda number, _: came.append(number))
        for kind in _INTERRUPTIONS
        if in_main and signal.getsignal(kind) is not None
    }
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def check_for_spreadsheet(path: Path) -> None:
    """Raise an error if a spreadsheet cannot open a file of this name.

    Parameters
    ----------
    path : path of a file to be written for a spreadsheet

    Raises
    ------
    TableError : if the name does not end in .csv or .tsv

    Examples
    --------
    >>> from pathlib import Path
    >>> from onesided.tables import check_for_spreadsheet
    >>> check_for_spreadsheet(Path("scores.csv"))
    >>> check_for_spreadsheet(Path("scores.parquet"))
    Traceback (most recent call last):
        ...
    onesided.exceptions.TableError: `for_spreadsheet` works only for .csv and .tsv files, not for
        'scores.parquet'. Remove the option, or pass a name with such an ending: `out`.
    """
    if path.suffix.lower() not in _SPREADSHEET_ENDINGS:
        raise TableError(
            f"{argument('for_spreadsheet')} works only for "
            f"{' and '.join(_SPREADSHEET_ENDINGS)} files, not for {str(path)!r}.",
            "A workbook needs no such option: its text is never a formula. Remove the option."
            if path.suffix.lower() == _WORKBOOK_ENDING
            else f"Remove the option, or pass a name with such an ending: {argument('out')}.",
        )


def write_text(text: str, path: Path) -> None:
    """Write text into a file as UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.tables import write_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "note.txt"
    ...     write_text("Größe in µm", path)
    ...     path.read_text(encoding="utf-8")
    'Größe in µm'
    """
    path.write_text(text, encoding="utf-8")


def write_table(
    table: pa.Table,
    path: str | PathLike[str],
    *,
    format_path: Path | None = None,
    for_spreadsheet: bool = False,
) -> None:
    """Write a table as Parquet, TSV, CSV or Excel workbook; the ending of the name decides.

    Parameters
    ----------
    table : Arrow table
    path : path of the file
    format_path : the name whose ending decides the format; by default `path`
    for_spreadsheet : whether a spreadsheet must read text as text: the file begins with the UTF-8
        mark, and text that looks like a formula gets an apostrophe in front

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa
    >>> from onesided.tables import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.csv"
    ...     write_table(pa.table({"gene": ["a", "b"], "score": [0.9, 0.4]}), path)
    ...     path.read_text(encoding="utf-8").splitlines()
    ['"gene","score"', '"a",0.9', '"b",0.4']
    """
    path = Path(path)
    write_parts([table], table.schema, path, format_path or path, for_spreadsheet=for_spreadsheet)


def write_parts(
    parts: Iterable[pa.Table],
    schema: pa.Schema,
    path: Path,
    format_path: Path,
    *,
    for_spreadsheet: bool = False,
) -> None:
    """Write tables of one schema below each other, as `write_table` writes one table."""
    ending = format_path.suffix.lower()
    if ending not in (*_SPREADSHEET_ENDINGS, _WORKBOOK_ENDING):
        with pq.ParquetWriter(path, schema) as writer:
            for part in parts:
                writer.write_table(part)
        return
    parts = map(_with_times_as_text, parts)
    schema = _with_times_as_text(schema.empty_table()).schema
    if ending == _WORKBOOK_ENDING:
        write_workbook(parts, schema, path)
        return
    if for_spreadsheet:
        parts = map(_without_formulas, parts)
        schema = _without_formulas(schema.empty_table()).schema
    delimiter = "\t" if ending == ".tsv" else ","
    options = pacsv.WriteOptions(quoting_style="needed", delimiter=delimiter)
    with path.open("wb") as file:
        if for_spreadsheet:
            file.write(BOM_UTF8)
        with pacsv.CSVWriter(file, schema, write_options=options) as writer:
            for part in parts:
                writer.write_table(part)


def _with_times_as_text(table: pa.Table) -> pa.Table:
    """Dates and times as text, as in a CSV file that is read as text, without a fraction of 0."""
    for place, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_temporal(column.type) and not pa.types.is_duration(column.type):
            text = pc.replace_substring_regex(as_strings(column), _ZERO_FRACTION, "")
            table = table.set_column(place, name, text)
    return table


def _without_formulas(table: pa.Table) -> pa.Table:
    """Put an apostrophe before cells and names that begin like a formula.

    Spreadsheets skip blanks before a formula, and some read full-width characters as "=+-@".
    """
    columns = [
        pc.replace_substring_regex(column, _FORMULA, r"'\0")
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        else column
        for column in table.columns
    ]
    names = pc.replace_substring_regex(pa.array(table.column_names, pa.string()), _FORMULA, r"'\0")
    return pa.Table.from_arrays(columns, names=names.to_pylist())
