"""Learning by enforcing statistical significance (Geurts 2011)."""

from onesided.models.significance._estimator import SignificanceRanker

__all__ = ["SignificanceRanker"]
