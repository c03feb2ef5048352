"""The optimum of the penalised loss: passes over a source, steps by scipy."""

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from onesided._blocks import Source, run_pass
from onesided._statistics import LogisticLoss
from onesided._typing import Floats

_MEMORY = 20  # pairs that L-BFGS keeps
_ROUNDING = 1e-14  # gradient a unit of weight that is nothing but rounding: constant features


@dataclass(frozen=True)
class Optimum:
    """Where the optimiser ended.

    Attributes
    ----------
    coef : shape (n_features + 1,), weights and, last, bias
    n_iter : iterations
    converged : whether the gradient fell below `tol` times its start
    gradient_share : length of the gradient, over its length at the start
    """

    coef: Floats
    n_iter: int
    converged: bool
    gradient_share: float


def minimize_loss(
    source: Source,
    start: Floats,
    row_weights: tuple[float, float],
    C: float,
    *,
    tol: float,
    max_iter: int,
) -> Optimum:
    """Minimise C · Σ weight · loss + ½|w|², the bias counted in w.

    The objective is convex, so L-BFGS reaches its one minimum; each evaluation is one pass. It is
    divided by C times its loss at zero, which moves no minimum and keeps values near 1.

    Parameters
    ----------
    source : labeled rows
    start : shape (n_features + 1,)
    row_weights : weight of a positive and of an unlabeled row
    C : inverse strength of the penalty, above 0
    tol : the gradient, over its length at zero, at which to stop
    max_iter : most iterations
    """
    zero = LogisticLoss.zero(source.n_features)
    of = partial(LogisticLoss.of, positive_weight=row_weights[0], unlabeled_weight=row_weights[1])
    at_zero = run_pass(source, partial(of, coef=np.zeros_like(start)), zero)
    scale = at_zero.value  # log 2 times the total weight
    first_length = float(np.linalg.norm(at_zero.gradient)) / scale
    if first_length < _ROUNDING:
        return Optimum(np.zeros_like(start), 0, converged=True, gradient_share=0.0)

    def objective(coef: Floats) -> tuple[float, Floats]:
        loss = run_pass(source, partial(of, coef=coef), zero)
        value = loss.value + 0.5 * float(coef @ coef) / C
        return value / scale, (loss.gradient + coef / C) / scale

    result = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={
            "maxcor": _MEMORY,
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "ftol": 0.0,
            "gtol": tol * first_length / np.sqrt(len(start)),
        },
    )
    share = float(np.linalg.norm(result.jac)) / first_length
    return Optimum(result.x, int(result.nit), share <= tol, share)


def warn_unless_converged(optimum: Optimum, tol: float, max_iter: int) -> None:
    """Say how far the optimiser was from its goal, if it did not reach it."""
    if optimum.converged:
        return
    stopped = (
        f"max_iter={max_iter}" if optimum.n_iter >= max_iter else f"{optimum.n_iter} iterations"
    )
    warnings.warn(
        f"The optimiser stopped at {stopped}; the gradient was {optimum.gradient_share:.1g} of "
        f"its start, tol={tol:g}. Standardise the features, raise max_iter, or raise tol.",
        ConvergenceWarning,
        stacklevel=2,
    )
