"""Equations of an audit that may be looked at any time: bets on what each draw brings.

Row t is drawn with the known chance q_t among the rows that are left. With an expected verdict g of
each row, the estimate of the total of c y over all rows

    Z_t = Σ_known c y + Σ_left c g + c_I (y_I - g_I) / q_t(I)

has the total as its mean, given all that was seen before, whatever g and q are. Somebody who bets
at each draw the share λ_t of a fortune on Z_t being above m has the expected fortune 1 for ever, if
the total is m or less. So a fortune of 1 / error is reached with a chance of at most `error`, at
whatever time one looks (Ville). The confidence sequence has the totals m at which neither the bets
on "more" nor those on "less" reached 2 / error (Waudby-Smith, Ramdas 2024; Shekhar et al. 2023, for
weighted sampling without replacement).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from onesided._typing import Bools, Floats, Ints

MOST_BET = 0.9
"""Share of the fortune that one draw may lose."""
_TINY = 1e-9


@dataclass(frozen=True)
class Draws:
    """Rows in the order in which they were drawn; `T` of them.

    Attributes
    ----------
    stratum : shape (T,), of each row
    sizes : shape (n_strata,), rows of each stratum
    chances : shape (T, n_strata), relative chance of each left row of the strata, at each draw
    guess : shape (T, n_strata), expected share of positives at each draw
    low, high : shape (T,), limits of the number of positives that were known before each draw
    told : strata of the rows whose verdict counts although chance did not draw them
    told_at : draws that were made before that
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
        """What is left of a sum over each stratum before each draw; shape (T, n_strata).

        Parameters
        ----------
        counts : shape (n_strata,), the sum over all rows
        drawn, told : what each drawn and each told row takes from it
        """
        gone = np.zeros((len(self.stratum) + 1, len(self.sizes)))
        gone[np.arange(1, len(gone)), self.stratum] = drawn
        np.add.at(gone, (self.told_at, self.told), told)
        found: Floats = counts - np.cumsum(gone, axis=0)[:-1]
        return found


@dataclass(frozen=True)
class Estimates:
    """The estimate of a total before and after each draw; arrays of shape (T,).

    Attributes
    ----------
    expected : what was expected of the total before the draw
    found : Z_t
    least, most : the values that Z_t could take
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
    sizes : shape (n_strata,), rows of each stratum that belong to the set
    drawn, told : whether each drawn and each told row belongs to the set
    positive, told_positive : whether each drawn and each told row is positive
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
    """Bets on a number r being higher than its candidate, and on its being lower.

    At the true r the numbers `part` - r `whole` have the mean 0, draw by draw.

    Attributes
    ----------
    part : shape (T,)
    whole : shape (T,), the estimates of all positives for a share; ones for a total
    more, less : shape (T,), share of the fortune per unit of part - r whole, or of r whole - part
    aim, spread : shape (T,), wanted half width and expected variance of part - r whole
    low, high : candidates from and to
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
        """Limits at which neither the bets on more nor those on less reach 2 / error.

        The lower one is above the upper one if nothing is left between them.
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
    aim : shape (T,), half width that is wanted, as known before each draw
    low, high : shape (T,), limits of the number that were certain or found before each draw
    error : in (0, 1)
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
    part, whole : estimates of both numbers of positives
    aim : half width of the share that is wanted
    error : in (0, 1)
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

    For a constant aim D and variance v, λ = D / v rejects a number that is D away after the fewest
    draws, 2 log(2 / error) v / D². From then on the bets become smaller as the root of the draws,
    so that the interval goes on shrinking.

    Parameters
    ----------
    aim : shape (T,), half width that is wanted, as known before each draw
    spread : shape (T,), expected variance of the estimate
    error : of the interval, in (0, 1)
    """
    spread = np.maximum(spread, _TINY)
    most, information = 2 * np.log(2 / error), np.cumsum(aim**2 / spread)
    found: Floats = aim / spread * np.sqrt(np.minimum(1, most / np.maximum(information, _TINY)))
    return found


def bounded(bet: Floats, away: Floats) -> Floats:
    """Bets of which none can lose more than `MOST_BET` of the fortune.

    Parameters
    ----------
    bet : shape (T,), from `bet_for`
    away : shape (T,), how far the estimate may lie on the side that loses
    """
    return np.minimum(bet, MOST_BET / np.maximum(away, _TINY))


def _last_rejected(wins: Callable[[float], float], start: float, end: float) -> float:
    """The value up to which all from `start` on are rejected; `start` if that is not rejected.

    `wins`, the logarithm of a product of linear functions, is concave: where it is positive is one
    interval.
    """
    if start == end or wins(start) < 0:
        return start
    return end if wins(end) >= 0 else float(brentq(wins, start, end))
