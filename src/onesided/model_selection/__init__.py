"""Choosing and judging models without negatives."""

from __future__ import annotations

from onesided._public import name_publicly, renamed
from onesided.model_selection._average import RankAverage, leading
from onesided.model_selection._chance import check_exchangeable, label_resampling_test
from onesided.model_selection._compare import Comparison, compare
from onesided.model_selection._delong import weighted_auc
from onesided.model_selection._estimators import (
    check_estimator,
    scores_of_learned,
    scores_out_of_bag,
)
from onesided.model_selection._folds import PositiveKFold, PositiveTimeSplit
from onesided.model_selection._hidden import hidden_positive_ranks, hide_and_rank
from onesided.model_selection._out_of_fold import (
    OutOfFoldScores,
    place,
    unlabeled_out_of_fold_scores,
)
from onesided.model_selection._parallel import fits_elsewhere
from onesided.model_selection._placements import HiddenPositives, PlacedPositives
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
    "HiddenPositives",
    "LeeLiuScorer",
    "OutOfFoldScores",
    "PlacedPositives",
    "PositiveKFold",
    "PositiveTimeSplit",
    "RankAverage",
    "TaskComparison",
    "check_estimator",
    "check_exchangeable",
    "compare",
    "fits_elsewhere",
    "hidden_positive_auc",
    "hidden_positive_ranks",
    "hide_and_rank",
    "label_resampling_test",
    "leading",
    "neg_adjusted_p_value",
    "place",
    "scores_of_learned",
    "scores_out_of_bag",
    "unlabeled_out_of_fold_scores",
    "weighted_auc",
]

name_publicly(__name__)
__getattr__ = renamed(
    __name__,
    {
        "CrossFitScores": "OutOfFoldScores",
        "cross_fit_scores": "unlabeled_out_of_fold_scores",
    },
)
