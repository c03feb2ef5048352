"""Similarity to the nearest rows, what to expect of it, and where to cut it.

Rows are documents of unit length in terms of their words; `length` is what it was before: the
more a document says, the more like its own kind it looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.polynomial import Polynomial

from onesided._typing import Floats

_DEGREE = 2
_ROWS_PER_TERM = 10  # of a polynomial
_LEAST = 0.01  # added to a cosine before its logarithm is taken: a tenth of a typical one
_LEAST_SPREAD = 1e-3  # nats
_MOST_EXPLAINED = 0.5  # share of the known that may lie below a cut
_SHARE_BELOW = 0.1  # of the known, below the cut at which the share of the others is read off


def mean_of_largest(values: Floats, k: int) -> Floats:
    """Mean of the k largest numbers of each row, or of all where there are fewer.

    Parameters
    ----------
    values : shape (n_rows, n_columns); -inf does not count, a row of nothing else has 0

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
    """Logarithm of the similarity of known rows to each other, by their length.

    Attributes
    ----------
    mean : of log(similarity + 0.01), a parabola in the logarithm of the length
    log_spread : of the distance to the mean, nats, its logarithm likewise
    """

    mean: Polynomial
    log_spread: Polynomial

    @classmethod
    def of(cls, similarity: Floats, length: Floats) -> Self:
        """Fitted by least squares to rows left out in turn; both of shape (n_rows,), n_rows ≥ 1.

        Few rows, or of few lengths, allow no more than a line or a constant.
        """
        x, y = np.log(length), _logarithm(similarity)
        n_lengths = len(np.unique(np.round(x, 9)))  # nats
        ends = [x.min(), x.max() if n_lengths > 1 else x.min() + 1]
        degree = min(_DEGREE, n_lengths - 1, len(x) // _ROWS_PER_TERM)
        mean = Polynomial.fit(x, y, degree, domain=ends)
        strays = np.log(np.abs(y - mean(x)) + _LEAST_SPREAD)
        return cls(mean, Polynomial.fit(x, strays, degree, domain=ends))

    def deviation(self, similarity: Floats, length: Floats) -> Floats:
        """How far above the mean, in spreads; beyond the lengths of the fit as at the nearest.

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
    """Where scores are cut.

    Attributes
    ----------
    threshold : rows at or below it are held to be none of the known
    share : of the unlabeled that are none of the known, estimated; too low where many of them score
        like the known, and at least one row
    """

    threshold: float
    share: float

    @classmethod
    def best(cls, known: Floats, unlabeled: Floats) -> Self:
        """The cut of largest F, as far as scores of known rows can tell.

        Of the unlabeled a share is none of the known; the rest has scores like the known. The
        tenth of the known that score lowest is compared with the unlabeled there: the excess is
        the share. At each cut the excess over what the known explain are the hits, at most that
        share and its standard error: where the unlabeled differ from the known all along, there
        would be more. F is 2 hits / (flagged + share · n_unlabeled). No cut is above the median of
        the known. Among fewer than ten unlabeled rows no share can be read off; those below the
        tenth are cut.

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
        most = n * (share + np.sqrt(odds * (1 / n + 1 / len(known))))  # and a standard error
        hits = np.minimum(flagged - (1 - share) * n * explained, most)
        f = np.where(explained <= _MOST_EXPLAINED, 2 * hits / (flagged + share * n), 0.0)
        best = int(np.argmax(f))
        if f[best] <= 0:
            return cls(float(np.nextafter(cuts[0], -np.inf)), float(share))
        above = cuts[flagged[best]] if flagged[best] < n else cuts[best]  # halfway: no row is on it
        threshold = min((cuts[best] + above) / 2, np.median(known))
        return cls(float(threshold), float(share))
