"""Areas and early recognition of scores, estimated for all positives.

A labeled positive represents a hidden positive among the rows of the population. In a single
training set, the population is all rows, and the labeled positive is one of them. In case-control
data, the population is the unlabeled rows, and the labeled positive is added to them. The symbols
are those of `_corrected_labels`; in addition

| symbol | is |
| --- | --- |
| N | number of rows among which a positive is ranked: all rows, or the unlabeled and itself |
| r, q at a positive | shares of the positives and of the population that score as high or higher |
| x at a row | share of the N rows that score higher |

Standard errors come from slopes, the changes of a figure if a row weighs more (the infinitesimal
jackknife). If the figure is a mean of φ(r, q) over the positives, the slope of a row has two parts:
φ of the row itself, and the sum of the derivatives of φ at all positives that score no higher than
the row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel

from onesided._labels import Scenario, as_share, check_scenario, encode_labels
from onesided._text import counted
from onesided._typing import Bools, Floats
from onesided._validation import as_numbers, check_number, counts_of, warn_of_few
from onesided.exceptions import DataError, LabelError
from onesided.metrics._corrected import (
    CorrectedScore,
    FloatOrFloats,
    OfRows,
    PriorOrEstimate,
    of_prior,
    square_and_add,
    wilson,
)
from onesided.metrics._ranks import rank_counts, rank_shares
from onesided.metrics._thresholded import check_kinds_weigh
from onesided.metrics._two_normals import Figure, TwoNormals


@dataclass(frozen=True)
class _Placed:
    """The ranks of the labeled positives among the rows of the population.

    Attributes
    ----------
    positive_scores, unlabeled_scores : shapes (n_positive,) and (n_unlabeled,)
    weights : how many rows each positive stands for, and each unlabeled row
    above, tied : each of shape (n_positive,), number of other rows of the population that score
        higher than a positive, and that score the same
    n_rows : N
    n_labeled : number of labeled rows among the N rows, without the positive itself
    labeled : share l of labeled rows in the population
    """

    positive_scores: Floats
    unlabeled_scores: Floats
    weights: tuple[Floats, Floats]
    above: Floats
    tied: Floats
    n_rows: float
    n_labeled: float
    labeled: float

    @property
    def n_positive(self) -> float:
        """Number of labeled rows."""
        return float(self.weights[0].sum())

    @property
    def n_unlabeled(self) -> float:
        """Number of unlabeled rows."""
        return float(self.weights[1].sum())

    def mean(self, values: Floats) -> float:
        """Mean over the positives; `values` has the shape (n_positive,)."""
        return float(np.average(values, weights=self.weights[0]))

    @property
    def others_as_high(self) -> Floats:
        """Share of the other labeled positives that score as high as each or higher."""
        above, tied = rank_counts(
            self.positive_scores, self.positive_scores, sample_weight=self.weights[0]
        )
        shares: Floats = (above + tied - 1) / (self.n_positive - 1)
        return shares

    @property
    def as_high(self) -> Floats:
        """Number of rows that score as high as each positive or higher, itself included."""
        return self.above + self.tied + 1

    def n_others(self, class_prior: float) -> float:
        """Number of positives among the N rows, without the positive that is ranked."""
        return self.n_labeled + class_prior * self.n_unlabeled

    def not_all(self, class_prior: float) -> float:
        """The prior, but at most the prior that leaves half an unlabeled row negative."""
        return min(class_prior, 1 - 0.5 / self.n_unlabeled)

    def law(self, figure: Figure, estimated: Figure, class_prior: float) -> TwoNormals:
        """The figure and its errors if the scores came from two normal distributions."""
        return TwoNormals(
            figure, estimated, class_prior, self.labeled, self.n_positive, self.n_unlabeled
        )

    def slopes(self, by_recall: Floats, by_share: Floats, *, ties: bool) -> tuple[Floats, Floats]:
        """The mean slope over the positives below a row, for positives and for unlabeled rows.

        Parameters
        ----------
        by_recall, by_share : each of shape (n_positive,), derivative of φ at a positive by the
            share of positives above, and by the share of unlabeled rows above
        ties : whether positives with the score of a row count as below the row
        """
        order = np.argsort(self.positive_scores)
        ordered = self.positive_scores[order]

        def mean_below(slope: Floats, scores: Floats) -> Floats:
            sums = np.append(0.0, np.cumsum((self.weights[0] * slope)[order]))
            below = np.searchsorted(ordered, scores, side="right" if ties else "left")
            found: Floats = sums[below] / self.n_positive
            return found

        return (
            mean_below(by_recall, self.positive_scores),
            mean_below(by_share, self.unlabeled_scores),
        )


def pu_roc_auc(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    class_prior: PriorOrEstimate,
    scenario: Scenario | None = None,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Probability that a positive scores higher than a negative; a tie counts half.

    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_score : shape (n_rows,), score of each row; a higher score means more likely positive
    class_prior : share of positives among the unlabeled, in (0, 1), or an estimate with its
        interval
    scenario : does not change the area, since positives are compared with the unlabeled rows in
        both; accepted so that all metrics take the same arguments
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    usually in [0, 1]; chance or too high a class prior can take it outside. 0.5 is chance. The
    interval is NaN if there is only one positive or only one unlabeled row.

    Raises
    ------
    LabelError : if y does not have two kinds of rows, or the numbers of rows and scores differ
    DataError : if a score is NaN
    PriorError : if `class_prior` is not between 0 and 1

    Warns
    -----
    CalibrationWarning : if there are fewer than ten positives
    OnesidedWarning : if the value is below 0 or above 1

    Notes
    -----
    The area is 1/2 + (A − 1/2) / (1 − α). A is the area of labeled positives against unlabeled
    rows, and α is the class prior. The formula holds because the area against the positives among
    the unlabeled rows is 1/2 (Menon, van Rooyen, Ong, Williamson 2015; Jain, White, Radivojac
    2017). A is at most 1 − α/2.

    Examples
    --------
    The positives beat the unlabeled rows in 5 of 6 pairs; 1/2 + (1/3) / (3/4):

    >>> y, y_score = [1, 1, 0, 0, 0] * 10, [5, 2, 4, 1, 0] * 10
    >>> round(pu_roc_auc(y, y_score, class_prior=0.25), 3)
    0.944
    """
    placed = _place(y, y_score, scenario or "case-control", positive_label, sample_weight)
    known, rest, (of_known, of_rest) = (
        placed.positive_scores,
        placed.unlabeled_scores,
        placed.weights,
    )
    ranks = rank_shares(known, rest, sample_weight=of_rest)
    placements = rank_shares(rest, known, sample_weight=of_known)

    def estimate(prior: float) -> OfRows:
        prior = placed.not_all(prior)
        area = _area(ranks, ranks, prior)
        law = TwoNormals(_area, _area, prior, 0.0, placed.n_positive, placed.n_unlabeled)
        slopes = placements / (1 - prior)
        return OfRows.of(placed.mean(area), area, slopes, law, weights=placed.weights)

    found = of_prior("area under the ROC curve", class_prior, estimate)
    _warn_of_few(placed, "area under the ROC curve")
    return found


def pu_average_precision(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    class_prior: PriorOrEstimate,
    scenario: Scenario,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Average precision: the precision at the score of each positive, averaged over the positives.

    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_score : shape (n_rows,), score of each row; a higher score means more likely positive
    class_prior : share of positives among the unlabeled, in (0, 1), or an estimate with its
        interval
    scenario : "single-training-set": the population is the positive and unlabeled rows together;
        "case-control": the population is the unlabeled rows
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    usually in [0, 1]; chance or too high a class prior can take it outside. A random ranking has
    the share of positives in the population

    Raises
    ------
    LabelError : if y does not have two kinds of rows, the numbers of rows and scores differ, or
        `scenario` is unknown
    DataError : if a score is NaN, or there are fewer than two positives
    PriorError : if `class_prior` is not between 0 and 1

    Warns
    -----
    CalibrationWarning : if there are fewer than ten positives
    OnesidedWarning : if the value is above 1

    Notes
    -----
    Each labeled positive has a rank k among N rows, of which Π others are positive. Tied rows all
    have the rank of the last tied row. Of the Π other positives, a share r is expected to score as
    high or higher; r is the share of the other labeled positives that do.

    In a single training set, Π = `n_positive` − 1 + α `n_unlabeled`, and the precision is
    (1 + Π r) / k. The mean over all draws of the labels is exactly scikit-learn's
    `average_precision_score` of full labels.

    In case-control data, Π = α `n_unlabeled`, and the precision is 1 / k + Π r / (k + 1). The
    second denominator is k + 1 because k and r come from independent samples, so that the mean of
    1 / k is too high. The correction leaves an error of .010 with 50 unlabeled rows and of .002
    with 300.

    Examples
    --------
    Every other row is labeled, ten in all, and two of the others are positive. Above the labeled
    row of rank 2 j - 1 are j - 1 of the 9 others that are labeled, so (1 + 11 (j - 1) / 9) / (2 j -
    1) is the precision there:

    >>> y, y_score = [1, 0] * 10, list(range(20, 0, -1))
    >>> found = pu_average_precision(
    ...     y, y_score, class_prior=0.2, scenario="single-training-set")
    >>> expected = sum((1 + 11 * (j - 1) / 9) / (2 * j - 1) for j in range(1, 11)) / 10
    >>> round(found, 4), round(expected, 4)
    (0.6941, 0.6941)
    """
    check_scenario(scenario)
    placed = _place(y, y_score, scenario, positive_label, sample_weight)
    if placed.n_positive <= 1:
        raise DataError(
            "There is only one positive, so ties with other positives cannot be counted.",
            "Pass two positives or more, or ask for pu_roc_auc.",
        )
    recall, as_high, labeled = placed.others_as_high, placed.as_high, placed.labeled
    among = as_high + (scenario == "case-control")

    def estimate(prior: float) -> OfRows:
        others = placed.n_others(prior)
        precision = 1 / as_high + others * recall / among
        by_share = -placed.n_rows * (1 / as_high**2 + others * recall / among**2)
        rows = placed.slopes(
            others / among + labeled * by_share, (1 - labeled) * by_share, ties=True
        )
        by_labeled = (1 - prior) * placed.n_rows * recall / among
        by_labeled += by_share * (recall - as_high / placed.n_rows) / (1 - labeled)
        return OfRows.of(
            placed.mean(precision),
            precision + rows[0],
            rows[1],
            placed.law(_precision, _PrecisionAtRank(placed.n_rows), prior),
            placed.mean(by_labeled) ** 2 * labeled * (1 - labeled) / placed.n_rows,
            placed.weights,
        )

    found = of_prior("average precision", class_prior, estimate)
    _warn_of_few(placed, "average precision")
    return found


def bedroc_score(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    scenario: Scenario,
    alpha: float = 20.0,
    class_prior: PriorOrEstimate | None = None,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """BEDROC score: how early the positives come in the ranking, from 0 (worst) to 1 (best).

    If a share x of the population ranks above a positive, this positive has the weight
    exp(−alpha x). With alpha = 20, the first 8 percent of the rows make up 80 percent of the score.
    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_score : shape (n_rows,), score of each row; a higher score means more likely positive
    scenario : "single-training-set": the population is the positive and unlabeled rows together;
        "case-control": the population is the unlabeled rows
    alpha : above 0; with a larger alpha, fewer rows at the top decide the score
    class_prior : share of positives among the unlabeled, in (0, 1), or an estimate with its
        interval; None if positives are so rare that they do not compete for the top ranks, that is,
        if alpha times their share is far below 1
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    usually in [0, 1]; chance or too high a class prior can take it outside

    Raises
    ------
    LabelError : if y does not have two kinds of rows, the numbers of rows and scores differ, or
        `scenario` is unknown
    DataError : if a score is NaN, or `alpha` is not above 0
    PriorError : if `class_prior` is not between 0 and 1

    Warns
    -----
    CalibrationWarning : if there are fewer than ten positives
    OnesidedWarning : if the value is below 0 or above 1

    Notes
    -----
    Truchon, Bayly 2007 sum exp(−alpha rank / N) over the positives. They rescale the sum so that
    its lowest possible value becomes 0 and its highest becomes 1. Both depend on the share R of
    positives among the N rows. Here the sum is over the labeled positives and is averaged over all
    orders of tied rows; R counts hidden positives too. In a single training set, the mean over all
    draws of the labels is exactly the score of full labels. If `class_prior` is None, R counts only
    the labeled positives, and the result is the score of the paper with unlabeled rows as
    negatives.

    Examples
    --------
    Ten actives among a hundred rows, the first of which are an active, two others, an active and so
    on:

    >>> y, y_score = [1, 0, 0] * 10 + [0] * 70, list(range(100, 0, -1))
    >>> round(bedroc_score(y, y_score, scenario="single-training-set"), 3)
    0.463
    """
    check_scenario(scenario)
    check_number(alpha, "alpha", "Pass 20 for example.", above=0)
    placed = _place(y, y_score, scenario, positive_label, sample_weight)
    early = _Early(alpha)
    width = (placed.tied + 1) / placed.n_rows
    weight = np.exp(-alpha * placed.above / placed.n_rows)
    weight *= exprel(-alpha * width) / exprel(-alpha)  # mean over the share that is tied
    share, labeled = placed.as_high / placed.n_rows, placed.labeled
    mean = placed.mean(weight)
    recall = rank_shares(
        placed.positive_scores, placed.positive_scores, sample_weight=placed.weights[0]
    )

    def estimate(prior: float) -> OfRows:
        positives = (1 + placed.n_others(placed.not_all(prior))) / placed.n_rows
        value, rise = _between(mean, alpha, positives)
        rows = placed.slopes(-alpha * labeled * weight, -alpha * (1 - labeled) * weight, ties=False)
        step = math.sqrt(labeled * (1 - labeled) / placed.n_rows)
        shift = alpha * placed.mean(weight * (recall - share)) / (1 - labeled) * step
        ends = [
            _between(mean - sign * shift, alpha, positives + sign * (1 - prior) * step)[0]
            for sign in (-1, 1)
        ]
        return OfRows.of(
            value,
            rise * (weight + rows[0]),
            rise * rows[1],
            placed.law(early, early, placed.not_all(prior)),
            ((ends[1] - ends[0]) / 2) ** 2,
            placed.weights,
        )

    found = (
        CorrectedScore((estimate(0.0),))
        if class_prior is None
        else of_prior("BEDROC score", class_prior, estimate)
    )
    _warn_of_few(placed, "BEDROC score")
    return found


def _area(recall: Floats, share: Floats, prior: float) -> Floats:  # noqa: ARG001 - as all figures
    """Share of the negatives that score below a positive."""
    return 0.5 + (0.5 - share) / (1 - prior)


def _precision(recall: Floats, share: Floats, prior: float) -> Floats:
    return prior * recall / share


@dataclass(frozen=True)
class _PrecisionAtRank:
    """Mean precision over samples: the k rows include the positive; the mean of 1 / k is known."""

    n_rows: float

    def __call__(self, recall: Floats, share: Floats, prior: float) -> Floats:
        precision = _precision(recall, share, prior)
        return precision + (1 - precision) * exprel(-self.n_rows * share)


@dataclass(frozen=True)
class _Early:
    """Weight of a positive, as `bedroc_score` rescales it."""

    alpha: float

    def __call__(self, recall: Floats, share: Floats, prior: float) -> Floats:
        weight = np.exp(-self.alpha * share) / exprel(-self.alpha)
        return _between(weight, self.alpha, prior)[0]


@dataclass(frozen=True)
class _OfTop:
    """Share of the positives that are in the top of the population, divided by a number.

    Attributes
    ----------
    placed : the ranks of the positives
    top : share of the N rows
    divisor : number that divides the share
    """

    placed: _Placed
    top: float
    divisor: float

    @property
    def value(self) -> float:
        return self._recall(self.top) / self.divisor

    def interval(self, confidence: float) -> tuple[float, float]:
        """Confidence interval, from Wilson's intervals of the shares of each kind in the top.

        If these shares differ from the shares that were seen, the top ends at another score.
        """
        placed, recall = self.placed, self._recall(self.top)
        labeled = placed.labeled
        unlabeled = min(max((self.top - labeled * recall) / (1 - labeled), 0.0), 1.0)
        ends = [
            [
                self._recall(self.top - labeled * (end - recall)) + end - recall
                for end in wilson(recall, placed.n_positive, confidence)
            ],
            [
                self._recall(self.top - (1 - labeled) * (end - unlabeled))
                for end in wilson(unlabeled, placed.n_unlabeled, confidence)
            ],
        ]
        if labeled:
            ends.append(
                [
                    self._recall(self.top - (end - labeled) * (recall - unlabeled))
                    for end in wilson(labeled, placed.n_rows, confidence)
                ]
            )
        low, high = square_and_add(recall, ends)
        return low / self.divisor, high / self.divisor

    def _recall(self, top: float) -> float:
        placed = self.placed
        within = (top * placed.n_rows - placed.above) / (placed.tied + 1)
        return placed.mean(np.clip(within, 0, 1))


def pu_recall_at_k(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Share of the hidden positives that are among the k unlabeled rows with the highest scores.

    It needs no class prior and is the same in both scenarios. Assumes that labels are selected
    completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_score : shape (n_rows,), score of each row; a higher score means more likely positive
    k : number of unlabeled rows in the list, at least 1
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    in [0, 1]

    Raises
    ------
    LabelError : if y does not have two kinds of rows, or the numbers of rows and scores differ
    DataError : if a score is NaN, or `k` is not a whole number of at least 1

    Notes
    -----
    Each labeled positive is ranked among the unlabeled rows in turn, as in `recall_at`; the result
    is averaged over all orders of tied rows. The interval covers two sources of sampling error. One
    is the sample of labeled positives. The other is the score at which the list ends, which differs
    between samples of unlabeled rows.

    Examples
    --------
    >>> y, y_score = [1, 1, 1, 1, 0, 0, 0, 0], [9, 7, 5, 1, 8, 6, 4, 2]
    >>> float(pu_recall_at_k(y, y_score, k=2))
    0.5
    """
    check_number(k, "k", "Pass the number of unlabeled rows on the list.", at_least=1, whole=True)
    placed = _place(y, y_score, "case-control", positive_label, sample_weight)
    return CorrectedScore((_OfTop(placed, min(k / placed.n_rows, 1.0), 1.0),))


def enrichment_factor(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    fraction: float,
    scenario: Scenario,
    sample_weight: ArrayLike | None = None,
    positive_label: object = None,
) -> CorrectedScore:
    """Number of positives at the top of the ranking, divided by that among as many random rows.

    It needs no class prior. Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    y : shape (n_rows,), positive or unlabeled, of rows that the model was not trained on
    y_score : shape (n_rows,), score of each row; a higher score means more likely positive
    fraction : share of the population that counts as the top, in (0, 1]
    scenario : "single-training-set": the population is the positive and unlabeled rows together;
        "case-control": the population is the unlabeled rows
    sample_weight : shape (n_rows,), how many rows each row stands for; one by default. Weights
        that are all below 1 are divided by their mean
    positive_label : the value of y that means positive, for text labels

    Returns
    -------
    at least 0; 1 is chance. At most 1 / `fraction`, and at most 1 divided by the share of positives

    Raises
    ------
    LabelError : if y does not have two kinds of rows, the numbers of rows and scores differ, or
        `scenario` is unknown
    DataError : if a score is NaN
    PriorError : if `fraction` is not above 0 and at most 1

    Notes
    -----
    The factor is the recall in the top divided by `fraction`. If the top ends within a row, this
    row counts in part. The result is averaged over all orders of tied rows. In a single training
    set, the mean over all draws of the labels is the factor of full labels.

    Examples
    --------
    Of eight rows two are in the top, one of them labeled of two: (1/2) / (1/4).

    >>> y, y_score = [1, 0, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> float(enrichment_factor(y, y_score, fraction=0.25, scenario="single-training-set"))
    2.0
    """
    check_scenario(scenario)
    as_share(fraction, "fraction", closed_right=True)
    placed = _place(y, y_score, scenario, positive_label, sample_weight)
    return CorrectedScore((_OfTop(placed, fraction, fraction),), 1 / fraction)


def _place(
    y: ArrayLike,
    y_score: ArrayLike,
    scenario: Scenario,
    positive_label: object,
    sample_weight: ArrayLike | None,
) -> _Placed:
    single = check_scenario(scenario) == "single-training-set"
    rows = Scored.of(y, y_score, positive_label, sample_weight)
    known, rest = rows.scores[rows.positive], rows.scores[~rows.positive]
    weights = rows.weight[rows.positive], rows.weight[~rows.positive]
    among, weight = (rows.scores, rows.weight) if single else (rest, weights[1])
    above, tied = rank_counts(known, among, sample_weight=weight)
    n_positive, n_unlabeled = (float(each.sum()) for each in weights)
    return _Placed(
        known,
        rest,
        weights,
        above,
        tied - single,
        n_positive + n_unlabeled if single else n_unlabeled + 1,
        (n_positive - 1) * single,
        n_positive / (n_positive + n_unlabeled) * single,
    )


@dataclass(frozen=True)
class Scored:
    """Rows with their labels, scores and weights; rows of weight 0 are left out.

    Attributes
    ----------
    positive : shape (n_rows,), whether each row is labeled
    scores : shape (n_rows,)
    weight : shape (n_rows,), how many rows each stands for
    """

    positive: Bools
    scores: Floats
    weight: Floats

    @classmethod
    def of(
        cls,
        y: ArrayLike,
        y_score: ArrayLike,
        positive_label: object,
        sample_weight: ArrayLike | None,
    ) -> Self:
        """Read labels and scores.

        Parameters
        ----------
        y, y_score, positive_label, sample_weight : as in `pu_roc_auc`
        """
        positive, _ = encode_labels(y, positive_label)
        scores = as_numbers(y_score, "y_score")
        if scores.shape != positive.shape:
            raise LabelError(
                f"y has {counted(len(positive), 'row')}, y_score has shape {scores.shape}.",
                "Pass one score for each row.",
            )
        weight = counts_of(sample_weight, len(positive))
        check_kinds_weigh(weight, positive)
        kept = weight > 0
        return cls(positive[kept], scores[kept], weight[kept])


def _warn_of_few(placed: _Placed, figure: str) -> None:
    """Warn of few positives; the warning points to the caller of a public function."""
    consequence = f"the interval of the {figure} holds only if scores are nearly normal"
    warn_of_few(round(placed.n_positive), "labeled", consequence, stacklevel=4)


def _between(mean: FloatOrFloats, alpha: float, positives: float) -> tuple[FloatOrFloats, float]:
    """A mean weight, rescaled so that the lowest is 0 and the highest 1; and the factor of this.

    Parameters
    ----------
    mean : mean weight of the positives; the mean weight of all rows is 1
    alpha : as in `bedroc_score`
    positives : R, share of positives among the rows
    """
    most = float(exprel(-alpha * positives) / exprel(-alpha))
    least = most * math.exp(-alpha * (1 - positives))
    return (mean - least) / (most - least), 1 / (most - least)
