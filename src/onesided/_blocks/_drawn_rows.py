"""Some of the rows of each label, held in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onesided._blocks._block import Block
from onesided._blocks._pass import Source
from onesided._typing import Array, Floats, Ints


def drawn_rows(source: Source, most: int, seed: int = 0) -> Block:
    """Rows of each label, at most `most` of them, as one block without weights.

    A row of weight 2 counts as two rows, one of weight 0 as none; of broken weights each row
    takes what is left over from the rows before it. Which rows are drawn depends on their places
    among those of their label, and not on how the rows are cut into blocks.

    Two passes; a byte is held for each row, and eight more where there are weights.

    Parameters
    ----------
    source : labeled rows
    most : rows of each label
    seed : of the draw; all rows are taken where there are no more than `most`
    """
    marked = source.map(_mark)
    kinds = [_drawn(np.maximum(sign * marked, 0), most, seed) for sign in (-1, 1)]
    rows = np.sort(np.concatenate(kinds), kind="stable")
    return replace(source.taken(rows), positive=marked[rows] > 0, weight=None)


def _mark(block: Block) -> Array:
    """The weight of each row, negative where it is unlabeled; shape (n_rows,)."""
    if block.weight is None:
        return np.where(block.labels(), np.int8(1), np.int8(-1))
    return np.where(block.labels(), block.weight, -block.weight)


def _drawn(weight: Floats, most: int, seed: int) -> Ints:
    """Rows in order, each as often as its weight says, or a random part of them."""
    total = np.cumsum(weight, dtype=np.float64 if weight.dtype.kind == "f" else np.int64)
    n = int(np.ceil(total[-1] - 0.5))  # whole rows that the weights make up
    places = np.arange(n)
    if n > most:
        rng = np.random.default_rng(seed)
        places = np.sort(rng.choice(n, most, replace=False, shuffle=False))
    return np.searchsorted(total, places + 0.5, side="right")
