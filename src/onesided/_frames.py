"""Results as data frames of the user's kind."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import narwhals.stable.v2 as nw

from onesided._typing import Array

_KINDS = ("pandas", "polars", "pyarrow")


def frame_of(columns: Mapping[str, Sequence[Any] | Array], backend: str | None = None) -> Any:
    """Columns as a data frame.

    Parameters
    ----------
    columns : names and values
    backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
        (pyarrow always is)
    """
    kind: Any = backend or next(name for name in _KINDS if find_spec(name))
    return nw.from_dict(dict(columns), backend=kind).to_native()


def frame_of_table(table: Any, backend: str | None = None) -> Any:
    """An Arrow table as a data frame.

    Parameters
    ----------
    table : an Arrow table
    backend : as for `frame_of`
    """
    kind: Any = backend or next(name for name in _KINDS if find_spec(name))
    return nw.from_arrow(table, backend=kind).to_native()
