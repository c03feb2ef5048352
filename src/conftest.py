"""Doctests of a public class are collected in the file that holds it, and nowhere else."""

from __future__ import annotations

import doctest
import inspect
from types import ModuleType
from typing import Any

_of_module = doctest.DocTestFinder._from_module  # type: ignore[attr-defined]  # noqa: SLF001 - pytest does so too


def _is_written_in(finder: doctest.DocTestFinder, module: ModuleType, found: Any) -> bool:
    """Whether an object is of a module: of a class its functions say so, not its `__module__`."""
    if inspect.isclass(found):
        homes = [each.__globals__ for each in vars(found).values() if inspect.isfunction(each)]
        if any(home.get("__name__", "").startswith("onesided.") for home in homes):
            return any(home is vars(module) for home in homes)
    return bool(_of_module(finder, module, found))


doctest.DocTestFinder._from_module = _is_written_in  # type: ignore[attr-defined]  # noqa: SLF001 - no public hook
