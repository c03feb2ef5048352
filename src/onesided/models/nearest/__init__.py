"""Similarity to known rows."""

from onesided.models.nearest._nearest_known import NearestKnown

__all__ = ["NearestKnown"]
