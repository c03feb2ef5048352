"""Criteria from positive and unlabeled rows; y_pred and y_score come from any model."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.metrics._corrected import CorrectedScore
from onesided.metrics._corrected_labels import (
    lift,
    pu_accuracy,
    pu_f1_score,
    pu_precision,
    pu_recall,
)
from onesided.metrics._corrected_ranks import (
    bedroc_score,
    enrichment_factor,
    pu_average_precision,
    pu_recall_at_k,
    pu_roc_auc,
)
from onesided.metrics._curves import (
    PUPrecisionRecallCurve,
    PURocCurve,
    pu_precision_recall_curve,
    pu_roc_curve,
)
from onesided.metrics._displays import PUPrecisionRecallDisplay, PURocCurveDisplay
from onesided.metrics._label_bias import (
    label_bias_band,
    label_bias_tipping_point,
    lee_liu_regret,
)
from onesided.metrics._ranks import rank_counts, rank_shares, recall_at
from onesided.metrics._resampled import ResampledPValue
from onesided.metrics._thresholded import LeeLiuScore, lee_liu_score

__all__ = [
    "CorrectedScore",
    "LeeLiuScore",
    "PUPrecisionRecallCurve",
    "PUPrecisionRecallDisplay",
    "PURocCurve",
    "PURocCurveDisplay",
    "ResampledPValue",
    "bedroc_score",
    "enrichment_factor",
    "label_bias_band",
    "label_bias_tipping_point",
    "lee_liu_regret",
    "lee_liu_score",
    "lift",
    "pu_accuracy",
    "pu_average_precision",
    "pu_f1_score",
    "pu_precision",
    "pu_precision_recall_curve",
    "pu_recall",
    "pu_recall_at_k",
    "pu_roc_auc",
    "pu_roc_curve",
    "rank_counts",
    "rank_shares",
    "recall_at",
]

name_publicly(__name__)
