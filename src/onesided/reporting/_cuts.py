"""Recall, positives and precision of a list of any length, and the gains table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

import numpy as np
import pyarrow as pa

from onesided.metrics import recall_at
from onesided.metrics._corrected import PriorOrEstimate
from onesided.model_selection import OutOfFoldScores, PlacedPositives
from onesided.prior import ClassPriorEstimate
from onesided.promises import PosteriorCalibration

_SMALL = 1e-9  # class prior
_TINY = float(np.finfo(float).tiny)


class CutPoint(TypedDict):
    """The list of the first `n_listed` candidates.

    `recall` is the share of the hidden positives in the list, `by_chance` that of a random list of
    this length, and `lift` their ratio. `positives` is the expected number of positives in the
    list, or an upper bound if the prior is `only_at_most`; `precision` is their share of the list.
    Both have an interval from that of the class prior. All six are None without a prior.
    """

    n_listed: int
    recall: float
    by_chance: float
    lift: float
    positives: float | None
    positives_low: float | None
    positives_high: float | None
    precision: float | None
    precision_low: float | None
    precision_high: float | None


def shown_priors(prior: PriorOrEstimate) -> tuple[float, float, float]:
    """Lower limit, displayed value, upper limit; only the upper limit may be known."""
    low, high = getattr(prior, "interval", (float(prior), float(prior)))
    shown = prior.headline if isinstance(prior, ClassPriorEstimate) else float(prior)
    return low, shown, max(shown, high)


class Cuts:
    """The list of candidates, cut at any length; the parameters are those of `summarize_tenths`."""

    def __init__(
        self,
        placed: PlacedPositives,
        scored: OutOfFoldScores | None = None,
        posterior: PosteriorCalibration | None = None,
    ) -> None:
        self._placed = placed
        self.posteriors = self._positives = None
        if scored is None or posterior is None:
            return
        scores = -np.sort(scored.ranks)
        priors = np.array(shown_priors(posterior.class_prior))
        self.posteriors = replace(posterior, class_prior=priors[1]).given_unlabeled(scores)
        # With a small prior no posterior is cut off at 1, so their sums are a smooth recall.
        along = replace(posterior, class_prior=_SMALL).given_unlabeled(scores).cumsum() + _TINY
        positives = len(scores) * np.outer(priors, along / along[-1])
        self._positives = np.minimum(positives, np.arange(1, len(scores) + 1))

    def at(self, lengths: Sequence[int]) -> list[CutPoint]:
        """Facts of the list at each of these lengths."""
        ends = np.array(lengths, dtype=np.int64)
        recall = recall_at(ends, self._placed.above, self._placed.tied)
        by_chance = ends / self._placed.n_unlabeled
        columns = {"n_listed": ends, "recall": recall, "by_chance": by_chance}
        columns["lift"] = recall / by_chance
        for name, of in (("positives", 1), ("precision", ends)):
            for place, end in ((1, ""), (0, "_low"), (2, "_high")):
                columns[name + end] = (
                    pa.nulls(len(ends))
                    if self._positives is None
                    else self._positives[place, ends - 1] / of
                )
        found: list[CutPoint] = pa.table(columns).to_pylist()
        return found

    def tenths(self) -> list[CutPoint]:
        """Facts of the list up to the end of each tenth; no tenth is empty."""
        n = self._placed.n_unlabeled
        return self.at(sorted({max(1, n * tenth // 10) for tenth in range(1, 11)}))


def summarize_tenths(
    placed: PlacedPositives,
    scored: OutOfFoldScores | None = None,
    posterior: PosteriorCalibration | None = None,
) -> list[CutPoint]:
    """Recall, positives and precision of the list up to the end of each tenth.

    Parameters
    ----------
    placed : known positives among the rows of the list
    scored, posterior : the rows of the list and their posteriors; None if these are not known
    """
    return Cuts(placed, scored, posterior).tenths()


def gains_table(points: Sequence[CutPoint]) -> pa.Table:
    """The tenths of a list as a table with one row each.

    The columns are `tenth`, `first_rank`, `last_rank`, `n_rows`; `share_of_positives` in the tenth;
    `lift`, the ratio of this share to that of a random list; and with a class prior
    `expected_positives` in the tenth. `share_so_far`, `lift_so_far` and `expected_positives_so_far`
    are about the list from its top.

    Parameters
    ----------
    points : the result of `summarize_tenths`
    """
    names = ("n_listed", "recall", "lift")
    ends, recall, lift = (np.array([point[name] for point in points]) for name in names)  # type: ignore[literal-required]  # keys
    n_rows, share = np.diff(ends, prepend=0), np.diff(recall, prepend=0.0)
    columns = {
        "tenth": np.arange(1, len(ends) + 1),
        "first_rank": ends - n_rows + 1,
        "last_rank": ends,
        "n_rows": n_rows,
        "share_of_positives": share.round(6),
        "share_so_far": recall.round(6),
        "lift": (share / (n_rows / ends[-1])).round(4),
        "lift_so_far": lift.round(4),
    }
    expected = [point["positives"] for point in points]
    if None not in expected:
        so_far = np.array(expected, dtype=np.float64)
        columns["expected_positives"] = np.diff(so_far, prepend=0.0).round(2)
        columns["expected_positives_so_far"] = so_far.round(2)
    return pa.table(columns)
