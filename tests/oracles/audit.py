"""Audits by loops: orders of draws one by one, limits from every number that might be true."""

import math
from fractions import Fraction
from itertools import product

from scipy.special import betaincinv


def hypergeometric(k, checked, total, size):
    """Chance of k positives among `checked` of `size` rows, of which `total` are positive."""
    if not 0 <= k <= total or not 0 <= checked - k <= size - total:
        return Fraction(0)
    orders = math.comb(total, k) * math.comb(size - total, checked - k)
    return Fraction(orders, math.comb(size, checked))


def limits(k, checked, size, error, equal):
    """The least and the greatest total at which k or more, k or fewer, are not too rare.

    The part `equal` of the chance of k itself counts: a half is mid-P, 1 is Clopper and Pearson.
    """
    half = Fraction(error) / 2

    def tail(total, counts):
        more = sum(hypergeometric(each, checked, total, size) for each in counts)
        return more + hypergeometric(k, checked, total, size) * Fraction(equal)

    possible = range(k, size - (checked - k) + 1)
    lower = min(t for t in possible if tail(t, range(k + 1, checked + 1)) > half)
    upper = max(t for t in possible if tail(t, range(k)) > half)
    return lower, upper


def mover(weights, point, lower, upper, unseen):
    """Zou, Huang and Zhang's (2009) limits of a sum, what is unseen added as it is."""
    ends = []
    for sign in (-1, 1):
        squares = alone = total = 0.0
        for w, e, low, high, is_unseen in zip(weights, point, lower, upper, unseen, strict=True):
            candidates = (w * low, w * high)
            end = min(candidates) if sign < 0 else max(candidates)
            total += w * e
            if is_unseen:
                alone += abs(end - w * e)
            else:
                squares += (end - w * e) ** 2
        ends.append(total + sign * (math.sqrt(squares) + alone))
    return tuple(ends)


def share_limits(inside, point, lower, upper, unseen, steps=500):
    """Shares at which the sum inside, less the share of all, may be zero; on a grid."""
    fits = []
    for step in range(steps + 1):
        r = step / steps
        low, high = mover([each - r for each in inside], point, lower, upper, unseen)
        if low <= 0 <= high:
            fits.append(r)
    return min(fits), max(fits)


def squared_distances(weight, share, size, checked, error):
    """Squares of both distances of the limits, as far as rows are open.

    The limits are halfway between Jeffreys' and Clopper and Pearson's.
    """
    scale = (weight * size) ** 2
    if not checked:
        return scale * (share**2 + (1 - share) ** 2)
    k, rest = checked * share, checked * (1 - share)
    exact = betaincinv(k, rest + 1, error / 2), betaincinv(k + 1, rest, 1 - error / 2)
    middle = (betaincinv(k + 0.5, rest + 0.5, q) for q in (error / 2, 1 - error / 2))
    low, high = ((a + b) / 2 for a, b in zip(exact, middle, strict=True))
    return scale * (1 - checked / size) * ((share - low) ** 2 + (high - share) ** 2)


def best_allocation(weights, shares, sizes, done, error, n_rows):
    """The least sum of squares over all ways of checking `n_rows` rows."""
    return min(
        sum(map(squared_distances, weights, shares, sizes, rows, [error] * len(rows)))
        for rows in product(*(range(d, n + 1) for d, n in zip(done, sizes, strict=True)))
        if sum(rows) == n_rows
    )


def next_draw(chances, left):
    """Chance of each row that is left, by the relative chances of all."""
    total = sum(chances[row] for row in left)
    return {row: chances[row] / total for row in left}


def orders(chances, n):
    """Each order of n rows drawn one by one without replacement, with its chance."""
    found = {(): 1.0}
    for _ in range(n):
        found = {
            (*past, row): chance * q
            for past, chance in found.items()
            for row, q in next_draw(
                chances, [r for r in range(len(chances)) if r not in past]
            ).items()
        }
    return found


def estimate(drawn, q, known, left, inside, truth, guess):
    """Z_t: what is known, what is expected of the rest, and the surprise by its chance."""
    z = sum(truth[row] for row in known if inside[row])
    z += sum(guess[row] for row in left if inside[row])
    return z + inside[drawn] * (truth[drawn] - guess[drawn]) / q


def refuted(z, bets, sign, error, candidates):
    """Candidates at which bets on more (sign 1) or less (-1) reach 2 / error."""
    return [
        m
        for m in candidates
        if math.prod(1 + sign * bet * (each - m) for each, bet in zip(z, bets, strict=True))
        >= 2 / error
    ]


def certain(verdicts, inside, *, of_positives=False):
    """Least and greatest number of positives inside, or share, over all ways to fill the gaps.

    `verdicts`: True, False, or None for a row that may be either.
    """
    low = sum(v is True for v, i in zip(verdicts, inside, strict=True) if i)
    high = sum(v is not False for v, i in zip(verdicts, inside, strict=True) if i)
    if not of_positives:
        return low, high
    outside = [v for v, i in zip(verdicts, inside, strict=True) if not i]
    least, most = sum(v is True for v in outside), sum(v is not False for v in outside)
    return low / (low + most) if low else 0, high / (high + least) if high else 0
