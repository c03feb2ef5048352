"""Altair under `python -OO`: it cannot be imported without its docstrings, which Python drops."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

_PACKAGE = "altair"


class _WithDocstrings(SourceFileLoader):
    """Compiles a module with its docstrings each time, since Python keeps the one without them."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module."""
        code: CodeType = compile(
            self.get_data(self.path), self.path, "exec", dont_inherit=True, optimize=0
        )
        return code


class _Finder(MetaPathFinder):
    """Finds the modules of the package where Python does, and loads them with docstrings."""

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is; None for modules of other packages."""
        if fullname.partition(".")[0] != _PACKAGE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _WithDocstrings(fullname, spec.loader.path)
        return spec


def keep_docstrings() -> None:
    """Load the package with its docstrings from now on."""
    sys.meta_path.insert(0, _Finder())
