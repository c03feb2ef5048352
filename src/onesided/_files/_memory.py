"""Memory of the machine."""

import os


def physical_memory() -> float:
    """Bytes of memory; infinity if the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
