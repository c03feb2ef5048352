"""Libraries that only an extra of onesided installs."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from onesided.exceptions import DataError


def load_extra(module: str, *, name: str, extra: str, what: str = "This") -> ModuleType:
    """Import a module of the library `name`; if it is missing, say which extra installs it.

    `what` is the part of onesided that needs the library, at the start of the message.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise DataError(
            f"{what} needs {name}, which is not installed.",
            f"Install it: pip install 'onesided[{extra}]'.",
        ) from error
