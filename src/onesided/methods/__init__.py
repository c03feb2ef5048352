"""The methods that rank the rows of a table: a table of methods, and the pipelines it describes.

The table loads no learner, since help and completion list its names.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from onesided._public import name_publicly
from onesided.methods._table import METHODS, TABLE, VOTES, Method, Traits, method_names

if TYPE_CHECKING:
    from onesided.methods._rankers import find_method as find_method
    from onesided.methods._rankers import rankers_for as rankers_for
    from onesided.methods._rankers import table_scorer as table_scorer

_RANKERS = ("find_method", "rankers_for", "table_scorer")

__all__ = ["METHODS", "TABLE", "VOTES", "Method", "Traits", "method_names", *_RANKERS]  # noqa: PLE0604 - names


def __getattr__(name: str) -> Any:
    if name in _RANKERS:
        return getattr(import_module("onesided.methods._rankers"), name)
    raise AttributeError(f"module 'onesided.methods' has no attribute {name!r}")


name_publicly(__name__)
