"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from onesided._blocks._files import COMPRESSIONS, TABLE_ENDINGS, first_line, is_table_name
from onesided.exceptions import TableError

RANKING_ENDINGS = (".csv", ".tsv", ".parquet", ".pq")
REPORT_ENDINGS = (".html", ".htm")


def check_writable(path: Path, endings: Sequence[str], *, source: Path) -> None:
    """Refuse a path that cannot be written, before the work and not after it.

    Parameters
    ----------
    path : of a file to be written
    endings : that its name may have
    source : the input, which must not be overwritten, nor be mixed with what is written

    Raises
    ------
    TableError : if it cannot be a file of this kind, or the input would suffer
    """
    try:
        _check_place(path)
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be a file: {error.strerror}.", "Pass another name."
        ) from error
    if path.suffix.lower() not in endings:
        raise TableError(
            f"{path.name!r} does not end in {' or '.join(endings)}.",
            "Pass a name whose ending says what to write.",
        )
    if path.exists() and source.exists() and path.samefile(source):
        raise TableError(f"{str(path)!r} is the input and would be lost.", "Pass another name.")
    if source.is_dir() and source.resolve() in path.resolve().parents and is_table_name(path):
        raise TableError(
            f"{str(path)!r} lies in the input folder {str(source)!r} and would be read as a part "
            "of the table.",
            "Write it into another folder: --out.",
        )


def _check_place(path: Path) -> None:
    folder = path.absolute().parent
    if path.is_dir():
        raise TableError(f"{str(path)!r} is a folder.", "Pass the name of a file.")
    if path.exists() and not path.is_file():
        raise TableError(
            f"{str(path)!r} is no ordinary file.", "Pass the name of a file to be written."
        )
    if not folder.is_dir():
        raise TableError(
            f"There is no folder {str(folder)!r} to write {path.name!r} into.", "Make it first."
        )
    check_folder(folder)


def check_folder(folder: Path) -> None:
    """Refuse a folder in which no file can be made, by making one that has no name.

    Raises
    ------
    TableError : with what the system says
    """
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise TableError(
            f"The folder {str(folder)!r} cannot be written to: {error.strerror}.",
            "Pass a path in another folder.",
        ) from error


def table_name(path: Path) -> str:
    """What the outputs of a table are named after: its name without the endings of a table."""
    name = path.resolve().name
    for endings in (COMPRESSIONS, TABLE_ENDINGS):
        if Path(name).suffix.lower() in endings:
            name = Path(name).stem
    return name


def write_files(writers: Mapping[Path, Callable[[Path], None]]) -> None:
    """Write files under temporary names beside their final ones, then rename all of them.

    Parameters
    ----------
    writers : for each path a function that writes the file to the path it is given

    Raises
    ------
    TableError : if one cannot be written; then none has changed
    """
    temporary: dict[Path, Path] = {}
    try:
        for given, write in writers.items():
            path = given.resolve()  # a link stays one: the file that it names is replaced
            handle, name = tempfile.mkstemp(prefix=".onesided-", suffix=".part", dir=path.parent)
            os.close(handle)
            temporary[path] = Path(name)
            write(temporary[path])
            temporary[path].chmod(0o666 & ~_umask())
        for path, part in temporary.items():
            part.replace(path)
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be written: {error.strerror or first_line(error)}.",
            "Free some space, or pass a path elsewhere.",
        ) from error
    finally:
        for part in temporary.values():
            part.unlink(missing_ok=True)


def write_table(table: pa.Table, path: Path, *, format_path: Path | None = None) -> None:
    """Write a table as Parquet, TSV or CSV, by the ending of the name.

    Parameters
    ----------
    table : what to write
    path : where
    format_path : the name whose ending counts, where it is not `path`
    """
    ending = (format_path or path).suffix.lower()
    if ending in (".parquet", ".pq"):
        pq.write_table(table, path)
    else:
        delimiter = "\t" if ending == ".tsv" else ","
        options = pacsv.WriteOptions(quoting_style="needed", delimiter=delimiter)
        pacsv.write_csv(table, path, options)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
