"""Which files make a table, and whether they are what their names say."""

import contextlib
import csv
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from onesided._blocks._encoding import (
    ENCODINGS,
    UTF8,
    encoding_of,
    not_utf8,
    open_text,
    utf16_decoder,
)
from onesided._text import check_file_name
from onesided.exceptions import OnesidedWarning, TableError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as pads

Format: TypeAlias = Literal["csv", "parquet", "json"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
TABLE_ENDINGS = tuple(_FORMATS)
COMPRESSIONS = (".gz", ".bz2", ".zst", ".lz4")
_SNIFFED = 65_536
_EMPTY_PACKED = 256  # bytes that a compressed file of nothing may have, with its name
_PARQUET_MAGIC = b"PAR1"
_PIECES = re.compile(r"[0-9]+|[^0-9]+")
_LONGEST = 1 << 26  # bytes of a line of JSON
_DEEPEST = 100  # levels; at some ten thousand Arrow has no end, at more it takes the process down
_STRING = re.compile(rb'"[^"]*"')
_NOT_NESTING = bytes(set(range(256)) - set(b'{}[]"'))
_SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")
_SAVE_SHEET = "Save the sheet as 'CSV UTF-8' and pass that file."
_SIGNATURES = {
    b"PK\x03\x04": "a spreadsheet or another zip archive",
    b"\xd0\xcf\x11\xe0": "a spreadsheet or document of an older Office",
    b"%PDF-": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_DELIMITERS = ("\t", ";", "|", ",")  # the first of those that fit alike
_COMPARED_ROWS = 20

MISSING_MARKS = ("", "NA", "N/A", "NaN", "nan", "n/a", "null", "NULL", "None", "?", "#N/A", "-nan")
"""Cells of a text file that mean "missing"."""


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

    def source(self, path: Path) -> "str | pa.NativeFile":
        """What Arrow's readers take for one of the files: its name, or its content as UTF-8."""
        encoding = self.encodings.get(path, UTF8)
        return str(path) if encoding == UTF8 else open_text(path, encoding)

    def resolved(self) -> Self:
        """The same files by their full paths, for processes that stand elsewhere."""
        encodings = {path.resolve(): encoding for path, encoding in self.encodings.items()}
        paths = tuple(path.resolve() for path in self.paths)
        return replace(self, paths=paths, encodings=encodings)


def find_files(path: str | os.PathLike[str], delimiter: str | None = None) -> TableFiles:
    """Files of the table at `path`: one file, or a folder of files of one format.

    Parameters
    ----------
    path : a CSV, TSV, Parquet or JSON-lines file (also .gz, .bz2, .zst), or a folder of them
    delimiter : between the cells of a CSV file; found in its first lines by default

    Raises
    ------
    TableError : if there is nothing to read, or a file is not what its name says

    Warns
    -----
    OnesidedWarning : of files of text that are not UTF-8
    """
    root = Path(path)
    check_file_name(root)
    if not root.exists():
        raise TableError(f"There is no file or folder {str(path)!r}.", "Check the path.")
    if not (root.is_dir() or root.is_file()):
        raise TableError(f"{str(path)!r} is no ordinary file.", "Save the table as a file first.")
    if delimiter is not None:
        delimiter = delimiter.replace("\\t", "\t")
        if len(delimiter) != 1 or not delimiter.isascii():
            raise TableError(
                f"delimiter={delimiter!r} is not one character.", "Pass ';' or ',' for example."
            )
    paths = _members(root) if root.is_dir() else (root,)
    formats = {format_of(member) for member in paths}
    if len(formats) > 1:
        raise TableError(
            f"The folder {str(path)!r} mixes formats: {', '.join(sorted(formats))}.",
            "Keep the files of one table in a folder of their own.",
        )
    (form,) = formats
    for member in paths:
        check_file_name(member)
        _check_content(member, form)
    found = {} if form == "parquet" else {member: encoding_of(member) for member in paths}
    encodings = {member: encoding for member, encoding in found.items() if encoding != UTF8}
    for member in paths if form == "json" else ():
        _check_json(member, found[member])
    _warn_of_encodings(encodings)
    if form != "csv":
        return TableFiles(paths, form, encodings=encodings)
    lines = _first_lines(paths[0], found[paths[0]])
    excel = lines[0].lower().startswith("sep=") and len(lines[0]) == len("sep=;")
    if delimiter is None:
        delimiter = lines[0][-1] if excel else _find_delimiter(paths[0], lines)
    return TableFiles(paths, form, delimiter, skipped_lines=int(excel), encodings=encodings)


def format_of(path: Path) -> Format:
    """Format of a file by the ending of its name.

    Raises
    ------
    TableError : if the ending is not known
    """
    ending = _ending(path)
    if ending in _SPREADSHEETS:
        raise TableError(f"{path.name!r} is a spreadsheet, not a table in text.", _SAVE_SHEET)
    if ending not in _FORMATS:
        raise TableError(
            f"{path.name!r} has the ending {ending!r}, which is no known table format."
            if ending
            else f"{path.name!r} has no ending that says what format it is.",
            f"Rename it to one of {', '.join(sorted(_FORMATS))}.",
        )
    return _FORMATS[ending]


def is_table_name(path: Path) -> bool:
    """Whether a file of this name is read as a part of the folder that it is in."""
    hidden = path.name.startswith((".", "_"))
    return not hidden and _ending(path) in _FORMATS and _ending(path) != ".txt"  # a README


def check_links(folder: Path, members: Iterable[Path]) -> None:
    """Refuse links to what is outside of a folder, which nobody asked to read.

    Parameters
    ----------
    folder : that was named
    members : of it

    Raises
    ------
    TableError : with the first such link
    """
    root = folder.resolve()
    for member in members:
        if member.is_symlink() and root not in member.resolve().parents and member.exists():
            raise TableError(
                f"{str(member)!r} is a link that leads out of the folder {str(folder)!r}, and is "
                "not followed.",
                "Copy what it leads to into the folder, or remove the link.",
            )


def open_dataset(path: str | os.PathLike[str]) -> "pads.Dataset":
    """The table at `path` as an Arrow dataset, which reads it in batches.

    Raises
    ------
    TableError : if there is nothing to read, or a file is not what its name says
    """
    import pyarrow as pa  # noqa: PLC0415 - only file sources pay for it
    import pyarrow.csv as pacsv  # noqa: PLC0415
    import pyarrow.dataset as pads  # noqa: PLC0415

    files = find_files(path)
    packed = next((each for each in files.paths if each.suffix.lower() == ".zst"), None)
    if packed is not None and files.format != "parquet":
        raise TableError(
            f"{packed.name!r} is compressed by Zstandard, and text so compressed is not read in "
            "passes.",
            "Compress it by gzip, as .gz.",
        )
    if files.skipped_lines:  # which Arrow's datasets do not skip
        raise TableError(
            f"{files.paths[0].name!r} begins with a line that names its delimiter, and is not read "
            "in passes so.",
            "Take the line away.",
        )
    encoding = _only_encoding(path, files)
    formats: dict[Format, object] = {
        "parquet": pads.ParquetFileFormat(page_checksum_verification=True),  # where there are any
        "json": pads.JsonFileFormat(),
        "csv": pads.CsvFileFormat(
            read_options=pacsv.ReadOptions(encoding=encoding),
            parse_options=pacsv.ParseOptions(delimiter=files.delimiter, newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                null_values=list(MISSING_MARKS), strings_can_be_null=True
            ),
        ),
    }
    form = formats[files.format]
    names = [str(member) for member in files.paths]
    try:
        schemas = {name: pads.dataset(name, format=form).schema for name in names}
        schema = _common_schema(schemas, files.format)
        data = pads.dataset(names, format=form, schema=schema)
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{str(path)!r} cannot be read as {files.format}: {first_line(error)}.",
            "Check that the file is complete.",
        ) from error
    except UnicodeDecodeError as error:
        raise _not_text(path, "column names") from error
    bytes_in = [field.name for field in schema if pa.types.is_binary(field.type)]
    if files.format == "csv" and bytes_in:
        raise _not_text(path, f"cells of column {bytes_in[0]!r}")
    return data


def _only_encoding(path: str | os.PathLike[str], files: TableFiles) -> str:
    """The encoding of all files, which are read in passes."""
    found = {files.encodings.get(member, UTF8) for member in files.paths}
    if found != {UTF8} and (len(found) > 1 or files.format == "json"):
        raise TableError(
            f"{str(path)!r} is not all UTF-8, and is not read in passes so.",
            "Save the files as UTF-8.",
        )
    return found.pop()


def file_batches(
    data: "pads.Dataset", columns: Sequence[str], *, at_once: int
) -> "Iterator[pa.RecordBatch]":
    """Rows of a dataset of files, file by file, so that few are held.

    Side by side, pyarrow reads ahead in many files, and more compressed JSON files than it has
    threads wait for one another without end.

    Parameters
    ----------
    data : has files
    columns : what to read
    at_once : most rows of a batch; a batch of JSON or CSV is a megabyte of text at most
    """
    for part in data.get_fragments():
        yield from part.to_batches(schema=data.schema, columns=list(columns), batch_size=at_once)


def unreadable_file(data: Any, columns: list[str]) -> str | None:
    """Path of the first file that cannot be read to its end, or None; reads up to there.

    Parameters
    ----------
    data : a dataset, of files or not
    columns : what to read of it
    """
    import pyarrow as pa  # noqa: PLC0415 - the caller has it

    for part in data.get_fragments() if hasattr(data, "files") else ():
        try:
            for _ in part.to_batches(schema=data.schema, columns=columns):
                pass
        except (pa.ArrowException, OSError):
            return str(part.path)
    return None


def _common_schema(schemas: "Mapping[str, pa.Schema]", form: Format) -> "pa.Schema":
    """Columns and types of all parts together.

    A part may hold nothing but nulls, or whole numbers, where the next one holds fractions, but
    not text. It has all columns, in any order; lines of JSON may leave out what is missing.
    """
    import pyarrow as pa  # noqa: PLC0415 - the caller has it

    first = next(iter(schemas))
    common = schemas[first]
    for name, schema in schemas.items():
        if form != "json":
            _check_same_columns((first, schemas[first].names), (name, schema.names))
        try:
            common = pa.unify_schemas([common, schema], promote_options="permissive")
        except pa.ArrowException as error:
            raise TableError(
                f"{name!r} does not fit the parts before it: {first_line(error)}.",
                "Write all parts with one type of value in a column.",
            ) from error
    return common


def _check_same_columns(one: tuple[str, list[str]], other: tuple[str, list[str]]) -> None:
    for (having, names), (lacking, known) in ((one, other), (other, one)):
        missing = [name for name in names if name not in known]
        if missing:
            raise TableError(
                f"{lacking!r} has no column {missing[0]!r}, which {having!r} has.",
                "Write all parts of a table with the same columns.",
            )


def _not_text(path: str | os.PathLike[str], what: str) -> TableError:
    return TableError(f"The {what} of {str(path)!r} are not UTF-8 text.", "Save it as UTF-8.")


def first_line(error: BaseException) -> str:
    """First line of an error's message, without the final stop."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


def _members(folder: Path) -> tuple[Path, ...]:
    """Files of a table in natural order, part.2 before part.10; what is hidden is left out."""
    found = [
        member
        for member in folder.rglob("*")
        if is_table_name(member)
        and not any(part.startswith((".", "_")) for part in member.relative_to(folder).parts)
        and not member.is_dir()
    ]
    found.sort(key=lambda member: _natural(member.relative_to(folder)))
    check_links(folder, found)
    for member in found:
        if not member.is_file():
            raise TableError(
                f"{str(member)!r} cannot be read: it is a link to what is not there, or no file.",
                "Remove it, or mend the link.",
            )
        named = next((part for part in member.relative_to(folder).parts[:-1] if "=" in part), None)
        if named is not None:
            raise TableError(
                f"The folder {named!r} in {str(folder)!r} names a value of a column, which would "
                "be lost.",
                "Write the column into the files, or pass a data frame.",
            )
    if not found:
        raise TableError(
            f"The folder {str(folder)!r} holds no table.",
            f"Put files into it that end in {', '.join(sorted(set(_FORMATS) - {'.txt'}))}.",
        )
    filled = [member for member in found if not _is_empty(member)]  # Spark leaves empty parts
    return tuple(filled or found[:1])


def _is_empty(path: Path) -> bool:
    """Whether a file has no content, also when it is unpacked."""
    size = path.stat().st_size
    if size > _EMPTY_PACKED or path.suffix.lower() not in COMPRESSIONS:
        return size == 0
    import pyarrow as pa  # noqa: PLC0415 - opens compressed files by their ending

    try:
        with pa.input_stream(str(path)) as stream:
            return not stream.read(1)
    except OSError:  # the reader says why
        return size == 0


def _natural(path: Path) -> list[list[tuple[int, str]]]:
    """What paths are sorted by: numbers in their names count as numbers."""
    return [
        [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in _PIECES.findall(part)]
        for part in path.parts
    ]


def _ending(path: Path) -> str:
    inner = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
    return inner.suffix.lower()


def _check_content(path: Path, form: Format) -> None:
    if path.stat().st_size == 0:
        raise TableError(f"The file {str(path)!r} is empty.", "Write a table into it.")
    if path.suffix.lower() in COMPRESSIONS:
        return  # the reader finds out
    with path.open("rb") as file:
        head = file.read(_SNIFFED)
    is_parquet = head.startswith(_PARQUET_MAGIC)
    if form == "parquet" and not is_parquet:
        raise TableError(
            f"{str(path)!r} is not a Parquet file: it starts with {head[:4]!r}.",
            "Rename it by what it holds, or write it again.",
        )
    if form != "parquet" and is_parquet:
        raise TableError(
            f"{str(path)!r} is a Parquet file, not {form}.", "Rename it to end in .parquet."
        )
    if form != "parquet":
        _check_text(path, form, head)


def _check_text(path: Path, form: Format, head: bytes) -> None:
    """Refuse what is no text by the bytes that it begins with."""
    for signature, what in _SIGNATURES.items():
        if head.startswith(signature):
            raise TableError(f"{str(path)!r} is {what}, not a table in text.", _SAVE_SHEET)
    if decoder := utf16_decoder(head):
        head = decoder.decode(head).encode()
    if head.startswith(b"\x1f\x8b"):
        raise TableError(f"{str(path)!r} is compressed.", f"Rename it to end in {path.suffix}.gz.")
    if form == "json" and head.lstrip().startswith(b"["):
        raise TableError(
            f"{str(path)!r} holds one JSON array.", "Write one object a line, {...}, no array."
        )
    if b"\x00" in head:
        raise TableError(
            f"{str(path)!r} is not a text file: byte {head.index(0)} is zero.",
            "Export the table as CSV in UTF-8, or pass a Parquet file.",
        )
    if not head.strip():
        raise TableError(
            f"The file {str(path)!r} holds only white space.", "Write a table into it."
        )


def _check_json(path: Path, encoding: str) -> None:
    """Refuse JSON that is nested so deep that no table was meant.

    Brackets in strings do not nest.
    """
    import numpy as np  # noqa: PLC0415 - only file sources pay for it

    steps = np.zeros(256, dtype=np.int64)
    steps[list(b"{[")], steps[list(b"}]")] = 1, -1
    depth = 0
    with contextlib.suppress(OSError):  # the reader says why
        for lines in _blocks_of_lines(path, encoding):
            plain = lines.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NOT_NESTING)
            nesting = np.frombuffer(_STRING.sub(b"", plain.replace(b'""', b"")), dtype=np.uint8)
            depths = depth + np.cumsum(steps[nesting])
            if depths.max(initial=0) > _DEEPEST:
                raise TableError(
                    f"{path.name!r} holds objects nested more than {_DEEPEST} deep.",
                    "Write one flat object a line, {...}.",
                )
            depth = int(depths[-1]) if len(depths) else depth


def _blocks_of_lines(path: Path, encoding: str) -> Iterator[bytes]:
    """The content of a file, unpacked, in parts that end where a line does."""
    rest = b""
    with open_text(path, encoding) as stream:
        while content := stream.read(_LONGEST):
            lines, _, rest = (rest + content).rpartition(b"\n")
            if len(rest) > _LONGEST:
                raise TableError(
                    f"{path.name!r} has a line of more than {_LONGEST / 1e6:,.0f} MB.",
                    "Write one object a line, {...}.",
                )
            yield lines
    yield rest


def _first_lines(path: Path, encoding: str) -> list[str]:
    """Lines at the start of a text file that are not blank, one empty line if there are none."""
    try:
        with open_text(path, encoding) as stream:
            head = stream.read(_SNIFFED)
    except OSError as error:
        raise TableError(
            f"{str(path)!r} cannot be decompressed: {first_line(error)}.",
            "Check that the file is complete.",
        ) from error
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    if len(head) == _SNIFFED and len(lines) > 1:
        lines.pop()  # it may be cut
    return [line for line in lines if line.strip()] or [""]


def _find_delimiter(path: Path, lines: Sequence[str]) -> str:
    """The character that cuts most rows into as many cells as the header, and these into most."""
    if _ending(path) in (".tsv", ".tab"):
        return "\t"
    return max(_DELIMITERS, key=lambda delimiter: _fit_of(delimiter, lines))


def _fit_of(delimiter: str, lines: Sequence[str]) -> tuple[int, int]:
    """Rows with as many cells as the header, which are two or more, and how many these are."""
    rows = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    try:
        first = list(islice(rows, _COMPARED_ROWS))
    except csv.Error:
        first = [lines[0].split(delimiter)]
    n_cells = len(first[0])
    if n_cells == 1:
        return 0, 0
    fits = (len(row) == n_cells and not any(cell.count('"') % 2 for cell in row) for row in first)
    return sum(fits), n_cells


def _warn_of_encodings(encodings: Mapping[Path, str]) -> None:
    for encoding in ENCODINGS:
        paths = [path for path, found in encodings.items() if found == encoding]
        if paths:
            others = f" and {len(paths) - 1:,} more are" if len(paths) > 1 else " is"
            note = not_utf8(paths[0].name + others, encoding)
            warnings.warn(note, OnesidedWarning, stacklevel=3)
