"""A shortlist that keeps a given share of the positives."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import betabinom, binom

from onesided._display import Displayed
from onesided._text import as_percent, counted, counted_of
from onesided._typing import Bools, Floats
from onesided._validation import check_number, check_scores
from onesided.exceptions import CalibrationWarning, DataError
from onesided.metrics._label_bias import check_label_odds_ratio, odds_times
from onesided.promises._calibration import (
    TIE,
    at_least,
    check_calibration,
    frame_by_score,
)

_FEW_TIED, _MANY_TIED = 10, 0.1  # number of tied rows, and share of all rows, without a warning


@dataclass(frozen=True, eq=False)
class RecallShortlist(Displayed):
    """A list of rows that keeps at least a given share of the positives.

    Attributes
    ----------
    scores : shape (n_rows,), of the rows to choose from
    threshold : rows with this score or a higher score are kept
    n_calibration : number of held-out positives
    n_below : number of held-out positives that may score lower than the threshold
    recall : share of the positives that is kept, at least
    confidence : share of samples in which `recall` is reached, at least
    label_odds_ratio : largest allowed odds of being labeled divided by the smallest; 1 means that
        labels are even
    assumes : assumptions of the guarantee, in words

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.promises import recall_shortlist
    >>> found = recall_shortlist(np.linspace(2, 4, 60), np.linspace(0, 4, 41), recall=0.9)
    >>> int(found.selected.sum()), found.n_below, round(found.threshold, 2)
    (20, 1, 2.03)
    """

    scores: Floats
    threshold: float
    n_calibration: int
    n_below: int
    recall: float
    confidence: float
    label_odds_ratio: float
    assumes: ClassVar[str] = (
        "Labels are drawn evenly among the positives (SCAR), or at least within "
        "`label_odds_ratio`, and the scorer has not learned that the held-out positives are "
        "positive."
    )

    @property
    def selected(self) -> Bools:
        """Shape (n_rows,), True for the rows that are kept."""
        return at_least(self.scores, self.threshold)

    @property
    def exact_level(self) -> float:
        """Share of samples in which the recall is reached, if labels are even and no scores tie.

        It is above `confidence`, because the number of held-out positives below the threshold is a
        whole number.
        """
        return float(binom.sf(self.n_below, self.n_calibration, 1 - self.recall))

    def level_among(self, n_hidden: int) -> float:
        """Share of samples in which the recall is reached among `n_hidden` positives.

        The list guarantees the recall among all positives of the population. The recall among the
        positives of these rows varies around it. For example, 400 positives were held out and 400
        were hidden, and a recall of .95 was asked for at confidence .95. Among the hidden positives
        it was reached in .92 of samples. Ask for a higher confidence if only these rows matter.
        This method assumes even labels at any `label_odds_ratio`.

        Parameters
        ----------
        n_hidden : number of positives among the rows, known or estimated
        """
        check_number(n_hidden, "n_hidden", "Pass a number of rows.", at_least=1, whole=True)
        k = self.n_below + 1
        may_miss = math.floor((1 - self.recall) * n_hidden + 1e-9)
        return float(betabinom.cdf(may_miss, n_hidden, k, self.n_calibration - k + 1))

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each unlabeled row, the highest score first.

        Columns: `row` (position in `scores`), `score`, `selected`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
        """
        return frame_by_score(self.scores, self.selected, backend)

    def plot(self) -> Any:
        """The scores as an Altair histogram; a line marks the lowest score that is kept."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        return _charts.histogram(
            self.scores, self.threshold, x="score; the line is the threshold", y="rows"
        )

    def __str__(self) -> str:
        return (
            f"{counted_of(int(self.selected.sum()), len(self.scores), 'row')} kept, "
            "those that score "
            f"{self.threshold:.4g} or higher.\n"
            f"They hold {as_percent(self.recall)} of the positives or more, at "
            f"{as_percent(self.confidence)} confidence: at most {self.n_below} of "
            f"{self.n_calibration} held-out positives score lower.\n"
            f"{self.assumes}"
        )


def recall_shortlist(
    calibration: ArrayLike,
    scores: ArrayLike,
    *,
    recall: float = 0.95,
    confidence: float = 0.95,
    label_odds_ratio: float = 1.0,
) -> RecallShortlist:
    """The shortest list that keeps a given share of the positives, at a given confidence.

    This assumes that a positive among the rows is exchangeable with the calibration positives. It
    is so if labels are selected completely at random (SCAR), in either scenario. If labels may be
    biased, pass the largest possible bias as `label_odds_ratio`. Use `scar_test` to test whether
    labels are biased.

    Parameters
    ----------
    calibration : shape (n_calibration,), hidden-positive scores, higher is more positive;
        `hidden_positive_scores` gives them
    scores : shape (n_rows,), of the rows to choose from, on the same scale
    recall : share of the positives to keep, in (0, 1)
    confidence : share of samples in which the recall is reached, in (0, 1)
    label_odds_ratio : Γ, largest odds of being labeled, e / (1 - e), divided by the smallest, at
        least 1; 1 means SCAR. In case-control data, it is the largest chance of being collected
        divided by the smallest.

    Returns
    -------
    `RecallShortlist`, with `selected`

    Raises
    ------
    DataError : if there are too few calibration scores; the error says how many are needed

    Warns
    -----
    CalibrationWarning : if more than a tenth of the rows tie at the end of the list

    Notes
    -----
    The share of positives below the k-th smallest of n calibration scores has the distribution
    Beta(k, n - k + 1), for any distribution of the scores. Ties only make this share smaller. k is
    the largest number for which the share is at most 1 - `recall` with probability `confidence`.
    This is the share of the positives of the population that is missed; see
    `RecallShortlist.level_among` for the positives of the rows.

    A positive that is labeled with probability e stands for (1 - e) / e hidden positives. If these
    odds differ by a factor of at most Γ, the odds of missing a hidden positive are at most Γ times
    the odds of missing a labeled positive. So the odds of missing a labeled positive must be Γ
    times smaller. For all positives, labeled or not, the odds differ by less.

    If the probability e is known for each labeled row, keep each held-out positive with probability
    min(e) / e, and pass only the kept positives. They are an even draw.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known, rows = rng.normal(3, 1, 200), np.append(rng.normal(3, 1, 100), rng.normal(size=900))
    >>> found = recall_shortlist(known, rows, recall=0.95, confidence=0.9)
    >>> found.n_below, int(found.selected.sum()), int(found.selected[:100].sum())
    (5, 218, 97)
    """
    known, asked = check_calibration(calibration), check_scores(scores, "scores")
    fewest = positives_needed(
        recall=recall, confidence=confidence, label_odds_ratio=label_odds_ratio
    )
    if len(known) < fewest:
        raise DataError(
            f"{counted(len(known), 'held-out positive')} cannot promise a recall of {recall:g} at "
            f"a confidence of {confidence:g}: at least {fewest} are needed.",
            "Hold out more positives, or ask for a smaller recall, confidence or label_odds_ratio.",
        )
    levels = binom.sf(np.arange(len(known)), len(known), _missed(recall, label_odds_ratio))
    n_below = max(int((levels >= confidence).sum()) - 1, 0)
    threshold = float(np.sort(known)[n_below])
    n_tied = int(np.isclose(asked, threshold, rtol=TIE, atol=0).sum())
    if n_tied > max(_MANY_TIED * len(asked), _FEW_TIED):
        warnings.warn(
            f"{n_tied} of {len(asked)} rows have the same score as the last row of the list, "
            "so all of them are kept. A scorer with fewer ties would give a shorter list.",
            CalibrationWarning,
            stacklevel=2,
        )
    return RecallShortlist(
        asked,
        threshold,
        len(known),
        n_below,
        recall,
        confidence,
        label_odds_ratio,
    )


def positives_needed(
    *, recall: float = 0.95, confidence: float = 0.95, label_odds_ratio: float = 1.0
) -> int:
    """How many positives must be held out for `recall_shortlist` to promise anything.

    Parameters
    ----------
    recall, confidence, label_odds_ratio : as in `recall_shortlist`

    Returns
    -------
    the smallest n for which `recall` to the power of n is at most 1 - `confidence`; for uneven
    labels, the odds of `recall` are first multiplied by `label_odds_ratio`

    Examples
    --------
    >>> positives_needed(recall=0.95, confidence=0.95), positives_needed(recall=0.99)
    (59, 299)
    """
    for name, share in (("recall", recall), ("confidence", confidence)):
        check_number(share, name, "Pass 0.95 for example.", above=0, below=1)
    check_label_odds_ratio(label_odds_ratio)
    return math.ceil(
        math.log1p(-confidence) / math.log1p(-_missed(recall, label_odds_ratio)) - 1e-9
    )


def _missed(recall: float, label_odds_ratio: float) -> float:
    """Share of the labeled positives that may be missed.

    With this share, at most 1 - `recall` of the hidden positives are missed.
    """
    return float(odds_times(1 - recall, 1 / label_odds_ratio))
