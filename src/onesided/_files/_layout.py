"""What a table is to be read as: one schema, and how the numbers of its columns are written."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from onesided._files._notation import (
    ANY,
    Notation,
    Written,
    choose,
    how_written,
    is_plain,
    read_numbers,
)
from onesided._text import first_line
from onesided.exceptions import TableError

Letters: TypeAlias = Iterable[pa.Table | pa.RecordBatch]
"""The rows of a file, in which cells that may be numbers are text if the file has them as text."""

_FIRST_CELLS = 200  # that tell of most columns of text that they are no numbers


def common_schema(parts: Mapping[Path, pa.Schema]) -> pa.Schema:
    """Columns and types of all files of a table together.

    A file may hold nothing but nulls, or whole numbers, where another holds fractions, but not
    text.

    Parameters
    ----------
    parts : plain types of the columns of each file

    Raises
    ------
    TableError : if the types of a column do not fit together
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


def may_be_numbers(cells: Any) -> bool:
    """Whether the first cells of a column of text are numbers in some notation."""
    return how_written(cells[:_FIRST_CELLS]) is not None


def find_notations(
    parts: Iterable[tuple[pa.Schema, Letters]],
    *,
    comma_is: str,
    known: Mapping[str, str] | None = None,
    as_text: Collection[str] = (),
) -> dict[str, Notation]:
    """The notation of each column that is numbers in the notation of people.

    Parameters
    ----------
    parts : of each file what its columns look like, and its rows
    comma_is : the decimal mark where 1,234 is all that the files show
    known : decimal marks of columns of a table beside
    as_text : columns that are taken to the letter
    """
    columns: dict[str, Written | None] = {}
    for schema, letters in parts:
        for name, here in _written_in(schema, letters, as_text).items():
            so_far = columns.get(name, here)
            columns[name] = so_far and here and so_far.together(here)
    shown = {name: each for name, each in columns.items() if each and each != ANY}
    return choose(shown, comma_is=comma_is, known=known)


def _written_in(
    schema: pa.Schema, letters: Letters, as_text: Collection[str]
) -> dict[str, Written | None]:
    """How the numbers of a file may be written; plain ones that are text are codes."""
    t = pa.types
    kinds = {each.name: each.type for each in schema if each.name not in as_text}
    texts: dict[str, Written | None] = {}
    odd = set()
    for batch in letters:
        for name, cells in zip(batch.schema.names, batch.columns, strict=True):
            if not t.is_string(cells.type) or cells.null_count == len(cells) or name not in kinds:
                continue
            here = how_written(cells) if texts.get(name, ANY) else None
            so_far = texts.get(name, here)
            texts[name] = so_far and here and so_far.together(here)
            if name not in odd and not is_plain(cells):
                odd.add(name)
    found: dict[str, Written | None] = {}
    for name, kind in kinds.items():
        if name in texts:
            found[name] = None if t.is_string(kind) and name not in odd else texts[name]
        elif not t.is_null(kind):
            found[name] = ANY if t.is_integer(kind) or t.is_string(kind) else None
    return found


def as_numbers(cells: Any, notation: Notation) -> Any:
    """Cells of a column with a notation as float64."""
    if pa.types.is_string(cells.type):
        cells = read_numbers(cells, notation)
    return cells.cast(pa.float64())
