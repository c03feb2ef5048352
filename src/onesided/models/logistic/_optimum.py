"""The optimum of the penalised loss along the penalty: passes over a source, steps by scipy."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
from scipy.linalg import solve
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from onesided._blocks import Source, map_rows, run_pass
from onesided._statistics import LogisticLoss, LossCurvature, row_curvatures
from onesided._typing import Floats

_NARROW = 256  # features up to which the matrix of second derivatives is worth its pass
_ROUNDING = 1e-14  # gradient a unit of weight that is nothing but rounding: constant features
_FALL = 0.1  # of the gradient in a step; what is slower needs new second derivatives
_MOST_PRODUCTS = 500  # of a step by conjugate gradients
_FIRST_RADIUS, _LARGEST_RADIUS = 1e3, 1e12  # of trust: a full step is tried first


class Curvature(Protocol):
    """Second derivatives of the loss at one point."""

    def product(self, direction: Floats, ridge: float) -> Floats:
        """With a direction, `ridge` added to the diagonal; shape (n_coefs,)."""

    def step(self, gradient: Floats, ridge: float, accuracy: float) -> Floats:
        """Newton's step, which leaves at most a share `accuracy` of the gradient."""


@dataclass(frozen=True)
class Point:
    """Where the optimiser is.

    Attributes
    ----------
    coef : shape (n_coefs,), weights and, last, bias
    gradient : shape (n_coefs,), of the loss without its penalty
    curvature : second derivatives of the loss, there or near; None where they are not known
    """

    coef: Floats
    gradient: Floats
    curvature: Curvature | None = None

    def penalized_gradient(self, ridge: float) -> Floats:
        """Of the loss with the penalty ½ · ridge · |coef|²."""
        return self.gradient + ridge * self.coef


@dataclass(frozen=True)
class Optimum:
    """Where the optimiser ended.

    Attributes
    ----------
    point : the last one
    n_iter : steps
    gradient_share : length of the gradient, over its length at zero
    converged : whether that is at most `tol`
    """

    point: Point
    n_iter: int
    gradient_share: float
    converged: bool


class PenalizedLoss:
    """Σ weight · loss / scale + ½ · ridge · |w|² over the rows of a source, the bias counted in w.

    With the ridge 1 / (C · scale) it has the minimum of C · Σ weight · loss + ½|w|². The scale is
    the loss at zero, which keeps values near 1. Each value with its gradient is one pass.

    Parameters
    ----------
    source : labeled rows
    row_weights : weight of a positive and of an unlabeled row
    """

    def __init__(self, source: Source, row_weights: tuple[float, float]) -> None:
        self._source = source
        self._row_weights = row_weights
        self._n_coefs = source.n_features + 1
        self._scale = 1.0
        zero = np.zeros(self._n_coefs)
        value, gradient = self.value_and_gradient(zero, 0.0)
        self._scale = value  # log 2 times the total weight
        self.at_zero = Point(zero, gradient / value)

    def ridge(self, C: float) -> float:
        """What C is here."""
        return 1.0 / (C * self._scale)

    def value_and_gradient(self, coef: Floats, ridge: float) -> tuple[float, Floats]:
        """At `coef`, of shape (n_coefs,)."""
        of = partial(LogisticLoss.of, coef=coef, row_weights=self._row_weights)
        loss = run_pass(self._source, of, LogisticLoss.zero(self._n_coefs - 1))
        value = loss.value / self._scale + 0.5 * ridge * float(coef @ coef)
        return value, loss.gradient / self._scale + ridge * coef

    def at(self, coef: Floats) -> Point:
        """The point with these coefficients."""
        return Point(coef, self.value_and_gradient(coef, 0.0)[1])

    def curvature(self, coef: Floats) -> Curvature:
        """Second derivatives at `coef`: a matrix if there are few features."""
        if self._n_coefs - 1 > _NARROW:
            of_rows = partial(row_curvatures, coef=coef, row_weights=self._row_weights)
            rows = map_rows(self._source, of_rows)
            return CurvatureByPasses(self._source, rows, self._scale)
        of = partial(LossCurvature.of, coef=coef, row_weights=self._row_weights)
        zero = LossCurvature(np.zeros((self._n_coefs, self._n_coefs)))
        return CurvatureMatrix(run_pass(self._source, of, zero).value / self._scale)


@dataclass(frozen=True)
class CurvatureMatrix:
    """Second derivatives as a matrix of shape (n_coefs, n_coefs): one pass in all."""

    matrix: Floats

    def product(self, direction: Floats, ridge: float) -> Floats:
        return np.asarray(self.matrix @ direction + ridge * direction)

    def step(self, gradient: Floats, ridge: float, accuracy: float) -> Floats:
        with_ridge = self.matrix + ridge * np.eye(len(self.matrix))
        return np.asarray(solve(with_ridge, -gradient, assume_a="sym"))


@dataclass(frozen=True)
class CurvatureByPasses:
    """Second derivatives known by their products, of which each is one pass.

    Attributes
    ----------
    source : rows
    rows : shape (n_rows,), as `row_curvatures` gives them
    scale : what products are divided by
    """

    source: Source
    rows: Floats
    scale: float

    def product(self, direction: Floats, ridge: float) -> Floats:
        of = partial(LossCurvature.along, direction=direction, row_curvatures=self.rows)
        found = run_pass(self.source, of, LossCurvature(np.zeros_like(direction)))
        return found.value / self.scale + ridge * direction

    def step(self, gradient: Floats, ridge: float, accuracy: float) -> Floats:
        n = len(gradient)
        product = LinearOperator((n, n), partial(self.product, ridge=ridge), dtype=gradient.dtype)
        return np.asarray(cg(product, -gradient, rtol=accuracy, maxiter=_MOST_PRODUCTS)[0])


def minimize_loss(
    loss: PenalizedLoss, C: float, *, start: Point | None = None, tol: float, max_iter: int
) -> Optimum:
    """The minimum, of which a convex objective has one.

    Newton's full steps as long as they shorten the gradient, which they nearly always do; if they
    do not, scipy's within a region of trust, and full ones at its end, where values differ by
    less than their rounding. Up to 256 features the matrix of second derivatives is summed, one
    pass for several steps, and the scales of the features do not matter; beyond, a step is found
    by conjugate gradients, one pass for each product.

    Parameters
    ----------
    loss : what to minimise
    C : inverse strength of the penalty, above 0
    start : where to start; by default at zero
    tol : the gradient, over its length at zero, at which to stop
    max_iter : most steps
    """
    at_zero = float(np.linalg.norm(loss.at_zero.gradient))
    if at_zero < _ROUNDING:
        return Optimum(loss.at_zero, 0, gradient_share=0.0, converged=True)
    ridge, goal = loss.ridge(C), tol * at_zero
    point, n_iter = _full_steps(loss, ridge, start or loss.at_zero, goal, max_iter)
    if _length(point, ridge) > goal and n_iter < max_iter:
        point, n_more = _steps_of_trust(loss, ridge, point, goal, max_iter - n_iter)
        n_iter += n_more
        point, n_more = _full_steps(loss, ridge, point, goal, max_iter - n_iter)
        n_iter += n_more
    share = _length(point, ridge) / at_zero
    return Optimum(point, n_iter, share, converged=share <= tol)


def minimize_along(
    loss: PenalizedLoss, Cs: Iterable[float], *, tol: float, max_iter: int
) -> list[Optimum]:
    """The minimum for each C, in their order, each from where the one before ended."""
    path: list[Optimum] = []
    for C in Cs:
        start = path[-1].point if path else None
        path.append(minimize_loss(loss, C, start=start, tol=tol, max_iter=max_iter))
    return path


def _length(point: Point, ridge: float) -> float:
    return float(np.linalg.norm(point.penalized_gradient(ridge)))


def _full_steps(
    loss: PenalizedLoss, ridge: float, point: Point, goal: float, max_iter: int
) -> tuple[Point, int]:
    """Newton's steps until the gradient is short enough, or a step does not shorten it."""
    length, n_iter = _length(point, ridge), 0
    while length > goal and n_iter < max_iter:
        known = point.curvature
        curvature = loss.curvature(point.coef) if known is None else known
        accuracy = max(_FALL, 0.3 * goal / length)
        step = curvature.step(point.penalized_gradient(ridge), ridge, accuracy)
        reached = loss.at(point.coef + step)
        n_iter += 1
        if (length_there := _length(reached, ridge)) < length:
            keeps = isinstance(curvature, CurvatureMatrix) and length_there < _FALL * length
            point = replace(reached, curvature=curvature if keeps else None)
            length = length_there
        elif known is None:
            break
        else:
            point = replace(point, curvature=None)
    return point, n_iter


def _steps_of_trust(
    loss: PenalizedLoss, ridge: float, start: Point, goal: float, max_iter: int
) -> tuple[Point, int]:
    """Steps of scipy within a region of trust, judged by values of the objective."""
    curvature = loss.curvature(start.coef)
    if isinstance(curvature, CurvatureMatrix):
        unit = np.eye(len(start.coef))
        steps = {
            "method": "trust-exact",
            "hess": lambda coef, ridge: loss.curvature(coef).product(unit, ridge),
        }
    else:
        steps = {
            "method": "trust-ncg",
            "hessp": lambda coef, direction, ridge: loss.curvature(coef).product(direction, ridge),
        }
    result = minimize(
        loss.value_and_gradient,
        start.coef,
        args=(ridge,),
        jac=True,
        options={
            "gtol": goal,
            "maxiter": max_iter,
            "initial_trust_radius": _FIRST_RADIUS,
            "max_trust_radius": _LARGEST_RADIUS,
        },
        **steps,
    )
    return Point(result.x, result.jac - ridge * result.x), int(result.nit)


def warn_unless_converged(optima: Sequence[Optimum], tol: float, max_iter: int) -> None:
    """Say how far the optimiser was from its goal, if it did not reach it: of several the worst."""
    worst = max(optima, key=lambda each: each.gradient_share)
    if worst.gradient_share <= tol:
        return
    stopped = f"max_iter={max_iter}" if worst.n_iter >= max_iter else f"{worst.n_iter} steps"
    warnings.warn(
        f"The optimiser stopped at {stopped}; the gradient was {worst.gradient_share:.1g} of "
        f"its start, tol={tol:g}. Standardise the features, raise max_iter, or raise tol.",
        ConvergenceWarning,
        stacklevel=2,
    )
