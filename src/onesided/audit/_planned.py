"""A planned audit: a simple random sample of each stratum."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from onesided._typing import Bools, Floats
from onesided.audit._limits import allocate, stratum_limits, sum_limits
from onesided.audit._record import OPEN, Batch, Question, Record, narrowed
from onesided.audit._strata import Strata

_SURER = 0.95
"""A cost is computed for this part of the wanted half width, because samples vary."""


def draw(record: Record, n: int, question: Question) -> None:
    """Draw `n` rows; within a stratum, rows have their turn in the random order `priority`.

    A row that has a verdict already is not drawn when its turn comes, but it counts in the sample.
    """
    strata, rows = record.strata, []
    left, taken = record.is_left, _in_turn(record, strata)
    if question.of_positives and not len(record.drawn):  # nothing shows yet where positives are
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
        # In this order, a user who stops early has checked the same part of each stratum.
        part = (place[place < more[strata.of[order]]] + 0.5) / more[strata.of[come]]
        come = come[np.argsort(part, kind="stable")]
        rows.append(come[left[come]])
        n -= len(rows[-1])
    starts = np.array(strata.edges[:-1])
    alike = np.ones(len(starts))
    record.add(Batch(np.concatenate(rows), "plan", starts, alike, record.guess()))


def _in_turn(record: Record, strata: Strata) -> Bools:
    """Which rows had their turn: in each stratum, the rows up to the last drawn row."""
    drawn = record.rows("plan")
    last = np.full(len(strata.sizes), -1.0)
    np.maximum.at(last, strata.of[drawn], record.priority[drawn])
    return record.priority <= last[strata.of]


def sample(record: Record) -> Bools:
    """Which rows are the sample: in each stratum, the rows before the first without a verdict.

    The sample has only rows whose turn has come. Rows in `record.told` whose turn has not come are
    left out. Otherwise, a user who knows the verdicts so far could choose where the sample ends.
    """
    strata, without = record.judged, record.verdicts == OPEN
    first = np.full(len(strata.sizes), np.inf)
    np.minimum.at(first, strata.of[without], record.priority[without])
    return _in_turn(record, strata) & (record.priority < first[strata.of])


def n_waiting(record: Record) -> int:
    """Number of drawn rows with a verdict that does not count yet."""
    drawn = record.rows("plan")
    return int((~sample(record)[drawn] & (record.verdicts[drawn] != OPEN)).sum())


def limits(
    record: Record, question: Question, positive: Bools, error: float
) -> tuple[float, float]:
    """Limits of the number of positives inside, or of their share of all positives.

    Parameters
    ----------
    positive : shape (n_rows,); only the values of rows with a verdict are used
    error : in (0, 1), chance that one of the two limits fails
    """
    strata, checked = record.judged, sample(record)
    cells = 2 * strata.of + question.inside
    n_cells = 2 * len(strata.sizes)
    sizes = np.bincount(cells, minlength=n_cells)
    used = sizes > 0
    n = np.bincount(cells[checked], minlength=n_cells)[used]
    k = np.bincount(cells[checked & positive], minlength=n_cells)[used]
    sizes = sizes[used]
    inside = (np.arange(n_cells)[used] % 2).astype(float)
    # Parts of strata have few checked rows each. Mid-P limits of few rows hold less often.
    equal = 0.5 if question.inside.all() else 1.0
    lower, upper = (each.astype(float) for each in stratum_limits(k, n, sizes, error, equal))
    point = sizes * k / np.maximum(n, 1)
    join = _ratio_limits if question.of_positives else sum_limits
    joined = join(inside, point, lower, upper, n == 0)
    # Verdicts of rows out of turn are certain, too. They narrow the limits only here, at the end.
    # The distance from a point to a certain limit is not an independent error, so its square must
    # not be added to the squares of the other distances.
    return narrowed(joined, record.certain(question, positive))


def _ratio_limits(
    inside: Floats, point: Floats, lower: Floats, upper: Floats, unseen: Bools
) -> tuple[float, float]:
    """Limits of the share of all positives that is inside.

    The share is at least r if (1 - r) times the number inside, minus r times the number outside,
    is at least 0. So each limit of the share is the r at which this limit of the difference is 0.
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
    """Expected number of rows still to check until the half width is `half_width`.

    Chance may have made the interval wider than expected. So the result is at least a tenth of the
    rows that had their turn, unless fewer are left.

    Parameters
    ----------
    half_width : wanted half width, relative to the number for a count, absolute for a share
    now : half width of today's interval; only an anytime audit uses it
    """
    strata = record.strata
    share, total = record.expected(question)
    done = strata.sums(_in_turn(record, strata)).astype(np.int64)
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
