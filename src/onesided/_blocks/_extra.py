"""What is there only where it is installed."""

from importlib import import_module
from types import ModuleType

from onesided.exceptions import DataError


def load_dask() -> ModuleType:
    """The module that knows Dask.

    Raises
    ------
    DataError : if Dask is not installed
    """
    try:
        return import_module("onesided._blocks._dask")
    except ModuleNotFoundError as error:
        raise DataError(
            "This needs Dask, which is not installed.",
            "Install it: pip install 'onesided[dask]'.",
        ) from error
