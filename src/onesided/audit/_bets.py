"""Equations of an audit whose intervals hold at every look: bets on the estimate at each draw.

At draw t, a row I is drawn among the rows that are left, with the known chances q_t. Let y be the
verdict of a row, g its expected verdict, and c a known constant of the row. The estimate of the
total of c y over all rows is

    Z_t = Σ_known c y + Σ_left c g + c_I (y_I - g_I) / q_t(I)

Given all that was seen before, the mean of Z_t is the total, whatever g and q are. Suppose that
somebody begins with the fortune 1, and bets the share λ_t of the fortune at each draw on Z_t being
above m. If the total is m or less, the expected fortune is never above 1. So the fortune reaches
1 / error at any time with a chance of at most `error` (Ville). The confidence sequence consists of
the totals m at which neither the bets on "more" nor the bets on "less" reached 2 / error
(Waudby-Smith, Ramdas 2024; Shekhar et al. 2023, for weighted sampling without replacement).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from onesided._typing import Bools, Floats, Ints

MOST_BET = 0.9
"""Largest share of the fortune that one draw may lose."""
_TINY = 1e-9


@dataclass(frozen=True)
class Draws:
    """`T` drawn rows, in the order in which they were drawn, and what was known at each draw.

    Arrays of shape (T, n_strata) hold column after column, since sums over few strata are then
    several times as fast. A row of `told` was not drawn by chance, but its verdict counts as known.

    Attributes
    ----------
    stratum : shape (T,), stratum of each drawn row
    sizes : shape (n_strata,), number of rows of each stratum
    chances : shape (T, n_strata), relative chance of a row that is left, at each draw
    guess : shape (T, n_strata), expected share of positives at each draw
    low, high : shape (T,), limits of the number of positives that were known before each draw
    told : shape (n_told,), stratum of each row of `told`
    told_at : shape (n_told,), number of draws that were made before its verdict was known
    """

    stratum: Ints
    sizes: Ints
    chances: Floats
    guess: Floats
    low: Floats
    high: Floats
    told: Ints
    told_at: Ints

    def left(self, counts: Floats, drawn: Floats, told: Floats) -> Floats:
        """Sum over the rows that are left in each stratum before each draw; shape (T, n_strata).

        Parameters
        ----------
        counts : shape (n_strata,), the sum over all rows of each stratum
        drawn, told : shape (T,) and (n_told,), the part of the sum that belongs to each row
        """
        gone = np.zeros((len(self.stratum) + 1, len(self.sizes)), order="F")
        gone[np.arange(1, len(gone)), self.stratum] = drawn
        np.add.at(gone, (self.told_at, self.told), told)
        found: Floats = counts - np.cumsum(gone, axis=0)[:-1]
        return found


@dataclass(frozen=True)
class Estimates:
    """The estimate of a total before and after each draw; arrays of shape (T,).

    Attributes
    ----------
    expected : estimate of the total before the draw
    found : estimate Z_t after the draw
    least, most : the smallest and the largest value that Z_t could take
    spread : expected variance of Z_t
    """

    expected: Floats
    found: Floats
    least: Floats
    most: Floats
    spread: Floats


def estimates(
    draws: Draws, sizes: Floats, drawn: Bools, told: Bools, positive: Bools, told_positive: Bools
) -> Estimates:
    """The estimates of the number of positives in a set of rows.

    Parameters
    ----------
    draws : the rows in the order in which they were drawn
    sizes : shape (n_strata,), number of rows of each stratum that belong to the set
    drawn, told : shape (T,) and (n_told,), whether each row belongs to the set
    positive, told_positive : shape (T,) and (n_told,), whether each row is positive
    """
    left = draws.left(draws.sizes.astype(float), np.ones(len(drawn)), np.ones(len(told)))
    inside = draws.left(sizes, drawn.astype(float), told.astype(float))
    known = -draws.left(
        np.zeros(len(sizes)),
        (drawn & positive).astype(float),
        (told & told_positive).astype(float),
    ).sum(axis=1)
    steps = (left * draws.chances).sum(axis=1, keepdims=True) / draws.chances  # 1 / q_t
    guess = draws.guess
    expected = known + (inside * guess).sum(axis=1)
    at = np.arange(len(drawn)), draws.stratum
    is_open = inside > 0
    return Estimates(
        expected,
        expected + drawn * (positive - guess[at]) * steps[at],
        expected - np.where(is_open, guess * steps, 0).max(axis=1),
        expected + np.where(is_open, (1 - guess) * steps, 0).max(axis=1),
        (inside * steps * guess * (1 - guess)).sum(axis=1),
    )


@dataclass(frozen=True)
class Bets:
    """Bets that an unknown number r is higher than a candidate value, and bets that it is lower.

    At the true r, the mean of `part` - r `whole` is 0 at each draw.

    Attributes
    ----------
    part : shape (T,), estimates of the number of positives inside
    whole : shape (T,), estimates of the number of all positives if r is a share; ones if r is a
        total
    more, less : shape (T,), share of the fortune per unit of part - r whole, or of r whole - part
    aim, spread : shape (T,), wanted half width and expected variance of part - r whole
    low, high : smallest and largest candidate
    """

    part: Floats
    whole: Floats
    more: Floats
    less: Floats
    aim: Floats
    spread: Floats
    low: float
    high: float

    def limits(self, error: float) -> tuple[float, float]:
        """Limits of the candidates at which neither kind of bets reaches the fortune 2 / error.

        If every candidate is rejected, the two limits are equal. If `low` is above `high`, these
        two are returned.
        """
        if self.low > self.high:
            return self.low, self.high
        won = np.log(2 / error)

        def wins(r: float, bet: Floats) -> float:
            return float(np.log1p(bet * (self.part - r * self.whole)).sum() - won)

        lower = _last_rejected(lambda r: wins(r, self.more), self.low, self.high)
        upper = _last_rejected(lambda r: wins(r, -self.less), self.high, lower)
        return lower, upper


def bets_on_total(of: Estimates, aim: Floats, low: Floats, high: Floats, error: float) -> Bets:
    """Bets on a number of positives.

    Parameters
    ----------
    of : estimates of the number
    aim : shape (T,), wanted half width, as known before each draw
    low, high : shape (T,), limits of the number that were known before each draw
    error : in (0, 1), chance that the interval fails
    """
    bet = bet_for(aim, of.spread, error)
    return Bets(
        of.found,
        np.ones(len(aim)),
        bounded(bet, high - of.least),
        bounded(bet, of.most - low),
        aim,
        of.spread,
        float(low.max()),
        float(high.min()),
    )


def bets_on_share(part: Estimates, whole: Estimates, aim: float, error: float) -> Bets:
    """Bets on the share of all positives that a part of the rows holds.

    Parameters
    ----------
    part, whole : estimates of the number of positives in the part and among all rows
    aim : wanted half width of the share
    error : in (0, 1), chance that the interval fails
    """
    ratio = np.clip(part.expected / whole.expected, 0, 1)
    spread = (1 - 2 * ratio) * part.spread + ratio**2 * whole.spread
    away = aim * whole.expected
    bet = bet_for(away, spread, error)
    furthest = np.maximum(whole.most - whole.expected, whole.expected - whole.least)
    return Bets(
        part.found,
        whole.found,
        bounded(bet, furthest + whole.expected - part.expected),
        bounded(bet, furthest + part.expected),
        away,
        spread,
        0.0,
        1.0,
    )


def bet_for(aim: Floats, spread: Floats, error: float) -> Floats:
    """Share of the fortune for each draw, per unit of its estimate.

    Let the aim D and the variance v be constant. The bet λ = D / v needs the fewest draws to reject
    a number that is D away: 2 log(2 / error) v / D² draws. After so many draws, the bets fall as
    1 / √(number of draws), so that the interval goes on shrinking.

    Parameters
    ----------
    aim : shape (T,), wanted half width, as known before each draw
    spread : shape (T,), expected variance of the estimate
    error : in (0, 1), chance that the interval fails
    """
    spread = np.maximum(spread, _TINY)
    most, information = 2 * np.log(2 / error), np.cumsum(aim**2 / spread)
    found: Floats = aim / spread * np.sqrt(np.minimum(1, most / np.maximum(information, _TINY)))
    return found


def bounded(bet: Floats, away: Floats) -> Floats:
    """The bets, reduced so that no bet can lose more than the share `MOST_BET` of the fortune.

    Parameters
    ----------
    bet : shape (T,), from `bet_for`
    away : shape (T,), largest distance of the estimate on the losing side
    """
    return np.minimum(bet, MOST_BET / np.maximum(away, _TINY))


def _last_rejected(wins: Callable[[float], float], start: float, end: float) -> float:
    """The last value from `start` towards `end` up to which every value is rejected.

    If `start` is not rejected, this is `start`. A value is rejected if `wins` is positive. `wins`
    is concave, as the logarithm of a product of linear functions, so it is positive in one interval
    only.
    """
    if start == end or wins(start) < 0:
        return start
    return end if wins(end) >= 0 else float(brentq(wins, start, end))
