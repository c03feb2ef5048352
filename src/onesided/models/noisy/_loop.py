"""The EM loop of Vomlel 2004, section 2.2: expect, maximize, until the gain is small."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from onesided._blocks import Source
from onesided._typing import Floats
from onesided.models.noisy._climb import climb
from onesided.models.noisy._em import (
    Expectation,
    Parameters,
    Reached,
    Settings,
    levels_apart,
)

_N_PLAIN = 10  # steps of EM before the first climb


@dataclass(frozen=True)
class Fit:
    """The result of EM.

    Attributes
    ----------
    parameters : found
    log_likelihood : at the start, after each step of EM, and after each climb; with a prior it
        includes the log density of the prior
    n_iter : passes over the rows after the first
    converged : whether the gain fell below `tol`
    """

    parameters: Parameters
    log_likelihood: Floats
    n_iter: int
    converged: bool


def run_em(
    source: Source,
    expect: Callable[..., Expectation],
    start: Parameters,
    settings: Settings,
    total_weight: float,
    known: Callable[[Parameters], Expectation] = Expectation.zero,
) -> Fit:
    """Iterate from a start by steps of EM, and by climbs between them if EM would be slow.

    Parameters
    ----------
    source : rows
    expect : function that computes the expectation of a block under parameters
    start : parameters of the start
    settings : of EM
    total_weight : of the rows
    known : expectation of the rows that `expect` leaves out
    """
    n_passes = 0
    climbs = start.label_frequency < 1 or start.n_profiles > 1
    least_gain = settings.tol * total_weight

    def at(parameters: Parameters) -> Reached:
        nonlocal n_passes
        n_passes += 1
        found = source.total(lambda block: expect(block, parameters), known(parameters))
        return Reached(parameters, found, found.log_likelihood + settings.log_prior(parameters))

    reached = at(replace(start, effects=levels_apart(start.effects)))
    trace, converged = [reached.log_likelihood], False
    # A step of EM gains little far from the optimum too, if the frequency is estimated.
    before = -np.inf if settings.estimates_frequency else None
    while n_passes <= settings.max_iter and not converged:
        reached = at(settings.maximize(reached.expectation, reached.parameters))
        trace.append(reached.log_likelihood)
        converged = trace[-1] - (trace[-2] if before is None else before) <= least_gain
        left = settings.max_iter + 1 - n_passes
        if climbs and not converged and n_passes > _N_PLAIN and left > 0:
            before = None if before is None else trace[-1]
            reached = climb(reached, at, settings, least_gain=least_gain, most=left)
            trace.append(reached.log_likelihood)
    return Fit(reached.parameters, np.array(trace), n_passes - 1, converged)


def warn_unless_converged(fit: Fit, settings: Settings, total_weight: float) -> None:
    """Warn if EM stopped before it converged."""
    if fit.converged:
        return
    gain = (fit.log_likelihood[-1] - fit.log_likelihood[-2]) / total_weight
    warnings.warn(
        f"EM stopped at max_iter={settings.max_iter}; the last gain was {gain:.2g} nats a row, "
        f"tol={settings.tol:g}. Raise max_iter or tol; the fit is usable if the ranking has "
        "settled.",
        ConvergenceWarning,
        stacklevel=2,
    )
