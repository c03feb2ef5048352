"""Criteria of labels that were predicted."""

import numpy as np
from numpy.typing import ArrayLike

from onesided._labels import Scenario, check_scenario, encode_labels
from onesided.exceptions import LabelError


def lee_liu_score(
    y: ArrayLike, y_pred: ArrayLike, *, scenario: Scenario, positive_label: object = None
) -> float:
    """r² / P(predicted positive), which needs no negatives and no prior.

    It is precision · recall / prior, the prior being the share of positives in the population:
    the square of the geometric mean of precision and recall, up to a constant. Higher is
    better. Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that were not trained on
    y_pred : shape (n_rows,), the values of y as predicted
    scenario : "single-training-set": positives and unlabeled are one sample, and the population
        is both; "case-control": the positives were drawn apart, and the population is the
        unlabeled
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    at least 0; 0 where nothing is predicted positive. In case-control data no unlabeled row may
    be predicted positive beside found positives; their share is then taken as half a row.

    Raises
    ------
    LabelError : if y does not have two kinds of rows, or `scenario` is unknown

    Notes
    -----
    Lee, Liu 2003, section 4; r is the recall on the labeled positives. In the wrong scenario the
    value is off by a factor that depends on the model: with a share l of labeled rows and a share
    q of the unlabeled predicted positive it is 1 − l + l r / q.

    Examples
    --------
    Two of four positives are found, r = 1/2; of all eight rows three are predicted positive,
    of the four unlabeled one: (1/4) / (3/8) = 2/3 and (1/4) / (1/4) = 1.

    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> y_pred = [1, 1, 0, 0, 1, 0, 0, 0]
    >>> round(lee_liu_score(y, y_pred, scenario="single-training-set"), 4)
    0.6667
    >>> lee_liu_score(y, y_pred, scenario="case-control")
    1.0
    """
    check_scenario(scenario)
    positive, coding = encode_labels(y, positive_label)
    predicted = coding.encode(y_pred)
    if len(predicted) != len(positive):
        raise LabelError(
            f"y has {len(positive)} rows, y_pred has {len(predicted)}.",
            "Pass one prediction a row.",
        )
    recall = float(np.mean(predicted[positive]))
    population = predicted if scenario == "single-training-set" else predicted[~positive]
    return recall**2 / max(float(np.mean(population)), 0.5 / len(population))
