"""The data pass: a source is read block by block, and what a block gives is added up."""

from onesided._blocks._block import Block
from onesided._blocks._checks import Numeric, check_weight
from onesided._blocks._hashed import (
    ROWS_READ,
    Chain,
    MappedSource,
    StoredCounts,
    UnitWeights,
    WordCounts,
)
from onesided._blocks._pass import map_rows, run_pass
from onesided._blocks._sources import (
    ArraySource,
    ArrowSource,
    Readable,
    Source,
    check_can_hold,
    is_dask,
    is_frame,
    is_source,
    labeled_source,
    read_features,
)

__all__ = [
    "ROWS_READ",
    "ArraySource",
    "ArrowSource",
    "Block",
    "Chain",
    "MappedSource",
    "Numeric",
    "Readable",
    "Source",
    "StoredCounts",
    "UnitWeights",
    "WordCounts",
    "check_can_hold",
    "check_weight",
    "is_dask",
    "is_frame",
    "is_source",
    "labeled_source",
    "map_rows",
    "read_features",
    "run_pass",
]
