"""The optimum of the penalised loss along the penalty: Newton's steps, by passes over a source."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from onesided._blocks import Source, map_rows, run_pass
from onesided._statistics import LogisticLoss, LossCurvature, row_curvatures
from onesided._typing import Floats

_NARROW = 256  # features up to which the matrix of second derivatives is worth its pass
_ROUNDING = 1e-14  # of the sums of magnitudes: a gradient below is nothing but rounding
_FALL = 0.1  # of the gradient in a step; what is slower needs new second derivatives
_PARTS = (1.0, 0.5, 0.25)  # of a step, to try
_SUFFICIENT = 0.25  # of the fall of the gradient that a part of a step promises
_MOST_PRODUCTS_IN_ALL = 5000  # of scipy's steps
_MOST_PRODUCTS = 1000  # of a step by conjugate gradients
_TRUST = {"initial_trust_radius": 1e3, "max_trust_radius": 1e12}  # a full step is tried first


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


@dataclass(frozen=True)
class Optimum:
    """Where the optimiser ended.

    Attributes
    ----------
    point : the last one
    n_iter : steps
    gradient_share : length of the gradient, over its length at zero
    converged : whether that is at most `tol`, or nothing but rounding
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
    magnitudes : shape (n_coefs,), sums of weight · |feature|, 1 for the bias
    """

    def __init__(
        self, source: Source, row_weights: tuple[float, float], magnitudes: Floats
    ) -> None:
        self._source = source
        self._row_weights = row_weights
        self._n_coefs = source.n_features + 1
        self.is_narrow = source.n_features <= _NARROW
        self._scale = 1.0
        zero = np.zeros(self._n_coefs)
        value, gradient = self.value_and_gradient(zero, 0.0)
        self._scale = value  # log 2 times the total weight
        self.at_zero = Point(zero, gradient / value)
        self.rounding = _ROUNDING * _norm(magnitudes) / value

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

    def gradient(self, point: Point, ridge: float) -> Floats:
        """With that of the penalty, which takes no pass; shape (n_coefs,)."""
        return point.gradient + ridge * point.coef

    def curvature(self, coef: Floats) -> Curvature:
        """Second derivatives at `coef`: a matrix if there are few features."""
        if not self.is_narrow:
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
        values, vectors = self._eigen
        return np.asarray(-vectors @ (vectors.T @ gradient / (np.maximum(values, 0) + ridge)))

    @cached_property
    def _eigen(self) -> tuple[Floats, Floats]:
        """Which serve any ridge, and are never singular with one."""
        values, vectors = np.linalg.eigh(self.matrix)
        return values, vectors


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

    Newton's steps as long as they shorten the gradient, which they nearly always do; if they do
    not, scipy's, judged by values of the objective, and Newton's at their end, where values
    differ by less than their rounding. Up to 256 features the matrix of second derivatives is
    summed, one pass for several steps; beyond, a step is found by conjugate gradients, one pass
    for each product.

    Steps and stop go by the gradient as it is, which the largest features rule: where one is of
    1e8 times the others or more, the end can be far from the minimum, `converged` or not.

    Parameters
    ----------
    loss : what to minimise
    C : inverse strength of the penalty, above 0
    start : where to start; by default at zero
    tol : the gradient, over its length at zero, at which to stop
    max_iter : most steps
    """
    at_zero = _norm(loss.at_zero.gradient)
    if at_zero <= loss.rounding:
        return Optimum(loss.at_zero, 0, gradient_share=0.0, converged=True)
    ridge, goal = loss.ridge(C), max(tol * at_zero, loss.rounding)
    point, n_iter = start or loss.at_zero, 0
    with np.errstate(over="ignore", invalid="ignore"):  # in a step that is then not taken
        for steps in (_newton_steps, _steps_by_value, _newton_steps):
            if _length(loss, point, ridge) > goal and n_iter < max_iter:
                point, n_more = steps(loss, ridge, point, goal, max_iter - n_iter)
                n_iter += n_more
    length = _length(loss, point, ridge)
    return Optimum(point, n_iter, length / at_zero, converged=length <= goal)


def minimize_along(
    loss: PenalizedLoss, Cs: Iterable[float], *, tol: float, max_iter: int
) -> list[Optimum]:
    """The minimum for each C, in their order, each from where the one before ended."""
    path: list[Optimum] = []
    for C in Cs:
        start = path[-1].point if path else None
        path.append(minimize_loss(loss, C, start=start, tol=tol, max_iter=max_iter))
    return path


def _length(loss: PenalizedLoss, point: Point, ridge: float) -> float:
    return _norm(loss.gradient(point, ridge))


def _norm(vector: Floats) -> float:
    """Length, of large numbers too."""
    largest = float(np.abs(vector).max())
    return largest * float(np.linalg.norm(vector / largest)) if largest else 0.0


def _newton_steps(
    loss: PenalizedLoss, ridge: float, point: Point, goal: float, max_iter: int
) -> tuple[Point, int]:
    """Newton's steps until the gradient is short enough, or no part of one shortens it."""
    length, n_iter = _length(loss, point, ridge), 0
    while length > goal and n_iter < max_iter:
        known = point.curvature
        curvature = loss.curvature(point.coef) if known is None else known
        accuracy = max(_FALL, 0.3 * goal / length)
        step = curvature.step(loss.gradient(point, ridge), ridge, accuracy)
        n_iter += 1
        for part in _PARTS if known is None else _PARTS[:1]:
            reached = loss.at(point.coef + part * step)
            length_there = _length(loss, reached, ridge)
            if length_there <= (1 - _SUFFICIENT * part) * length:
                keeps = isinstance(curvature, CurvatureMatrix) and length_there < _FALL * length
                point = replace(reached, curvature=curvature if keeps else None)
                length = length_there
                break
        else:
            if known is None:
                break
            point = replace(point, curvature=None)
    return point, n_iter


def _steps_by_value(
    loss: PenalizedLoss, ridge: float, start: Point, goal: float, max_iter: int
) -> tuple[Point, int]:
    """Steps of scipy within a region of trust."""
    at_hand, n_products = (start.coef, loss.curvature(start.coef)), 0

    def product(coef: Floats, direction: Floats, ridge: float) -> Floats:
        nonlocal at_hand, n_products
        n_products += 1
        if n_products > _MOST_PRODUCTS_IN_ALL:
            raise _TooManyProductsError
        if not np.array_equal(coef, at_hand[0]):
            at_hand = coef, loss.curvature(coef)
        return at_hand[1].product(direction, ridge)

    how: dict[str, Any] = (
        {"method": "trust-exact", "hess": lambda coef, r: product(coef, np.eye(len(coef)), r)}
        if loss.is_narrow
        else {"method": "trust-ncg", "hessp": product}
    )
    options = {"gtol": goal, "maxiter": max_iter, **_TRUST}
    try:
        found = minimize(
            loss.value_and_gradient, start.coef, args=(ridge,), jac=True, options=options, **how
        )
    except _TooManyProductsError:
        return loss.at(at_hand[0]), max_iter
    return loss.at(found.x), int(found.nit)


class _TooManyProductsError(Exception):
    """Conjugate gradients do not end, which scipy does not bound."""


def warn_unless_converged(optima: Sequence[Optimum], tol: float, max_iter: int) -> None:
    """Say how far the optimiser was from its goal, if it did not reach it: of several the worst."""
    worst = max(optima, key=lambda each: (not each.converged, each.gradient_share))
    if worst.converged:
        return
    cut_off = worst.n_iter >= max_iter
    stopped = f"max_iter={max_iter}" if cut_off else f"{worst.n_iter} steps"
    mend = (
        "Raise max_iter, or standardise the features." if cut_off else "Standardise the features."
    )
    warnings.warn(
        f"The optimiser stopped at {stopped}; the gradient was {worst.gradient_share:.1g} of "
        f"its start, tol={tol:g}. {mend}",
        ConvergenceWarning,
        stacklevel=2,
    )
