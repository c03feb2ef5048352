"""Quasi-Newton steps between the steps of EM, for a noisy-or whose class is hidden.

EM takes thousands of steps if the label frequency is estimated, since a change of the frequency and
a change of the inhibitions have almost the same effect. By Fisher's identity, the expectation of a
step also gives the slope of the log-likelihood. So a step of L-BFGS-B costs one pass, like a step
of EM.

=========  ==================  ========================================================
symbol     shape               meaning
=========  ==================  ========================================================
θ          (m k · n_values,)   −log P(A'_j = 0 | A_j = v); then that of the leak, (m,)
f          number              label frequency
log π      (m,)                log shares of the profiles, if there are several
c_0, c_1   (m k, n_values)     expected rows with A'_j = 0 and A'_j = 1
=========  ==================  ========================================================

With q = e^−θ and c = c_0 + c_1, the slope by θ is c_1 q / (1 − q) − c_0, and the curvature is about
c q / (1 − q). The unit of θ is one over the root of the curvature. An attribute without effect has
θ = 0, a bound that is reached in a finite number of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import softmax

from onesided._typing import Floats
from onesided.models.noisy._em import (
    LEAST,
    Expectation,
    Parameters,
    Reached,
    Settings,
    levels_apart,
)

_MOST_THETA = -np.log(LEAST)
_LEAST_LEAK = 1e-12  # of θ: a leak that is always inhibited could not come back
_LOG_SHARE = (-_MOST_THETA, _MOST_THETA)
_F = (1e-6, 1 - 1e-9)  # of the label frequency; at 1 no unlabeled row could be positive
_SURE = 1e-6  # smaller probabilities count as this in the units of θ
_RISING = 1e-2  # the same if the frequency is estimated: effects near 0 must be able to rise again
_FLAT = 1e-2  # a smaller curvature counts as this
_MEMORY = 20  # steps that L-BFGS-B remembers
_N_LAST = 10  # steps that together gain little at the optimum; one step may gain little before it


@dataclass(frozen=True)
class _Free:
    """The parameters that may change, and their places in a vector θ.

    Attributes
    ----------
    like : parameters with the values that do not change
    settings : of EM
    """

    like: Parameters
    settings: Settings

    @property
    def values(self) -> slice:
        """The values of attributes whose effects may change."""
        return slice(1, None) if self.settings.restricted else slice(None)

    def joined(self, theta: Floats, leak: Floats, f: float, log_shares: Floats) -> Floats:
        """A vector with one number for each parameter that may change."""
        parts = [theta.ravel()]
        if self.like.has_leak:
            parts.append(leak)
        if self.settings.estimates_frequency:
            parts.append(np.array([f]))
        if self.like.n_profiles > 1:
            parts.append(log_shares)
        return np.concatenate(parts)

    def vector_of(self, parameters: Parameters) -> Floats:
        """The vector θ of parameters."""
        theta = -parameters.log_inhibition[:, self.values]
        return self.joined(
            theta, -np.log(parameters.leak), parameters.label_frequency, np.log(parameters.shares)
        )

    def parameters_of(self, vector: Floats) -> Parameters:
        """The parameters of a vector θ."""
        effects = self.like.effects.copy()
        changed = effects[:, self.values]
        theta = vector[: changed[:, :, 0].size].reshape(changed.shape[:2])
        changed[:, :, 0] = np.exp(-theta)
        changed[:, :, 1] = np.maximum(-np.expm1(-theta), LEAST)
        rest, m = vector[theta.size :], self.like.n_profiles
        leak, f, shares = self.like.leak, self.like.label_frequency, self.like.shares
        if self.like.has_leak:
            leak, rest = np.exp(-rest[:m]), rest[m:]
        if self.settings.estimates_frequency:
            f, rest = rest[0], rest[1:]
        if m > 1:
            shares = np.maximum(softmax(rest), LEAST)
        return Parameters(levels_apart(effects), leak, f, shares)

    def bounds(self) -> Floats:
        """Lowest and highest θ; shape (2, length of the vector)."""
        shape, each = self.like.effects[:, self.values, 0].shape, np.ones(self.like.n_profiles)
        return np.stack(
            [
                self.joined(np.full(shape, low), least * each, f, share * each)
                for low, least, f, share in zip(
                    (0.0, _MOST_THETA), (_LEAST_LEAK, _MOST_THETA), _F, _LOG_SHARE, strict=True
                )
            ]
        )

    def slope(self, found: Expectation, parameters: Parameters) -> Floats:
        """Derivatives by θ of the log-likelihood plus the log density of the prior."""
        effects, f = parameters.effects[:, self.values], parameters.label_frequency
        counts = found.counts[:, self.values] + (np.array(self.settings.prior) - 1)
        by_theta = counts[:, :, 1] / effects[:, :, 1] * effects[:, :, 0] - counts[:, :, 0]
        q, rows = parameters.leak, found.leak.sum(axis=1)
        by_leak = found.leak[:, 1] / (1 - q) * q - found.leak[:, 0] if self.like.has_leak else q
        hidden = found.n_positive - found.n_labeled
        by_f = found.n_labeled / f - hidden / (1 - f) if self.settings.estimates_frequency else 0.0
        return self.joined(by_theta, by_leak, by_f, rows - rows.sum() * parameters.shares)

    def unit(self, found: Expectation, parameters: Parameters) -> Floats:
        """The unit of each entry of θ: one over the root of the expected curvature."""
        effects, f = parameters.effects[:, self.values], parameters.label_frequency
        rows = found.counts[:, self.values].sum(axis=2)
        sure = _RISING if self.settings.estimates_frequency else _SURE
        by_theta = rows * effects[:, :, 0] / np.maximum(effects[:, :, 1], sure)
        leak, shares, of_profiles = parameters.leak, parameters.shares, found.leak.sum(axis=1)
        by_leak = of_profiles * leak / np.maximum(1 - leak, sure)
        by_f = found.n_positive / max(f * (1 - f), _SURE)
        by_shares = of_profiles.sum() * shares * (1 - shares)
        unit: Floats = self.joined(by_theta, by_leak, by_f, by_shares).clip(_FLAT) ** -0.5
        return unit


class _NoPassLeft(Exception):  # noqa: N818 - it ends a climb, and is no error
    """All passes of a climb are made; scipy would end only after the next step."""


def climb(
    start: Reached,
    at: Callable[[Parameters], Reached],
    settings: Settings,
    *,
    least_gain: float,
    most: int,
) -> Reached:
    """The best parameters on the way of L-BFGS-B; they are never worse than the start.

    Parameters
    ----------
    start : parameters and the expectation under them
    at : function that computes the same for other parameters, in one pass
    settings : of EM
    least_gain : the climb ends when its last steps together gain no more, nats
    most : largest number of passes
    """
    free = _Free(start.parameters, settings)
    unit, bounds = free.unit(start.expectation, start.parameters), free.bounds()
    best, left, losses = start, most, [np.inf]
    n_last = _N_LAST if settings.estimates_frequency else 1

    def loss_and_slope(scaled: Floats) -> tuple[float, Floats]:
        nonlocal best, left
        if left == 0:
            raise _NoPassLeft
        left -= 1
        here = at(free.parameters_of((scaled * unit).clip(*bounds)))
        best = max(best, here, key=lambda each: each.log_likelihood)
        return -here.log_likelihood, -free.slope(here.expectation, here.parameters) * unit

    def stop_when_flat(intermediate_result: OptimizeResult) -> None:
        losses.append(intermediate_result.fun)
        if len(losses) > n_last and losses[-1 - n_last] - losses[-1] <= least_gain:
            raise StopIteration

    with suppress(_NoPassLeft):
        minimize(
            loss_and_slope,
            free.vector_of(start.parameters).clip(*bounds) / unit,
            jac=True,
            method="L-BFGS-B",
            bounds=(bounds / unit).T,
            callback=stop_when_flat,
            options={
                "maxiter": most,
                "maxfun": 2 * most,
                "maxcor": _MEMORY,
                "ftol": 0.0,
                "gtol": 0.0,
            },
        )
    return best
