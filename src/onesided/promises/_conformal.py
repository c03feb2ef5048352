"""Conformal p-values, which test for each row the hypothesis that the row is positive."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._labels import as_share
from onesided._text import argument, as_percent, counted, counted_of
from onesided._typing import Bools, Floats, Ints, OnProgress, RandomState
from onesided._validation import check_number, check_scores
from onesided.exceptions import CalibrationWarning, DataError
from onesided.metrics._label_bias import check_label_odds_ratio, odds_times
from onesided.model_selection import PositiveKFold
from onesided.model_selection._fits import hidden_positive_scores_by_fold
from onesided.model_selection._labels import read_rows
from onesided.promises._calibration import (
    TIE,
    check_calibration,
    positives_to_hide,
    warn_of_dependent,
)

_FDR = 0.1  # default false discovery rate
_STOREY = 0.5  # p-values above it count as those of positives, for the adaptive procedure
_HIGH = 0.75  # p-values from about here on count as those of positives, to estimate the prior
_MOST_DISCARDED = 0.5  # with the estimated prior, only rows with p-values below this are discarded


@dataclass(frozen=True, eq=False)
class ConformalTest(Displayed):
    """A p-value for each unlabeled row; a small one is evidence that the row is not positive.

    Attributes
    ----------
    rows : shape (n_unlabeled,), positions of the unlabeled rows in X
    p_value : shape (n_unlabeled,); small if nearly all held-out positives score higher than the row
    n_calibration : number of held-out positives, all folds together
    assumes : assumptions of the guarantees, in words

    Examples
    --------
    Of 2,000 rows 400 are positive. Of what is discarded at most one in a hundred shall be.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = np.append(rng.normal(3, 1, 400), rng.normal(0, 1, 1600))
    >>> test = ConformalTest.of_scores(rng.normal(3, 1, 300), scores)
    >>> discarded = test.discarded(0.01)
    >>> int(discarded.sum()), int(discarded[:400].sum())
    (1476, 14)
    >>> int(test.discarded(0.01, prior_at_most=0.25).sum())
    1424
    """

    rows: Ints
    p_value: Floats
    n_calibration: int
    assumes: ClassVar[str] = (
        "Labels are drawn evenly among the positives (SCAR): a positive among the unlabeled is "
        "exchangeable with the held-out ones. With folds in place of one split the rate is not "
        "proven, only seen in simulations."
    )
    _share_argument: ClassVar[str] = "share"  # which a warning names; `rank` has another for it

    @classmethod
    def of_scores(cls, calibration: ArrayLike, scores: ArrayLike) -> Self:
        """A `ConformalTest` from scores, such as those of `hidden_positive_scores`.

        `rows` are then the positions of the scores.

        Parameters
        ----------
        calibration : shape (n_calibration,), hidden-positive scores, higher is more positive
        scores : shape (n_unlabeled,), of the unlabeled rows, on the same scale
        """
        p_value = conformal_p_values(calibration, scores)
        return cls(np.arange(len(p_value)), p_value, len(check_scores(calibration, "calibration")))

    @property
    def adjusted_p_value(self) -> Floats:
        """Shape (n_unlabeled,): the smallest false discovery rate at which each row is flagged."""
        return adjusted_p_values(self.p_value)

    def flagged(self, fdr: float = _FDR, *, adaptive: bool = False) -> Bools:
        """Which rows to call negative, at a false discovery rate of at most `fdr`.

        The expected share of positives among the flagged rows is at most `fdr`.

        Parameters
        ----------
        fdr : false discovery rate, in (0, 1)
        adaptive : whether the share of positives is estimated, which flags more rows; as in
            `adjusted_p_values`

        Returns
        -------
        shape (n_unlabeled,), True for flagged rows

        Warns
        -----
        CalibrationWarning : if so few positives were held out that no row can be flagged
        """
        check_fdr(fdr)
        if not adaptive:
            allowed = f"{as_percent(fdr)} of the flagged rows"
            _warn_if_few(self.n_calibration, fdr, allowed, "fdr")
        return rejected(adjusted_p_values(self.p_value, adaptive=adaptive), fdr)

    def discarded(
        self,
        share: float = 0.01,
        *,
        prior_at_most: float | Literal["estimate"] = "estimate",
        label_odds_ratio: float = 1.0,
    ) -> Bools:
        """Which rows to set aside, with an expected share of at most `share` positives among them.

        Parameters
        ----------
        share : expected share of hidden positives among the discarded rows, at most; in
            (0, `prior_at_most`)
        prior_at_most : known upper bound on the share of positives among the unlabeled, in (0, 1];
            a smaller bound discards more rows. By default `estimated_prior` is used
        label_odds_ratio : Γ, largest odds of being labeled divided by the smallest, at least 1; 1
            means that labels are even (SCAR)

        Returns
        -------
        shape (n_unlabeled,), True for discarded rows

        Raises
        ------
        DataError : if `share` is not below `prior_at_most`; then even all rows may be discarded

        Warns
        -----
        CalibrationWarning : if so few positives were held out that no row can be discarded

        Notes
        -----
        Benjamini and Hochberg's procedure at the rate a has a false discovery rate of at most a
        times the share of true nulls. This share is the class prior here, so a is `share` /
        `prior_at_most`. With `estimated_prior` this is the procedure of Storey, Taylor, Siegmund
        2004. In that case, a row that scores as high as half of the held-out positives is never
        discarded, even if few rows are positive.

        A positive that is less likely to be labeled than others has up to Γ times their weight
        (Tibshirani, Foygel Barber, Candès, Ramdas, Conformal prediction under covariate shift,
        2019). Weights lie between 1 and Γ. The p-value p is largest if the weight is Γ for the row
        and for the held-out positives that score as low or lower, and 1 for the others. It is then
        Γ p / (1 - p + Γ p).

        *Proof* (as Marandon and others 2024, theorem 3.3, here for ties and for uneven labels too).
        Let U be the set of the scores of a hidden positive i and of the held-out positives. Given U
        and the scores of the other rows, i has each score of U with a probability in proportion to
        its weight. As the score of i rises, no p-value falls, and neither the number R of discarded
        rows nor the rate a rises. Let c be the highest score of U with which i is discarded. Then
        the expectation of [i is discarded] / R is at most P(i scores c or lower) / R(c). This is at
        most p(c) / R(c), and so at most a(c) / m for m rows. The sum over the hidden positives is
        at most their share of the rows times a. It is at most `share` if a is `share` /
        `prior_at_most`. If the prior is estimated, the proof uses the estimate with i lowest in U,
        see `estimated_prior`.
        """
        check_label_odds_ratio(label_odds_ratio)
        p, n = odds_times(self.p_value, label_odds_ratio), self.n_calibration
        if prior_at_most == "estimate":
            check_number(share, "share", "Pass 0.01 for example.", above=0, below=1)
            highest = 1 - 2 * TIE  # `rejected` must not count it as 1, the rate of all rows
            rate = min(share / self.estimated_prior(label_odds_ratio), highest)
            p = np.where(self.p_value < _MOST_DISCARDED, p, 1.0)
        else:
            as_share(prior_at_most, "prior_at_most", closed_right=True)
            mend = "Pass a share below prior_at_most, 0.01 for example."
            check_number(share, "share", mend, above=0, below=prior_at_most)
            rate = share / prior_at_most
        allowed = f"{as_percent(share)} of the discarded rows"
        _warn_if_few(n, rate, allowed, self._share_argument, label_odds_ratio)
        return rejected(adjusted_p_values(p), rate)

    def estimated_prior(self, label_odds_ratio: float = 1.0) -> float:
        """Share of positives among the rows, estimated from the number of high p-values.

        If the scores of positives and negatives overlap, the estimate is too high. It may be above
        1.

        Parameters
        ----------
        label_odds_ratio : Γ, largest odds of being labeled divided by the smallest, at least 1; 1
            means that labels are even (SCAR)

        Notes
        -----
        The estimate is (1 + number of rows with p ≥ λ) / (m (1 - λ)) for m rows (Storey 2002). For
        uneven labels, p is the largest p-value as in `discarded`. λ is the p-value of the K-th
        lowest of n + 1 positives, where K is ⌈.75 (n + 1)⌉, and at most n.

        The guarantee of `discarded` needs that the share of hidden positives divided by this
        estimate is at most 1 in expectation. Take one of the m₀ hidden positives together with the
        n held-out positives. Let V be the share of positives above the K-th lowest of these n + 1.
        V has the distribution Beta(n + 2 - K, K), so the mean of 1 / V is (n + 1) / (n + 1 - K) =
        1 / (1 - λ). A binomial number N of the other hidden positives scores as high, and
        m₀ / (1 + N) has a mean of at most 1 / V. For uneven labels, the mean of 1 / V is at most
        1 / (1 - λ) at the λ of the worst case. This last step was computed for odds with two
        values, and is not proven.
        """
        check_label_odds_ratio(label_odds_ratio)
        cut = float(odds_times(self._n_low / (1 + self.n_calibration), label_odds_ratio))
        return float((1 + self._is_high.sum()) / (max(1, len(self.p_value)) * (1 - cut)))

    @property
    def _n_low(self) -> int:
        """The rank K in the notes of `estimated_prior`."""
        n = self.n_calibration
        return min(n, int(np.ceil(_HIGH * (n + 1))))

    @property
    def _is_high(self) -> Bools:
        """Which p-values `estimated_prior` counts as high; shape (n_unlabeled,)."""
        # The product is a whole number up to rounding, so 0.5 allows for rounding.
        found: Bools = self.p_value * (1 + self.n_calibration) > self._n_low - 0.5
        return found

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each unlabeled row, the smallest p-value first.

        Columns: `row`, `p_value`, `adjusted_p_value`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        order = np.argsort(self.p_value, kind="stable")
        columns = {
            "row": self.rows[order],
            "p_value": self.p_value[order],
            "adjusted_p_value": self.adjusted_p_value[order],
        }
        return frame_of(columns, backend)

    def plot(self) -> Any:
        """The p-values as an Altair histogram; p-values of negatives are small, others uniform."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        return _charts.histogram(
            self.p_value, None, x="p-value", y="unlabeled rows", span=(0.0, 1.0)
        )

    def __str__(self) -> str:
        n_flagged = int(rejected(self.adjusted_p_value, _FDR).sum())
        promise = (
            f" In expectation at most {as_percent(_FDR)} of these rows are positive, by "
            f"{counted(self.n_calibration, 'held-out positive')}."
        )
        return (
            f"{counted_of(n_flagged, len(self.rows), 'row')} flagged as negative."
            f"{promise * (n_flagged > 0)}\n{self.assumes}"
        )


def conformal_p_values(calibration: ArrayLike, scores: ArrayLike) -> Floats:
    """P-value of each row for the hypothesis that the row is positive.

    This assumes that a positive among the rows is exchangeable with the calibration positives. It
    is so if labels are selected completely at random (SCAR). Then the p-value of a positive is at
    most u with probability u or less, for each u in [0, 1].

    Parameters
    ----------
    calibration : shape (n_calibration,), hidden-positive scores, higher is more positive
    scores : shape (n_rows,), of the rows in question, on the same scale

    Returns
    -------
    shape (n_rows,), (1 + number of calibration scores as low or lower) / (1 + n_calibration)

    Notes
    -----
    Bates, Candès, Lei, Romano, Sesia, Testing for outliers with conformal p-values, Annals of
    Statistics 51 (2023), 149-178. The p-values of two rows are positively dependent, because both
    use the same calibration scores. Benjamini and Hochberg's procedure allows this dependence.

    Examples
    --------
    >>> conformal_p_values([1.0, 2.0, 3.0, 4.0], [0.5, 2.0, 9.0]).tolist()
    [0.2, 0.6, 1.0]
    """
    held_out, asked = check_calibration(calibration), check_scores(scores, "scores")
    found: Floats = (1 + _as_low(held_out, asked)) / (1 + len(held_out))
    return found


def adjusted_p_values(p_values: ArrayLike, *, adaptive: bool = False) -> Floats:
    """The smallest false discovery rate at which each row is flagged.

    Parameters
    ----------
    p_values : shape (n_rows,)
    adaptive : whether the share of positives is estimated from the p-values above one half (Storey
        2002); this flags more rows if many rows are negative

    Returns
    -------
    shape (n_rows,); those at or below `fdr` are flagged; values that differ only by rounding tie

    Notes
    -----
    The procedure is that of Benjamini, Hochberg 1995, computed by scipy. The adaptive form is that
    of Storey, Taylor, Siegmund 2004: for n p-values, the share of positives is estimated as
    (1 + number of p-values above 1/2) / (n / 2).

    Examples
    --------
    >>> adjusted_p_values([0.01, 0.02, 0.5, 0.9]).tolist()
    [0.04, 0.04, 0.6666666666666666, 0.9]
    """
    p = check_scores(p_values, "p_values")
    if not len(p):
        return p
    if p.min() < 0 or p.max() > 1:
        raise DataError(
            f"p-values range from {p.min():g} to {p.max():g}.", "Pass numbers between 0 and 1."
        )
    adjusted: Floats = false_discovery_control(p)
    if adaptive:
        positive_share = (1 + (p > _STOREY).sum()) / (len(p) * (1 - _STOREY))
        adjusted = np.minimum(adjusted * positive_share, 1.0)
    return adjusted


def rejected(adjusted: Floats, rate: float) -> Bools:
    """Which rows are rejected at a false discovery rate; shape (n_rows,).

    An adjusted p-value is a product of ratios. Rounding may put it above a rate that it equals.

    Parameters
    ----------
    adjusted : shape (n_rows,), adjusted p-values
    rate : false discovery rate
    """
    found: Bools = adjusted <= _with_ties(rate)
    return found


def fewest_for_rate(part: float, rate: float) -> int:
    """The smallest whole number k for which `part` / k is at most a false discovery rate.

    Parameters
    ----------
    part : above 0
    rate : false discovery rate, above 0; as in `rejected`
    """
    return math.ceil(part / _with_ties(rate))


def _with_ties(rate: float) -> float:
    return rate * (1 + TIE)


def conformal_test(  # noqa: PLR0913 - the arguments of all evaluations
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: float | PositiveKFold = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> ConformalTest:
    """Test for each unlabeled row whether it is less like the positives than held-out positives.

    Some known positives count as unlabeled, and the estimator learns from the other positives and
    the unlabeled rows. The scores of the hidden known positives calibrate the scores of the
    unlabeled rows. Any estimator is allowed, also one that learns from the unlabeled rows, because
    it cannot tell the hidden known positives from the unlabeled rows.

    The test assumes that labels are selected completely at random (SCAR), in either scenario.

    Parameters
    ----------
    estimator : has `fit(X, y)` and `decision_function` or `predict_proba`; pipelines too
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv : a share of the positives in (0, 1), held out once; or a number of folds, or a
        `PositiveKFold`: each positive is held out once
    groups : shape (n_rows,); positives of a group are held out together
    params, positive_label : arguments of `fit` (`kinds` for example) and positive value of y, as in
        `onesided.hidden_positive_ranks`
    random_state : of the folds
    on_progress : called after each fit with what was fitted, the number of fits done, and of all

    Returns
    -------
    `ConformalTest`; the expected share of positives in its `flagged(fdr)` is at most `fdr`

    Raises
    ------
    DataError : if `cv` is neither a share nor a number of folds
    LabelError : if there are fewer than two positives

    Warns
    -----
    DuplicateWarning : if unlabeled rows are identical to a positive row in all columns
    CalibrationWarning : if there are groups

    Notes
    -----
    AdaDetect: A. Marandon, L. Lei, D. Mary, E. Roquain, Adaptive novelty detection with false
    discovery rate guarantee, Annals of Statistics 52 (2024), 157-183. If `cv` is a share, the
    guarantee is proven for any sample size. If `cv` gives folds, the p-values are cross-conformal
    (Vovk 2015): (1 + sum over the folds of the number of calibration scores as low or lower in the
    fold's own fit) / (1 + n_positive). Folds use every positive for calibration. The false
    discovery rate is not proven for folds, but simulations kept it (`tests/validity`).

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import NearestKnown
    >>> rng = np.random.default_rng(0)
    >>> alike = rng.poisson([[5, 5, 5, 5, 1, 0]] * 80)
    >>> others = rng.poisson([[0, 1, 1, 0, 5, 5]] * 10)
    >>> X, y = np.vstack([alike, others]), np.repeat([1, 0], [60, 30])
    >>> flagged = conformal_test(NearestKnown(), X, y).flagged(0.1)
    >>> int(flagged[20:].sum())  # of the 10 others
    10
    """
    X, labels = read_rows(estimator, X, y, positive_label, params=params)
    positive = labels.positive
    unlabeled = np.flatnonzero(~positive)
    as_low, n_calibration = np.zeros(len(unlabeled), dtype=np.int64), 0
    folds = positives_to_hide(positive, cv, groups, random_state)
    warn_of_dependent(X, positive, groups)
    for hidden, scores in hidden_positive_scores_by_fold(estimator, X, labels, folds, on_progress):
        as_low += _as_low(scores[hidden], scores[unlabeled])
        n_calibration += len(hidden)
    return ConformalTest(unlabeled, (1 + as_low) / (1 + n_calibration), n_calibration)


def check_fdr(fdr: float) -> None:
    """Raise an error if a false discovery rate is not in (0, 1).

    Raises
    ------
    DataError : if `fdr` is not in (0, 1)

    Examples
    --------
    >>> from onesided.exceptions import DataError
    >>> from onesided.promises import check_fdr
    >>> try:
    ...     check_fdr(10)
    ... except DataError as error:
    ...     print(error)
    `fdr` 10 is not a number above 0 and below 1. Pass a share between 0 and 1, 0.1 for example.
    """
    mend = "Pass a share between 0 and 1, 0.1 for example."
    check_number(fdr, "fdr", mend, above=0, below=1, is_option=True)


def held_out_to_reject(fdr: float, label_odds_ratio: float = 1.0) -> int:
    """The fewest held-out rows with which a p-value can reach a false discovery rate.

    The smallest p-value of n held-out rows is 1 / (n + 1). Uneven labels multiply its odds.

    Parameters
    ----------
    fdr : false discovery rate, above 0
    label_odds_ratio : as in `ConformalTest.discarded`
    """
    return fewest_for_rate(1.0, odds_times(fdr, 1 / label_odds_ratio)) - 1


def _warn_if_few(
    n_calibration: int, fdr: float, allowed: str, name: str, label_odds_ratio: float = 1.0
) -> None:
    """Warn if no p-value can be small enough, because too few positives were held out.

    Parameters
    ----------
    n_calibration : number of held-out positives
    fdr : false discovery rate that the p-values must reach
    allowed : what the user allows to be positive, as in "10% of the flagged rows"
    name : of the argument that allows it
    label_odds_ratio : as in `ConformalTest.discarded`

    Warns
    -----
    CalibrationWarning : if there are too few positives; it says how many are needed
    """
    fewest = held_out_to_reject(fdr, label_odds_ratio)
    if n_calibration < fewest:
        warnings.warn(
            f"{counted(n_calibration, 'held-out positive')} cannot show that any row is negative "
            f"if at most {allowed} may be positive: at least {fewest} are needed, and more if "
            "few rows are negative. Label more positives, or allow a larger share "
            f"({argument(name)}).",
            CalibrationWarning,
            stacklevel=3,
        )


def _as_low(calibration: Floats, scores: Floats) -> Ints:
    """Number of calibration scores that are as low as each score, or lower; shape (n_rows,).

    Scores that differ only by rounding tie.
    """
    rounding = TIE * np.abs(np.nan_to_num(scores, posinf=0, neginf=0))
    return np.searchsorted(np.sort(calibration), scores + rounding, side="right")
