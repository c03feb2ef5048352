"""The common schema of the files of a table, and the notations of its numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from onesided._files._format import TableFile
from onesided._files._marks import without_marks
from onesided._files._names import check_same_columns
from onesided._files._notation import (
    ANY,
    FRACTIONS,
    Notation,
    Written,
    choose,
    how_written,
    read_numbers,
    together,
)
from onesided._text import first_line
from onesided.exceptions import TableError

Cells: TypeAlias = Iterable[pa.Table | pa.RecordBatch]

_CELLS_ARE_TEXT = {b"onesided:cells": b"text"}
_FIRST_CELLS = 200  # are enough to see that most text columns hold no numbers


class Part(Protocol):
    """One file of a table, with the final names and the plain types of its columns."""

    file: TableFile
    schema: pa.Schema

    def cells(self, names: Sequence[str], letters: Collection[str]) -> Cells:
        """Some columns; fractions in `letters` are text if they are text in the file."""


def lay_out(
    parts: Sequence[Part],
    *,
    known: Mapping[str, str] | None = None,
    as_text: Collection[str] = (),
) -> tuple[pa.Schema, dict[str, Notation]]:
    """The common schema of all files, and the notations of columns with numbers that are text.

    `known` holds the decimal marks of columns in another table; `as_text` columns stay text.
    """
    form = parts[0].file.format
    if not form.may_lack:
        check_same_columns({part.file.path: part.schema.names for part in parts})
    notations = _find_notations(parts, known or {}, as_text)
    read_as = {
        part.file.path: pa.schema(
            notations[each.name].on(each) if each.name in notations else each
            for each in part.schema
        )
        for part in parts
    }
    schema = common_schema(read_as)
    return schema if form.has_types else schema.with_metadata(_CELLS_ARE_TEXT), notations


def cells_are_text(schema: pa.Schema) -> bool:
    """Whether the file of a table stores no types, so that cells have the types they look like."""
    return (schema.metadata or {}).items() >= _CELLS_ARE_TEXT.items()


def common_schema(parts: Mapping[Path, pa.Schema]) -> pa.Schema:
    """Columns and types of all files of a table together; refuse types that do not fit.

    A column may hold only nulls in one file and fractions or whole numbers in others, but not text
    in one file and numbers in another.
    """
    common = pa.schema([])
    for path, schema in parts.items():
        try:
            common = pa.unify_schemas([common, schema], promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise TableError(
                f"{path.name!r} does not fit the earlier parts: {first_line(error)}.",
                "In all parts, write the same type of value into a column.",
            ) from error
    return common


def as_numbers(cells: Any, notation: Notation, missing: Sequence[str] = ()) -> Any:
    """Cells of a column as numbers by its notation; cells that mean a missing value are missing."""
    if pa.types.is_string(cells.type):
        cells = read_numbers(cells, notation)
    return without_marks(cells.cast(notation.kind), missing)


def _find_notations(
    parts: Sequence[Part], known: Mapping[str, str], as_text: Collection[str]
) -> dict[str, Notation]:
    if not known and not any(_has_notation(part, as_text) for part in parts):
        return {}
    columns: dict[str, Written | None] = {}
    texts: set[str] = set()
    for part in parts:
        found, of_text = _written_in(part, as_text)
        texts |= of_text
        for name, here in found.items():
            columns[name] = together(columns.get(name, here), here)
    shown = {name: each for name, each in columns.items() if each and name in texts}
    file = parts[0].file
    chosen = choose(shown, comma_is=file.comma_is, known=known)
    return {name: replace(each, is_text=file.format.has_types) for name, each in chosen.items()}


def _has_notation(part: Part, as_text: Collection[str]) -> bool:
    """Whether the first cells of a text column look like numbers."""
    names = [f.name for f in part.schema if pa.types.is_string(f.type) and f.name not in as_text]
    first = next(iter(part.cells(names, ()) if names else ()), None)
    return first is not None and any(
        how_written(first.column(name)[:_FIRST_CELLS]) for name in names
    )


def _written_in(part: Part, as_text: Collection[str]) -> tuple[dict[str, Written | None], set[str]]:
    """How the numbers of each column of a file may be written, and the columns that are text in it.

    None means that a column holds other values than numbers; then no notation fits.
    """
    t = pa.types
    kinds = {each.name: each.type for each in part.schema if each.name not in as_text}
    names = [name for name, kind in kinds.items() if t.is_string(kind) or t.is_floating(kind)]
    found: dict[str, Written | None] = {}
    texts = set()
    for batch in part.cells(names, names):
        for name, cells in zip(names, batch.columns, strict=True):
            if t.is_string(cells.type) and cells.null_count < len(cells):
                here = how_written(cells) if found.get(name, ANY) else None
                found[name] = together(found.get(name, here), here)
                texts.add(name)
    for name, kind in kinds.items():
        if name not in found and not t.is_null(kind):
            is_whole = t.is_integer(kind) or t.is_string(kind)
            found[name] = ANY if is_whole else FRACTIONS if t.is_floating(kind) else None
    return found, texts
