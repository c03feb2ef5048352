"""Choose the threshold of a noisy-or."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from sklearn.metrics import roc_curve

from onesided._typing import Bools, Floats

Threshold: TypeAlias = float | Literal["accuracy", "f1", "break-even"]
TUNED = ("accuracy", "f1", "break-even")


def tune_log_threshold(
    log_q: Floats, positive: Bools, weight: Floats, criterion: Threshold
) -> float:
    """Log t for which "positive where log P(C = 0 | a) < log t" is best on these rows.

    Parameters
    ----------
    log_q : shape (n_rows,), log P(C = 0 | a)
    positive : shape (n_rows,), the truth
    weight : shape (n_rows,)
    criterion : "accuracy", "f1", or "break-even", where precision and recall are nearest

    Returns
    -------
    log t, half way between the last row called positive and the first row that is not
    """
    n_positive, n_negative = float(weight @ positive), float(weight @ ~positive)
    fpr, tpr, cuts = roc_curve(positive, -log_q, sample_weight=weight, drop_intermediate=False)
    tp, fp = tpr * n_positive, fpr * n_negative
    called = tp + fp
    if criterion == "accuracy":
        value = tp - fp
    elif criterion == "f1":
        value = 2 * tp / (called + n_positive)
    else:
        value = -np.abs(called - n_positive)  # precision is tp / called, recall tp / n_positive
    best = int(np.argmax(value))
    last = cuts[best] if best > 0 else cuts[1] + 1.0  # no row is called positive
    following = cuts[best + 1] if best + 1 < len(cuts) else cuts[best] - 1.0
    return float(-(last + following) / 2)
