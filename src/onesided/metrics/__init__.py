"""Criteria from positive and unlabeled rows; y_pred and y_score come from any model."""

from onesided.metrics._ranks import rank_counts, rank_shares, recall_at
from onesided.metrics._resampled import ResampledPValue
from onesided.metrics._thresholded import LeeLiuScore, lee_liu_score

__all__ = [
    "LeeLiuScore",
    "ResampledPValue",
    "lee_liu_score",
    "rank_counts",
    "rank_shares",
    "recall_at",
]
