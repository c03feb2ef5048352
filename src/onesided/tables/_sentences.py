"""What a table holds, in sentences for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from onesided._text import counted
from onesided._typing import Bools

_MOST_NAMED = 20  # columns in a line


def size_sentence(names: str, data: pa.Table) -> str:
    """Return how many rows and columns a table has; `names` are the names of its files."""
    return f"{names}: {counted(data.num_rows, 'row')}, {counted(data.num_columns, 'column')}"


def label_sentences(
    label: str,
    positive: Bools,
    *,
    where: str = "column",
    notes: Sequence[str] = (),
    n_negative: int = 0,
) -> Iterator[str]:
    """Yield how many rows are positive and unlabeled, and notes on the labels.

    Known negatives do not count as unlabeled.
    """
    n_positive = int(positive.sum())
    yield f"  positive   {n_positive:>9,}  ({where} {label})"
    yield f"  unlabeled  {len(positive) - n_positive - n_negative:>9,}"
    yield from (f"  {note}" for note in notes)


def first_of(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else shown
