"""Minimize the penalised loss by Newton's steps, in passes over a source."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from onesided._blocks import Source
from onesided._statistics import LogisticLoss, LossCurvature, row_curvatures
from onesided._text import counted
from onesided._typing import Floats

_NARROW = 512  # features up to which the matrix of second derivatives is worth its pass
_ROUNDING = 1e-14  # relative rounding of a sum of magnitudes
_ROUNDING_OF_VALUE = 1e-13  # of the objective: a smaller fall is only rounding
_ACCURACY = 0.3  # share of the gradient that the first steps leave
_FALL = 0.1  # ratio of a step to the step before; above it, second derivatives are computed again
_SUFFICIENT = 1e-4  # share of the fall that the slope predicts
_HALVINGS = 40  # of a step, at most
_MOST_PRODUCTS = 1000  # of a step by conjugate gradients


class Curvature(Protocol):
    """Second derivatives of the loss at one point."""

    def product(self, direction: Floats, ridge: float) -> Floats:
        """Product with a direction, with `ridge` added to the diagonal; shape (n_coefs,)."""

    def step(self, gradient: Floats, ridge: float, accuracy: float) -> Floats:
        """Newton's step, which leaves about a share `accuracy` of the gradient."""

    def seen(self, start: Point, end: Point) -> Curvature | None:
        """The same, updated by the gradients at both ends of a step; None to compute it again."""


@dataclass(frozen=True)
class Point:
    """A point on the way of the optimiser.

    Attributes
    ----------
    coef : shape (n_coefs,), weights and, last, bias
    value : of the loss without its penalty
    gradient : shape (n_coefs,), of the loss without its penalty
    curvature : second derivatives of the loss, at this point or near it; None if they are not known
    """

    coef: Floats
    value: float
    gradient: Floats
    curvature: Curvature | None = None

    def penalized(self, ridge: float) -> tuple[float, Floats]:
        """Value and gradient with the penalty, which takes no pass."""
        value = self.value + 0.5 * ridge * float(self.coef @ self.coef)
        return value, self.gradient + ridge * self.coef


@dataclass(frozen=True)
class Optimum:
    """The result of the optimiser.

    Attributes
    ----------
    point : the last point
    n_iter : number of steps
    step_share : length of the next step, divided by the length of the coefficients
    converged : whether `step_share` is at most `tol`, or the gradient is only rounding
    """

    point: Point
    n_iter: int
    step_share: float
    converged: bool


class PenalizedLoss:
    """Σ weight · loss / scale + ½ · ridge · |w|² over the rows of a source; w includes the bias.

    With the ridge 1 / (C · scale) it has the same minimum as C · Σ weight · loss + ½|w|². The scale
    is the loss at zero, so that values are near 1. A value with its gradient takes one pass.

    Parameters
    ----------
    source : labeled rows
    row_weights : weight of a positive and of an unlabeled row
    squares : shape (n_coefs,), sums of weight · feature², and last of weight
    """

    def __init__(self, source: Source, row_weights: tuple[float, float], squares: Floats) -> None:
        self._source = source
        self._row_weights = row_weights
        self._scale = float(np.log(2) * squares[-1])
        self._squares = squares / self._scale
        self._is_narrow = source.n_features <= _NARROW
        self.at_zero = self.at(np.zeros_like(squares))

    def ridge(self, C: float) -> float:
        """The ridge that corresponds to C."""
        return 1.0 / (C * self._scale)

    def at(self, coef: Floats) -> Point:
        """The point with these coefficients, of shape (n_coefs,)."""
        of = partial(LogisticLoss.of, coef=coef, row_weights=self._row_weights)
        loss = self._source.total(of, LogisticLoss.zero(self._source.n_features))
        return Point(coef, loss.value / self._scale, loss.gradient / self._scale)

    def rounding(self, point: Point) -> Floats:
        """The size below which a gradient is only rounding, shape (n_coefs,).

        The slope of a row is at most the root of its loss. So the terms that cancel sum up to at
        most the root of the loss times the root of the squares.
        """
        return np.asarray(_ROUNDING * np.sqrt(point.value * self._squares))

    def curvature(self, coef: Floats) -> Curvature:
        """Second derivatives at `coef`: a matrix if there are few features."""
        if self._is_narrow:
            of = partial(LossCurvature.of, coef=coef, row_weights=self._row_weights)
            zero = LossCurvature(np.zeros((len(coef), len(coef))))
            return CurvatureMatrix(self._source.total(of, zero).value / self._scale)
        of_rows = partial(row_curvatures, coef=coef, row_weights=self._row_weights)
        rows = self._source.map(of_rows) / self._scale
        diagonal = self._squares * rows.sum() / self._squares[-1]
        return CurvatureByPasses(self._source, rows, diagonal)


@dataclass(frozen=True)
class CurvatureMatrix:
    """Second derivatives as a matrix of shape (n_coefs, n_coefs), computed in one pass."""

    matrix: Floats

    def product(self, direction: Floats, ridge: float) -> Floats:
        return np.asarray(self.matrix @ direction + ridge * direction)

    def step(self, gradient: Floats, ridge: float, accuracy: float) -> Floats:
        n_coefs = len(gradient)
        unit = np.sqrt(self.matrix.diagonal() + ridge)
        scaled = (self.matrix + ridge * np.eye(n_coefs)) / unit / unit[:, None]
        try:
            found = cho_solve(cho_factor(scaled), gradient / unit)
        except LinAlgError:  # singular up to rounding
            values, vectors = eigh(scaled)
            values = np.maximum(values, n_coefs * np.finfo(values.dtype).eps)
            found = vectors @ (vectors.T @ (gradient / unit) / values)
        return np.asarray(-found / unit)

    def seen(self, start: Point, end: Point) -> CurvatureMatrix | None:
        step, change = end.coef - start.coef, end.gradient - start.gradient
        along, expected = float(step @ change), self.matrix @ step
        if not along > 0:  # the loss is flat there, or the change is only rounding
            return None
        secant = np.outer(change, change) / along
        return CurvatureMatrix(
            self.matrix + secant - np.outer(expected, expected) / float(step @ expected)
        )


@dataclass(frozen=True)
class CurvatureByPasses:
    """Second derivatives that are used only in products; each product takes one pass.

    Attributes
    ----------
    source : rows
    rows : shape (n_rows,), as `row_curvatures` returns them
    diagonal : shape (n_coefs,), approximate diagonal of the matrix
    """

    source: Source
    rows: Floats
    diagonal: Floats

    def product(self, direction: Floats, ridge: float) -> Floats:
        of = partial(LossCurvature.along, direction=direction, row_curvatures=self.rows)
        found = self.source.total(of, LossCurvature(np.zeros_like(direction)))
        return np.asarray(found.value + ridge * direction)

    def step(self, gradient: Floats, ridge: float, accuracy: float) -> Floats:
        unit = np.sqrt(self.diagonal + ridge)
        scaled = LinearOperator(
            (len(unit), len(unit)),
            lambda direction: self.product(direction / unit, ridge) / unit,
            dtype=unit.dtype,
        )
        found, _ = cg(scaled, -gradient / unit, rtol=accuracy, maxiter=_MOST_PRODUCTS)
        return np.asarray(found / unit)

    def seen(self, start: Point, end: Point) -> None:
        return None


def minimize_loss(
    loss: PenalizedLoss, C: float, *, start: Point | None = None, tol: float, max_iter: int
) -> Optimum:
    """The minimum of the objective, which is convex and has only one minimum.

    Each Newton step is halved until the objective falls. Lengths are measured by the second
    derivatives, so that the units of the features do not matter. With up to 512 features, the
    matrix of second derivatives is computed in one pass and used for several steps. With more
    features, conjugate gradients find a step; each of their products takes one pass.

    Parameters
    ----------
    loss : objective to minimise
    C : inverse strength of the penalty, above 0
    start : point to start at; by default zero
    tol : length of the next step, divided by the length of the coefficients, at which to stop
    max_iter : largest number of steps
    """
    ridge, point = loss.ridge(C), start or loss.at_zero
    n_iter, accuracy, last = 0, _ACCURACY, np.inf
    while True:
        _, gradient = point.penalized(ridge)
        if (np.abs(gradient) <= loss.rounding(point)).all():
            return Optimum(point, n_iter, step_share=0.0, converged=True)
        known = point.curvature
        curvature = known or loss.curvature(point.coef)
        step = curvature.step(gradient, ridge, accuracy)
        length = _root(float(-gradient @ step))
        size = _root(float(point.coef @ curvature.product(point.coef, ridge)))
        share = length / size if size else np.inf
        if share <= tol or n_iter == max_iter:
            return Optimum(point, n_iter, share, converged=share <= tol)
        is_fast = known is None or length <= _FALL * last
        reached = _along(loss, ridge, point, step, length, last) if is_fast else None
        if reached is not None:
            point = replace(reached, curvature=curvature.seen(point, reached))
            expected = share * max(share, accuracy)  # of the next step
            accuracy = min(_ACCURACY, max(np.sqrt(expected), 0.3 * tol / expected))
            n_iter, last = n_iter + 1, length
        elif known is not None:
            point = replace(point, curvature=None)
        else:
            return Optimum(point, n_iter, share, converged=False)


def _along(
    loss: PenalizedLoss, ridge: float, point: Point, step: Floats, length: float, last: float
) -> Point | None:
    """The point after a step, halved until the objective falls; None if it does not fall."""
    value, _ = point.penalized(ridge)
    if length**2 <= _ROUNDING_OF_VALUE * value:  # only rounding is left: the lengths decide
        return loss.at(point.coef + step) if length <= last / 2 else None
    for part in 0.5 ** np.arange(_HALVINGS):
        reached = loss.at(point.coef + part * step)
        if reached.penalized(ridge)[0] <= value - _SUFFICIENT * part * length**2:
            return reached
    return None


def _root(square: float) -> float:
    """The root of a square that rounding may have taken below 0."""
    return float(np.sqrt(max(square, 0.0)))


def minimize_along(
    loss: PenalizedLoss, Cs: Iterable[float], *, tol: float, max_iter: int
) -> list[Optimum]:
    """The minimum for each C, in order; each search starts at the minimum before."""
    path: list[Optimum] = []
    for C in Cs:
        start = path[-1].point if path else None
        path.append(minimize_loss(loss, C, start=start, tol=tol, max_iter=max_iter))
    return path


def warn_unless_converged(optima: Sequence[Optimum], tol: float, max_iter: int) -> None:
    """Warn if the optimiser did not converge; of several optima, the warning is about the worst."""
    worst = max(optima, key=lambda each: (not each.converged, each.step_share))
    if worst.converged:
        return
    cut_off = worst.n_iter >= max_iter
    stopped = f"max_iter={max_iter}" if cut_off else counted(worst.n_iter, "step")
    mend = (
        "Raise max_iter, or standardise the features." if cut_off else "Standardise the features."
    )
    warnings.warn(
        f"The optimiser stopped at {stopped}; the step left was {worst.step_share:.1g} of the "
        f"coefficients, tol={tol:g}. {mend}",
        ConvergenceWarning,
        stacklevel=2,
    )
