"""What is there only where it is installed."""

from importlib import import_module
from types import ModuleType

from onesided.exceptions import DataError


def load_extra(module: str, *, name: str, extra: str, what: str = "This") -> ModuleType:
    """A module that needs what an extra installs.

    Parameters
    ----------
    module : dotted name
    name : of what is to be installed, as people call it
    extra : of onesided, which installs it
    what : needs it, at the start of the message

    Raises
    ------
    DataError : if it is not installed
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise DataError(
            f"{what} needs {name}, which is not installed.",
            f"Install it: pip install 'onesided[{extra}]'.",
        ) from error
