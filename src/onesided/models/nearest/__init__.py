"""Similarity to known rows."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.models.nearest._nearest_known import NearestKnown

__all__ = ["NearestKnown"]

name_publicly(__name__)
