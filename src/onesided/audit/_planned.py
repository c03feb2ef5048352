"""A planned audit: a simple random sample of each stratum."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from onesided._typing import Bools, Floats
from onesided.audit._limits import allocate, stratum_limits, sum_limits
from onesided.audit._record import OPEN, Batch, Question, Record, narrowed

_SURER = 0.95
"""Part of the wanted half width that a cost is computed for, since samples vary."""


def draw(record: Record, n: int, question: Question) -> None:
    """Draw `n` rows, those of each stratum in their random order.

    Rows that have a verdict already count when their turn comes, so that more rows may come up
    than are drawn.
    """
    strata, rows = record.strata, []
    left, taken = record.is_left, _in_turn(record)
    if question.of_positives and not len(record.drawn):  # where positives are is not known yet
        weights = np.ones(len(strata.sizes))
    else:
        weights = question.weights(strata, *record.expected(question))
    while n:
        done = strata.sums(taken).astype(np.int64)
        n_rows = int(done.sum()) + n
        wanted = allocate(
            weights, record.guess(), strata.sizes, done, error=record.error, n_rows=n_rows
        )
        order = np.lexsort((record.priority, strata.of))
        order = order[~taken[order]]
        place = np.arange(len(order)) - np.searchsorted(strata.of[order], strata.of[order])
        more = wanted - done
        come = order[place < more[strata.of[order]]]
        taken[come] = True
        # Those who stop early have checked about the same part of each stratum.
        part = (place[place < more[strata.of[order]]] + 0.5) / more[strata.of[come]]
        come = come[np.argsort(part, kind="stable")]
        rows.append(come[left[come]])
        n -= len(rows[-1])
    record.add(Batch(np.concatenate(rows), "plan"))


def _in_turn(record: Record) -> Bools:
    """Which rows had their turn: in each stratum those up to the last one that was drawn."""
    strata, drawn = record.strata, record.rows("plan")
    last = np.full(len(strata.sizes), -1.0)
    np.maximum.at(last, strata.of[drawn], record.priority[drawn])
    return record.priority <= last[strata.of]


def sample(record: Record) -> Bools:
    """Which rows are the sample: of each stratum those before the first row without a verdict.

    Told rows whose turn has not come are no part of it: who knows the verdicts drawn so far could
    choose how long it is.
    """
    strata, without = record.strata, record.verdicts == OPEN
    first = np.full(len(strata.sizes), np.inf)
    np.minimum.at(first, strata.of[without], record.priority[without])
    return _in_turn(record) & (record.priority < first[strata.of])


def n_waiting(record: Record) -> int:
    """Verdicts of drawn rows that do not count yet."""
    drawn = record.rows("plan")
    return int((~sample(record)[drawn] & (record.verdicts[drawn] != OPEN)).sum())


def limits(
    record: Record, question: Question, positive: Bools, error: float
) -> tuple[float, float]:
    """Limits of the number of positives inside, or of their share of all positives.

    Parameters
    ----------
    positive : shape (n_rows,), read where there is a verdict
    error : in (0, 1), of both limits together
    """
    strata, checked = record.strata, sample(record)
    cells = 2 * strata.of + question.inside
    n_cells = 2 * len(strata.sizes)
    sizes = np.bincount(cells, minlength=n_cells)
    used = sizes > 0
    n = np.bincount(cells[checked], minlength=n_cells)[used]
    k = np.bincount(cells[checked & positive], minlength=n_cells)[used]
    sizes = sizes[used]
    inside = (np.arange(n_cells)[used] % 2).astype(float)
    # Parts of strata have few checked rows each, and mid-P limits hold less often there.
    equal = 0.5 if question.inside.all() else 1.0
    lower, upper = (each.astype(float) for each in stratum_limits(k, n, sizes, error, equal))
    point = sizes * k / np.maximum(n, 1)
    join = _ratio_limits if question.of_positives else sum_limits
    joined = join(inside, point, lower, upper, n == 0)
    # Rows out of turn are certain, too. They come in at the end: the distance from a point to what
    # is certain is no independent error, and may not be added to others as a square.
    return narrowed(joined, record.certain(question, positive))


def _ratio_limits(
    inside: Floats, point: Floats, lower: Floats, upper: Floats, unseen: Bools
) -> tuple[float, float]:
    """Limits of the share of the sum that is inside.

    The share is at least r if (1 - r) times the sum inside, less r times the sum outside, may not
    be negative.
    """

    def end(r: float, side: int) -> float:
        return sum_limits(inside - r, point, lower, upper, unseen)[side]

    low = high = 0.0
    if end(0, 0) > 0:
        low = brentq(end, 0, 1, args=(0,)) if end(1, 0) < 0 else 1.0
    if end(0, 1) > 0:
        high = brentq(end, 0, 1, args=(1,)) if end(1, 1) < 0 else 1.0
    return float(low), float(high)


def rows_to_check(record: Record, question: Question, half_width: float, now: float) -> int:  # noqa: ARG001 - an anytime audit learns from it
    """Rows still to check until the half width is expected to be `half_width`; it is `now`.

    Where chance has made the interval wider than expected, a tenth of the rows so far.
    """
    strata = record.strata
    share, total = record.expected(question)
    done = strata.sums(_in_turn(record)).astype(np.int64)
    wanted = allocate(
        question.weights(strata, share, total),
        record.guess(),
        strata.sizes,
        done,
        error=record.error,
        n_rows=int(strata.sizes.sum()),
        half_width=_SURER * half_width * (share if question.is_count else 1),
    )
    n_left, n_done = int((strata.sizes - done).sum()), int(done.sum())
    return min(n_left, max(int(wanted.sum()) - n_done, math.ceil(n_done / 10)))
