"""Choosing and judging models without negatives."""

from onesided.model_selection._compare import Comparison, compare
from onesided.model_selection._folds import PositiveKFold
from onesided.model_selection._hidden import (
    CrossFitScores,
    HiddenPositives,
    cross_fit_scores,
    hidden_positive_ranks,
    hide_and_rank,
)

__all__ = [
    "Comparison",
    "CrossFitScores",
    "HiddenPositives",
    "PositiveKFold",
    "compare",
    "cross_fit_scores",
    "hidden_positive_ranks",
    "hide_and_rank",
]
