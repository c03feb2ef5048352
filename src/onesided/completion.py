"""The columns of a table, for a shell that waits while somebody types: no learner is loaded."""

from pathlib import Path

from onesided._files._formats import known_format
from onesided._files._names import named

__all__ = ["column_names"]


def column_names(path: Path) -> list[str]:
    """Read the names of the columns of a table, or of the first part of a folder.

    Parameters
    ----------
    path : of a file or folder of any format that is read

    Returns
    -------
    the names; no name where the format of the file is unknown

    Raises
    ------
    Exception : of any kind, since no error helps somebody who types
    """
    if path.is_dir():
        path = min(part for part in path.iterdir() if not part.name.startswith((".", "_")))
    found = known_format(path)
    return [] if found is None else named(found.column_names(path))
