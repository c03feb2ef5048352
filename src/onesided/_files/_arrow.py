"""The libraries that read files. Each is loaded at first use: help and completion need none."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["np", "pa", "pacsv", "pajson", "pc", "pq"]


class _Later:
    """A module that is loaded when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pacsv
    import pyarrow.json as pajson
    import pyarrow.parquet as pq
else:
    np, pa, pc = _Later("numpy"), _Later("pyarrow"), _Later("pyarrow.compute")
    pacsv, pajson = _Later("pyarrow.csv"), _Later("pyarrow.json")
    pq = _Later("pyarrow.parquet")
