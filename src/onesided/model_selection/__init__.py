"""Choosing and judging models without negatives."""

from onesided.model_selection._chance import check_exchangeable, label_resampling_test
from onesided.model_selection._compare import Comparison, compare
from onesided.model_selection._folds import PositiveKFold, PositiveTimeSplit
from onesided.model_selection._hidden import (
    CrossFitScores,
    HiddenPositives,
    PlacedPositives,
    check_estimator,
    cross_fit_scores,
    encode_for,
    hidden_positive_ranks,
    hide_and_rank,
    place,
    scores_when_hidden,
)
from onesided.model_selection._parallel import fits_elsewhere
from onesided.model_selection._scorers import (
    AllRows,
    CorrectedScorer,
    LeeLiuScorer,
    hidden_positive_auc,
    neg_adjusted_p_value,
)
from onesided.model_selection._tasks import TaskComparison

__all__ = [
    "AllRows",
    "Comparison",
    "CorrectedScorer",
    "CrossFitScores",
    "HiddenPositives",
    "LeeLiuScorer",
    "PlacedPositives",
    "PositiveKFold",
    "PositiveTimeSplit",
    "TaskComparison",
    "check_estimator",
    "check_exchangeable",
    "compare",
    "cross_fit_scores",
    "encode_for",
    "fits_elsewhere",
    "hidden_positive_auc",
    "hidden_positive_ranks",
    "hide_and_rank",
    "label_resampling_test",
    "neg_adjusted_p_value",
    "place",
    "scores_when_hidden",
]
