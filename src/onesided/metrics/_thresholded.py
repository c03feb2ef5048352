"""Metrics of predicted labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._labels import Scenario, check_scenario, encode_labels, encode_positives
from onesided._text import counted, kind_of_value
from onesided._typing import Bools, Floats
from onesided._validation import check_number, counts_of, missing_rows
from onesided.exceptions import DataError, LabelError
from onesided.metrics._label_bias import check_label_odds_ratio, odds_times


class LeeLiuScore(Displayed, float):
    """The criterion r² / q of Lee and Liu, with its sampling error.

    r is the recall on the positives, q the share of the population that is predicted positive.

    Parameters
    ----------
    n_found : number of positives that are predicted positive
    n_positive : number of positives
    n_predicted : number of unlabeled rows that are predicted positive
    n_unlabeled : number of unlabeled rows
    scenario : "single-training-set" or "case-control"

    Attributes
    ----------
    n_found, n_positive, n_predicted, n_unlabeled, scenario : as given

    Raises
    ------
    DataError : if a number is below 0, more rows are predicted positive than there are, or there
        are no positives or no unlabeled rows
    LabelError : if `scenario` is unknown

    Notes
    -----
    The criterion is from Lee, Liu 2003, section 4; the paper does not give its standard error. By
    the delta method, the variance of log r² / q is 4 (1 − r) / (n r) + (1 − q) / (m q), with n
    positives and m rows in the population. In a single training set, the positives are part of the
    population, so r and q vary together. Then 4 (1 − r) / (m q) is subtracted; the number of
    positives is also random, as in a sample of rows. The error is for given predictions. It does
    not include the variance that comes from training on other rows.

    Examples
    --------
    Of 60 positives 48 are found, of 400 unlabeled rows 100: 0.8² / 0.25 = 2.56. The variance of
    the logarithm is 4 · 0.2 / 48 + 0.75 / 100 = 0.0242.

    >>> score = LeeLiuScore(48, 60, 100, 400, scenario="case-control")
    >>> round(score, 2), round(score.standard_error, 2)
    (2.56, 0.4)
    >>> low, high = score.interval()
    >>> round(low, 2), round(high, 2)
    (1.89, 3.47)
    """

    n_found: float
    n_positive: float
    n_predicted: float
    n_unlabeled: float
    scenario: Scenario

    def __new__(
        cls,
        n_found: float,
        n_positive: float,
        n_predicted: float,
        n_unlabeled: float,
        *,
        scenario: Scenario,
    ) -> Self:
        check_scenario(scenario)
        _check_counts(n_found, n_positive, ("n_found", "n_positive"))
        _check_counts(n_predicted, n_unlabeled, ("n_predicted", "n_unlabeled"))
        recall = n_found / n_positive
        rows, predicted = n_unlabeled, n_predicted
        if scenario == "single-training-set":
            rows, predicted = rows + n_positive, predicted + n_found
        made = super().__new__(cls, recall**2 * rows / max(predicted, 0.5))
        made.n_found, made.n_positive = n_found, n_positive
        made.n_predicted, made.n_unlabeled = n_predicted, n_unlabeled
        made.scenario = scenario
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        counts = (self.n_found, self.n_positive, self.n_predicted, self.n_unlabeled)
        return counts, {"scenario": self.scenario}

    def over_labels(self, label_odds_ratio: float) -> tuple[float, float]:
        """Lowest and highest possible value if labels are uneven among the positives.

        Parameters
        ----------
        label_odds_ratio : Γ, at least 1: the odds of being labeled differ by at most this factor.
            The odds that a hidden positive is found are then between 1 / Γ times and Γ times the
            odds for a labeled positive. Sampling error is not included
        """
        check_label_odds_ratio(label_odds_ratio)
        recall = self.n_found / self.n_positive
        if recall == 0:
            return 0.0, 0.0
        low, high = (
            float(self) * (odds_times(recall, each) / recall) ** 2
            for each in (1 / label_odds_ratio, label_odds_ratio)
        )
        return low, high

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row.

        Columns: `lee_liu`; `standard_error`; `low` and `high`, the limits of the 95 percent
        interval of `lee_liu`; `n_found`, `n_positive`, `n_predicted`, `n_unlabeled`, `scenario`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these three that is
            installed (pyarrow always is)
        """
        low, high = self.interval()
        columns: dict[str, list[Any]] = {
            "lee_liu": [float(self)],
            "standard_error": [self.standard_error],
            "low": [low],
            "high": [high],
            "n_found": [self.n_found],
            "n_positive": [self.n_positive],
            "n_predicted": [self.n_predicted],
            "n_unlabeled": [self.n_unlabeled],
            "scenario": [self.scenario],
        }
        return frame_of(columns, backend)

    def _in_words(self) -> str:
        low, high = self.interval()
        return (
            f"Criterion of Lee and Liu {float(self):.3g} (95% interval {low:.3g} to {high:.3g}): "
            f"{self.n_found:.4g} of {counted(self.n_positive, 'positive')} and "
            f"{self.n_predicted:.4g} of "
            f"{counted(self.n_unlabeled, 'unlabeled row')} are predicted positive."
        )

    @property
    def standard_error(self) -> float:
        """Standard error of the criterion, by the delta method."""
        value, log_error = self._inner()
        return value * log_error

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Confidence interval for the criterion in the population.

        The interval is symmetric on the logarithmic scale. If no positive is found, it starts at 0.
        In simulations, 95 percent intervals covered the true value in the following shares of
        samples.

        With 60 positives, coverage was 93 to 95 percent, but 92.5 percent at a recall of .9, where
        six positives are missed. With 10 positives, it was 90 to 97 percent. With 5 positives, it
        was 84 to 100 percent.

        The interval is not cut off at the largest possible value. In the population, this value is
        1 / prior, which is not known. In a single training set, rows / `n_positive` is higher than
        this value, and it is an estimate too.

        Parameters
        ----------
        confidence : share of samples in which the interval should cover the true value, in (0, 1)
        """
        check_number(confidence, "confidence", "Pass 0.95 for example.", above=0, below=1)
        value, log_error = self._inner()
        factor = math.exp(float(ndtri((1 + confidence) / 2)) * log_error)
        return float(self) / factor, value * factor

    def _inner(self) -> tuple[float, float]:
        """The score and the standard error of its logarithm, with shares away from 0 and 1.

        Shares of 0 and 1 have no plug-in variance. Therefore a share of n rows is kept at least
        0.5 / (n + 1) away from 0 and 1.
        """
        recall = _off_the_edges(self.n_found, self.n_positive)
        share = _off_the_edges(self.n_predicted, self.n_unlabeled)
        rows = self.n_unlabeled
        shared = 0.0
        if self.scenario == "single-training-set":
            rows += self.n_positive
            share = (self.n_positive * recall + self.n_unlabeled * share) / rows
            shared = 4 * (1 - recall) / (rows * share)
        of_recall = 4 * (1 - recall) / (self.n_positive * recall)
        variance = of_recall + (1 - share) / (rows * share) - shared
        return float(self) or recall**2 / share, math.sqrt(variance)


def lee_liu_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    scenario: Scenario,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> LeeLiuScore:
    """Lee-Liu criterion, r² / P(predicted positive), which needs no negatives and no class prior.

    The criterion equals precision · recall / prior, where the prior is the share of positives in
    the population. Up to this constant, it is the square of the geometric mean of precision and
    recall. A higher value is better. Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_pred : shape (n_rows,), predicted label of each row, with the same values as y
    scenario : "single-training-set": positive and unlabeled rows are one sample, and the population
        is both kinds together; "case-control": the positives are a separate sample, and the
        population is the unlabeled rows
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    a float of at least 0, with `standard_error` and `interval`; 0 if no row is predicted positive.
    In case-control data, it can happen that labeled positives are predicted positive but no
    unlabeled row is. Half an unlabeled row is then counted as predicted positive.

    Raises
    ------
    LabelError : if y does not have two kinds of rows, y_pred has a missing value or a value that y
        does not have, or `scenario` is unknown
    DataError : if no positive or no unlabeled row has a weight above 0

    Notes
    -----
    Lee, Liu 2003, section 4; r is the recall on the labeled positives. With the wrong scenario, the
    value is wrong by the factor 1 − l + l r / q, which depends on the model. Here l is the share of
    labeled rows, and q is the share of the unlabeled rows that are predicted positive.

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
    return LeeLiuScore(
        *Predicted.of(y, y_pred, positive_label, sample_weight).counts, scenario=scenario
    )


@dataclass(frozen=True)
class Predicted:
    """Rows with their labels, predictions and weights.

    Attributes
    ----------
    positive, predicted : each of shape (n_rows,), whether each row is labeled, or predicted
        positive
    weight : shape (n_rows,), how many rows each stands for; None for one each
    """

    positive: Bools
    predicted: Bools
    weight: Floats | None

    @classmethod
    def of(
        cls,
        y: ArrayLike,
        y_pred: ArrayLike,
        positive_label: object = None,
        sample_weight: ArrayLike | None = None,
        *,
        alone: bool = False,
    ) -> Self:
        """Read labels and predictions.

        Parameters
        ----------
        y, y_pred, positive_label, sample_weight : as in `lee_liu_score`
        alone : whether all rows of y may be positive
        """
        given = np.asarray(y_pred)
        if not given.ndim:
            raise LabelError(
                f"y_pred is {kind_of_value(y_pred)}.",
                "Pass a prediction for each row: positive or unlabeled.",
            )
        missing = missing_rows(given)
        if len(missing):
            raise LabelError(
                f"y_pred has no value in row {missing[0]}.",
                "Pass a prediction for each row: positive or unlabeled.",
            )
        if alone:
            positive, coding = encode_positives(y, y_pred, positive_label)
        else:
            positive, coding = encode_labels(y, positive_label)
        predicted = coding.encode(y_pred, "y_pred")
        if len(predicted) != len(positive):
            raise LabelError(
                f"y has {counted(len(positive), 'row')}, y_pred has {len(predicted)}.",
                "Pass one prediction for each row.",
            )
        weight = None if sample_weight is None else counts_of(sample_weight, len(positive))
        if weight is not None:
            check_kinds_weigh(weight, positive)
        return cls(positive, predicted, weight)

    @property
    def counts(self) -> tuple[float, float, float, float]:
        """Numbers of found positives, positives, unlabeled predicted positive, and unlabeled."""
        found = self.positive & self.predicted
        rest = ~self.positive
        kinds = (found, self.positive, rest & self.predicted, rest)
        weight = np.ones(len(rest), dtype=np.int64) if self.weight is None else self.weight
        n_found, n_positive, n_predicted, n_unlabeled = (
            weight[each].sum().item() for each in kinds
        )
        return n_found, n_positive, n_predicted, n_unlabeled


def check_kinds_weigh(weight: Floats, positive: Bools) -> None:
    """Refuse weights that are 0 for all rows of a kind.

    Parameters
    ----------
    weight, positive : each of shape (n_rows,)

    Raises
    ------
    DataError : if all rows of a kind have weight 0
    """
    for kind, rows in (("positive", positive), ("unlabeled", ~positive)):
        if rows.any() and not weight[rows].any():
            raise DataError(
                f"sample_weight is 0 for all {rows.sum()} {kind} rows.",
                f"Give some {kind} rows a weight above 0.",
            )


def _check_counts(count: float, n_rows: float, names: tuple[str, str]) -> None:
    mend = f"Pass the number of rows as {names[1]}, and how many of these as {names[0]}."
    check_number(n_rows, names[1], mend, above=0)
    check_number(count, names[0], mend, at_least=0)
    if count > n_rows:
        raise DataError(f"{names[0]}={count!r} is more than {names[1]}={n_rows!r}.", mend)


def _off_the_edges(count: float, n_rows: float) -> float:
    half_a_row = 0.5 / (n_rows + 1)
    return float(np.clip(count / n_rows, half_a_row, 1 - half_a_row))
