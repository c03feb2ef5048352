"""Load Dask, if it is installed."""

from __future__ import annotations

from types import ModuleType

from onesided._files._extra import load_extra


def load_dask() -> ModuleType:
    """The module that runs tasks on a Dask cluster.

    Raises
    ------
    DataError : if Dask is not installed
    """
    return load_extra("onesided._blocks._cluster", name="Dask", extra="dask")
