"""Which scores raise an alert, and what a score says of the probability to be positive."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from onesided._labels import Scenario
from onesided._text import argument, as_percent
from onesided._typing import Bools, Floats, OnProgress
from onesided.exceptions import OnesidedWarning, TableError
from onesided.metrics import rank_shares
from onesided.model_selection import Comparison
from onesided.promises import calibrate_posterior
from onesided.ranking import Plan
from onesided.ranking._prior import find_prior
from onesided.ranking._rank import hidden_among_all

_MOST_POINTS = 1000
_FEWEST_ALERTS = 10  # held-out rows above a threshold, for it to be no matter of chance


@dataclass(frozen=True)
class Alerts:
    """The threshold of a rate of alerts.

    Attributes
    ----------
    share : of rows like the unlabeled rows learned from that raise an alert
    threshold : rows with a score of at least this raise one
    """

    share: float
    threshold: float

    @classmethod
    def of(cls, share: float, later: Floats) -> Alerts:
        """The least threshold that at most this share of the rows reach.

        If more rows share the highest score, these are the rows that reach it.

        Parameters
        ----------
        share : in (0, 1)
        later : scores of unlabeled rows by a model that did not learn from them

        Warns
        -----
        OnesidedWarning : if the rows are too few for so small a share, or too many of them share
            the highest score
        """
        values, counts = np.unique(later, return_counts=True)
        reach = counts[::-1].cumsum()[::-1] / len(later)
        place = min(int(np.searchsorted(-reach, -share)), len(values) - 1)
        # Between two scores, since the scores of the model are near these, and not the same.
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
                f"{len(later):,} held-out rows that set the threshold, so the true rate of alerts "
                "may be quite different. Learn from more rows, or pass a larger share.",
                OnesidedWarning,
                stacklevel=2,
            )
        return cls(share, float(threshold))

    @classmethod
    def from_json(cls, given: Any) -> Alerts:
        """What a model file holds; a ValueError if no fit writes it."""
        found = cls(float(given["share"]), float(given["threshold"]))
        if not (0 < found.share < 1 and np.isfinite(found.threshold)):
            raise ValueError
        return found

    @property
    def sentence(self) -> str:
        """How many rows raise an alert."""
        return (
            f"Later rows raise an alert from the score {self.threshold:.4g} on: "
            f"{as_percent(self.share)} of rows that are like the unlabeled rows"
        )

    def among(self, scores: Floats) -> Bools:
        """Which rows raise an alert, shape (n_rows,)."""
        found: Bools = scores >= self.threshold
        return found


@dataclass(frozen=True)
class KeptPosterior:
    """The probability to be positive of an unlabeled row, by its score.

    Attributes
    ----------
    scores, probabilities : ascending, shape (n_points,); between two scores it is a straight line
    only_at_most : whether the probabilities are upper bounds, as the class prior is
    class_prior : share of positives among the unlabeled rows that they rest on
    """

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]
    only_at_most: bool
    class_prior: float

    @property
    def column(self) -> str:
        """The name of the column of these probabilities."""
        return "posterior_at_most" if self.only_at_most else "posterior"

    @classmethod
    def from_json(cls, given: Any) -> KeptPosterior:
        """What a model file holds; a ValueError if no fit writes it."""
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
        """The probability of each row, shape (n_rows,)."""
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
    """The probability to be positive by the score of a model; None if the class prior is not known.

    The places of the hidden positives among the unlabeled rows give the probability by place, as in
    a ranking; `later` says which score of the model has which place.

    Parameters
    ----------
    plan, found : the plan and what it found
    later : scores of unlabeled rows by a model that did not learn from them
    scenario : the sampling story
    class_prior : share of positives among the unlabeled rows, or None to estimate it
    on_progress : as for `fit_table`

    Warns
    -----
    OnesidedWarning : if the class prior is not known
    """
    prior: Any = class_prior
    only_at_most = False
    if class_prior is None:
        estimate, why = find_prior(plan, found, scenario, on_progress)
        if estimate is None:
            warnings.warn(f"The model gives no probabilities. {why}", OnesidedWarning, stacklevel=2)
            return None
        prior, only_at_most = estimate.headline, estimate.only_at_most
    hidden, _ = hidden_among_all(plan, found, on_progress)
    n_unlabeled = int((~plan.positive).sum())
    places = (np.arange(n_unlabeled) + 0.5) / n_unlabeled
    posterior = calibrate_posterior(-hidden.ranks, -places, class_prior=prior, scenario=scenario)
    scores = np.unique(later)
    if len(scores) > _MOST_POINTS:
        scores = np.unique(np.quantile(scores, np.linspace(0, 1, _MOST_POINTS), method="lower"))
    probabilities = posterior.given_unlabeled(-rank_shares(scores, later))
    return KeptPosterior(
        tuple(scores.tolist()),
        tuple(np.maximum.accumulate(probabilities).tolist()),
        only_at_most,
        float(prior),
    )


def on_scale_of(learned: Floats, apart: Floats, later: Floats) -> Floats:
    """Scores by one model, on the scale of another model.

    Where the unlabeled rows that both models learned from reach, a score keeps its place among
    them; beyond, it keeps its distance from the last of them.

    Parameters
    ----------
    learned : scores of unlabeled rows by the model whose scale counts, which learned from them
    apart : the same by a model that learned from a part of them
    later : scores by the second model, of rows that it did not learn from
    """
    levels = np.linspace(0, 1, _MOST_POINTS + 1)
    given, wanted = np.quantile(apart, levels), np.quantile(learned, levels)
    places, inverse = np.unique(given, return_inverse=True)
    heights = np.bincount(inverse, wanted) / np.bincount(inverse)
    found: Floats = np.interp(later, places, heights)
    found += np.minimum(later - places[0], 0) + np.maximum(later - places[-1], 0)
    return found


def check_later(later: Floats, why_not: str) -> None:
    """Refuse alerts and probabilities if no rows could be held out."""
    if not len(later):
        raise TableError(
            f"No rows can be held out to say what a score means: {why_not}",
            f"Leave {argument('alerts')} and {argument('scenario')} out, or learn from more rows.",
        )
