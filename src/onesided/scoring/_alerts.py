"""The threshold of scores that raise an alert, and probabilities of being positive by score."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from onesided._candidates import posteriors_by_place
from onesided._labels import Scenario
from onesided._text import argument, as_percent, counted
from onesided._typing import Bools, Floats, OnProgress
from onesided._validation import warn_of_few
from onesided.exceptions import OnesidedWarning, TableError
from onesided.model_selection import Comparison
from onesided.prior._facts import LIMITS
from onesided.promises._calibration import warn_above_bound
from onesided.ranking import Plan
from onesided.ranking._prior import find_prior
from onesided.ranking._rank import placed_among_all

_MOST_POINTS = 1000
_FEWEST_ALERTS = 10  # with fewer held-out rows above it, a threshold is mostly chance


@dataclass(frozen=True)
class Alerts:
    """The threshold of the score from which a row raises an alert.

    Attributes
    ----------
    share : share of rows that raise an alert, if they are like the unlabeled rows learned from; it
        is higher than the share that was asked for if too many rows have the highest score
    threshold : rows with this score or a higher score raise an alert
    """

    share: float
    threshold: float

    @classmethod
    def of(cls, share: float, later: Floats) -> Alerts:
        """The least threshold that at most this share of the rows reach.

        If more rows than this share have the highest score, all of these rows reach the threshold.

        Parameters
        ----------
        share : in (0, 1)
        later : scores of unlabeled rows by a model that did not learn from them

        Warns
        -----
        OnesidedWarning : if there are too few rows for so small a share, or if too many rows have
            the highest score
        """
        values, counts = np.unique(later, return_counts=True)
        reach = counts[::-1].cumsum()[::-1] / len(later)
        place = min(int(np.searchsorted(-reach, -share)), len(values) - 1)
        # The threshold lies between two of these scores, because scores of the final model are
        # close to them but not equal.
        threshold = values[max(place - 1, 0) : place + 1].mean()
        if reach[place] > share:
            warnings.warn(
                f"{as_percent(reach[place])} of the held-out rows share the highest score, so at "
                f"least as many later rows raise an alert, and not {as_percent(share)}.",
                OnesidedWarning,
                stacklevel=2,
            )
        if share * len(later) < _FEWEST_ALERTS:
            warnings.warn(
                f"{argument('alerts')} {as_percent(share)} is {share * len(later):.2g} of the "
                f"{counted(len(later), 'held-out row')} that set the threshold, so the true rate "
                "of alerts may be quite different. Learn from more rows, or pass a larger share.",
                OnesidedWarning,
                stacklevel=2,
            )
        return cls(max(share, float(reach[place])), float(threshold))

    @classmethod
    def from_json(cls, given: Any) -> Alerts:
        """The alerts in a model file; raises a ValueError if no fit could have written them."""
        found = cls(float(given["share"]), float(given["threshold"]))
        if not (0 < found.share < 1 and np.isfinite(found.threshold)):
            raise ValueError
        return found

    @property
    def sentence(self) -> str:
        """The threshold, and the share of rows that raise an alert, in words."""
        return (
            f"Later rows raise an alert from the score {self.threshold:.4g} on: "
            f"{as_percent(self.share)} of rows that are like the unlabeled rows"
        )

    def among(self, scores: Floats) -> Bools:
        """Which rows raise an alert; shape (n_rows,)."""
        found: Bools = scores >= self.threshold
        return found


@dataclass(frozen=True)
class KeptPosterior:
    """The probability that an unlabeled row is positive, as a function of its score.

    Attributes
    ----------
    scores, probabilities : points of the function, ascending, each of shape (n_points,); between
        two points the function is a straight line
    only_at_most : True if the probabilities are upper bounds, because the class prior is one
    class_prior : share of positives among the unlabeled rows, from which they are computed
    """

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]
    only_at_most: bool
    class_prior: float

    @property
    def column(self) -> str:
        """Name of the column of these probabilities in a table of scores."""
        return "posterior_at_most" if self.only_at_most else "posterior"

    @property
    def sentence(self) -> str:
        """The share of positives, in words."""
        at_most = "at most " if self.only_at_most else ""
        share = as_percent(self.class_prior)
        return f"Probabilities are for {at_most}{share} positive rows among the unlabeled rows"

    def facts(self) -> dict[str, float]:
        """The share of positives, by the name that says whether it is only an upper limit."""
        name = LIMITS["class_prior"] if self.only_at_most else "class_prior"
        return {name: self.class_prior}

    @classmethod
    def from_json(cls, given: Any) -> KeptPosterior:
        """The function in a model file; raises a ValueError if no fit could have written it."""
        scores, shares = (
            np.array(given[name], dtype=np.float64) for name in ("scores", "probabilities")
        )
        prior = float(given["class_prior"])
        if not (
            scores.ndim == 1
            and scores.shape == shares.shape
            and 0 < len(scores) <= _MOST_POINTS
            and np.isfinite(scores).all()
            and (np.diff(scores) > 0).all()
            and (np.diff(shares) >= 0).all()
            and 0 <= shares[0] <= shares[-1] <= 1
            and 0 < prior <= 1
            and isinstance(given["only_at_most"], bool)
        ):
            raise ValueError
        return cls(tuple(scores.tolist()), tuple(shares.tolist()), given["only_at_most"], prior)

    def given(self, scores: Floats) -> Floats:
        """The probability of each row; shape (n_rows,)."""
        found: Floats = np.interp(scores, self.scores, self.probabilities).round(6)
        return found


def keep_posterior(
    plan: Plan,
    found: Comparison,
    later: Floats,
    scenario: Scenario,
    class_prior: float | None,
    on_progress: OnProgress | None,
) -> KeptPosterior | None:
    """The probability of being positive by score; None if the class prior cannot be estimated.

    The places of the hidden positives among the unlabeled rows give the probability by place, as in
    a ranking. The scores in `later` then say which score of the model has which places. Rows with
    the same score have several places, and all have the mean probability of these. So the
    probabilities of the rows in `later` add up to the class prior times their number.

    Parameters
    ----------
    plan, found : the methods to compare, and their comparison
    later : scores of unlabeled rows by a model that did not learn from them
    scenario : "single-training-set" or "case-control"
    class_prior : share of positives among the unlabeled rows; None to estimate it
    on_progress : as in `fit_table`

    Warns
    -----
    OnesidedWarning : if the class prior cannot be estimated, or if a given class prior is higher
        than the scores allow
    """
    prior: Any = class_prior
    only_at_most = False
    if class_prior is None:
        estimate, why = find_prior(plan, found, scenario, on_progress)
        if estimate is not None:
            prior, only_at_most = estimate.headline, estimate.only_at_most
            if estimate.limits_nothing:
                why = "The data give no upper bound on the number of positives."
        if why:
            warnings.warn(f"The model gives no probabilities. {why}", OnesidedWarning, stacklevel=2)
            return None
    known = placed_among_all(plan, found, on_progress)
    warn_of_few(len(known.above), "labeled", "the probabilities are rough")
    by_place = posteriors_by_place(known, known.n_unlabeled, prior * known.n_unlabeled)
    if class_prior is not None:
        # A tied positive counts below the whole tie: the bound must not count fewer rows above it.
        worst = (known.above + known.tied) / known.n_unlabeled
        places = (np.arange(known.n_unlabeled) + 0.5) / known.n_unlabeled
        consequence = "The probabilities are too high in that case."
        warn_above_bound("class_prior", prior, -worst, -places, consequence)
    scores, probabilities = _by_score(by_place, later)
    return KeptPosterior(
        tuple(scores.tolist()), tuple(probabilities.tolist()), only_at_most, float(prior)
    )


def _by_score(by_place: Floats, later: Floats) -> tuple[Floats, Floats]:
    """Scores, ascending, and the mean probability over all places of each score.

    Parameters
    ----------
    by_place : shape (n_unlabeled,), probabilities that do not rise
    later : shape (n_later,), scores of some of these rows, or of rows like these
    """
    scores, counts = np.unique(later, return_counts=True)
    ends = np.append(0, counts[::-1].cumsum()) / len(later) * len(by_place)
    sums = np.interp(ends, np.arange(len(by_place) + 1), np.append(0, by_place.cumsum()))
    means = (np.diff(sums) / np.diff(ends))[::-1].clip(0, 1)
    if len(scores) > _MOST_POINTS:
        # Half of the points by rows, so that no score of many rows is left out; half by scores.
        levels = np.linspace(0, 1, _MOST_POINTS // 2)
        by_rows, by_score = (np.quantile(each, levels, method="lower") for each in (later, scores))
        kept = np.searchsorted(scores, np.union1d(by_rows, by_score))
        scores, means = scores[kept], means[kept]
    return scores, np.maximum.accumulate(means)


def on_scale_of(learned: Floats, apart: Floats, later: Floats) -> Floats:
    """Scores by a second model, transformed to the scale of the first model.

    Both models also score unlabeled rows that they learned from. Within the range of those scores,
    a score keeps its quantile. Outside this range, it keeps its distance from the nearest end.

    Parameters
    ----------
    learned : scores of unlabeled rows by the first model, which learned from these rows
    apart : scores of unlabeled rows by the second model, which learned from a part of the rows
    later : scores by the second model, of rows that it did not learn from
    """
    levels = np.linspace(0, 1, _MOST_POINTS + 1)
    given, wanted = np.quantile(apart, levels), np.quantile(learned, levels)
    places, first, counts = np.unique(given, return_index=True, return_counts=True)
    # The middle one, not the mean: the scores of the first model may be few values too.
    heights = wanted[first + counts // 2]
    found: Floats = np.interp(later, places, heights)
    found += np.minimum(later - places[0], 0) + np.maximum(later - places[-1], 0)
    return found


def check_later(later: Floats, why_not: str) -> None:
    """Raise an error if no rows could be held out, which alerts and probabilities need."""
    if not len(later):
        raise TableError(
            f"No rows can be held out to say what a score means: {why_not}",
            f"Leave {argument('alerts')} and {argument('scenario')} out, or learn from more rows.",
        )
