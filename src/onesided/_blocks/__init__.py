"""Read a source of rows block by block, and add up the statistics of the blocks."""

from __future__ import annotations

from onesided._blocks._block import Block
from onesided._blocks._checks import Numeric, check_has_rows
from onesided._blocks._drawn_rows import drawn_rows
from onesided._blocks._hashed import (
    ROWS_READ,
    Chain,
    MappedSource,
    StoredCounts,
    UnitWeights,
    WordCounts,
    unchanged,
)
from onesided._blocks._pass import Source
from onesided._blocks._sources import (
    ArraySource,
    ArrowSource,
    FrameSource,
    check_can_hold,
    held_source,
    is_dask,
    is_frame,
    labeled_source,
    naming_columns,
    read_features,
)

__all__ = [
    "ROWS_READ",
    "ArraySource",
    "ArrowSource",
    "Block",
    "Chain",
    "FrameSource",
    "MappedSource",
    "Numeric",
    "Source",
    "StoredCounts",
    "UnitWeights",
    "WordCounts",
    "check_can_hold",
    "check_has_rows",
    "drawn_rows",
    "held_source",
    "is_dask",
    "is_frame",
    "labeled_source",
    "naming_columns",
    "read_features",
    "unchanged",
]
