"""Names of columns, and their cells with plain types."""

from __future__ import annotations

import inspect
import re
import unicodedata
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from onesided._files._arrow import np, pa, pc
from onesided._text import argument, as_text, counted, first_repeated
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

CODE = r"^\s*[+-]?0(\d+\s*$|[xX])"
"""Pattern of codes such as 04109 or 0x1F, which programs misread as numbers."""
DELIMITERS = ("\t", ";", "|", ",")
"""Delimiters in order of preference: of several that fit equally well, the first is used."""
_LIKELY = (*DELIMITERS, "~", "^")  # if such a character is in a name, it may be the delimiter
_FAR = r"^<value out of range: (-?\d+)>$"

_CALLED = {
    "title": ("title", "titel", "titre", "título", "subject", "betreff", "name"),
    "year": ("year", "jahr", "année", "año", "publication year"),
    "pmid": ("pmid", "pubmed id"),
}
"""Possible names of a column with each meaning, in small letters, the best name first."""


_GIVEN = (
    *("positive", "known_negative", "identifier", "group", "space", "time"),
    *("drop", "categorical", "number", "text", "match", "column", "kind", "like", "show"),
    *("names", "as_text"),
)
"""Arguments that name columns."""
P = ParamSpec("P")
T = TypeVar("T")


def named(names: Sequence[str]) -> list[str]:
    """Names of columns without blanks around them; an empty name becomes column_3, for example.

    Accents are composed with their letters (NFC). A Mac may store an accent after its letter, which
    looks the same.
    """
    return [composed(name.strip()) or f"column_{place}" for place, name in enumerate(names, 1)]


def composed(names: Any) -> Any:
    """A name, or several names, with accents composed (NFC); other values stay unchanged."""
    if isinstance(names, str):
        return unicodedata.normalize("NFC", names)
    several = isinstance(names, list | tuple | set | frozenset)
    return [composed(each) for each in names] if several else names


def spelled(name: str, names: Sequence[Any]) -> str:
    """The name in `names` that equals this name once accents are composed; else the name itself."""
    return next((each for each in names if composed(each) == composed(name)), name)


def takes_names(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function: accents are composed (NFC) in its arguments that name columns."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        given = signature.bind(*args, **kwargs)
        for name in given.arguments.keys() & set(_GIVEN):
            given.arguments[name] = composed(given.arguments[name])
        return function(*given.args, **given.kwargs)

    return call


def check_names(names: Sequence[str], path: Path) -> None:
    """Refuse a file with two columns of the same name."""
    if (repeated := first_repeated(names)) is not None:
        raise TableError(
            f"{path.name!r} has two columns named {repeated!r}.", "Give each column its own name."
        )


def check_same_columns(parts: Mapping[Path, Sequence[str]]) -> None:
    """Refuse files with different columns: a lacking column would look like missing cells."""
    (first, columns), *others = parts.items()
    for path, found in others:
        for one, other, lacking in (
            (first, path, [name for name in columns if name not in found]),
            (path, first, [name for name in found if name not in columns]),
        ):
            if lacking:
                raise TableError(
                    f"{one.name!r} has a column {lacking[0]!r}, which {other.name!r} lacks.",
                    "Keep the same columns and the same delimiter in all files of a folder.",
                )


def check_delimiter(names: Sequence[str], wanted: str, where: str = "") -> None:
    """Refuse a table whose only column has a name like several names joined by a delimiter.

    Parameters
    ----------
    names : of the columns
    wanted : name that the user gave
    where : names of the files in quotes, if several files are read
    """
    if len(names) != 1:
        return
    marks = dict.fromkeys(re.findall(r"[^\w.'\"()]", names[0]))
    between = [each for each in marks if wanted in map(str.strip, names[0].split(each))]
    if likely := [*between, *(each for each in marks if each in _LIKELY)]:
        raise TableError(
            f"There is no column {wanted!r}{f' in {where}' * bool(where)}, only one named "
            f"{names[0]!r}.",
            f"Say which character separates the cells: {argument('delimiter', likely[0])}.",
        )


def no_column(lacking: Sequence[str]) -> str:
    """What a table does not have of the columns that a model learned from, one or more."""
    n_more = len(lacking) - 1
    more = f", nor {counted(n_more, 'other column')} that the model learned from" if n_more else ""
    return f"no column {lacking[0]!r}{more}"


def find_called(names: Sequence[str], meaning: str) -> str | None:
    """The column with a meaning such as "title", in several languages; None if there is none."""
    by_case = {name.strip().lower(): name for name in reversed(names)}
    called = (by_case.get(each) for each in _CALLED.get(meaning, (meaning,)))
    return next(filter(None, called), None)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type as which cells are read.

    All of Arrow's types of text become one type, and so do its types of bytes. An extension type
    becomes the type that it stores.
    """
    t = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _EXTENSIONS.get(kind.extension_name, plain_type)(kind.storage_type)
    if t.is_dictionary(kind) or t.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    if t.is_string_view(kind) or t.is_large_string(kind):
        return pa.string()
    if t.is_binary_view(kind) or t.is_large_binary(kind) or t.is_fixed_size_binary(kind):
        return pa.binary()
    if t.is_decimal32(kind) or t.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return pa.float32() if t.is_float16(kind) else kind


def read_type(kind: pa.DataType) -> pa.DataType:
    """The type of cells that need not stay unchanged: decimals become float64, as in CSV."""
    plain = plain_type(kind)
    return pa.float64() if pa.types.is_decimal(plain) else plain


def as_floats(cells: Any) -> Any:
    """Numbers as float64; decimals are converted from their text, since Arrow may be inexact."""
    if pa.types.is_decimal(cells.type):
        cells = cells.cast(pa.string())
    return cells.cast(pa.float64(), safe=False)


_EXTENSIONS: dict[str, Callable[[pa.DataType], pa.DataType]] = {
    "arrow.uuid": lambda _: pa.string(),
    "arrow.bool8": lambda _: pa.bool_(),
}
"""Plain types of the extension types that are not read as the type that they store."""


def plain_array(cells: pa.Array) -> pa.Array:
    """Cells with their plain type."""
    kind = cells.type
    if isinstance(kind, pa.BaseExtensionType):
        is_uuid = kind.extension_name == "arrow.uuid"
        cells = pa.array([v and str(v) for v in cells.to_pylist()]) if is_uuid else cells.storage
    elif pa.types.is_dictionary(kind):
        return plain_array(cells.dictionary).take(cells.indices)
    elif pa.types.is_run_end_encoded(kind):
        places = np.arange(cells.offset, cells.offset + len(cells))
        runs = np.searchsorted(np.asarray(cells.run_ends), places, side="right")
        return plain_array(cells.values).take(pa.array(runs))
    cells = cells if cells.type == kind else plain_array(cells)
    return cells if cells.type == plain_type(kind) else cells.cast(plain_type(kind))


def plain_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch whose columns have their plain types."""
    return pa.RecordBatch.from_arrays(list(map(plain_array, batch.columns)), batch.schema.names)


def is_single(kind: pa.DataType) -> bool:
    """Whether cells of a type are single values, which can name rows or be labels."""
    t = pa.types
    kind = plain_type(kind)
    return not (t.is_nested(kind) or t.is_binary(kind) or t.is_interval(kind))


def why_no_labels(name: str, kind: pa.DataType) -> tuple[str, str] | None:
    """The problem and the mend if cells of a type cannot be labels, or None."""
    if is_single(kind):
        return None
    return (
        f"Column {name!r} holds {kind} values, which cannot be labels.",
        "Mark the rows in a column of single values, with 1 for example.",
    )


def values_of(cells: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Cells as values of Python; dates and times become text if Python has no such value."""
    try:
        return cells.to_pylist()
    except (ValueError, OverflowError):
        return as_strings(cells).to_pylist()


def as_strings(cells: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Cells as text; Arrow has only a number for the farthest times, which then is the text."""
    return pc.replace_substring_regex(cells.cast(pa.string()), _FAR, r"\1")


def texts_of(cells: pa.Array | pa.ChunkedArray) -> list[str]:
    """Cells as text, as `as_text` writes each."""
    return [as_text(each) for each in values_of(cells)]


def plain_column(cells: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """An array, or all chunks of a column, with the plain type."""
    if isinstance(cells, pa.Array):
        return plain_array(cells)
    kind = plain_type(cells.type)
    return cells if cells.type == kind else pa.chunked_array(map(plain_array, cells.chunks), kind)


def not_utf8(name: str, column: pa.ChunkedArray) -> TableError:
    """The error for a column of bytes, which names the first cell that is not text."""
    for row, cell in enumerate(column.to_pylist(), start=1):
        try:
            (cell or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            return TableError(
                f"Column {name!r}, row {row} is not UTF-8 text: byte {cell[error.start]:#x}.",
                f"Save the file as UTF-8, or drop the column: {argument('drop', [name])}.",
            )
    return TableError(f"Column {name!r} holds bytes.", f"Drop it: {argument('drop', [name])}.")
