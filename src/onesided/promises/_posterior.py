"""Scores turned into probabilities of being positive."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._labels import Scenario, check_scenario, label_frequency_of
from onesided._text import argument, as_percent, counted
from onesided._typing import Floats
from onesided._validation import check_scores, warn_of_few
from onesided.exceptions import DataError, OnesidedWarning
from onesided.metrics._corrected import PriorOrEstimate, check_prior
from onesided.promises._calibration import check_calibration, warn_above_bound


class ExpectedPositives(Displayed, float):
    """Expected number of positives among some rows, with limits from the class prior's interval.

    Attributes
    ----------
    interval : expected numbers at the lower and at the upper limit of the class prior; it does not
        include random variation

    Examples
    --------
    >>> from onesided.promises import ExpectedPositives
    >>> found = ExpectedPositives(12.0, (8.0, 17.0))
    >>> found / 2, found.interval
    (6.0, (8.0, 17.0))
    """

    interval: tuple[float, float]

    def __new__(cls, value: float, interval: tuple[float, float]) -> Self:
        made = super().__new__(cls, value)
        made.interval = interval
        return made

    def __getnewargs__(self) -> tuple[float, tuple[float, float]]:  # type: ignore[override]  # float's has another form
        return float(self), self.interval

    def to_frame(self, backend: str | None = None) -> Any:
        """One row.

        Columns: `expected_positives`, `low`, `high`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        low, high = self.interval
        columns = {"expected_positives": [float(self)], "low": [low], "high": [high]}
        return frame_of(columns, backend)

    def _in_words(self) -> str:
        low, high = self.interval
        left_open = f" ({low:.4g} to {high:.4g} by the class prior)" if low < high else ""
        return f"About {counted(float(f'{float(self):.4g}'), 'positive')}{left_open}."


@dataclass(frozen=True, eq=False)
class PosteriorCalibration(Displayed):
    """Converts the score of a row to the probability that the row is positive.

    Attributes
    ----------
    labeled_share : scikit-learn's isotonic regression of the labels (labeled or not) on the scores
    class_prior : share of positives among the unlabeled, as passed
    n_positive, n_unlabeled : number of labeled positives and of unlabeled rows in the fit
    scenario : "single-training-set" or "case-control"
    assumes : assumptions of the posteriors, in words

    Examples
    --------
    >>> from onesided.promises import calibrate_posterior
    >>> known, rest = [2.0] * 10, [2.0] * 10 + [1.0] * 60
    >>> posterior = calibrate_posterior(
    ...     known, rest, class_prior=10 / 70, scenario="single-training-set")
    >>> posterior.label_frequency, posterior.given_unlabeled([2.0, 1.0]).tolist()
    (0.5, [1.0, 0.0])
    """

    labeled_share: Any
    class_prior: PriorOrEstimate
    n_positive: int
    n_unlabeled: int
    scenario: Scenario
    assumes: ClassVar[str] = (
        "Labels are drawn evenly among the positives (SCAR), the class prior is right, and the "
        "scores order the rows as their posteriors do."
    )

    @property
    def label_frequency(self) -> float:
        """Share of the positives that are labeled, among the rows of the fit."""
        prior = float(self.class_prior)
        return float(label_frequency_of(self.n_positive, self.n_unlabeled, prior))

    def given_unlabeled(self, scores: ArrayLike) -> Floats:
        """P(positive | x, not labeled), for an unlabeled row; shape (n_rows,).

        Parameters
        ----------
        scores : shape (n_rows,), of rows that the scorer has not learned from
        """
        return self._given_unlabeled(scores, float(self.class_prior))

    def given_x(self, scores: ArrayLike) -> Floats:
        """P(positive | x), for a row of the population whether labeled or not; shape (n_rows,).

        In case-control data the unlabeled rows are the population, so the result equals that of
        `given_unlabeled`.

        Parameters
        ----------
        scores : shape (n_rows,), of rows that the scorer has not learned from
        """
        if self.scenario == "case-control":
            return self.given_unlabeled(scores)
        return np.minimum(self._labeled(scores) / self.label_frequency, 1.0)

    def expected_positives(self, scores: ArrayLike) -> ExpectedPositives:
        """Number of positives among unlabeled rows: the sum of `given_unlabeled`.

        For all unlabeled rows of the fit, the sum is lower than the class prior times the number of
        rows, for two reasons. Posteriors above 1 are set to 1, and positives may have scores that
        no unlabeled row has. For normal distributions 2 to 4 standard deviations apart, the sum was
        .83 to .96 of the true number.

        Parameters
        ----------
        scores : shape (n_rows,), of unlabeled rows that the scorer has not learned from
        """
        prior = float(self.class_prior)
        ends = getattr(self.class_prior, "interval", (prior, prior))
        low, middle, high = (
            float(self._given_unlabeled(scores, each).sum()) for each in (ends[0], prior, ends[1])
        )
        return ExpectedPositives(middle, (low, high))

    def to_frame(self, backend: str | None = None) -> Any:
        """The posterior of an unlabeled row at each score where the isotonic regression bends.

        Columns: `score`, `posterior`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        scores = self.labeled_share.X_thresholds_
        columns = {"score": scores.tolist(), "posterior": self.given_unlabeled(scores).tolist()}
        return frame_of(columns, backend)

    def plot(self) -> Any:
        """The posterior of an unlabeled row by its score, as an Altair chart."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        return _charts.posterior_curve(self.to_frame("pyarrow").to_pydict())

    def __str__(self) -> str:
        return (
            f"Posteriors by the scores of {counted(self.n_positive, 'positive')} and "
            f"{counted(self.n_unlabeled, 'unlabeled row')}, of which "
            f"{as_percent(float(self.class_prior))} are taken to be "
            f"positive.\n{self.assumes}"
        )

    def _labeled(self, scores: ArrayLike) -> Floats:
        asked = _finite(check_scores(scores, "scores"))
        found: Floats = self.labeled_share.predict(asked) if len(asked) else asked
        return found

    def _given_unlabeled(self, scores: ArrayLike, class_prior: float) -> Floats:
        labeled = self._labeled(scores)
        unlabeled, hidden = 1 - labeled, class_prior * self.n_unlabeled / self.n_positive * labeled
        found: Floats = np.divide(
            hidden, unlabeled, out=np.ones_like(labeled), where=hidden < unlabeled
        )
        return found


def calibrate_posterior(
    positive_scores: ArrayLike,
    unlabeled_scores: ArrayLike,
    *,
    class_prior: PriorOrEstimate,
    scenario: Scenario,
) -> PosteriorCalibration:
    """Turn scores into posteriors, by isotonic regression over the label frequency.

    This assumes that labels are selected completely at random (SCAR), and that rows with higher
    scores have higher posteriors. If the class prior is too high, the posteriors are too high too.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from, for
        example from `out_of_fold_scores`; higher is more positive
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that the scorer has not learned from
    class_prior : share of positives among the unlabeled, in (0, 1), or an estimate of this share
        with an interval
    scenario : "single-training-set": positives and unlabeled are one sample, and the population
        is both; "case-control": the positives were collected apart, and the population is the
        unlabeled rows

    Returns
    -------
    `PosteriorCalibration`, with `given_x`, `given_unlabeled` and `expected_positives`

    Raises
    ------
    PriorError : if `class_prior` is not in (0, 1)
    LabelError : if `scenario` is unknown
    DataError : if there are no positive scores or no unlabeled scores, or if a score is not a
        finite number

    Warns
    -----
    CalibrationWarning : if there are fewer than ten positives
    OnesidedWarning : if the class prior, or the lower limit of its interval, is higher than the
        scores allow; or if the expected number of positives is less than half of the prior times
        the number of unlabeled rows

    Notes
    -----
    Elkan, Noto 2008: let g(x) = P(labeled | x) among the rows of the fit, and let f be the label
    frequency. Then P(positive | x) is g / f, and P(positive | x, not labeled) is r g / (1 - g),
    where r = (1 - f) / f = α n_u / n_p. Isotonic regression fits g, so that g is monotone in the
    score. Posteriors above 1 are set to 1.

    Examples
    --------
    Of 20 rows with high scores 10 are labeled; of 60 rows with low scores none is. Half of the
    positives are labeled, so 10 of the unlabeled rows are positive.

    >>> known, rest = [2.0] * 10, [2.0] * 10 + [1.0] * 60
    >>> posterior = calibrate_posterior(
    ...     known, rest, class_prior=10 / 70, scenario="single-training-set")
    >>> posterior.given_x([2.0, 1.0]).tolist(), float(posterior.expected_positives(rest))
    ([1.0, 0.0], 10.0)
    """
    check_scenario(scenario)
    least = min(check_prior(class_prior))
    known, rest = (
        _finite(check_calibration(each, name))
        for each, name in ((positive_scores, "positive"), (unlabeled_scores, "unlabeled"))
    )
    share = labeled_share(known, rest)
    found = PosteriorCalibration(share, class_prior, len(known), len(rest), scenario)
    expected, due = found.expected_positives(rest), float(class_prior) * len(rest)
    warn_of_few(len(known), "labeled", "the probabilities are rough")
    consequence = "The probabilities are too high in that case."
    if not warn_above_bound("class_prior", least, known, rest, consequence) and expected < due / 2:
        warnings.warn(
            f"The posteriors of the unlabeled add up to {expected:.3g}, where "
            f"{argument('class_prior')} {float(class_prior):.3g} requires {due:.3g}: most "
            "positives score above all other rows. Either the prior is too high for these scores, "
            "or labels are not drawn evenly among the positives.",
            OnesidedWarning,
            stacklevel=2,
        )
    return found


def labeled_share(
    positive_scores: Floats, unlabeled_scores: Floats, positive_weight: Floats | None = None
) -> IsotonicRegression:
    """The share of labeled rows as a function of the score: a fitted isotonic regression.

    Parameters
    ----------
    positive_scores, unlabeled_scores : shape (n_positive,) and (n_unlabeled,), scores of rows that
        the scorer has not learned from
    positive_weight : shape (n_positive,), above 0; by default each positive counts once
    """
    labeled = np.repeat([1.0, 0.0], [len(positive_scores), len(unlabeled_scores)])
    weight = np.ones(len(labeled))
    if positive_weight is not None:
        weight[: len(positive_scores)] = positive_weight
    share = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return share.fit(np.concatenate([positive_scores, unlabeled_scores]), labeled, weight)


def _finite(scores: Floats) -> Floats:
    """The same scores, if all of them are finite.

    Raises
    ------
    DataError : if a score is infinite
    """
    if not np.isfinite(scores).all():
        raise DataError(
            f"{np.isinf(scores).sum()} of {len(scores)} scores are infinite.",
            "Pass finite numbers, ranks for example.",
        )
    return scores
