"""Recall, precision and similar metrics of predicted labels, estimated for all positives.

| symbol | is |
| --- | --- |
| α | `class_prior`, share of positives among the unlabeled |
| l | share of labeled rows in the population; 0 in case-control data: there all are unlabeled |
| π | share of positives in the population, l + (1 − l) α |
| r | recall, the share of the labeled positives that are predicted positive |
| q | share of the population predicted positive: l r + (1 − l) · the share of unlabeled rows |

If the probability e of being labeled is known for each labeled positive, this positive stands for
1 / e positives. Then r is Σ found / e over Σ 1 / e (Bekker, Robberechts, Davis 2019), and q stays
the plain share. Wilson's interval then has Kish's effective number of positives,
(Σ 1 / e)² / Σ 1 / e².

If the odds of being labeled differ by up to Γ, the odds that a hidden positive is found are between
1 / Γ times and Γ times the odds for a labeled positive. Each figure either rises or falls with r
throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from onesided._labels import Scenario, check_scenario
from onesided._text import counted
from onesided._typing import Bools, Floats
from onesided._validation import as_numbers
from onesided.exceptions import DataError
from onesided.metrics._corrected import (
    CorrectedScore,
    PriorOrEstimate,
    of_prior,
    square_and_add,
    wilson,
)
from onesided.metrics._label_bias import check_label_odds_ratio, odds_times
from onesided.metrics._thresholded import Predicted


class _Rates(NamedTuple):
    """Rates in the population."""

    recall: float
    share: float
    prior: float
    n_rows: float


class _Counts(NamedTuple):
    """Numbers of rows, and the recall weighted by the positives that each positive stands for."""

    n_found: float
    n_positive: float
    n_predicted: float
    n_unlabeled: float
    scenario: Scenario
    recall: float
    n_effective: float


@dataclass(frozen=True)
class _OfCounts:
    """A figure that depends on the rates, at one class prior."""

    formula: Callable[[_Rates], float]
    counts: _Counts
    class_prior: float
    odds: float = 1.0  # odds that a hidden positive is found, over those of a labeled one

    @property
    def value(self) -> float:
        return self._at(**self._shares())

    def interval(self, confidence: float) -> tuple[float, float]:
        """Confidence interval, from Wilson's intervals for independent shares."""
        counts, shares = self.counts, self._shares()
        rows = {"recall": counts.n_effective}
        if counts.n_unlabeled:
            rows["predicted"] = counts.n_unlabeled
        if counts.scenario == "single-training-set":
            rows["labeled"] = counts.n_positive + counts.n_unlabeled
        ends = []
        for name, n_rows in rows.items():
            found = wilson(shares[name], n_rows, confidence)
            ends.append([self._at(**shares | {name: end}) for end in found])
        return square_and_add(self.value, ends)

    def _shares(self) -> dict[str, float]:
        counts = self.counts
        single = counts.scenario == "single-training-set"
        return {
            "recall": counts.recall,
            "predicted": counts.n_predicted / (counts.n_unlabeled or 1),
            "labeled": counts.n_positive / (counts.n_positive + counts.n_unlabeled) * single,
        }

    def _at(self, recall: float, predicted: float, labeled: float) -> float:
        counts = self.counts
        rest = 1 - labeled
        found = recall + counts.n_found / counts.n_positive - counts.recall
        return self.formula(
            _Rates(
                odds_times(recall, self.odds),
                labeled * found + rest * predicted,
                labeled + rest * self.class_prior,
                counts.n_unlabeled + (counts.n_positive if labeled else 0),
            )
        )


def _at_odds(
    formula: Callable[[_Rates], float], counts: _Counts, label_odds_ratio: float
) -> list[Callable[[float], _OfCounts]]:
    """The figure in the worst case of uneven labels, for even labels, and in the best case."""
    check_label_odds_ratio(label_odds_ratio)
    odds = (1 / label_odds_ratio, 1.0, label_odds_ratio) if label_odds_ratio > 1 else (1.0,)
    return [partial(_OfCounts, formula, counts, odds=each) for each in odds]


def _count(
    y: ArrayLike,
    y_pred: ArrayLike,
    scenario: Scenario,
    positive_label: object,
    propensity: ArrayLike | None,
    sample_weight: ArrayLike | None,
    *,
    alone: bool = False,
) -> _Counts:
    check_scenario(scenario)
    rows = Predicted.of(y, y_pred, positive_label, sample_weight, alone=alone)
    counts = rows.counts
    n_found, n_positive, *_ = counts
    if propensity is None:
        return _Counts(*counts, scenario, n_found / n_positive, float(n_positive))
    positive = rows.positive
    times = 1 / _propensities(propensity, positive)
    weight = np.ones(len(times)) if rows.weight is None else rows.weight[positive]
    recall = float(np.average(rows.predicted[positive], weights=weight * times))
    n_effective = float((weight @ times) ** 2 / (weight @ times**2))
    return _Counts(*counts, scenario, recall, n_effective)


def _propensities(propensity: ArrayLike, positive: Bools) -> Floats:
    """Propensities of the labeled rows; shape (n_positive,)."""
    given = as_numbers(propensity, "propensity")
    if given.shape != positive.shape:
        raise DataError(
            f"propensity has shape {given.shape}, y has {counted(len(positive), 'row')}.",
            "Pass one propensity for each row; the propensities of unlabeled rows are not read.",
        )
    found: Floats = given[positive]
    wrong = ~((found > 0) & np.isfinite(found))
    if wrong.any():
        raise DataError(
            f"A labeled row has a propensity of {found[wrong][0]:g}.",
            "Pass the probability that the row was labeled, a number above 0.",
        )
    return found


def _recall(rates: _Rates) -> float:
    return rates.recall


def _lift(rates: _Rates) -> float:
    return rates.recall / max(rates.share, 0.5 / rates.n_rows)


def _precision(rates: _Rates) -> float:
    return rates.prior * _lift(rates)


def _f1(rates: _Rates) -> float:
    return 2 * rates.prior * rates.recall / (rates.prior + rates.share)


def _accuracy(rates: _Rates) -> float:
    return 1 - rates.prior - rates.share + 2 * rates.prior * rates.recall


def pu_recall(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    scenario: Scenario | None = None,
    propensity: ArrayLike | None = None,
    label_odds_ratio: float = 1.0,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Share of the positives that are predicted positive; needs no class prior.

    Assumes that labels are selected completely at random (SCAR). Hidden positives are then found as
    often as labeled positives.

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on; all rows
        may be positive
    y_pred : shape (n_rows,), predicted label of each row, with the same values as y
    scenario : does not change recall; accepted so that all metrics take the same arguments
    propensity : shape (n_rows,), probability that a positive row is labeled, or a number
        proportional to it; only the values of labeled rows are read. With propensities, labels need
        not be selected evenly
    label_odds_ratio : Γ, at least 1: labels are uneven, and the odds of being labeled differ
        between positives by at most this factor, beyond the differences in `propensity`. In
        case-control data, the chances of being collected differ by at most this factor. The
        interval then reaches at least from the worst case to the best case; the float does not
        change
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    in [0, 1], with Wilson's interval

    Raises
    ------
    LabelError : if no row of y is positive, or y_pred has other values
    DataError : if a labeled row has no propensity

    Examples
    --------
    >>> float(pu_recall([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 1, 0]))
    0.75

    Unlabeled rows do not change it:

    >>> float(pu_recall([1, 1, 1, 1], [1, 1, 1, 0]))
    0.75
    """
    counts = _count(
        y, y_pred, scenario or "case-control", positive_label, propensity, sample_weight, alone=True
    )
    return CorrectedScore(tuple(at(0.0) for at in _at_odds(_recall, counts, label_odds_ratio)))


def lift(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    scenario: Scenario,
    propensity: ArrayLike | None = None,
    label_odds_ratio: float = 1.0,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Share of positives among rows predicted positive, divided by their share among all rows.

    Lift needs no class prior. Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_pred : shape (n_rows,), predicted label of each row, with the same values as y
    scenario : "single-training-set": the population is the positive and unlabeled rows together;
        "case-control": the population is the unlabeled rows
    propensity : shape (n_rows,), probability that a positive row is labeled, or a number
        proportional to it; only the values of labeled rows are read. With propensities, labels need
        not be selected evenly
    label_odds_ratio : Γ, at least 1: labels are uneven, and the odds of being labeled differ
        between positives by at most this factor, beyond the differences in `propensity`. In
        case-control data, the chances of being collected differ by at most this factor. The
        interval then reaches at least from the worst case to the best case; the float does not
        change
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    at least 0, and at most 1 divided by the share of positives in the population; 1 is chance, and
    the result is 0 if no row is predicted positive. In case-control data, it can happen that
    labeled positives are predicted positive but no unlabeled row is. Half an unlabeled row is then
    counted as predicted positive.

    Raises
    ------
    LabelError : if y does not have two kinds of rows, y_pred has other values, or `scenario` is
        unknown

    Notes
    -----
    By Bayes' rule, precision / π = recall / q. Here π is the share of positives in the population,
    and q is the share of the population that is predicted positive. In a single training set, the
    mean over all draws of the labels is the lift of full labels.

    Examples
    --------
    Two of four positives are found, and three of eight rows predicted, one of four unlabeled:
    (1/2) / (3/8) = 4/3 and (1/2) / (1/4) = 2.

    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> y_pred = [1, 1, 0, 0, 1, 0, 0, 0]
    >>> round(lift(y, y_pred, scenario="single-training-set"), 3)
    1.333
    >>> float(lift(y, y_pred, scenario="case-control"))
    2.0
    """
    counts = _count(y, y_pred, scenario, positive_label, propensity, sample_weight)
    found = tuple(at(0.0) for at in _at_odds(_lift, counts, label_odds_ratio))
    return CorrectedScore(found, math.inf)


def pu_precision(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    class_prior: PriorOrEstimate,
    scenario: Scenario,
    propensity: ArrayLike | None = None,
    label_odds_ratio: float = 1.0,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Share of positives among the rows of the population that are predicted positive.

    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_pred : shape (n_rows,), predicted label of each row, with the same values as y
    class_prior : share of positives among the unlabeled, in (0, 1), or an estimate with its
        interval
    scenario : "single-training-set": the population is the positive and unlabeled rows together;
        "case-control": the population is the unlabeled rows
    propensity : shape (n_rows,), probability that a positive row is labeled, or a number
        proportional to it; only the values of labeled rows are read. With propensities, labels need
        not be selected evenly
    label_odds_ratio : Γ, at least 1: labels are uneven, and the odds of being labeled differ
        between positives by at most this factor, beyond the differences in `propensity`. In
        case-control data, the chances of being collected differ by at most this factor. The
        interval then reaches at least from the worst case to the best case; the float does not
        change
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    usually in [0, 1]; chance or too high a class prior can take it outside. 0 if no row is
    predicted positive

    Raises
    ------
    LabelError : if y does not have two kinds of rows, y_pred has other values, or `scenario` is
        unknown
    PriorError : if `class_prior` is not between 0 and 1

    Warns
    -----
    OnesidedWarning : if the value is above 1

    Notes
    -----
    The precision is π r / q. Here r is the recall, q is the share of the population that is
    predicted positive, and π = l + (1 − l) α is the share that is positive. α is the class prior,
    and l is the share of labeled rows in the population, 0 in case-control data. If unlabeled rows
    counted as negative, the precision would be l r / q.

    Examples
    --------
    Of the unlabeled a quarter is positive. Two of four positives are found; of eight rows three
    are predicted, and (4 + 1) / 8 positive: (5/8) (1/2) / (3/8) = 5/6.

    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> y_pred = [1, 1, 0, 0, 1, 0, 0, 0]
    >>> round(pu_precision(y, y_pred, class_prior=0.25, scenario="single-training-set"), 3)
    0.833
    >>> float(pu_precision(y, y_pred, class_prior=0.25, scenario="case-control"))
    0.5
    """
    counts = _count(y, y_pred, scenario, positive_label, propensity, sample_weight)
    return of_prior("precision", class_prior, *_at_odds(_precision, counts, label_odds_ratio))


def pu_f1_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    class_prior: PriorOrEstimate,
    scenario: Scenario,
    propensity: ArrayLike | None = None,
    label_odds_ratio: float = 1.0,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Harmonic mean of precision and recall in the population.

    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y, y_pred, class_prior, scenario, propensity, label_odds_ratio, sample_weight, positive_label :
        as in `pu_precision`

    Returns
    -------
    usually in [0, 1]; chance or too high a class prior can take it outside

    Raises
    ------
    LabelError, PriorError : as in `pu_precision`

    Warns
    -----
    OnesidedWarning : if the value is above 1

    Notes
    -----
    The F1 score is 2 π r / (π + q), with the symbols of `pu_precision`.

    Examples
    --------
    2 · (1/4) · (1/2) / (1/4 + 1/4):

    >>> y, y_pred = [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 1, 0, 0, 0]
    >>> float(pu_f1_score(y, y_pred, class_prior=0.25, scenario="case-control"))
    0.5
    """
    counts = _count(y, y_pred, scenario, positive_label, propensity, sample_weight)
    return of_prior("F1 score", class_prior, *_at_odds(_f1, counts, label_odds_ratio))


def pu_accuracy(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    class_prior: PriorOrEstimate,
    scenario: Scenario,
    propensity: ArrayLike | None = None,
    label_odds_ratio: float = 1.0,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Share of the population that is predicted correctly.

    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y, y_pred, class_prior, scenario, propensity, label_odds_ratio, sample_weight, positive_label :
        as in `pu_precision`

    Returns
    -------
    usually in [0, 1]; chance or too high a class prior can take it outside

    Raises
    ------
    LabelError, PriorError : as in `pu_precision`

    Warns
    -----
    OnesidedWarning : if the value is below 0 or above 1

    Notes
    -----
    The accuracy is 2 π r + (1 − q) − π, with the symbols of `pu_precision`. It is the sum of two
    shares: positives that are found, π r, and negatives that are predicted negative. The second
    share is 1 − q less the positives that are missed, π (1 − r).

    Examples
    --------
    2 · (1/4) · (1/2) + 3/4 − 1/4:

    >>> y, y_pred = [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 1, 0, 0, 0]
    >>> float(pu_accuracy(y, y_pred, class_prior=0.25, scenario="case-control"))
    0.75
    """
    counts = _count(y, y_pred, scenario, positive_label, propensity, sample_weight)
    return of_prior("accuracy", class_prior, *_at_odds(_accuracy, counts, label_odds_ratio))
