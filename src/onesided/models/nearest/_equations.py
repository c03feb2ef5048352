"""Similarity to the nearest rows, its expected value, and the threshold of scores.

Rows are documents scaled to unit length; `length` is their length before. The longer a document is,
the more similar it is to documents of its own kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.polynomial import Polynomial

from onesided._typing import Floats

_DEGREE = 2
_ROWS_PER_TERM = 10  # of a polynomial
_LEAST = 0.01  # added to a cosine before its logarithm is taken: a tenth of a typical cosine
_LEAST_SPREAD = 1e-3  # nats
_MOST_EXPLAINED = 0.5  # share of the known that may lie below a threshold
_SHARE_BELOW = 0.1  # of the known, below the score at which the share of the others is estimated


def mean_of_largest(values: Floats, k: int) -> Floats:
    """Mean of the k largest numbers of each row, or of all numbers if there are fewer.

    Parameters
    ----------
    values : shape (n_rows, n_columns); -inf does not count; a row of only -inf has the mean 0

    Returns
    -------
    shape (n_rows,)
    """
    k = min(k, values.shape[1])
    largest = np.partition(values, -k, axis=1)[:, -k:]
    counted = np.isfinite(largest)
    total = np.where(counted, largest, 0.0).sum(axis=1)
    mean: Floats = total / np.maximum(counted.sum(axis=1), 1)
    return mean


@dataclass(frozen=True)
class ExpectedSimilarity:
    """Expected logarithm of the similarity of known rows to each other, by their length.

    Attributes
    ----------
    mean : of log(similarity + 0.01), a parabola in the logarithm of the length
    log_spread : logarithm of the distance to the mean, which is in nats; also a parabola
    """

    mean: Polynomial
    log_spread: Polynomial

    @classmethod
    def of(cls, similarity: Floats, length: Floats) -> Self:
        """Fit by least squares to known rows, each of which was left out of the known rows in turn.

        Both arrays have the shape (n_rows,), n_rows ≥ 1. With few rows, or few different lengths,
        only a line or a constant is fitted.
        """
        x, y = np.log(length), _logarithm(similarity)
        n_lengths = len(np.unique(np.round(x, 9)))  # nats
        ends = [x.min(), x.max() if n_lengths > 1 else x.min() + 1]
        degree = min(_DEGREE, n_lengths - 1, len(x) // _ROWS_PER_TERM)
        mean = Polynomial.fit(x, y, degree, domain=ends)
        strays = np.log(np.abs(y - mean(x)) + _LEAST_SPREAD)
        return cls(mean, Polynomial.fit(x, strays, degree, domain=ends))

    def deviation(self, similarity: Floats, length: Floats) -> Floats:
        """How far rows are above the mean, in spreads; lengths beyond the fit count as its nearest.

        Parameters
        ----------
        similarity, length : shape (n_rows,), lengths above 0

        Returns
        -------
        shape (n_rows,)
        """
        x = np.clip(np.log(length), *self.mean.domain)
        found: Floats = (_logarithm(similarity) - self.mean(x)) / np.exp(self.log_spread(x))
        return found


def _logarithm(similarity: Floats) -> Floats:
    found: Floats = np.log(similarity + _LEAST)
    return found


@dataclass(frozen=True)
class Cut:
    """A threshold of scores.

    Attributes
    ----------
    threshold : rows at or below the threshold count as rows of no known kind
    share : estimated share of the unlabeled that are of no known kind, at least one row; too low if
        many of these rows score like known rows
    """

    threshold: float
    share: float

    @classmethod
    def best(cls, known: Floats, unlabeled: Floats) -> Self:
        """The threshold with the highest F, estimated from the scores of known rows.

        A share of the unlabeled rows is of no known kind; the other unlabeled rows score like known
        rows. The share is estimated at the score below which a tenth of the known rows lies: it is
        the excess of unlabeled rows below this score.

        At each threshold, the flagged rows minus the flagged rows that score like known rows are
        the hits. The hits are at most the share plus its standard error; without this limit, there
        would be too many hits if the unlabeled differ from the known at all scores. F is
        2 hits / (flagged + share · n_unlabeled). No threshold is above the median of the known.

        With fewer than ten unlabeled rows, no share can be estimated. The rows that score below the
        tenth of the known are then flagged.

        Parameters
        ----------
        known : shape (n_known,), scores of known rows, each left out
        unlabeled : shape (n_unlabeled,)
        """
        n = len(unlabeled)
        known, cuts = np.sort(known), np.sort(unlabeled)
        at = np.quantile(known, _SHARE_BELOW)
        kept_known, kept = (known > at).mean(), (cuts > at).mean()
        share = max(1 - kept / kept_known if kept_known > 0 else 0.0, 1 / n)
        if n * _SHARE_BELOW < 1:
            return cls(float(np.nextafter(at, -np.inf)), float((cuts < at).mean()))
        flagged = np.searchsorted(cuts, cuts, side="right")
        explained = (np.searchsorted(known, cuts, side="right") + 1) / (len(known) + 1)
        odds = _SHARE_BELOW / (1 - _SHARE_BELOW)
        most = n * (share + np.sqrt(odds * (1 / n + 1 / len(known))))  # plus a standard error
        hits = np.minimum(flagged - (1 - share) * n * explained, most)
        f = np.where(explained <= _MOST_EXPLAINED, 2 * hits / (flagged + share * n), 0.0)
        best = int(np.argmax(f))
        if f[best] <= 0:
            return cls(float(np.nextafter(cuts[0], -np.inf)), float(share))
        above = cuts[flagged[best]] if flagged[best] < n else cuts[best]  # halfway: no row is on it
        threshold = min((cuts[best] + above) / 2, np.median(known))
        return cls(float(threshold), float(share))
