"""The number of positives, counted in a random sample of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from onesided._text import agreeing, as_percent, counted
from onesided._typing import Ints
from onesided.audit._limits import stratum_limits
from onesided.exceptions import DataError
from onesided.prior import ClassPriorEstimate


@dataclass(frozen=True)
class CountedClassPrior(ClassPriorEstimate):
    """The share of positives among the unlabeled rows, if others were screened at random.

    The known positives and the known negatives are then a random sample of all rows, and the
    interval is exact: whatever the columns are worth, and however positives and negatives overlap.

    Attributes
    ----------
    interval : that covers the share in a part `confidence` of the samples, or more
    """

    @property
    def n_counted(self) -> int:
        """Number of rows that were screened at random."""
        return self.n_positive + self.n_negative

    def counted_limits(self, n_positive: Ints) -> tuple[Ints, Ints]:
        """Limits of the number of unlabeled positives in some parts of the rows.

        A part may be all rows above a score, for example. The limits hold for each part alone.

        Parameters
        ----------
        n_positive : shape (n_parts,), number of positives in each part that were screened
        """
        n_rows = self.n_counted + self.n_unlabeled
        return _counted_limits(n_positive, self.n_counted, n_rows, self.confidence)

    @property
    def why_only_at_most(self) -> str:
        """Nothing: a sample tells more than a bound."""
        return ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows are positive, and how sure that is."""
        low, high = (end * self.n_unlabeled for end in self.interval)
        return (
            (
                f"Positive among the {self.n_unlabeled:,} unlabeled: about "
                f"{counted(round(self.point * self.n_unlabeled), 'row')}, {as_percent(self.point)} "
                f"({as_percent(self.confidence)} interval {low:,.0f} to "
                f"{counted(round(high), 'row')})"
            ),
            (
                f"  counted: {self.n_positive:,} of the {self.n_counted:,} rows "
                f"that were screened at random {agreeing(self.n_positive)} positive"
            ),
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Where the estimate comes from."""
        limits = "the limits of Clopper and Pearson"
        return (f"share of positives: counted in a random sample, with {limits}",)

    def __str__(self) -> str:
        return "\n".join((*self.sentences, *self.details))


def count_class_prior(
    n_positive: int, n_negative: int, n_unlabeled: int, *, confidence: float = 0.95
) -> CountedClassPrior:
    """Count the positives among the unlabeled rows from other rows that were screened at random.

    Parameters
    ----------
    n_positive, n_negative : rows of the random sample that are positive and negative
    n_unlabeled : rows that are not in the sample
    confidence : of the interval

    Raises
    ------
    DataError : if no row was screened

    Notes
    -----
    The screened rows are drawn without replacement from all rows, so the limits of the number of
    positives are hypergeometric ones (Clopper, Pearson), as those of `onesided.audit.Audit`.

    Examples
    --------
    >>> found = count_class_prior(68, 332, 1593)
    >>> round(float(found) * 1593), [round(end * 1593) for end in found.interval]
    (271, [208, 343])
    """
    n_screened = n_positive + n_negative
    if not n_screened:
        raise DataError("No row was screened.", "Pass rows that were drawn at random and checked.")
    n_rows = n_screened + n_unlabeled
    limits = _counted_limits(np.array([n_positive]), n_screened, n_rows, confidence)
    low, high = (float(end[0]) / n_unlabeled for end in limits)
    share = n_positive / n_screened
    return CountedClassPrior(
        point=share,
        interval=(low, high),
        confidence=confidence,
        upper_bound=high,
        auc=math.nan,
        method="random-sample",
        by_method={},
        scenario="single-training-set",
        n_positive=n_positive,
        n_unlabeled=n_unlabeled,
        n_duplicates=0,
        n_negative=n_negative,
    )


def _counted_limits(
    n_positive: Ints, n_screened: int, n_rows: int, confidence: float
) -> tuple[Ints, Ints]:
    """Limits of the numbers of positives in parts of the rows that were not screened.

    Parameters
    ----------
    n_positive : shape (n_parts,), positives in each part that were screened
    n_screened, n_rows : numbers of screened rows, and of all rows
    confidence : with which the limits of a part hold
    """
    counts, part = np.unique(n_positive, return_inverse=True)
    screened, rows = np.full_like(counts, n_screened), np.full_like(counts, n_rows)
    low, high = stratum_limits(counts, screened, rows, 1 - confidence, equal=1.0)
    return (low - counts)[part], (high - counts)[part]
