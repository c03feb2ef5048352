"""Rows in strata by score, and the expected share of positives in each stratum."""

from __future__ import annotations

from copy import copy
from hashlib import sha256

import numpy as np

from onesided._typing import Bools, Floats, Ints

N_STRATA = 5
TRUST = 3.0
"""The guessed share of positives of a stratum counts as much as this many checked rows."""
_FEW = 1e-4  # guesses keep this distance from 0 and 1, because verdicts may prove them wrong


class Strata:
    """Rows by falling score, cut into strata of about equal uncertainty.

    The guessed posterior decides only where the cuts are, and so how wide intervals become.

    Parameters
    ----------
    scores : shape (n_rows,)
    posterior : shape (n_rows,), guessed chance that each row is positive

    Attributes
    ----------
    scores : shape (n_rows,), the given scores
    rank : shape (n_rows,), place of each row by falling score, 0 for the first; ties keep the
        order of the rows
    of : shape (n_rows,), stratum of each row, 0 for the highest scores
    sizes : shape (n_strata,), number of rows of each stratum
    cuts : ranks at which `cut` divided strata
    first_guess : shape (n_strata,), expected share of positives before any verdict
    """

    def __init__(self, scores: Floats, posterior: Floats) -> None:
        self.scores = scores
        self._order = np.argsort(-scores, kind="stable")
        self.rank: Ints = np.empty(len(scores), dtype=np.int64)
        self.rank[self._order] = np.arange(len(scores))
        self._posterior = posterior
        self.cuts: list[int] = []
        doubt = np.cumsum(np.sqrt(posterior * (1 - posterior))[self._order] + np.finfo(float).tiny)
        ends = np.searchsorted(doubt, doubt[-1] * np.arange(1, N_STRATA) / N_STRATA) + 1
        self.set_edges([0, *ends.tolist(), len(scores)])
        self._uncut = self.edges

    def cut(self, rank: int) -> None:
        """Cut a stratum in two, so that the first `rank` rows consist of whole strata."""
        if rank not in self.edges:
            self.cuts.append(rank)
            self.set_edges([*self.edges, rank])

    def before_cuts(self) -> Strata:
        """The strata without any cut."""
        return self.joined(np.array(self._uncut[:-1]))

    def joined(self, starts: Ints) -> Strata:
        """The strata as they were when they began at these ranks; strata that were cut are whole.

        Parameters
        ----------
        starts : shape (n_strata,), some of the ranks at which strata begin now
        """
        is_known = {*self._uncut[:-1]}.issubset(starts.tolist())  # older states lack the ranks
        if len(starts) == len(self.sizes) or not is_known:
            return self
        found = copy(self)
        found.set_edges([*starts.tolist(), len(self.rank)])
        return found

    @property
    def digest(self) -> str:
        """A text that changes if the scores or the posterior change."""
        return sha256(self.scores.tobytes() + self._posterior.tobytes()).hexdigest()

    def set_edges(self, edges: list[int]) -> None:
        """Let strata begin and end at these ranks."""
        self.edges = sorted({min(each, len(self.rank)) for each in edges})
        self.of: Ints = np.searchsorted(self.edges, self.rank, side="right") - 1
        self.sizes: Ints = np.diff(self.edges)
        self.first_guess = self.sums(self._posterior) / self.sizes

    def sums(self, values: Floats | Bools) -> Floats:
        """Sum over the rows of each stratum; shape (n_strata,).

        Parameters
        ----------
        values : shape (n_rows,)
        """
        return np.bincount(self.of, weights=values, minlength=len(self.sizes)).astype(float)

    def guess(self, drawn: Bools, positive: Bools) -> Floats:
        """Expected share of positives of each stratum: the guess, corrected by rows drawn so far.

        Parameters
        ----------
        drawn : shape (n_rows,), which rows were drawn at random and have a verdict
        positive : shape (n_rows,), which rows are positive
        """
        n, k = self.sums(drawn), self.sums(drawn & positive)
        return np.clip((k + TRUST * self.first_guess) / (n + TRUST), _FEW, 1 - _FEW)
