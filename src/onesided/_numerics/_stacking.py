"""Matrices stacked vertically, dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse


def stacked(parts: Sequence[Any]) -> Any:
    """One matrix with the rows of all parts; CSR if the parts are sparse.

    There must be at least one part, and all parts must be dense or all sparse.
    """
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)
