"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from onesided._blocks._files import first_line
from onesided.exceptions import TableError


def check_writable(path: Path, *, inputs: tuple[Path, ...] = ()) -> None:
    """Refuse a path that cannot be written, before the work and not after it.

    Parameters
    ----------
    path : of a file to be written
    inputs : files that must not be overwritten

    Raises
    ------
    TableError : if it is a folder, lies in none, or is an input
    """
    if path.is_dir():
        raise TableError(f"{str(path)!r} is a folder.", "Pass the name of a file.")
    if not path.absolute().parent.is_dir():
        raise TableError(
            f"There is no folder {str(path.absolute().parent)!r} to write {path.name!r} into.",
            "Make it first.",
        )
    if not os.access(path.absolute().parent, os.W_OK):
        raise TableError(
            f"The folder {str(path.absolute().parent)!r} cannot be written to.",
            "Pass a path in another folder.",
        )
    if any(path.exists() and other.exists() and path.samefile(other) for other in inputs):
        raise TableError(f"{str(path)!r} is the input and would be lost.", "Pass another name.")


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
        for path, write in writers.items():
            handle, name = tempfile.mkstemp(
                prefix=f".{path.name}.", suffix=".part", dir=path.absolute().parent
            )
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
    """Write a table as Parquet or CSV, by the ending of the name.

    Parameters
    ----------
    table : what to write
    path : where
    format_path : the name whose ending counts, where it is not `path`
    """
    if (format_path or path).suffix.lower() in (".parquet", ".pq"):
        pq.write_table(table, path)
    else:
        options = pacsv.WriteOptions(quoting_style="needed")
        pacsv.write_csv(table, path, options)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
