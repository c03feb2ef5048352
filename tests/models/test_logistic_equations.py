"""Newton's steps of the penalised loss, piece by piece."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided._blocks import ArraySource
from onesided.models.logistic import _optimum
from onesided.models.logistic._equations import posterior
from onesided.models.logistic._optimum import (
    CurvatureByPasses,
    CurvatureMatrix,
    PenalizedLoss,
    Point,
    minimize_along,
    minimize_loss,
)

WEIGHTS = (0.75, 0.25)


def rows(rng, n_rows=40, n_features=3):
    X = rng.normal(size=(n_rows, n_features)) * [1.0, 10.0, 0.1][:n_features]
    return X, rng.random(n_rows) < 0.25 + 0.5 * (X[:, 0] > 0)


def loss_of(X, y):
    weight = np.where(y, *WEIGHTS)
    squares = np.append(weight @ X**2, weight.sum())
    return PenalizedLoss(ArraySource(X, positive=y), WEIGHTS, squares)


def objective(X, y, coef):
    """Σ weight · log(1 + exp(−s (x·w + b)))."""
    s = np.where(y, 1.0, -1.0)
    return np.where(y, *WEIGHTS) @ np.log1p(np.exp(-s * (X @ coef[:-1] + coef[-1])))


def test_loss_is_one_at_zero_and_its_ridge_is_of_the_same_scale(rng):
    X, y = rows(rng)
    loss, coef = loss_of(X, y), np.array([0.3, -0.02, 1.0, 0.2])
    at_zero = objective(X, y, np.zeros(4))
    assert_allclose(loss.at_zero.value, 1.0)
    point = loss.at(coef)
    assert_allclose(point.value, objective(X, y, coef) / at_zero)
    value, gradient = point.penalized(loss.ridge(2.0))
    assert_allclose(value * at_zero * 2, 2 * objective(X, y, coef) + coef @ coef / 2)
    for i, step in enumerate(1e-6 * np.eye(4)):
        ends = [loss.at(coef + sign * step).penalized(loss.ridge(2.0))[0] for sign in (1, -1)]
        assert_allclose(gradient[i], (ends[0] - ends[1]) / 2e-6, rtol=1e-6, atol=1e-8)


def test_gradients_below_rounding(rng):
    """The root of the loss times that of the sums of squares, in the units of each feature."""
    X, y = rows(rng)
    loss = loss_of(X, y)
    found = loss.rounding(loss.at_zero)
    squares = np.append(np.where(y, *WEIGHTS) @ X**2, np.where(y, *WEIGHTS).sum())
    assert_allclose(found, 1e-14 * np.sqrt(squares / objective(X, y, np.zeros(4))))
    _, gradient = loss.at_zero.penalized(0.0)
    assert (np.abs(gradient) <= found * 1e14).all()


def test_curvature_by_differences_of_the_gradient(rng):
    X, y = rows(rng)
    loss, coef = loss_of(X, y), np.array([0.3, -0.02, 1.0, 0.2])
    found = loss.curvature(coef)
    assert isinstance(found, CurvatureMatrix)
    for i, step in enumerate(1e-6 * np.eye(4)):
        change = loss.at(coef + step).gradient - loss.at(coef - step).gradient
        assert_allclose(found.matrix[i], change / 2e-6, rtol=1e-6, atol=1e-7)


class TestCurvature:
    def test_products_are_those_of_the_matrix(self, rng, monkeypatch):
        X, y = rows(rng)
        loss, coef = loss_of(X, y), np.array([0.3, -0.02, 1.0, 0.2])
        matrix = loss.curvature(coef)
        monkeypatch.setattr(_optimum, "_NARROW", 2)
        passes = loss_of(X, y).curvature(coef)
        assert isinstance(passes, CurvatureByPasses)
        direction, gradient = rng.normal(size=(2, 4))
        for ridge in (0.01, 3.0):
            wanted = matrix.matrix @ direction + ridge * direction
            assert_allclose(matrix.product(direction, ridge), wanted)
            assert_allclose(passes.product(direction, ridge), wanted)
            step = -np.linalg.solve(matrix.matrix + ridge * np.eye(4), gradient)
            assert_allclose(matrix.step(gradient, ridge, 0.3), step)
            assert_allclose(passes.step(gradient, ridge, 1e-12), step, rtol=1e-8)

    def test_a_step_by_passes_leaves_the_share_that_is_asked_for(self, rng, monkeypatch):
        monkeypatch.setattr(_optimum, "_NARROW", 2)
        X, y = rng.normal(size=(200, 60)) * rng.uniform(0.2, 5, 60), rng.random(200) < 0.4
        curvature = loss_of(X, y).curvature(np.zeros(61))
        gradient, unit = rng.normal(size=61), np.sqrt(curvature.diagonal + 0.01)
        for accuracy in (0.3, 1e-3):
            step = curvature.step(gradient, 0.01, accuracy)
            left = (curvature.product(step, 0.01) + gradient) / unit
            share = np.linalg.norm(left) / np.linalg.norm(gradient / unit)
            assert accuracy / 100 < share <= accuracy * (1 + 1e-9)

    def test_a_matrix_without_an_inverse(self):
        """Two features that are one: the step goes along what they share."""
        matrix = np.array([[1.0, 1.0], [1.0, 1.0]])
        step = CurvatureMatrix(matrix).step(np.array([2.0, 2.0]), 0.0, 0.3)
        assert_allclose(matrix @ step, [-2.0, -2.0])
        assert_allclose(step, [-1.0, -1.0])

    def test_what_a_step_has_seen(self, rng):
        """The change of the gradient along the step (BFGS); the matrix stays definite."""
        root = rng.normal(size=(4, 4))
        curvature = CurvatureMatrix(root @ root.T + np.eye(4))
        step = rng.normal(size=4)
        start, change = rng.normal(size=(2, 4))
        change *= np.sign(change @ step)
        found = curvature.seen(Point(start, 1.0, start), Point(start + step, 0.5, start + change))
        assert_allclose(found.matrix @ step, change)
        assert_allclose(found.matrix, found.matrix.T)
        assert np.linalg.eigvalsh(found.matrix).min() > 0
        for seen in (-change, 0 * change):  # no convex function changes so
            end = Point(start + step, 1.0, start + seen)
            assert curvature.seen(Point(start, 1.0, start), end) is None


class Twisted:
    """A loss whose gradient is not its own: no part of a step lets it fall."""

    at_zero = Point(np.zeros(2), 1.0, np.array([1.0, 0.0]))

    def ridge(self, C):
        return 0.0

    def at(self, coef):
        return Point(coef, 1.0 + float(np.abs(coef).sum()), np.array([1.0, 0.0]))

    def rounding(self, point):
        return np.full(2, 1e-14)

    def curvature(self, coef):
        return CurvatureMatrix(np.eye(2))


class TestMinimum:
    @pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
    def test_gradient_vanishes(self, rng, C):
        X, y = rows(rng)
        found = minimize_loss(loss_of(X, y), C, tol=1e-10, max_iter=50)
        assert found.converged
        coef = found.point.coef
        s, weight = np.where(y, 1.0, -1.0), np.where(y, *WEIGHTS)
        columns = np.column_stack([X, np.ones(len(X))])
        slope = -weight * s / (1 + np.exp(s * (columns @ coef)))
        assert_allclose(C * (columns.T @ slope) + coef, 0.0, atol=1e-7 * max(C, 1.0))

    def test_it_ends_where_no_part_of_a_step_falls(self):
        found = minimize_loss(Twisted(), 1.0, tol=1e-6, max_iter=50)
        assert not found.converged
        assert found.n_iter == 0
        assert_array_equal(found.point.coef, 0.0)
        assert found.step_share == np.inf

    def test_most_steps(self, rng):
        X, y = rows(rng)
        for most in (0, 1, 2):
            found = minimize_loss(loss_of(X, y), 1.0, tol=1e-12, max_iter=most)
            assert (found.n_iter, found.converged) == (most, False)
            assert found.step_share > 1e-12

    def test_what_is_at_its_minimum_takes_no_step(self):
        """Both kinds alike: the gradient at 0 is nothing but rounding."""
        X, y = np.array([[0.1], [0.3], [0.1], [0.3]]), np.array([True, True, False, False])
        loss = PenalizedLoss(ArraySource(X, positive=y), (0.5, 0.5), np.array([0.1, 2.0]))
        found = minimize_loss(loss, 1.0, tol=1e-9, max_iter=50)
        assert (found.n_iter, found.step_share, found.converged) == (0, 0.0, True)

    def test_along_the_path_each_starts_where_the_last_ended(self, rng):
        X, y = rows(rng, n_rows=200)
        loss = loss_of(X, y)
        path = minimize_along(loss, [1.0, 1.1, 1.1], tol=1e-9, max_iter=50)
        for found, C in zip(path, (1.0, 1.1, 1.1), strict=True):
            alone = minimize_loss(loss, C, tol=1e-9, max_iter=50)
            assert_allclose(found.point.coef, alone.point.coef, rtol=1e-6)
        assert path[1].n_iter < path[0].n_iter
        assert path[2].n_iter <= 1


def test_posterior_is_clipped_and_does_not_overflow():
    """p w / (1 − w), at most 1."""
    log_odds = np.array([-800.0, -2.0, 0.0, 1.0, 800.0])
    found = posterior(log_odds, 0.4)
    assert_allclose(found, [0.0, 0.4 * np.exp(-2), 0.4, 1.0, 1.0], atol=1e-300)
    assert_allclose(posterior(np.array([0.5]), 0.4), 0.4 * np.exp(0.5))
