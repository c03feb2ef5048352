"""The base class of all file formats; its methods read a file whole."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from onesided._files._arrow import np, pa
from onesided._files._blank import blank_rows
from onesided._files._encoding import UTF8, open_text
from onesided._files._names import plain_type
from onesided._files._packed import unpacked_bytes
from onesided._text import first_line
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from onesided._typing import Ints

    Kinds: TypeAlias = Mapping[str, pa.DataType]

BATCH_ROWS = 65_536


@dataclass(frozen=True)
class TableFile:
    """One file of a table.

    Attributes
    ----------
    path : of the file
    format : of the content
    delimiter : between the cells of a CSV file
    skipped_lines : number of lines before the header of a CSV file, "sep=;" for example
    names : of the columns, if they are not those of the header
    encoding : of a text file
    missing : cells that mean a missing value, in addition to those that mean it in every table
    sheet : of a workbook
    errors : an example for each column of a workbook that holds errors; such cells count as missing
    """

    path: Path
    format: Format
    delimiter: str = ","
    skipped_lines: int = 0
    names: tuple[str, ...] = ()
    encoding: str = UTF8
    missing: tuple[str, ...] = ()
    sheet: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def comma_is(self) -> str:
        """The decimal mark if a column shows nothing but numbers such as 1,234."""
        return "." if self.delimiter == "," else ","

    def source(self) -> pa.NativeFile:
        """The content as UTF-8, for Arrow's readers of text."""
        return self.format.source(self)

    def resolved(self) -> TableFile:
        """The same file by its full path, for processes that run in another folder."""
        return replace(self, path=self.path.resolve())

    def check_errors(self, names: Iterable[str]) -> None:
        """Refuse errors in columns that name or label rows."""
        for name in names:
            if name in self.errors:
                raise TableError(
                    f"Column {name!r} of {self.path.name!r} holds the error {self.errors[name]}, "
                    "which can neither name a row nor label it.",
                    "Correct the formula, or clear the cell.",
                )


@dataclass
class Survey:
    """Columns, number of rows and blank rows of a file, found from all its cells."""

    schema: pa.Schema
    n_rows: int = 0
    blanks: list[Ints] = field(default_factory=list)

    @property
    def blank(self) -> Ints:
        """Places of the blank rows, whose cells are all missing."""
        return np.concatenate([np.empty(0, dtype=np.int64), *self.blanks])

    def see(self, batch: pa.RecordBatch | pa.Table, missing: Sequence[str] = ()) -> None:
        """Add the next rows of the file."""
        self.blanks.append(self.n_rows + blank_rows(batch, missing))
        self.n_rows += batch.num_rows


@dataclass(frozen=True)
class Rows:
    """The rows of a file in memory, and how its format uses the columns.

    Attributes
    ----------
    data : table with the rows
    form : form of the format that the rows were read from, "table" for example
    identifier : column that names the rows; empty if the format has no such column
    text : columns that are read as text and joined to one text
    aside : columns that are not learned from unless a user names them, with the reason for each
    lists : columns whose cells hold several items
    n_merged : number of duplicate records that were left out
    """

    data: pa.Table
    form: str = "table"
    identifier: str = ""
    text: tuple[str, ...] = ()
    aside: dict[str, str] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    n_merged: int = 0


class Format:
    """A file format, which is found by the start of a file, or else by the ending of its name.

    A format must define `read`; the methods below then read the file whole. A format whose files
    may be larger than memory defines the other methods too. A format whose `form` is not "table"
    defines `rows` in place of `read`.

    Attributes
    ----------
    name : name of the format in errors
    title : what the files are, in the help text and in notes
    endings : endings of file names in small letters, without the ending of a compression
    endings_alone : endings that do not show the format of a file in a folder: a .txt may be a
        README
    magic : possible first bytes of a file; empty if a file may begin with any bytes
    is_text : whether the files have an encoding
    has_types : whether a file stores the types of its cells; a CSV cell gets the type it looks like
    may_lack : whether a file of a folder may lack a column
    mend : what to do if a file cannot be read
    form : what the rows are: "table" if they have columns of any names
    noun : what a row is called in errors
    """

    name: str
    title = ""
    endings: tuple[str, ...]
    endings_alone: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()
    is_text = True
    has_types = True
    may_lack = False
    mend = "Check that the file is complete, or write it again."
    form = "table"
    noun = "row"

    def holds(self, start: bytes, text: str) -> bool:
        """Whether a file is certainly of this format, whatever its name is.

        `start` holds the first bytes of the file. `text` holds the complete lines in these bytes;
        it is empty if the file is not text.
        """
        return start.startswith(self.magic)

    def check_start(self, path: Path, start: str) -> None:
        """Refuse a file by its first lines."""

    def check_all(self, file: TableFile) -> None:
        """Refuse a file that would harm the reader."""

    def settle(self, file: TableFile, delimiter: str | None, sheet: str | None) -> TableFile:
        """Find the header, and also the delimiter and the sheet unless the user gave them."""
        return file

    def source(self, file: TableFile) -> pa.NativeFile:
        """The content of a file of text as UTF-8."""
        return open_text(file.path, file.encoding)

    def read(
        self, file: TableFile, as_text: Sequence[str] = (), only: Sequence[str] = ()
    ) -> pa.Table:
        """Read a whole file, or only some columns; the columns `as_text` stay unchanged text."""
        return self.rows(file.path, [file.path]).data

    def schema(self, file: TableFile) -> pa.Schema:
        """Columns and their types, as found at the start of the file."""
        return self.read(file).schema

    def survey(self, file: TableFile) -> Survey:
        """Columns, number of rows and blank rows of the file, found from all its cells."""
        table = self.read(file)
        found = Survey(table.schema)
        found.see(table, file.missing)
        return found

    def batches(
        self, file: TableFile, wanted: Kinds, groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Some columns in batches, of all rows or of some groups of rows.

        A format that stores types returns the columns with its own types instead of the wanted
        types.
        """
        yield from self.read(file).select(list(wanted)).to_batches(BATCH_ROWS)

    def named_as(self, kind: pa.DataType) -> pa.DataType:
        """The type as which cells are read if they name rows and must stay unchanged."""
        return plain_type(kind) if self.has_types else pa.string()

    def groups(self, path: Path) -> Sequence[int] | None:
        """Number of rows of each part that can be read alone; None if there are no such parts."""
        return None

    def count_rows(self, file: TableFile) -> int:
        """Number of rows of the file."""
        schema = self.schema(file)
        kind = schema.types[0] if self.has_types else pa.string()
        return sum(each.num_rows for each in self.batches(file, {schema.names[0]: kind}))

    def column_names(self, path: Path) -> list[str]:
        """Names in the header of a file, for completion, which drops every error."""
        return list(self.schema(self.settle(TableFile(path, self), None, None)).names)

    def n_bytes(self, path: Path, enough: float) -> float:
        """Number of bytes of the unpacked file; counting stops above `enough`."""
        return unpacked_bytes(path, enough)

    def rows(self, root: Path, members: Sequence[Path]) -> Rows:
        """All rows of the files of a folder, or of one file, if `form` is not "table"."""
        raise NotImplementedError


@contextmanager
def reading(file: TableFile, mend: str = "") -> Iterator[None]:
    """Turn Arrow's errors about a file into ours; `mend` replaces the second sentence.

    The default second sentence is that of the format. It is a general sentence for an error of
    input or output, such as a truncated file, which does not concern the format.
    """
    try:
        yield
    except TableError:
        raise
    except UnicodeDecodeError as error:
        raise TableError(
            f"The column names of {file.path.name!r} are not UTF-8 text: byte "
            f"{error.object[error.start]:#x}.",
            "Save the file as UTF-8.",
        ) from error
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{file.path.name!r} cannot be read as {file.format.name}: {first_line(error)}.",
            mend or (Format.mend if isinstance(error, OSError) else file.format.mend),
        ) from error
