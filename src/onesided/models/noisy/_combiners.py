"""The six functions that turn hidden effects into the class (Vomlel 2004, section 2).

Each function has one message. A message takes the probabilities of the effects in a row, and the
class of the row. It returns the probability of the class, and of each effect given the class.
Lemma 1 sums over a hidden variable B, with terms of different sign; here the sums are arranged so
that no terms cancel.

=============  ==================  ================================================================
symbol         shape               meaning
=============  ==================  ================================================================
effects        (n, k, n_levels)    P(A'_j = l | A_j = a_j), of one row each
c              (n,)                the class as a number from 0
log_prob       (n,)                log P(C = c | a)
posterior      (n, k, n_levels)    P(A'_j = l | C = c, a)
=============  ==================  ================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from onesided._numerics._convolve import count_posteriors
from onesided._numerics._logspace import log_complement, sums_without_each
from onesided._typing import Floats, Ints

Message: TypeAlias = Callable[[Floats, Ints], tuple[Floats, Floats]]


def of_max(effects: Floats, c: Ints) -> tuple[Floats, Floats]:
    """The class is the highest effect: P(max ≤ c) = Π P(A'_j ≤ c)."""
    level = np.arange(effects.shape[2])
    upto = level <= c[:, None, None]
    at = np.take_along_axis(effects, c[:, None, None], axis=2)[:, :, 0]
    within = np.where(upto, effects, 0.0).sum(axis=2)
    above = np.where(upto, 0.0, effects).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_within = np.where(above < 0.5, np.log1p(-above), np.log(within))  # noqa: PLR2004 - whichever is accurate
        share = np.minimum(at / within, 1.0)
        below = np.log1p(-share)  # log P(A'_j < c | A'_j ≤ c)
        missed = below.sum(axis=1)  # log P(max < c | max ≤ c)
        reached = log_complement(missed)
        log_prob = log_within.sum(axis=1) + reached
        others_reach = np.exp(log_complement(sums_without_each(below)) - reached[:, None])
        inside = effects / within[:, :, None]
        posterior = np.where(upto, inside * others_reach[:, :, None], 0.0)
        alone = np.exp(np.log(share) - reached[:, None])
    np.put_along_axis(posterior, c[:, None, None], alone[:, :, None], axis=2)
    return log_prob, posterior


def of_min(effects: Floats, c: Ints) -> tuple[Floats, Floats]:
    """The class is the lowest effect: the highest effect, with the levels in reverse order."""
    top = effects.shape[2] - 1
    log_prob, posterior = of_max(effects[:, :, ::-1], top - c)
    return log_prob, posterior[:, :, ::-1]


def of_add(effects: Floats, c: Ints) -> tuple[Floats, Floats]:
    """The class is the number of effects that are present."""
    log_prob, present = count_posteriors(effects[:, :, 1], effects[:, :, 0], c)
    return log_prob, np.stack([1.0 - present, present], axis=2)


def of_xor(effects: Floats, c: Ints) -> tuple[Floats, Floats]:
    """The class is whether the number of effects is odd: P(odd) = (1 − Π(1 − 2p_j)) / 2."""
    absent, present = effects[:, :, 0], effects[:, :, 1]
    with np.errstate(divide="ignore"):
        size = np.log1p(-2 * np.minimum(absent, present))  # of 1 − 2p, −inf at one half
    turned = present > absent  # where 1 − 2p is negative
    odd = c == 1
    log_prob = _log_parity(size.sum(axis=1), turned.sum(axis=1), odd)
    others = sums_without_each(size), turned.sum(axis=1)[:, None] - turned
    with np.errstate(divide="ignore"):
        with_effect = np.log(present) + _log_parity(*others, ~odd[:, None])
        without = np.log(absent) + _log_parity(*others, odd[:, None])
    posterior = np.exp(np.stack([without, with_effect], axis=2) - log_prob[:, None, None])
    return log_prob, posterior


def _log_parity(size: Floats, n_turned: Ints, odd: Floats) -> Floats:
    """Log P(odd) or log P(even), from the size and sign of Π(1 − 2p)."""
    less = (n_turned % 2 == 0) == odd  # 1 − |Π|, else 1 + |Π|
    return np.where(less, log_complement(size), np.log1p(np.exp(size))) - np.log(2)


MESSAGES: dict[str, Message] = {
    "or": of_max,
    "and": of_min,
    "max": of_max,
    "min": of_min,
    "add": of_add,
    "xor": of_xor,
}
