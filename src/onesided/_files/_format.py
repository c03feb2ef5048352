"""What a format of files has to know, and what follows for one that is only read whole."""

from __future__ import annotations

import contextlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from onesided._files._arrow import np, pa, pc
from onesided._files._encoding import UTF8, open_text
from onesided._text import first_line
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from onesided._typing import Bools

    Kinds: TypeAlias = Mapping[str, pa.DataType]

COMPRESSIONS = (".gz", ".bz2", ".zst", ".lz4")
BATCH_ROWS = 65_536
_UNPACKED_BYTES = 1 << 26
_START_BYTES = 65_536


@dataclass(frozen=True)
class TableFiles:
    """The files of one table, in the order in which they are read.

    Attributes
    ----------
    paths : one file, or the files of a folder sorted by name, part.2 before part.10
    format : what they hold
    delimiter : between the cells of a CSV file
    skipped_lines : lines before the header of a CSV file, "sep=;" for example
    encodings : of those files of text that are not UTF-8
    """

    paths: tuple[Path, ...]
    format: Format
    delimiter: str = ","
    skipped_lines: int = 0
    encodings: Mapping[Path, str] = field(default_factory=dict)

    def source(self, path: Path) -> str | pa.NativeFile:
        """What Arrow's readers take for one of the files: its name, or its content as UTF-8."""
        encoding = self.encodings.get(path, UTF8)
        return str(path) if encoding == UTF8 else open_text(path, encoding)

    def resolved(self) -> TableFiles:
        """The same files by their full paths, for processes that stand elsewhere."""
        encodings = {path.resolve(): encoding for path, encoding in self.encodings.items()}
        paths = tuple(path.resolve() for path in self.paths)
        return replace(self, paths=paths, encodings=encodings)


@dataclass
class Survey:
    """What all cells of a file say together.

    Attributes
    ----------
    schema : of the columns, with their names as they stand in the file
    n_rows : of the file
    n_filled : rows up to the last one that has a cell
    """

    schema: pa.Schema
    n_rows: int = 0
    n_filled: int = 0

    def see(self, batch: pa.RecordBatch | pa.Table) -> None:
        """Count the next rows of the file."""
        n_filled = filled_end(batch)
        self.n_filled = self.n_rows + n_filled if n_filled else self.n_filled
        self.n_rows += batch.num_rows


@dataclass(frozen=True)
class Rows:
    """Rows that were read.

    Attributes
    ----------
    data : the rows
    form : what they were read from
    identifier : column that names the rows, empty where the format has none
    text : columns that are read as text
    aside : columns that are not learned from unless they are named, and why
    lists : columns whose cells hold several items
    n_merged : records that were left out, since another is the same
    """

    data: pa.Table
    form: str = "table"
    identifier: str = ""
    text: tuple[str, ...] = ()
    aside: dict[str, str] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    n_merged: int = 0


class Format:
    """A format of files, by the endings of their names.

    A format that defines `read` can be read in each way: what else is here reads the file whole. A
    format whose files may be larger than memory defines the other methods too. A format whose
    `form` is no table defines `rows` in place of `read`.

    Attributes
    ----------
    name : in errors
    title : at the start of a name for people
    endings : of names of files, in small letters, before the ending of a compression
    endings_alone : those of them that say nothing of a file in a folder, as .txt, a README's
    magic : the first bytes of each file, empty where they can be any
    is_text : whether files have an encoding
    is_packed : whether files may be compressed, which the end of their name says
    has_types : whether cells have types of their own; cells of CSV have what they look like
    may_lack : whether a file of a folder may lack a column
    mend : of a file that cannot be read
    form : what its rows are called, "table" where they have columns of any names
    noun : a row, in errors
    """

    name: str
    title = ""
    endings: tuple[str, ...]
    endings_alone: tuple[str, ...] = ()
    magic = b""
    is_text = True
    is_packed = True
    has_types = True
    may_lack = False
    mend = "Check that the file is complete, or write it again."
    form = "table"
    noun = "row"

    def check_start(self, path: Path, start: bytes) -> None:
        """Refuse a file by its first bytes, UTF-8.

        Raises
        ------
        TableError : if it is none of this format
        """

    def check_all(self, path: Path, encoding: str) -> None:
        """Refuse a file by all that it holds.

        Raises
        ------
        TableError : if it would harm the reader
        """

    def settle(self, files: TableFiles, delimiter: str | None) -> TableFiles:
        """The files, with what all of them have in common.

        Parameters
        ----------
        files : that were found
        delimiter : between cells, None where nobody said
        """
        return files

    def comma_is(self, files: TableFiles) -> str:
        """The decimal mark where 1,234 is all that files show."""
        return "."

    def read(
        self, path: Path, files: TableFiles, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read one file whole.

        Parameters
        ----------
        path : of one of the files
        files : that it is one of
        as_text : columns whose cells are taken to the letter, where the cells are text
        only : columns to read; all where it is empty
        """
        return self.rows(path, [path]).data

    def schema(self, path: Path, files: TableFiles) -> pa.Schema:
        """Columns of one file, as far as its start tells."""
        return self.read(path, files).schema

    def survey(self, path: Path, files: TableFiles) -> Survey:
        """What all cells of one file say together."""
        table = self.read(path, files)
        found = Survey(table.schema)
        found.see(table)
        return found

    def batches(
        self, path: Path, files: TableFiles, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns of one file, a batch of rows at a time.

        Parameters
        ----------
        path : of one of the files
        files : that it is one of
        wanted : types of the columns by name; a format that has types gives its own
        groups : parts of the file, of those that `groups` gives; all by default
        """
        yield from self.read(path, files).select(list(wanted)).to_batches(BATCH_ROWS)

    def groups(self, path: Path) -> Sequence[int] | None:
        """Rows of each part of a file that can be read by itself; None where there are no such."""
        return None

    def count_rows(self, path: Path, files: TableFiles) -> int:
        """Number of rows of one file."""
        schema = self.schema(path, files)
        kind = schema.types[0] if self.has_types else pa.string()
        return sum(each.num_rows for each in self.batches(path, files, {schema.names[0]: kind}))

    def column_names(self, path: Path) -> list[str]:
        """Names in the header of a file, for a person who types: no error is of use."""
        return list(self.schema(path, TableFiles((path,), self)).names)

    def n_bytes(self, path: Path, enough: float) -> float:
        """Bytes that a file has when it is unpacked, or so many that they are enough."""
        return unpacked_bytes(path, enough)

    def rows(self, root: Path, members: Sequence[Path]) -> Rows:
        """All rows of a format whose `form` is no table.

        Parameters
        ----------
        root : that was named
        members : its files, or the file itself
        """
        raise NotImplementedError


def unpacked_bytes(path: Path, enough: float) -> float:
    """Bytes that a file has when it is unpacked, or so many that they are enough."""
    if path.suffix.lower() not in COMPRESSIONS:
        return float(path.stat().st_size)
    n_bytes = 0
    with (
        contextlib.suppress(pa.ArrowException, OSError),  # the reader says why
        pa.input_stream(str(path)) as stream,
    ):
        while n_bytes <= enough and (content := stream.read(_UNPACKED_BYTES)):
            n_bytes += len(content)
    return float(n_bytes)


def first_bytes(path: Path, n_bytes: int = _START_BYTES) -> bytes:
    """The start of a file, unpacked; gzip without any library, since a person waits."""
    import gzip  # noqa: PLC0415 - help does not pay for it

    ending = path.suffix.lower()
    if ending in COMPRESSIONS and ending != ".gz":
        with pa.input_stream(str(path)) as stream:
            return bytes(stream.read(n_bytes))
    opened: Any = gzip.open if ending == ".gz" else open
    with opened(path, "rb") as file:
        return bytes(file.read(n_bytes))


def filled_end(table: pa.RecordBatch | pa.Table) -> int:
    """Number of rows up to the last one that has a cell; spreadsheets leave rows without one."""
    n_rows = table.num_rows
    last = table.slice(max(n_rows - 1, 0))
    for rows, start in ((last, max(n_rows - 1, 0)), (table, 0)):
        filled: Bools = np.zeros(rows.num_rows, dtype=bool)
        for column in rows.columns:
            filled |= _is_filled(column)
        if filled.any():
            return start + int(np.flatnonzero(filled)[-1]) + 1
    return 0


def _is_filled(column: Any) -> Bools:
    if pa.types.is_string(column.type):  # of which an identifier may be empty
        return np.asarray(pc.fill_null(pc.not_equal(column, ""), fill_value=False), dtype=bool)
    return np.asarray(column.is_valid(), dtype=bool)


@contextmanager
def reading(path: Path, form: Format, mend: str = "") -> Iterator[None]:
    """Turn what Arrow says of a file into an error of ours.

    Parameters
    ----------
    path : of the file
    form : its format
    mend : of any error; that of the format by default
    """
    try:
        yield
    except TableError:
        raise
    except UnicodeDecodeError as error:
        raise TableError(
            f"The column names of {path.name!r} are not UTF-8 text: byte "
            f"{error.object[error.start]:#x}.",
            "Save the file as UTF-8.",
        ) from error
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{path.name!r} cannot be read as {form.name}: {first_line(error)}.", mend or form.mend
        ) from error
