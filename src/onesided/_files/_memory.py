"""The memory that this process can still get, and the memory that a table needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from ctypes import CDLL
from pathlib import Path

from onesided._files._names import DELIMITERS

_COPIES, _CELL_BYTES = 2.0, 12.0
_BETWEEN_CELLS = [each.encode() for each in (*DELIMITERS, "\n")]
_MACHINE, _GROUPS, _MOUNT = Path("/proc/meminfo"), Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def memory_by_byte(start: bytes) -> float:
    """Bytes of memory that reading a table takes for each of its bytes.

    Measured on tables of 20 to 150 MB, with one digit to 350 letters in a cell: reading took at
    most 2 copies of the text and 12 bytes for each cell.

    Parameters
    ----------
    start : the first bytes of the table, unpacked
    """
    n_cells = sum(map(start.count, _BETWEEN_CELLS))
    return _COPIES + _CELL_BYTES * n_cells / max(len(start), 1)


def available_memory() -> float:
    """Bytes that can be filled without swapping; infinity if the system does not report them.

    The limits of the control groups of this process, as containers and batch systems set them,
    count too.
    """
    return min([_of_machine(), *_of_groups()])


def give_memory_back() -> None:
    """Give memory that nothing uses back to the system, where Linux's library of C keeps it.

    It keeps the memory of deleted arrays for later arrays, and several threads keep a lot. Call
    this between the steps of a long task.
    """
    trim = getattr(CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:  # other libraries of C have none
        trim(0)


def _of_machine() -> float:
    for line in _lines(_MACHINE):
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return 1024.0 * int(value.split()[0])
    try:  # all memory, if the system does not report the free memory
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _of_groups() -> Iterator[float]:
    """Bytes that each control group leaves, from the group of this process up to the root."""
    for line in _lines(_GROUPS):
        _, kinds, place = line.split(":", 2)
        if kinds == "":
            root, most, used, cache = _MOUNT, "memory.max", "memory.current", "inactive_file"
        elif "memory" in kinds.split(","):
            root, most = _MOUNT / "memory", "memory.limit_in_bytes"
            used, cache = "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        folder = root / place.strip("/")
        while folder.is_relative_to(root):
            limit, taken = (_number(folder / name) for name in (most, used))
            if limit is not None and taken is not None:
                given_back = dict(line.split() for line in _lines(folder / "memory.stat"))
                yield max(limit - taken + float(given_back.get(cache, 0)), 0.0)
            folder = folder.parent


def _number(path: Path) -> float | None:
    """The number in a file; None if there is no such file, or no limit."""
    text = "".join(_lines(path))
    return float(text) if text.isdecimal() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
