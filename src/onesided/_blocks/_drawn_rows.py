"""A random sample of the rows of each label, held in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onesided._blocks._block import Block
from onesided._blocks._pass import Source
from onesided._typing import Array, Floats, Ints
from onesided._validation import as_counts


def drawn_rows(source: Source, most: int, seed: int = 0) -> Block:
    """At most `most` rows of each label, as one block of different rows.

    A row of weight 2 counts as two rows, and a row of weight 0 as none. A row that is drawn twice
    stands once in the block, with weight 2, so that its copies cannot be parted. Fractions
    of a weight are carried over to the following rows.

    Weights that are all below 1 are divided by their mean, since they say how rows compare, not how
    many rows there are. For the same reason, equal weights of all rows with a label count as 1. The
    draw depends on the place of each row among the rows with its label, not on how the rows are cut
    into blocks.

    The source is read in two passes. One byte is held for each row, and eight more if rows have
    weights.

    Parameters
    ----------
    source : labeled rows
    most : largest number of rows of each label
    seed : of the draw; a label with at most `most` rows keeps all rows
    """
    marked = source.map(_mark)
    if marked.dtype.kind == "f":
        marked = np.sign(marked) * as_counts(np.abs(marked))
    kinds = [_drawn(_relative(np.maximum(sign * marked, 0)), most, seed) for sign in (-1, 1)]
    rows, n_copies = np.unique(np.concatenate(kinds), return_counts=True)
    weight = n_copies.astype(np.float64) if (n_copies > 1).any() else None
    return replace(source.taken(rows), positive=marked[rows] > 0, weight=weight)


def _mark(block: Block) -> Array:
    """The weight of each row, with a minus sign for an unlabeled row; shape (n_rows,)."""
    if block.weight is None:
        return np.where(block.labels(), np.int8(1), np.int8(-1))
    return np.where(block.labels(), block.weight, -block.weight)


def _relative(weight: Floats) -> Floats:
    """Weights of the rows with a label, 0 for other rows; 1 in place of weights that are equal."""
    largest = weight.max(initial=0)
    is_equal = ((weight == 0) | (weight == largest)).all()
    return (weight > 0).astype(np.int64) if is_equal else weight


def _drawn(weight: Floats, most: int, seed: int) -> Ints:
    """Rows in order, each repeated by its weight; a random sample if these are more than `most`."""
    total = np.cumsum(weight, dtype=np.float64 if weight.dtype.kind == "f" else np.int64)
    n = int(np.ceil(total[-1] - 0.5))  # number of whole rows in the sum of the weights
    places = np.arange(n)
    if n > most:
        rng = np.random.default_rng(seed)
        places = np.sort(rng.choice(n, most, replace=False, shuffle=False))
    return np.searchsorted(total, places + 0.5, side="right")
