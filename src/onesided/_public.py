"""Public classes name the module that users import them from and have a short `repr`.

Old names are still found.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from reprlib import Repr
from textwrap import wrap
from typing import Any

import onesided

_MOST_LINES, _WIDTH = 10, 100  # of a `repr`
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60
_SHORT.maxlevel = 2


def name_publicly(package: str) -> None:
    """Set `__module__` of the public classes of a package, as the last line of the package does.

    What is pickled or stored then names no private file, which may move. A result that says
    something in words says it as its `repr` too; one that holds data shows their shapes.

    Parameters
    ----------
    package : has `__all__`; its classes that `onesided` exports are of `onesided`
    """
    for name in sys.modules[package].__all__:
        found = vars(sys.modules[package]).get(name)  # nothing is loaded for it
        if isinstance(found, type) and found.__module__.startswith(f"{package}._"):
            found.__module__ = "onesided" if name in onesided.__all__ else package
        if isinstance(found, type) and is_dataclass(found) and _shows_all(found):
            found.__repr__ = _short_repr  # type: ignore[method-assign]  # mypy allows no change of a class


def _shows_all(kind: type) -> bool:
    """Whether the `repr` of a dataclass is the one that is made for it."""
    return hasattr(kind.__repr__, "__wrapped__")  # it is guarded against recursion


def _short_repr(self: Any) -> str:
    """The words of `str`, or the fields of a dataclass; at most ten lines."""
    kind: Any = type(self)
    if kind.__str__ is not object.__str__:
        lines = str(self).splitlines()
    else:
        shown = [f"{each.name}={_short(getattr(self, each.name))}" for each in fields(self)]
        lines = wrap(f"{kind.__name__}({', '.join(shown)})", _WIDTH, break_on_hyphens=False)
    left_out = [] if len(lines) <= _MOST_LINES else ["..."]
    return "\n".join([*lines[: _MOST_LINES - len(left_out)], *left_out])


def _short(value: Any) -> str:
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and shape:
        return f"<{type(value).__name__} of shape {shape}>"
    return _SHORT.repr(value)


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
