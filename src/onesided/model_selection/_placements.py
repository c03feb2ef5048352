"""Hidden positives placed among the unlabeled rows: what fits that hide positives find together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._text import as_percent, counted
from onesided._typing import Bools, Floats, Ints
from onesided.metrics import LeeLiuScore, rank_counts
from onesided.model_selection._estimators import standardize
from onesided.model_selection._labels import Labels

_MANY_FIRST, _LEAST_SHARE = 0.25, 0.05  # of the positives


@dataclass(frozen=True)
class PlacedPositives(Displayed):
    """Ranks and scores of positives, by models that did not know that these rows are positive.

    Attributes
    ----------
    above, tied : each of shape (n_positive,), number of unlabeled rows that score higher, and that
        score the same. If a positive was ranked among only a part of the unlabeled rows, the
        numbers are scaled up to all unlabeled rows
    scores : shape (n_positive,), score of each positive, in robust standard deviations above the
        median unlabeled row of the same fit
    n_unlabeled : number of unlabeled rows

    Examples
    --------
    Of three positives one is above all ten unlabeled rows:

    >>> import numpy as np
    >>> from onesided.model_selection import PlacedPositives
    >>> placed = PlacedPositives(np.array([0, 1, 5]), np.zeros(3), np.array([4.0, 3.0, 0.5]), 10)
    >>> placed.ranks.tolist(), round(placed.auc, 2), placed.n_first
    ([0.0, 0.1, 0.5], 0.8, 1)
    """

    above: Ints
    tied: Ints
    scores: Floats
    n_unlabeled: int

    @property
    def ranks(self) -> Floats:
        """Share of the unlabeled rows above each positive; a tie counts half, 0 is best."""
        return (self.above + self.tied / 2) / self.n_unlabeled

    @property
    def auc(self) -> float:
        """Hidden-positive AUC: the mean share of the unlabeled rows that rank below a positive."""
        return 1.0 - float(self.ranks.mean())

    @property
    def n_first(self) -> int:
        """Number of positives that score above every unlabeled row."""
        return int(((self.above == 0) & (self.tied == 0)).sum())

    def tells_of(self, n_listed: int) -> bool:
        """Whether a list is long enough to hold a twentieth of the positives.

        The recall of a shorter list says nothing.
        """
        return n_listed >= _LEAST_SHARE * len(self.above)

    @property
    def is_too_good(self) -> bool:
        """Whether at least a quarter of the known positives score above every unlabeled row.

        Suppose that the unlabeled rows include m positives, and that the known positives are like
        these. Then a share of at most 1 / (m + 1) of the known positives scores above every
        unlabeled row. If this property is true, there are three explanations: m is 3 or less, a
        column reveals the labels, or the known positives come from the top of an earlier ranking.
        """
        return self.n_first >= _MANY_FIRST * len(self.above)

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row for each positive, the highest score first.

        Columns: `positive`, the index of the positive among the positives; `above` and `tied`, the
        numbers of unlabeled rows that score higher and the same; `rank`, the share of the unlabeled
        rows above the positive, where a tie counts half; `score`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these three that is
            installed (pyarrow always is)
        """
        order = np.argsort(self.ranks, kind="stable")
        columns: dict[str, list[Any]] = {
            "positive": order.tolist(),
            "above": self.above[order].tolist(),
            "tied": self.tied[order].tolist(),
            "rank": self.ranks[order].tolist(),
            "score": self.scores[order].tolist(),
        }
        return frame_of(columns, backend)

    def plot(self) -> Any:
        """Altair chart of the share of positives found by number of unlabeled rows checked.

        The dashed line shows a random ranking.
        """
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        return _charts.found_along(self.ranks, self.n_unlabeled)

    def __str__(self) -> str:
        return (
            f"{counted(len(self.ranks), 'positive')}, each hidden among "
            f"{counted(self.n_unlabeled, 'unlabeled row')}: "
            f"AUC {self.auc:.3f}. Half of them stand in the first "
            f"{as_percent(float(np.median(self.ranks)))}."
        )


@dataclass(frozen=True)
class HiddenPositives(PlacedPositives):
    """Ranks and scores of the positives, each hidden once among the unlabeled rows.

    Attributes
    ----------
    above, tied, scores, n_unlabeled : as in `PlacedPositives`; with a time split, for the later
        positives only
    unlabeled_placements : shape (n_unlabeled,), share of the positives that score higher than each
        unlabeled row; each positive counts with the fit in which it was hidden, and a tie counts
        half
    predicted : shape (n_positive,), whether each positive was predicted positive while it was
        hidden
    predicted_share : share of the unlabeled rows that were predicted positive, averaged over the
        folds

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import hide_and_rank
    >>> X = np.array([[5.0], [4], [6], [3], [2], [1], [0], [1]])
    >>> hidden = hide_and_rank(CenterOfMassRanker(), X, [1, 1, 1, 0, 0, 0, 0, 0], cv=3)
    >>> hidden.ranks.tolist(), hidden.auc, hidden.predicted_share
    ([0.0, 0.0, 0.0], 1.0, 0.0)
    """

    unlabeled_placements: Floats
    predicted: Bools
    predicted_share: float

    @property
    def lee_liu(self) -> LeeLiuScore:
        """Lee-Liu criterion r² / q (Lee, Liu 2003) for hidden positives and unlabeled rows.

        In these fits, a hidden positive counted as unlabeled, like the rows that it is compared
        with. If labels are selected completely at random (SCAR), it is then like a positive among
        the unlabeled rows. The criterion is precision · recall / prior among the unlabeled rows, in
        both scenarios. Labeled rows do not count.

        The criterion can be too low, for two reasons. First, the fits of the folds see fewer
        labels, so the value is a few percent too low for the fit on all rows. Second, the fits
        learned from the same unlabeled rows, as unlabeled. A flexible model can learn to treat the
        positives among these rows as unlabeled. For example, a model that overfits (150 features,
        600 rows, logistic regression with C=100) had .022 here and .369 on new rows.

        The interval is for a new sample, with the fits as given. For the criterion of exactly these
        unlabeled rows, a 95 percent interval covers only .80 to .91 if many of the positives are
        labeled.
        """
        return LeeLiuScore(
            int(self.predicted.sum()),
            len(self.predicted),
            self.predicted_share * self.n_unlabeled,
            self.n_unlabeled,
            scenario="case-control",
        )


class Placements:
    """The hidden positives of the fits that were added, each with other positives hidden.

    Parameters
    ----------
    labels : of the rows
    cut : score above which a row is predicted positive
    apart : shape (n_rows,), positives that `found` leaves out; by default none
    """

    def __init__(self, labels: Labels, cut: float, apart: Bools | None = None) -> None:
        self._cut = cut
        self._known = np.flatnonzero(labels.positive)
        self._apart = (
            np.zeros(len(self._known), dtype=bool) if apart is None else apart[self._known]
        )
        self._was_hidden = np.zeros(len(self._known), dtype=bool)
        self._above, self._tied = np.zeros((2, len(self._known)), dtype=np.int64)
        self._standard = np.empty(len(self._known))
        self._others = np.flatnonzero(labels.unlabeled)
        self._beaten = np.zeros(len(self._others))
        self._predicted = np.zeros(len(self._known), dtype=bool)
        self._predicted_shares: list[float] = []

    def add(self, hidden: Ints, scores: Floats, among: Ints | None = None) -> None:
        """Add a fit.

        Parameters
        ----------
        hidden : positive rows that did not count as positive
        scores : shape (n_rows,), by this fit
        among : unlabeled rows that the positives are ranked among; by default all
        """
        among = self._others if among is None else among
        rest, places = scores[among], np.searchsorted(self._known, hidden)
        self._was_hidden[places] = True
        of_all = len(self._others) / len(among)
        for counts, found in zip(
            (self._above, self._tied), rank_counts(scores[hidden], rest), strict=True
        ):
            counts[places] = np.rint(found * of_all)
        if (counted := hidden[~self._apart[places]]).size:
            beaten_by, level_with = rank_counts(rest, scores[counted])
            beaten = (beaten_by + level_with / 2) * of_all  # so that the mean counts each positive
            self._beaten[np.searchsorted(self._others, among)] += beaten
        self._standard[places] = standardize(scores[hidden], rest)
        self._predicted[places] = scores[hidden] > self._cut
        self._predicted_shares.append(float(np.mean(rest > self._cut)))

    def apart(self) -> PlacedPositives:
        """The positives that `found` leaves out."""
        rows = self._was_hidden & self._apart
        return PlacedPositives(
            self._above[rows], self._tied[rows], self._standard[rows], len(self._beaten)
        )

    def found(self) -> HiddenPositives:
        """What the fits say together of the positives that were hidden."""
        rows = self._was_hidden & ~self._apart
        return HiddenPositives(
            self._above[rows],
            self._tied[rows],
            self._standard[rows],
            len(self._beaten),
            self._beaten / np.count_nonzero(rows),
            self._predicted[rows],
            float(np.mean(self._predicted_shares)),
        )
