"""Aliases for arrays, and for what is called while long work goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[Any]
CSR: TypeAlias = sparse.csr_matrix | sparse.csr_array
Matrix: TypeAlias = Array | CSR
"""Rows by features: a dense array, or a CSR matrix."""

RandomState: TypeAlias = int | np.random.RandomState | None
OnProgress: TypeAlias = Callable[[str, int, int], None]
"""What long work calls: the stage it is in, the number of steps done, and of all, 0 if unknown."""
