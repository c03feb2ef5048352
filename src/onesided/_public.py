"""Public classes name the module that users import them from, and old names are still found."""

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import onesided


def name_publicly(package: str) -> None:
    """Set `__module__` of the public classes of a package, as the last line of the package does.

    What is pickled or stored then names no private file, which may move.

    Parameters
    ----------
    package : has `__all__`; its classes that `onesided` exports are of `onesided`
    """
    for name in sys.modules[package].__all__:
        found = getattr(sys.modules[package], name)
        if isinstance(found, type) and found.__module__.startswith(f"{package}._"):
            found.__module__ = "onesided" if name in onesided.__all__ else package


def renamed(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` that still finds names of an earlier release, with a warning.

    Parameters
    ----------
    package : name of the module
    names : the names of today by those of before
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        warnings.warn(
            f"{package}.{name} is now named {names[name]}; the old name goes with release 1.0.",
            FutureWarning,
            stacklevel=2,
        )
        return getattr(sys.modules[package], names[name])

    return find
