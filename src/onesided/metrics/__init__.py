"""Criteria from positive and unlabeled rows; y_pred and y_score come from any model."""

from onesided.metrics._label_bias import label_bias_band
from onesided.metrics._ranks import rank_counts, rank_shares, recall_at
from onesided.metrics._resampled import ResampledPValue
from onesided.metrics._thresholded import LeeLiuScore, lee_liu_score

__all__ = [
    "LeeLiuScore",
    "ResampledPValue",
    "label_bias_band",
    "lee_liu_score",
    "rank_counts",
    "rank_shares",
    "recall_at",
]
