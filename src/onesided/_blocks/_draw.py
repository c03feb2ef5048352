"""Random numbers that belong to rows, not to blocks."""

from __future__ import annotations

import numpy as np

from onesided._typing import Floats

_PER_STEP = 4  # Philox gives four numbers a step of its counter


def row_uniforms(seed: int, start: int, n_rows: int) -> Floats:
    """One uniform number in [0, 1) for each row from `start` on, shape (n_rows,).

    Philox is a counter-based generator: the number of a row depends on the seed and on the
    row's global index, so it is the same however rows are cut into blocks.

    Parameters
    ----------
    seed : seed of the generator; the same for all blocks
    start : global index of the first row, as `Block.start`
    n_rows : number of rows

    Examples
    --------
    >>> row_uniforms(0, start=0, n_rows=4).round(2)
    array([0.01, 0.24, 0.11, 0.56])
    >>> row_uniforms(0, start=2, n_rows=2).round(2)
    array([0.11, 0.56])
    """
    skip = start % _PER_STEP
    bits = np.random.Philox(key=seed).advance(start // _PER_STEP)
    return np.random.Generator(bits).random(skip + n_rows)[skip:]
