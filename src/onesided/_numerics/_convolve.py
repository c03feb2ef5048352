"""The distribution of the number of independent events that happen: Poisson-binomial."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from onesided._typing import Floats, Ints

_HALVINGS = 60  # bisections of an interval of 2000 nats
_FARTHEST = 1000.0  # largest shift in nats; with a larger shift, events are certain or impossible


def count_posteriors(p: Floats, q: Floats, count: Ints) -> tuple[Floats, Floats]:
    """Log probability of a number of events, and probability of each event given that number.

    In each row, the same shift is added to all log odds, so that the expected number of events is
    `count`. Given the number of events, this shift changes no probability. With it, no partial sum
    that matters underflows. The forward and backward recursions over events add only positive
    terms.

    Parameters
    ----------
    p : shape (n_rows, n_events), probability of each event
    q : shape (n_rows, n_events), probability of its complement; 1 − p would lose small values
    count : shape (n_rows,), number of events that happened

    Returns
    -------
    log_prob : shape (n_rows,), log P(Σ = count); −inf if this number is impossible
    posterior : shape (n_rows, n_events), P(event | Σ = count)
    """
    n_rows, n_events = p.shape
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p), np.log(q)
    odds = log_p - log_q
    shift = _tilt(odds, count)
    tilted = expit(odds + shift[:, None])
    staying = expit(-(odds + shift[:, None]))
    highest = int(count.max(initial=0))
    forward = np.zeros((n_events + 1, n_rows, highest + 1))
    forward[0, :, 0] = 1.0
    for j in range(n_events):
        forward[j + 1] = forward[j] * staying[:, j, None]
        forward[j + 1, :, 1:] += forward[j, :, :-1] * tilted[:, j, None]
    rows = np.arange(n_rows)
    total = forward[n_events, rows, count]
    backward = np.zeros((n_rows, highest + 1))
    backward[rows, count] = 1.0
    posterior = np.empty_like(p)
    for j in range(n_events - 1, -1, -1):
        after = np.zeros_like(backward)
        after[:, :-1] = backward[:, 1:]  # if event j happens, the number of events is one higher
        posterior[:, j] = tilted[:, j] * np.einsum("nt,nt->n", forward[j], after)
        backward = backward * staying[:, j, None] + after * tilted[:, j, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        posterior /= total[:, None]
        moved = np.logaddexp(log_q, log_p + shift[:, None]).sum(axis=1)
        log_prob = np.log(total) + moved - count * shift
    return log_prob, posterior


def _tilt(odds: Floats, count: Ints) -> Floats:
    """Shift of the log odds at which the expected number is `count`; shape (n_rows,)."""
    low, high = np.full(len(count), -_FARTHEST), np.full(len(count), _FARTHEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_many = expit(odds + middle[:, None]).sum(axis=1) > count
        low, high = np.where(too_many, low, middle), np.where(too_many, middle, high)
    return (low + high) / 2


def poisson_binomial(p: Floats) -> Floats:
    """Probability of each number of events, from 0 to n_events; shape (n_rows, n_events + 1).

    Parameters
    ----------
    p : shape (n_rows, n_events), probability of each event
    """
    n_rows, n_events = p.shape
    found = np.zeros((n_rows, n_events + 1))
    found[:, 0] = 1.0
    for j in range(n_events):
        found[:, 1:] = found[:, 1:] * (1 - p[:, j, None]) + found[:, :-1] * p[:, j, None]
        found[:, 0] *= 1 - p[:, j]
    return found
