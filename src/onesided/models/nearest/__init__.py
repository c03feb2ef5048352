"""Similarity to known rows."""

from onesided.models.nearest._estimator import NearestKnown

__all__ = ["NearestKnown"]
