"""What a list holds where it is cut: numbers that several panels show, and the gains table."""

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
    """The first `n_listed` candidates as a list.

    `recall` is the share of the hidden positives that stand among them, `by_chance` that of a list
    of this length in random order, `lift` their ratio. `positives` are expected among them, or the
    most where the prior is `only_at_most`, and `precision` is their share of the list, each also
    with the class prior at the ends of its interval; all six are None where there is no prior.
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
    """Low end, what is shown, and high end, which is shown where no more can be said."""
    low, high = getattr(prior, "interval", (float(prior), float(prior)))
    shown = prior.headline if isinstance(prior, ClassPriorEstimate) else float(prior)
    return low, shown, max(shown, high)


class Cuts:
    """The list of candidates, cut anywhere.

    Parameters
    ----------
    placed : positives among the rows of the list
    scored, posterior : the rows of the list, and which are positive; None where nobody knows
    """

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
        scores = -np.sort(scored.ranks)  # of the candidates, the first first
        priors = np.array(shown_priors(posterior.class_prior))
        self.posteriors = replace(posterior, class_prior=priors[1]).given_unlabeled(scores)
        # A small prior cuts no posterior off at 1: their sums are the recall, smooth along it.
        along = replace(posterior, class_prior=_SMALL).given_unlabeled(scores).cumsum() + _TINY
        positives = len(scores) * np.outer(priors, along / along[-1])
        self._positives = np.minimum(positives, np.arange(1, len(scores) + 1))

    def at(self, lengths: Sequence[int]) -> list[CutPoint]:
        """The list cut at each of these lengths."""
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
        """The list up to the end of each of its tenths, none of which is empty."""
        n = self._placed.n_unlabeled
        return self.at(sorted({max(1, n * tenth // 10) for tenth in range(1, 11)}))


def summarize_tenths(
    placed: PlacedPositives,
    scored: OutOfFoldScores | None = None,
    posterior: PosteriorCalibration | None = None,
) -> list[CutPoint]:
    """What the list holds up to the end of each of its tenths, as a report has it.

    Parameters
    ----------
    placed : positives among the rows of the list
    scored, posterior : the rows of the list, and which are positive; None where nobody knows
    """
    return Cuts(placed, scored, posterior).tenths()


def gains_table(points: Sequence[CutPoint]) -> pa.Table:
    """Tenths of a list, a row each.

    Columns: `tenth`, `first_rank`, `last_rank`, `n_rows`; `share_of_positives` that
    stand in the tenth, and `share_so_far`; `lift`, how many times as many as by chance,
    and `lift_so_far`; where a class prior was estimated, `expected_positives` of the tenth, and
    `expected_positives_so_far`.

    Parameters
    ----------
    points : as `summarize_tenths` gives them
    """
    names = ("n_listed", "recall", "lift")
    ends, recall, lift = (np.array([point[name] for point in points]) for name in names)  # type: ignore[literal-required]  # of these
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
