"""Rows below rows, dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse


def stacked(parts: Sequence[Any]) -> Any:
    """Matrices of one kind, at least one, as one: dense, or CSR where they are sparse."""
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)
