"""Names of columns, and their cells with plain types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onesided._files._arrow import pa, pc
from onesided._text import argument
from onesided.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MISSING_MARKS = ("", "NA", "N/A", "NaN", "nan", "n/a", "null", "NULL", "None", "?", "#N/A", "-nan")
"""Cells of a text file that mean that a value is missing."""

_CALLED = {
    "title": ("title", "titel", "titre", "título", "subject", "betreff", "name"),
    "year": ("year", "jahr", "année", "año", "publication year"),
    "pmid": ("pmid", "pubmed id"),
}
"""Names of columns with one meaning, in small letters, the best name first."""


def named(names: Sequence[str]) -> list[str]:
    """Names of columns without blanks around them; an empty name becomes a number."""
    return [name.strip() or f"column_{position}" for position, name in enumerate(names, start=1)]


def check_names(names: Sequence[str], path: Path) -> None:
    """Refuse a file with two columns of the same name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TableError(
                f"{path.name!r} has two columns named {name!r}.",
                "Give each column its own name.",
            )
        seen.add(name)


def check_same_columns(parts: Mapping[Path, Sequence[str]]) -> None:
    """Refuse files of a folder whose columns differ: lacking cells would look like missing ones."""
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


def find_called(names: Sequence[str], meaning: str) -> str | None:
    """The column with a meaning such as "title", in several languages; None if there is none."""
    by_case = {name.strip().lower(): name for name in reversed(names)}
    called = (by_case.get(each) for each in _CALLED.get(meaning, (meaning,)))
    return next(filter(None, called), None)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """A type without dictionaries, views and large offsets."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.string() if pa.types.is_string_view(kind) or pa.types.is_large_string(kind) else kind


def plain_cells(name: str, cells: pa.ChunkedArray, *, marks: bool) -> pa.ChunkedArray:
    """Cells with a plain type; text must be UTF-8, and `marks` of missing values are removed."""
    kind = plain_type(cells.type)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if cells.type != kind:
        cells = cells.cast(kind)
    if not pa.types.is_string(kind):
        return cells
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        raise not_utf8(name, cells.cast(pa.binary())) from None
    return without_marks(cells) if marks else cells


def without_marks(cells: pa.Array) -> pa.Array:
    """Text cells in which marks of a missing value are missing."""
    marked = pc.is_in(cells, pa.array(MISSING_MARKS))
    return (
        pc.if_else(marked, pa.scalar(None, pa.string()), cells) if pc.any(marked).as_py() else cells
    )


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
