"""The record of an audit: which rows were drawn, with which chances, and their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from onesided._typing import Bools, Floats, Ints
from onesided._validation import is_one_of
from onesided.audit._strata import Strata
from onesided.exceptions import DataError

What = Literal["count", "precision", "recall", "found"]


def check_what(what: Any) -> None:
    """Raise a DataError if an audit does not find this number."""
    if not is_one_of(what, get_args(What)):
        raise DataError(
            f"what={what!r} is not a number that an audit finds.",
            "Pass 'count', 'precision', 'recall' or 'found'.",
        )


OPEN, UNSURE, NEGATIVE, POSITIVE = -2, -1, 0, 1
"""Codes of verdicts; an open row has no verdict yet."""
_AUDIT = 20_403
"""Part of each seed, so that other functions draw other numbers with the same `random_state`."""


@dataclass(frozen=True)
class Question:
    """What is asked: how many positives are in a set of rows, or what share of all positives.

    Attributes
    ----------
    words : name of the number
    inside : shape (n_rows,), True for the rows of the set
    of_positives : True if the number is the share of all positives that is inside
    unit : divisor of the number of positives inside; 1 for a count
    is_count : True if the number is a number of rows; its half width is then relative
    aim : half width for which bets are chosen: relative for a count, absolute for a share
    is_kept : True for the number whose limits each batch stores; bets on it use these limits
    """

    words: str
    inside: Bools
    of_positives: bool = False
    unit: float = 1.0
    is_count: bool = False
    is_kept: bool = False
    aim: float = 0.2

    @classmethod
    def of_all(cls, n_rows: int) -> Question:
        """The question of how many positives there are among all rows."""
        everything = np.ones(n_rows, dtype=bool)
        return cls("number of positives", everything, is_count=True, is_kept=True)

    def weights(self, strata: Strata, share: float, total: float) -> Floats:
        """Change of the number if a stratum has one more positive; shape (n_strata,).

        Parameters
        ----------
        share : expected share of all positives that is inside
        total : expected number of all positives
        """
        inside = strata.sums(self.inside) / strata.sizes
        if self.of_positives:
            return (inside - share) / max(total, 1.0)
        return inside / self.unit


@dataclass(frozen=True)
class Batch:
    """Rows that were drawn together.

    Attributes
    ----------
    rows : shape (n,), positions in the order in which to check the rows
    by : "chance" for draws with `chances`, "plan" for simple random samples of strata, "score" for
        rows that were read from the top
    edges : shape (n_strata,), ranks at which the strata began when the batch was drawn
    chances : shape (n_strata,), relative chance of each row of a stratum
    guess : shape (n_strata,), expected share of positives
    low, high : limits of the number of positives that were known before the batch
    """

    rows: Ints
    by: Literal["chance", "plan", "score"]
    edges: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    chances: Floats = field(default_factory=lambda: np.ones(1))
    guess: Floats = field(default_factory=lambda: np.full(1, 0.5))
    low: float = 0.0
    high: float = 0.0

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Batch:
        """The batch whose `vars` were saved, with lists in place of arrays."""
        found = cls(
            rows=np.array(saved["rows"], dtype=np.int64),
            by=saved["by"],
            edges=np.array(saved["edges"], dtype=np.int64),
            chances=np.array(saved["chances"], dtype=float),
            guess=np.array(saved["guess"], dtype=float),
            low=float(saved["low"]),
            high=float(saved["high"]),
        )
        of_strata = np.array([found.edges, found.chances, found.guess])  # of one length
        if not (
            found.by in ("chance", "plan", "score")
            and np.isfinite(of_strata).all()
            and (found.chances > 0).all()
            and (np.diff(found.edges) > 0).all()
            and found.edges[0] == 0
        ):
            raise ValueError(f"the batch of {len(found.rows)} rows was changed")
        return found


def narrowed(limits: tuple[float, float], certain: tuple[float, float]) -> tuple[float, float]:
    """The limits that both intervals allow; the `certain` limits if the intervals do not meet."""
    low, high = max(limits[0], certain[0]), min(limits[1], certain[1])
    return (low, high) if low <= high else certain


class Record:
    """The draws and verdicts of an audit.

    Parameters
    ----------
    strata : the rows in strata
    seed : seed of the draws
    error : of the intervals, in (0, 1)

    Attributes
    ----------
    verdicts : shape (n_rows,), codes
    batches : the batches, in the order in which they were drawn
    told : for each row that was not drawn by chance but whose verdict counts as known, the number
        of rows that had been drawn by chance before it counted
    priority : shape (n_rows,), order in which a planned audit checks the rows of a stratum
    """

    def __init__(self, strata: Strata, seed: int, error: float) -> None:
        self.strata = strata
        self.error = error
        self.seed = seed
        self.verdicts = np.full(len(strata.rank), OPEN, dtype=np.int8)
        self.batches: list[Batch] = []
        self.told: dict[int, int] = {}
        self.priority: Floats = self.next_rng().random(len(strata.rank))

    def rows(self, *kinds: str) -> Ints:
        """Rows of all batches of these kinds, in the order in which they were drawn."""
        found = [batch.rows for batch in self.batches if batch.by in kinds]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    @property
    def drawn(self) -> Ints:
        """Rows drawn so far, in the order in which they were drawn."""
        return self.rows("chance", "plan", "score")

    @property
    def is_left(self) -> Bools:
        """Which rows can be drawn: the rows that were not drawn and have no verdict."""
        found: Bools = self.verdicts == OPEN
        found[self.drawn] = False
        return found

    def certain(self, question: Question, positive: Bools) -> tuple[float, float]:
        """Limits that follow from the verdicts alone, whatever the rows without a verdict are.

        Parameters
        ----------
        positive : shape (n_rows,); only the values of rows with a verdict are used
        """
        open_, inside = self.verdicts == OPEN, question.inside

        def ends(of: Bools) -> tuple[float, float]:
            n_found = int((positive & ~open_ & of).sum())
            return float(n_found), float(n_found + (open_ & of).sum())

        (low, high), (low_outside, high_outside) = ends(inside), ends(~inside)
        if not question.of_positives:
            return low, high
        return (
            low / (low + high_outside) if low else 0.0,
            high / (high + low_outside) if high or low_outside else 1.0,  # 0 / 0 may be any share
        )

    @property
    def is_sample(self) -> Bools:
        """Which rows were drawn by chance and decided: only these are evidence about other rows."""
        found = np.zeros(len(self.verdicts), dtype=bool)
        found[self.rows("chance", "plan")] = True
        return found & (self.verdicts >= NEGATIVE)

    def next_rng(self) -> np.random.Generator:
        """The random numbers of the next batch; an audit that was saved and read has the same."""
        return np.random.default_rng([self.seed, _AUDIT, len(self.batches)])

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        if batch.by == "score":
            self.tell(batch.rows)
        self.batches.append(batch)

    def tell(self, rows: Ints) -> None:
        """Record that the verdicts of these rows count as known from now on."""
        self.told.update(dict.fromkeys(rows.tolist(), len(self.rows("chance"))))

    def correct(self, rows: Ints) -> None:
        """Forget the limits of all batches that were drawn after these rows got wrong verdicts."""
        chance = self.rows("chance")
        known_at = [self.told[row] for row in rows.tolist() if row in self.told]
        known_at += (np.flatnonzero(np.isin(chance, rows)) + 1).tolist()
        n_before = 0
        for place, batch in enumerate(self.batches):
            if batch.by == "chance":
                if n_before >= min(known_at, default=len(chance)):
                    self.batches[place] = replace(batch, low=0.0, high=float(len(self.verdicts)))
                n_before += len(batch.rows)

    @property
    def judged(self) -> Strata:
        """The strata of the latest batch of which a row is decided, for estimates.

        A cut of a stratum is for later draws. Until one of these rows is decided, all decided rows
        of the stratum were drawn with equal chances, so they are evidence about the whole stratum.
        So a draw alone changes no estimate.
        """
        for batch in reversed(self.batches):
            if batch.by != "score" and (self.verdicts[batch.rows] >= NEGATIVE).any():
                return self.strata.joined(batch.edges)
        return self.strata.before_cuts()

    def guess(self) -> Floats:
        """Expected share of positives in each stratum; shape (n_strata,)."""
        return self.strata.guess(self.is_sample, self.verdicts == POSITIVE)

    def limits(
        self, question: Question, limits: Callable[[Bools], tuple[float, float]]
    ) -> tuple[float, float]:
        """Limits that hold whatever the true verdicts of the unsure rows are.

        The lower limit counts unsure rows inside as negative and unsure rows outside as positive.
        The upper limit does the reverse.

        Parameters
        ----------
        limits : function of the rows that count as positive, shape (n_rows,); it returns both
            limits
        """
        positive, unsure = self.verdicts == POSITIVE, self.verdicts == UNSURE
        if not unsure.any():
            return limits(positive)
        low, _ = limits(positive | (unsure & ~question.inside))
        _, high = limits(positive | (unsure & question.inside))
        return min(low, high), max(low, high)

    def expected(self, question: Question) -> tuple[float, float]:
        """Expected value of the number in question, and expected number of all positives.

        For rows that are not decided, the share of positives among the rows drawn by chance counts.
        It is the share of the same stratum, separately for rows inside and outside.
        """
        strata = self.judged
        cells = 2 * strata.of + question.inside
        sample, positive = self.is_sample, self.verdicts == POSITIVE

        def number(rows: Bools) -> Floats:
            return np.bincount(cells[rows], minlength=2 * len(strata.sizes)).astype(float)

        n_drawn, n_positive = number(sample), number(sample & positive)
        guess = np.repeat(strata.guess(sample, positive), 2)
        share = np.where(n_drawn > 0, n_positive / np.maximum(n_drawn, 1), guess)
        totals = number(positive) + number(self.verdicts < NEGATIVE) * share
        inside, total = float(totals[1::2].sum()), float(totals.sum())
        if question.of_positives:
            return (inside / total if total else 0.0), total
        return inside / question.unit, total
