"""What `class_prior="estimate"` means for a model that scores rows."""

from __future__ import annotations

import warnings

from onesided._typing import Floats
from onesided.exceptions import OnesidedWarning
from onesided.prior import best_bin


def estimate_from_scores(positive_scores: Floats, unlabeled_scores: Floats) -> float:
    """Best-bin estimate of the share of positives among the unlabeled, strictly in (0, 1).

    Parameters
    ----------
    positive_scores, unlabeled_scores : shapes (n_positive,) and (n_unlabeled,), by models that have
        not seen the row
    """
    found = best_bin(positive_scores, unlabeled_scores)
    half_a_row = 0.5 / len(unlabeled_scores)
    if half_a_row <= found <= 1 - half_a_row:
        return found
    warnings.warn(
        f"The class prior was estimated as {found:.3g}, which no learner can use. It is "
        "replaced by a value half an unlabeled row away from 0 or 1. The scores may not tell "
        "positives from negatives.",
        OnesidedWarning,
        stacklevel=4,
    )
    return half_a_row if found < 0.5 else 1 - half_a_row  # noqa: PLR2004 - nearer to 0 or to 1
