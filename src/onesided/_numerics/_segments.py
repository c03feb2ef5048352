"""Sums within segments of a flat array.

Each feature has a table with one entry for each of its values. The tables of all features are kept
as one flat array. Entry k of this array belongs to feature `segment[k]`, and `segment` is sorted.
"""

from __future__ import annotations

import numpy as np

from onesided._typing import Floats, Ints


def segment_sums(values: Floats | Ints, segment: Ints, n_segments: int) -> Floats:
    """Sum of `values` in each segment; shape (n_segments,)."""
    return np.bincount(segment, weights=values, minlength=n_segments).astype(np.float64)


def segment_sizes(segment: Ints, n_segments: int) -> Ints:
    """Number of entries of each segment; shape (n_segments,)."""
    return np.bincount(segment, minlength=n_segments)


def normalize_segments(values: Floats, segment: Ints, n_segments: int) -> Floats:
    """`values` divided by the sum of their segment; each sum must be positive."""
    return values / segment_sums(values, segment, n_segments)[segment]
