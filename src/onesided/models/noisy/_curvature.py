"""Confidence intervals of a restricted noisy-or, from the curvature of its log-likelihood.

Let s = Σ_j a_j log q_j + log q_leak, Q = e^s, and f the label frequency. A labeled row has the
log-likelihood L = log f + log(1 − Q). An unlabeled row has L = log D with D = 1 − f + f Q. The
derivatives of L are

=============  ==================  ============================
by             labeled             unlabeled
=============  ==================  ============================
s              −Q / (1 − Q)        f Q / D
s, s           −Q / (1 − Q)²       f (1 − f) Q / D²
f              1 / f               −(1 − Q) / D
f, f           −1 / f²             −((1 − Q) / D)²
s, f           0                   Q / D²
=============  ==================  ============================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, logit, ndtri

from onesided._blocks import Block
from onesided._typing import Floats

_SINGULAR = 1e-9  # of the largest curvature; with less, a direction is flat
_FLAT = 1e-9  # least information; with less, a parameter is at its bound


@dataclass(frozen=True)
class Curvature:
    """First and second derivatives of the log-likelihood by log q_j, log q_leak and f.

    Attributes
    ----------
    slope : shape (k + 2,)
    second : shape (k + 2, k + 2)
    """

    slope: Floats
    second: Floats

    @classmethod
    def zero(cls, k: int) -> Self:
        """The derivatives of no rows."""
        return cls(np.zeros(k + 2), np.zeros((k + 2, k + 2)))

    @classmethod
    def of(cls, block: Block, log_inhibition: Floats, log_leak: float, f: float) -> Self:
        """The derivatives of a block of binary attributes without missing values.

        Parameters
        ----------
        block : labeled rows
        log_inhibition : shape (k,), log q_j of an active attribute
        log_leak : log q of the leak
        f : label frequency
        """
        X: Any = block.matrix()
        labeled, weight = block.labels(), block.weights()
        log_q = np.minimum(X @ log_inhibition + log_leak, 0.0)
        Q, P = np.exp(log_q), -np.expm1(log_q)
        possible = (P > 0) | ~labeled
        weight = np.where(possible, weight, 0.0)
        P_safe = np.where(labeled & possible, P, 1.0)
        D = np.where(labeled, 1.0, 1 - f + f * Q)
        by_s = np.where(labeled, -Q / P_safe, f * Q / D)
        by_ss = np.where(labeled, -Q / P_safe**2, f * (1 - f) * Q / D**2)
        by_f = np.where(labeled, 1 / f, -P / D)
        by_ff = np.where(labeled, -1 / f**2, -((P / D) ** 2))
        by_sf = np.where(labeled, 0.0, Q / D**2)
        one = np.ones((len(Q), 1))
        Z: Any = (
            sparse.csr_array(sparse.hstack([X, one])) if block.is_sparse else np.hstack([X, one])
        )
        scaled = (
            Z.multiply((weight * by_ss)[:, None])
            if block.is_sparse
            else Z * (weight * by_ss)[:, None]
        )
        among: Any = Z.T @ scaled
        among = among.toarray() if sparse.issparse(among) else among
        mixed = np.asarray(Z.T @ (weight * by_sf))
        slope = np.append(np.asarray(Z.T @ (weight * by_s)), weight @ by_f)
        second = np.block([[among, mixed[:, None]], [mixed[None, :], np.array([[weight @ by_ff]])]])
        return cls(slope, second)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.slope + other.slope, self.second + other.second)


def logit_intervals(
    curvature: Curvature, estimate: Floats, free: Floats, level: float
) -> tuple[Floats, Floats]:
    """Ends of intervals that are symmetric in log odds; (0, 1) for a parameter at its bound.

    Parameters
    ----------
    curvature : at the maximum
    estimate : shape (k + 2,), the inhibitions of attributes and leak, and f, each in [0, 1]
    free : shape (k + 2,), whether each parameter was fitted
    level : of confidence, in (0, 1)

    Returns
    -------
    lower, upper : each of shape (k + 2,); both equal the estimate of a parameter that was not
        fitted
    """
    q = estimate
    inner = np.arange(len(q)) < len(q) - 1
    # From log q, and from f itself, to log odds: the first and second derivatives.
    first = np.where(inner, 1 - q, q * (1 - q))
    again = np.where(inner, -q * (1 - q), q * (1 - q) * (1 - 2 * q))
    second = curvature.second * np.outer(first, first) + np.diag(curvature.slope * again)
    information = -second
    usable = free.astype(bool) & (np.diagonal(information) > _FLAT) & (q > 0) & (q < 1)
    lower, upper = np.where(free, 0.0, q), np.where(free, 1.0, q)
    places = np.flatnonzero(usable)
    if len(places):
        values, vectors = np.linalg.eigh(information[np.ix_(places, places)])
        flat = values <= _SINGULAR * values.max()  # directions in which the likelihood is flat
        lost = (np.abs(vectors[:, flat]) > _SINGULAR**0.5).any(axis=1)
        covariance = (vectors[:, ~flat] / values[~flat]) @ vectors[:, ~flat].T
        error = np.sqrt(np.maximum(np.diagonal(covariance), 0.0)) * ndtri((1 + level) / 2)
        center = logit(q[places])
        lower[places] = np.where(lost, 0.0, expit(center - error))
        upper[places] = np.where(lost, 1.0, expit(center + error))
    return lower, upper
