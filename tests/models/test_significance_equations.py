"""P-values, enrichment and the margin where ordinary data do not lead."""

import math
import statistics

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.optimize import brentq

from onesided import enrichment
from onesided.models.significance import _margin
from onesided.models.significance._hypergeometric import HypergeometricTests, two_sided_p_values
from onesided.models.significance._pvalues import apparent_p_value
from oracles import geurts2011

NINE = np.arange(9) < 3


def t_like(scores):
    """Footnote 1 of the paper: mean over standard deviation; without spread its sign counts."""
    mean, spread = statistics.fmean(scores), statistics.stdev(scores)
    if len(set(scores)) == 1:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / spread


class TestApparent:
    def test_ten_thousandths_by_default(self, rng):
        scores = rng.normal(size=60)
        for statistic in ("sum", "t"):
            found = apparent_p_value(scores, np.arange(60) < 9, statistic=statistic, random_state=0)
            assert_allclose(found * 10_000, round(found * 10_000), rtol=1e-9)

    def test_the_same_sets_by_the_same_seed(self, rng):
        scores, y = rng.normal(size=60), np.arange(60) < 9
        found = [apparent_p_value(scores, y, random_state=seed) for seed in (3, 3, 4)]
        assert found[0] == found[1] != found[2]

    def test_labels_of_text(self):
        y = ["yes"] * 3 + ["no"] * 6
        scores = [5.0, 4, 3, 2, 1, 0, -1, -2, -3]
        assert_allclose(apparent_p_value(scores, y, positive_label="yes"), 1 / 84)
        assert_allclose(apparent_p_value(scores, y, positive_label="no"), 1.0)

    def test_numbers_as_objects(self):
        scores = np.array([5, 4.5, 3, 2, 1, 0, -1, -2, -3], dtype=object)
        assert_allclose(apparent_p_value(scores, NINE), 1 / 84)

    def test_t_of_two_values_below_zero(self):
        """It is not the higher the more high ones there are, so it is not Fisher's test."""
        for scores in ([-1.0] * 3 + [-3.0] * 6, [-1.0, -3, -1, -3, -3, -1, -3, -3, -3]):
            expected = geurts2011.exact_p_value(t_like, scores, [0, 1, 2])
            assert_allclose(apparent_p_value(scores, NINE, statistic="t"), expected)
            assert abs(expected - apparent_p_value(scores, NINE)) > 0.01

    def test_t_of_zeros_is_zero(self):
        scores = [1.0, -1, 0.5, 0, 0, 0, 0, 2, -2]
        assert 0 < t_like(scores[:3]) < 1
        expected = geurts2011.exact_p_value(t_like, scores, [0, 1, 2])
        assert_allclose(apparent_p_value(scores, NINE, statistic="t"), expected)

    def test_t_beside_a_score_far_out(self):
        """Whether a set has spread is a matter of its own scores."""
        scores = [1.0, 2, 3, 5, 0.2, 1.5, -1, 4, 1e14]
        expected = geurts2011.exact_p_value(t_like, scores, [0, 1, 2])
        assert_allclose(apparent_p_value(scores, NINE, statistic="t"), expected)

    @pytest.mark.parametrize("offset", [0.0, 1000.0, -1000.0])
    def test_t_of_the_same_scores_in_another_order(self, offset):
        scores = [offset + each / 10 for each in (1, 2, 3, 7, 3, 2, 1, 7, 7, 1, 3, 2)]
        positive = np.arange(12) < 4
        expected = geurts2011.exact_p_value(
            lambda s: round(t_like(sorted(s)), 7), scores, [0, 1, 2, 3]
        )
        assert_allclose(apparent_p_value(scores, positive, statistic="t"), expected)

    def test_t_of_one_positive_counts_by_its_sign(self):
        assert apparent_p_value([3.0, 1, 2, 0], [1, 0, 0, 0], statistic="t") == 3 / 4
        assert apparent_p_value([-3.0, 1, 2, 0], [1, 0, 0, 0], statistic="t") == 1.0

    def test_t_of_two_positives(self):
        scores = [3.0, 2, 1, 4, -1, 0.5, 2.5]
        expected = geurts2011.exact_p_value(t_like, scores, [0, 1])
        assert_allclose(apparent_p_value(scores, np.arange(7) < 2, statistic="t"), expected)


class TestHypergeometric:
    def test_mean_and_spread(self):
        found = HypergeometricTests.of(
            np.array([1, 2]), np.array([[3, 7]]), np.array([10]), np.array([4])
        )
        assert_array_equal(found.columns, [1, 2])
        exact = [stats.hypergeom(10, n_high, 4) for n_high in (3, 7)]
        assert_allclose(found.expected, [each.mean() for each in exact])
        assert_allclose(found.spread, [each.std() for each in exact])

    def test_probabilities_beyond_the_range_of_numbers(self):
        """The most likely one is e^3000 times the first: its square would overflow."""
        found = two_sided_p_values(10_000, 5000, 5000)
        assert found.min() > 0
        assert_allclose(found[2500], 1.0)
        assert_allclose(found[2400], 2 * stats.hypergeom.cdf(2400, 10_000, 5000, 5000), rtol=1e-9)
        of_one = [np.array([each]) for each in (0, [5000], 10_000, 5000)]
        assert np.isfinite(HypergeometricTests.of(*of_one).deviates).all()


class TestEnrichment:
    def test_ten_thousandths_by_default(self, rng):
        X, y = rng.normal(size=(60, 2)), np.arange(60) < 9
        found = enrichment(X, y, random_state=0)
        assert_allclose(found.p_value * 10_000, np.rint(found.p_value * 10_000), rtol=1e-9)

    def test_labels_of_text(self, rng):
        X = rng.normal(size=(9, 2))
        y = np.where(NINE, "yes", "no")
        found = enrichment(X, y, positive_label="yes")
        assert_allclose(found.statistic, enrichment(X, NINE).statistic)
        assert_allclose(enrichment(X, y, positive_label="no").statistic, -found.statistic)

    @pytest.mark.parametrize("size", [2, 3, 4])
    def test_t_of_two_values(self, rng, size):
        """By the sets, as for any other feature: nothing of it is hypergeometric."""

        def t(x, chosen):
            spread = x[chosen].std(ddof=1)
            return (x[chosen].mean() - x.mean()) / spread if spread else 0.0

        X = np.column_stack([[1.0, 0, 1, 0, 0, 0, 1, 0, 0], rng.normal(size=9)])
        found = enrichment(X, np.arange(9) < size, statistic="t")
        raw, adjusted = geurts2011.enrichment_by_enumeration(X, list(range(size)), t)
        assert_allclose(found.p_value, raw)
        assert_allclose(found.adjusted_p_value, adjusted)
        assert_allclose(found.statistic, [t(x, list(range(size))) for x in X.T])


class TestReducedHull:
    @pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
    @pytest.mark.parametrize("cap", [1 / 8, 0.2, 0.5, 1.0, 3.0])
    def test_projection_by_a_root(self, rng, cap, scale):
        """clip(v − s, 0, cap) with the shift s at which it sums to 1."""
        values = scale * rng.normal(size=(8, 20))
        values[:, 0] = 1.0  # all alike
        found = _margin.project_capped_simplex(values, cap)
        for column, v in zip(found.T, values.T, strict=True):
            low, high = v.min() - 2 * max(cap, 1.0), v.max() + 1.0
            shift = brentq(lambda s, v=v: np.clip(v - s, 0, cap).sum() - 1, low, high, xtol=1e-14)
            assert_allclose(column, np.clip(v - shift, 0, cap), atol=1e-11 * max(scale, 1.0))
            assert_allclose(column.sum(), 1.0, atol=1e-12)

    @pytest.mark.parametrize("nu", [1 / 7, 0.2, 3 / 7, 0.5, 0.9, 1.0])
    def test_mean_of_the_top(self, rng, nu):
        """The largest ν T, the last of them in part: the highest value of a point of the hull."""
        scores, budget = rng.normal(size=(7, 4)), 7 * nu
        found = _margin._top_mean(scores, nu)
        for column, value in zip(scores.T, found, strict=True):
            parts = [min(1.0, max(0.0, budget - place)) for place in range(7)]
            expected = np.dot(sorted(column, reverse=True), parts) / budget
            assert_allclose(value, expected)

    @pytest.mark.parametrize("offset", [0.0, 1e3])
    @pytest.mark.parametrize("nu", [0.05, 0.3, 0.7, 1.0])
    @pytest.mark.parametrize("dim", [1, 3])
    def test_distances_by_a_general_solver(self, rng, nu, offset, dim):
        means, points = rng.normal(size=(10, dim)), 3 * rng.normal(size=(6, dim))
        steps = []
        found = _margin.hull_distances(
            points + offset, means + offset, nu, 1e-9, 20_000, lambda *step: steps.append(step)
        )
        for point, distance in zip(points, found, strict=True):
            _, w, _ = geurts2011.one_class_dual(point - means, max(nu, 1 / 10))
            assert_allclose(distance, np.linalg.norm(w), rtol=1e-5, atol=1e-5)
        done = [n_done for n_done, _ in steps]
        assert done == sorted(done)
        assert {n for _, n in steps} <= {6}
        assert done[-1] == 6

    def test_a_point_within_is_at_no_distance(self, rng):
        means = rng.normal(size=(12, 2))
        found = _margin.hull_distances(means.mean(axis=0)[None] + 0.01, means, 0.2, 1e-6, 300)
        assert_allclose(found, 0.0, atol=1e-6)

    @pytest.mark.parametrize("dim", [1, 2])
    def test_points_within_take_few_steps(self, rng, dim):
        """With few features most random sets lie in the hull, at a distance of 0."""
        means, points, steps = rng.normal(size=(300, dim)), rng.normal(size=(60, dim)), []
        _margin.hull_distances(points, means, 0.25, 1e-4, 500, lambda *step: steps.append(step[0]))
        assert steps[min(100, len(steps) - 1)] >= 50

    def test_the_mean_where_all_sets_are_alike(self):
        means = np.tile([1.0, 2.0], (5, 1))
        found = _margin.hull_distances(np.array([[4.0, 6.0], [1, 2]]), means, 0.5, 1e-6, 100)
        assert_allclose(found, [5.0, 0.0], atol=1e-15)

    def test_few_steps_leave_an_upper_bound(self, rng):
        means, points = rng.normal(size=(30, 3)), 2 * rng.normal(size=(9, 3))
        best = _margin.hull_distances(points, means, 0.2, 1e-9, 20_000)
        for n_steps in (1, 3):
            found = _margin.hull_distances(points, means, 0.2, 1e-12, n_steps)
            assert (found >= best * (1 - 1e-9)).all()
            assert found.sum() > best.sum() * (1 + 1e-6)


class TestSolveMargin:
    def test_units_do_not_matter(self, rng):
        """2 z has the same α, and twice the length and margin."""
        z = rng.normal(size=(15, 3)) + 2
        plain = _margin.solve_margin(z @ z.T, 0.3, 1e-10)
        for unit in (1e-6, 2.0, 1e6):
            found = _margin.solve_margin(unit**2 * (z @ z.T), 0.3, 1e-10)
            assert_allclose(found.dual, plain.dual, atol=1e-6)
            assert_allclose(
                [found.length, found.margin], [unit * plain.length, unit * plain.margin]
            )

    def test_nothing_but_zeros(self):
        found = _margin.solve_margin(np.zeros((4, 4)), 0.5, 1e-9)
        assert_array_equal(found.dual, 0.25)
        assert (found.length, found.margin) == (0.0, 0.0)

    def test_closed_form_margin_is_the_least_that_will_do(self, rng):
        """ν = 1: ρ is the largest w · z_i, and α = 1/T."""
        z = rng.normal(size=(9, 3)) + 1
        found, w = _margin.solve_margin(z @ z.T, 1.0, 1e-9), z.mean(axis=0)
        assert_allclose(found.length, np.linalg.norm(w))
        assert_allclose(found.margin, (z @ w).max() / np.linalg.norm(w))

    def test_opposite_sets_keep_their_weights(self):
        z = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
        found = _margin.solve_margin(z @ z.T, 1.0, 1e-9)
        assert_array_equal(found.dual, 0.25)
        assert (found.length, found.margin) == (0.0, 0.0)
