"""An anytime audit: rows are drawn one by one with known chances, and bets give the limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from onesided._typing import Bools, Floats, Ints
from onesided.audit import _bets
from onesided.audit._record import OPEN, POSITIVE, Batch, Question, Record, narrowed

_EVEN = 0.5
"""Share of the draws that does not depend on uncertainty; the other draws go to uncertain rows.

This share includes `_ELSEWHERE`. The rest of it is spread by how much a row counts for the
question.
"""
_ELSEWHERE = 0.05
"""Share of the draws in which all rows have the same chance, whatever the question."""
_TELLING = 25  # with so many draws, today's interval helps to predict the later ones
_STEPS = 120  # numbers of rows for which the half width is predicted


def draw(record: Record, n: int, question: Question) -> None:
    """Draw `n` rows one after the other, with chances that stay the same for the whole batch."""
    left, strata = record.is_left, record.strata
    chances, guess = _chances(record, question, strata.sums(left))
    low, high = count_limits(record)
    # The order of these random times is the order of draws one by one with these chances.
    times = record.next_rng().exponential(size=len(left)) / chances[strata.of]
    times[~left] = np.inf
    rows = np.argpartition(times, n - 1)[:n]
    rows = rows[np.argsort(times[rows], kind="stable")]
    edges = np.array(strata.edges[:-1])
    record.add(Batch(rows, "chance", edges, chances, guess, low, high))


def _chances(record: Record, question: Question, left: Floats) -> tuple[Floats, Floats]:
    """Relative chance of a row that is left, and expected share of positives, in each stratum.

    Parameters
    ----------
    left : shape (n_strata,), number of rows that can still be drawn
    """
    guess = record.guess()
    per_row = np.abs(question.weights(record.strata, *record.expected(question)))
    doubt = per_row * np.sqrt(guess * (1 - guess))
    uncertain, alike, elsewhere = (
        each / max(float(left @ each), np.finfo(float).tiny)
        for each in (doubt, per_row, np.ones(len(left)))
    )
    return (1 - _EVEN) * uncertain + (_EVEN - _ELSEWHERE) * alike + _ELSEWHERE * elsewhere, guess


def used(record: Record) -> Ints:
    """The drawn rows that count: those drawn before the first row without a verdict."""
    rows = record.rows("chance")
    open_at = np.flatnonzero(record.verdicts[rows] == OPEN)
    told_at = [at for row, at in record.told.items() if record.verdicts[row] == OPEN]
    return rows[: min([*open_at[:1].tolist(), *told_at, len(rows)])]


def n_waiting(record: Record) -> int:
    """Number of drawn rows with a verdict that does not count yet."""
    later = record.rows("chance")[len(used(record)) :]
    return int((record.verdicts[later] != OPEN).sum())


def count_limits(record: Record) -> tuple[float, float]:
    """Limits of the number of positives among all rows."""
    question = Question.of_all(len(record.verdicts))
    return record.limits(
        question, lambda positive: limits(record, question, positive, record.error)
    )


def limits(
    record: Record, question: Question, positive: Bools, error: float
) -> tuple[float, float]:
    """Limits of the number of positives inside, or of their share of all positives.

    Parameters
    ----------
    positive : shape (n_rows,); only the values of rows with a verdict are used
    error : in (0, 1), chance that one of the two limits fails
    """
    certain = record.certain(question, positive)
    rows = used(record)
    if len(rows) == 0 or certain[0] == certain[1]:
        return certain
    return narrowed(_bets_on(record, rows, question, positive).limits(error), certain)


def _bets_on(record: Record, rows: Ints, question: Question, positive: Bools) -> _bets.Bets:
    """The bets on the number in question, one for each used row."""
    draws, n_inside, error = _draws(record, rows), float(question.inside.sum()), record.error
    everything = np.ones_like(question.inside)
    part = _estimates(record, draws, rows, question.inside, positive)
    if question.of_positives:
        whole = _estimates(record, draws, rows, everything, positive)
        return _bets.bets_on_share(part, whole, question.aim, error)
    aim = question.aim * (part.expected if question.is_count else np.full(len(rows), question.unit))
    if question.is_kept:
        return _bets.bets_on_total(part, aim, draws.low, draws.high, error)
    none = np.zeros(len(rows))
    return _bets.bets_on_total(part, aim, none, none + n_inside, error)


def _draws(record: Record, rows: Ints) -> _bets.Draws:
    """The used rows, with the chances of their draws, arranged by the current strata."""
    strata = record.strata
    batches = [batch for batch in record.batches if batch.by == "chance"]
    of = np.repeat(np.arange(len(batches)), [len(batch.rows) for batch in batches])[: len(rows)]
    starts = np.array(strata.edges[:-1])
    parents = [np.searchsorted(batch.edges, starts, side="right") - 1 for batch in batches]
    told = _told(record, rows)
    return _bets.Draws(
        stratum=strata.of[rows],
        sizes=strata.sizes,
        chances=np.array([b.chances[p] for b, p in zip(batches, parents, strict=True)]).T[:, of].T,
        guess=np.array([b.guess[p] for b, p in zip(batches, parents, strict=True)]).T[:, of].T,
        low=np.array([batch.low for batch in batches])[of],
        high=np.array([batch.high for batch in batches])[of],
        told=strata.of[told],
        told_at=np.array([record.told[row] for row in told.tolist()], dtype=np.int64),
    )


def _told(record: Record, rows: Ints) -> Ints:
    """The rows in `record.told` whose verdict was known before the last used row was drawn."""
    found = [row for row, at in record.told.items() if at <= len(rows)]
    return np.array(found, dtype=np.int64)


def _estimates(
    record: Record, draws: _bets.Draws, rows: Ints, inside: Bools, positive: Bools
) -> _bets.Estimates:
    sizes, told = record.strata.sums(inside), _told(record, rows)
    return _bets.estimates(draws, sizes, inside[rows], inside[told], positive[rows], positive[told])


def constants(record: Record, positions: Ints) -> dict[str, Any]:
    """The constants with which a page computes limits of the number of positives from verdicts.

    Parameters
    ----------
    positions : rows whose verdicts the page holds, in the order of the page

    Returns
    -------
    plain numbers and texts that JSON can hold. `strata` are the strata of the first draws, and as
    they were after each cut for later draws (see `Record.judged`). They have these columns, with
    one value for each stratum:

    - `size` : its number of rows
    - `guess` : its expected share of positives before any verdict

    Their column `of` is the stratum there of each of the last, smallest strata. An event is a
    draw, or a row of `record.told`. `events` has these columns, in the order of the events:

    - `row` : place of the row in the page; None if the page does not have the row
    - `verdict` : code of the verdict, for rows that the page does not have
    - `stratum` : stratum of the row, of the smallest strata

    The other columns are None for rows of `record.told`. `cut` is the place in `strata` of those
    with which the row was drawn. The next five describe the estimate of the total, minus the
    positives known before the draw:

    - `rest` : expected value of the estimate
    - `if_no`, `if_yes` : the estimate after a negative and after a positive verdict
    - `least`, `most` : the smallest and the largest value that the estimate can take
    - `spread` : expected variance of the estimate
    - `low`, `high` : limits of the total that were known before the draw
    - `begun` : place in `events` of the first row of the batch. A correction of an earlier verdict
      makes the limits of the batch unknown
    """
    strata, rows, nobody = record.strata, record.rows("chance"), np.zeros_like(record.is_left)
    batches = [batch for batch in record.batches if batch.by == "chance"]
    steps = [strata.before_cuts(), *(strata.joined(batch.edges) for batch in batches), strata]
    by_size = {len(each.sizes): each for each in steps}  # cuts only add strata
    cut_of = {n_strata: at for at, n_strata in enumerate(by_size)}
    told = np.array(list(record.told), dtype=np.int64)
    times = np.append(np.arange(len(rows)), np.array([*record.told.values()]) - 0.5)
    order = np.argsort(times, kind="stable").tolist()
    at_event = np.argsort(order)
    drawn: dict[str, list[Any]] = {}
    if len(rows):
        sizes = [len(batch.rows) for batch in batches]
        first = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
        cuts = np.repeat([cut_of[len(batch.edges)] for batch in batches], sizes)
        drawn = {
            **_by_verdict(record, rows),
            "begun": at_event[first].tolist(),
            "cut": cuts.tolist(),
        }
    of = np.append(rows, told)[order]
    places = dict(zip(positions.tolist(), range(len(positions)), strict=True))
    return {
        "n_rows": len(nobody),
        "error": record.error,
        "aim": Question.aim,
        "most_bet": _bets.MOST_BET,
        "strata": [
            {
                "size": each.sizes.tolist(),
                "guess": each.guess(nobody, nobody).tolist(),
                "of": (np.searchsorted(each.edges, strata.edges[:-1], side="right") - 1).tolist(),
            }
            for each in by_size.values()
        ],
        "events": {
            "row": [places.get(row) for row in of.tolist()],
            "verdict": record.verdicts[of].tolist(),
            "stratum": strata.of[of].tolist(),
            **{
                name: [values[at] if at < len(rows) else None for at in order]
                for name, values in drawn.items()
            },
        },
    }


def _by_verdict(record: Record, rows: Ints) -> dict[str, list[float]]:
    """The columns that `constants` gives for rows that were drawn by chance."""
    draws, everything = _draws(record, rows), np.ones_like(record.is_left)
    no, yes = (
        _estimates(record, draws, rows, everything, positive)
        for positive in (~everything, everything)
    )
    columns = {
        "rest": no.expected,
        "if_no": no.found,
        "if_yes": no.expected + (yes.found - yes.expected),
        "least": no.least,
        "most": no.most,
        "spread": no.spread,
        "low": draws.low,
        "high": draws.high,
    }
    return {name: values.tolist() for name, values in columns.items()}


def rows_to_check(record: Record, question: Question, half_width: float, now: float) -> int:
    """Expected number of rows still to check until the half width is `half_width`.

    The later bets are predicted. After the bets λ, with the expected variances v of the estimate,
    a limit is expected to be (log(2 / error) + Σ λ² v / 2) / Σ λ away from the number. Chance may
    have made today's interval wider or narrower than that. The later bets must then win as much
    more or less.

    Parameters
    ----------
    half_width : wanted half width, relative to the number for a count, absolute for a share
    now : half width of today's interval, in the same unit
    """
    strata, guess, won = record.strata, record.guess(), np.log(2 / record.error)
    number, total = record.expected(question)
    part = strata.sums(question.inside) / strata.sizes
    if question.of_positives:
        unit, most, ratio, expected = total, total, number, number * total
    else:
        expected, most, ratio = number * question.unit, float(question.inside.sum()), 0.0
        unit = number if question.is_count else question.unit
    mean_square = (1 - 2 * ratio) * part + ratio**2  # mean over rows of (inside - ratio)²
    left = strata.sums(record.is_left)
    chances, _ = _chances(record, question, left)
    sums, squares, information = _spent(record, question)
    by_chance = np.zeros(2)  # what later bets must win in addition, because of bad luck so far
    if len(used(record)) >= _TELLING:
        by_chance = now * unit * sums - (won + squares / 2)
    n_more = np.unique(np.geomspace(1, left.sum(), _STEPS).round())
    widths = []
    for step in np.diff(n_more, prepend=0):
        per_row = (left @ chances) / chances
        spread = max(float((left * mean_square) @ (per_row * guess * (1 - guess))), 1e-9)
        information += step * (question.aim * unit) ** 2 / spread
        slower = np.sqrt(min(1.0, 2 * won / max(information, 1e-9)))
        bet = question.aim * unit / spread * slower
        is_open = (left > 0) & (mean_square > 0)
        away = [
            most - expected + float(np.where(is_open, guess * per_row, 0).max()),
            expected + float(np.where(is_open, (1 - guess) * per_row, 0).max()),
        ]
        bets = _bets.bounded(np.full(2, bet), np.array(away))
        sums, squares = sums + step * bets, squares + step * bets**2 * spread
        widths.append(float(((won + by_chance + squares / 2) / np.maximum(sums, 1e-9)).mean()))
        left = np.maximum(left - step / per_row * left, 0)
    widths[-1] = 0.0  # when all rows are checked, the number is known exactly
    narrowest = np.minimum.accumulate(widths)
    return int(np.ceil(np.interp(-half_width * unit, -narrowest, n_more)))


def _spent(record: Record, question: Question) -> tuple[Floats, Floats, float]:
    """Sums over the draws so far: of the bets λ and of λ² v, on both sides, and of aim² / v."""
    rows = used(record)
    if len(rows) == 0:
        return np.zeros(2), np.zeros(2), 0.0
    bets = _bets_on(record, rows, question, record.verdicts == POSITIVE)
    both = np.array([bets.more, bets.less])
    spread = np.maximum(bets.spread, 1e-9)
    return both.sum(axis=1), both**2 @ spread, float((bets.aim**2 / spread).sum())
