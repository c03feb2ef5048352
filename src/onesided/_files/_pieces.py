"""The parts of a file of reference records, and the warning for records that cannot be read."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onesided._text import agreeing, counted
from onesided.exceptions import OnesidedWarning, TableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MOST_NAMED = 3  # records that a note names
ZERO_BYTE = "it holds a zero byte"


@dataclass
class Piece:
    """The part of a file that holds a record, even one that cannot be read.

    Attributes
    ----------
    line : number of its first line
    fields : by name
    name : identifier of the record, or ""
    why : why the record cannot be read, or ""
    lines : the lines of a record of RIS as in the file, without the last; "" in other formats
    """

    line: int
    fields: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    why: str = ""
    lines: str = ""


def tell_left_out(path: Path, pieces: Sequence[Piece]) -> None:
    """Warn of records that cannot be read; refuse a file in which no record can be read."""
    why = [
        f"record {number} ({each.name and f'{each.name}, '}line {each.line:,}): {each.why}"
        for number, each in enumerate(pieces, start=1)
        if each.why
    ]
    if not why:
        return
    named = "; ".join(why[:_MOST_NAMED])
    if len(why) > _MOST_NAMED:
        named += f"; and {len(why) - _MOST_NAMED:,} more"
    if len(why) == len(pieces):
        raise TableError(
            f"{path.name!r} holds no record that can be read: {named}.",
            "Correct the file, or export the records again.",
        )
    warnings.warn(
        f"{len(why):,} of {counted(len(pieces), 'record')} of {path.name} cannot be read and "
        f"{agreeing(len(why))} left "
        f"out: {named}.",
        OnesidedWarning,
        stacklevel=2,
    )
