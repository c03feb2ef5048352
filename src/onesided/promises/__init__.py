"""Lists with a guarantee, from hidden-positive scores; and scores turned into probabilities."""

from __future__ import annotations

from onesided._public import name_publicly, renamed
from onesided.promises._calibration import hidden_positive_scores, hold_out
from onesided.promises._conformal import (
    ConformalTest,
    adjusted_p_values,
    check_fdr,
    conformal_p_values,
    conformal_test,
)
from onesided.promises._exchangeability import exchangeability_test
from onesided.promises._positives import PositiveList, positives_at_fdr
from onesided.promises._posterior import (
    ExpectedPositives,
    PosteriorCalibration,
    calibrate_posterior,
)
from onesided.promises._recall import RecallShortlist, positives_needed, recall_shortlist
from onesided.promises._scar import scar_p_value, scar_test

__all__ = [
    "ConformalTest",
    "ExpectedPositives",
    "PositiveList",
    "PosteriorCalibration",
    "RecallShortlist",
    "adjusted_p_values",
    "calibrate_posterior",
    "check_fdr",
    "conformal_p_values",
    "conformal_test",
    "exchangeability_test",
    "hidden_positive_scores",
    "hold_out",
    "positives_at_fdr",
    "positives_needed",
    "recall_shortlist",
    "scar_p_value",
    "scar_test",
]

name_publicly(__name__)
__getattr__ = renamed(__name__, {"held_out_scores": "hidden_positive_scores"})
