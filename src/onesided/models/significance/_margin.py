"""The one-class problem of Geurts 2011, and the distance that its solution measures.

=============  ================  =====================  ==========================================
the paper      here              shape                  meaning
=============  ================  =====================  ==========================================
x(S_+)         point             (dim,)                 mean of the positives
x(S'_i)        means             (n_subsets, dim)       means of random subsets of the same size
x'(S'_i)       z = point − mean  (n_subsets, dim)
α_i            dual              (n_subsets,)           sums to 1, each at most 1 / (ν T)
w              length is ‖w‖     (dim,)                 Σ α_i z_i, which scores an object
ρ / ‖w‖        margin            number                 distance of the plane from the origin
=============  ================  =====================  ==========================================

min ½‖w‖² + 1/(νT) Σ ξ_i − ρ with w·z_i ≥ ρ − ξ_i. Eq. 14 is printed with ρ inside the sum, which
would put every dual variable at its bound; the appendix has it right.

‖w‖ is the distance from x(S_+) to the ν-reduced convex hull of the subset means: the points
Σ α_i x(S'_i) with the α of above.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import OneClassSVM

from onesided._typing import Floats

_MAX_ITER = 200_000  # libsvm loops without end on some degenerate matrices
_NEAR = 0.01  # distance to the hull over that to the means, below which errors are not relative
_NOTHING = 1e-5  # ‖w‖ over the length of the z, below which it is what the solver leaves of 0


@dataclass(frozen=True)
class Margin:
    """Solution of the one-class problem.

    Attributes
    ----------
    dual : shape (n_subsets,), α
    length : ‖w‖, the distance to the reduced hull
    margin : ρ / ‖w‖, 0 where nothing separates
    """

    dual: Floats
    length: float
    margin: float


def solve_margin(gram: Floats, nu: float, tol: float) -> Margin:
    """Solve the one-class problem by libsvm.

    libsvm's α, w and ρ are νT times these; ρ/‖w‖ is the same. ν = 1 leaves one solution,
    α = 1/T, the centre-of-mass rule, which libsvm refuses to find.

    Parameters
    ----------
    gram : z_i · z_j, shape (n_subsets, n_subsets)
    nu : in (0, 1]
    tol : of libsvm's stopping rule, with the diagonal of `gram` at 1 in the mean
    """
    n_subsets = len(gram)
    nu = max(nu, 1 / n_subsets)  # at and below it nothing may lie on the wrong side
    size = float(np.mean(np.diagonal(gram)))
    if size <= 0:
        return Margin(np.full(n_subsets, 1 / n_subsets), 0.0, 0.0)
    if nu == 1:
        dual = np.full(n_subsets, 1 / n_subsets)
        rho = float((gram @ dual).max())  # the least that will do
    else:
        model = OneClassSVM(kernel="precomputed", nu=nu, tol=tol, max_iter=_MAX_ITER)
        with warnings.catch_warnings():  # at that number of steps a degenerate one has settled
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(gram / size)
        dual = np.zeros(n_subsets)
        dual[model.support_] = model.dual_coef_[0] / (nu * n_subsets)
        rho = float(model.offset_[0]) / (nu * n_subsets) * size
    length = float(np.sqrt(max(dual @ gram @ dual, 0.0)))
    if length <= _NOTHING * np.sqrt(size):
        return Margin(dual, 0.0, 0.0)
    return Margin(dual, length, rho / length)


def hull_distances(
    points: Floats,
    means: Floats,
    nu: float,
    tol: float,
    max_iter: int,
    on_step: Callable[[int, int], None] | None = None,
) -> Floats:
    """Distance of each point to the ν-reduced convex hull of the means, all at once.

    The dual is a quadratic under a capped simplex: accelerated projected gradient for all
    points in two matrix products a step. For any α the distance lies between
    (w·point − the mean of the largest νT of w·mean_i) / ‖w‖ and ‖w‖, w = point − Σ α mean; a point
    is done when these are within `tol` of each other. The distance of a point in the hull is 0, and
    no difference is a small part of 0. If few features leave many points in the hull, these points
    would take all steps. So the difference may also be `tol` times a small part of the distance to
    the means, and a distance below that is 0: points in the hull are tied, not ordered by what the
    solver leaves. In one dimension the hull is an interval, and no step is needed.

    Parameters
    ----------
    points : shape (n_points, dim)
    means : shape (n_subsets, dim)
    nu : in (0, 1]
    tol : largest relative difference of the bounds
    max_iter : most steps
    on_step : called with the number of points done and of all, after each step

    Returns
    -------
    shape (n_points,), the upper bounds
    """
    nu = max(nu, 1 / len(means))
    center = means.mean(axis=0)
    points, means = points - center, means - center
    exact = _exact_distances(points, means, nu)
    if exact is not None:
        if on_step is not None:
            on_step(len(points), len(points))
        return exact
    n_subsets = len(means)
    step = float(np.linalg.norm(means, ord=2)) ** 2
    lengths = np.empty(len(points))
    near = _NEAR * np.sqrt((points**2).sum(axis=1) + (means**2).sum() / n_subsets)
    going = np.arange(len(points))
    current = np.full((n_subsets, len(points)), 1 / n_subsets)
    ahead, momentum = current, 1.0
    for _ in range(max_iter):
        w = points[going].T - means.T @ ahead
        updated = project_capped_simplex(ahead + means @ w / step, 1 / (nu * n_subsets))
        longer = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = updated + (momentum - 1) / longer * (updated - current)
        current, momentum = updated, longer
        w = points[going].T - means.T @ current
        upper = np.linalg.norm(w, axis=0)
        lower = (np.einsum("ib,bi->b", w, points[going]) - _top_mean(means @ w, nu)) / np.where(
            upper > 0, upper, 1.0
        )
        lengths[going] = upper
        open_ = upper - np.maximum(lower, 0.0) > tol * np.maximum(upper, near[going])
        if on_step is not None:
            on_step(len(points) - int(open_.sum()), len(points))
        if not open_.any():
            break
        if not open_.all():
            going, current, ahead = going[open_], current[:, open_], ahead[:, open_]
    return np.where(lengths > tol * near, lengths, 0.0)


def _exact_distances(points: Floats, means: Floats, nu: float) -> Floats | None:
    """The distances where the hull is a point or an interval, else None."""
    if nu == 1 or not means.any():
        return np.linalg.norm(points, axis=1)
    if means.shape[1] == 1:
        beyond = [sign * points - _top_mean(sign * means, nu) for sign in (1, -1)]
        return np.maximum(np.maximum(*beyond), 0.0).ravel()
    return None


def _top_mean(scores: Floats, nu: float) -> Floats:
    """Mean of the largest ν T of each column, the last of them in part; shape (n_columns,)."""
    n_subsets = len(scores)
    budget = nu * n_subsets
    whole = min(int(np.ceil(budget)), n_subsets)
    top = np.sort(np.partition(scores, n_subsets - whole, axis=0)[n_subsets - whole :], axis=0)
    weight = np.ones(whole)
    weight[0] = budget - (whole - 1)
    return weight @ top / budget


def project_capped_simplex(values: Floats, cap: float) -> Floats:
    """Nearest point with entries in [0, cap] that sum to 1, for each column.

    Parameters
    ----------
    values : shape (n, n_columns), with n · cap ≥ 1
    cap : largest entry
    """
    low = values.min(axis=0) - cap
    high = values.max(axis=0)
    shift = (values.sum(axis=0) - 1) / len(values)
    shift = np.clip(shift, low, high)
    # All steps use the same memory: new arrays in each step took a third of the time.
    clipped = np.empty_like(values)
    is_above, is_below = np.empty((2, *values.shape), dtype=bool)
    for _ in range(100):  # Newton on a monotone function, kept between bounds; few are needed
        np.subtract(values, shift, out=clipped)
        np.greater(clipped, 0.0, out=is_above)
        np.less(clipped, cap, out=is_below)
        np.clip(clipped, 0.0, cap, out=clipped)
        over = clipped.sum(axis=0) - 1
        if np.abs(over).max() < 1e-12:  # noqa: PLR2004 - rounding of a sum that is 1
            break
        low, high = np.where(over > 0, shift, low), np.where(over < 0, shift, high)
        is_above &= is_below
        inside = is_above.view(np.uint8).sum(axis=0, dtype=np.uint32)
        newton = shift + over / np.maximum(inside, 1)
        fits = (inside > 0) & (newton > low) & (newton < high)
        shift = np.where(fits, newton, (low + high) / 2)
    return clipped
