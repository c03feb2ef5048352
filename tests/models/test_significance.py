"""SignificanceRanker against a general solver, the kernel expansion and enumeration."""

import itertools
import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from sklearn.metrics import roc_auc_score

from onesided import (
    CenteredOneClassSVM,
    CenterOfMassRanker,
    CorrelationRanker,
    SignificanceRanker,
)
from onesided.exceptions import DataError, SeparationWarning
from onesided.models.significance._margin import (
    hull_distances,
    project_capped_simplex,
    solve_margin,
)
from onesided.models.significance._pvalues import (
    Pools,
    apparent_p_value,
)
from oracles import geurts2011


def problem(rng, n_positive=8, n_unlabeled=52, shift=1.0):
    y = np.repeat([1, 0], [n_positive, n_unlabeled])
    return rng.normal(size=(len(y), 3)) + shift * y[:, None] * [1, 0.5, 0], y


class TestMargin:
    @pytest.mark.parametrize("nu", [0.12, 0.27, 0.53, 0.93])  # νT whole leaves ρ an interval
    def test_general_solver(self, rng, nu):
        z = rng.normal(size=(20, 3)) + 1.5
        dual, w, margin = geurts2011.one_class_dual(z, nu)
        found = solve_margin(z @ z.T, nu, 1e-9)
        assert_allclose(found.dual.sum(), 1.0)
        assert found.dual.max() <= 1 / (nu * 20) + 1e-12
        assert_allclose(found.dual @ z, w, atol=1e-6)
        assert_allclose(found.dual @ (z @ z.T) @ found.dual, dual @ (z @ z.T) @ dual, atol=1e-9)
        assert_allclose(found.length, np.linalg.norm(w), atol=1e-6)
        assert_allclose(found.margin, margin, atol=1e-5)

    def test_one_is_the_centre_of_mass_rule(self, rng):
        z = rng.normal(size=(20, 3)) + 0.7
        found = solve_margin(z @ z.T, 1, 1e-9)
        assert_array_equal(found.dual, 0.05)
        assert_allclose(found.length, np.linalg.norm(z.mean(axis=0)))

    def test_no_more_than_nu_on_the_wrong_side(self, rng):
        for nu in (0.1, 0.3, 0.6):
            z = rng.normal(size=(50, 3)) + 0.3
            found = solve_margin(z @ z.T, nu, 1e-9)
            if found.margin > 0:
                wrong = (z @ (found.dual @ z) <= 0).mean()
                assert wrong <= nu + 1e-9

    def test_distance_is_the_margin_where_no_subset_may_be_wrong(self, rng):
        z = rng.normal(size=(10, 3)) + 2
        found = solve_margin(z @ z.T, 0.1, 1e-9)
        assert_allclose(found.length, found.margin, rtol=1e-6)

    def test_nothing_separates(self):
        z = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
        found = solve_margin(z @ z.T, 0.5, 1e-9)
        assert (found.length, found.margin) == (0.0, 0.0)
        assert solve_margin(np.zeros((4, 4)), 0.5, 1e-9).margin == 0.0

    @pytest.mark.parametrize("nu", [0.1, 0.25, 0.33, 0.8, 1])
    def test_distances_of_many_points(self, rng, nu):
        means, points = rng.normal(size=(40, 4)), 2 * rng.normal(size=(15, 4))
        found = hull_distances(points, means, nu, 1e-8, 20_000)
        expected = [solve_margin((p - means) @ (p - means).T, nu, 1e-10).length for p in points]
        assert_allclose(found, expected, rtol=1e-5, atol=1e-6)

    def test_projection_is_the_nearest_point(self, rng):
        values = rng.normal(size=(12, 30))
        found = project_capped_simplex(values, 0.2)
        assert_allclose(found.sum(axis=0), 1.0, atol=1e-10)
        assert found.min() >= 0
        assert found.max() <= 0.2
        for _ in range(50):  # no feasible point is nearer: the angle at the projection is obtuse
            other = project_capped_simplex(rng.normal(size=(12, 30)), 0.2)
            assert (((values - found) * (other - found)).sum(axis=0) < 1e-9).all()


class TestRanker:
    def test_general_solver(self, rng):
        X, y = problem(rng, shift=2.5)
        ranker = SignificanceRanker(n_subsets=30, nu=0.28, scale=False, random_state=0).fit(X, y)
        z = X[y == 1].mean(axis=0) - X[ranker.subsets_].mean(axis=1)
        _, w, margin = geurts2011.one_class_dual(z, 0.28)
        assert_allclose(ranker.coef_, w, atol=1e-6)
        assert_allclose(ranker.margin_, margin, atol=1e-5)
        assert_allclose(np.diff(ranker.decision_function(X)), np.diff(X @ w), atol=1e-5)

    def test_subsets_are_of_all_objects_without_repeats(self, rng):
        X, y = problem(rng)
        subsets = SignificanceRanker(n_subsets=200, random_state=0).fit(X, y).subsets_
        assert subsets.shape == (200, 8)
        assert all(len(set(subset)) == 8 for subset in subsets)
        assert set(subsets.ravel()) == set(range(60))
        again = SignificanceRanker(n_subsets=200, random_state=0).fit(X, y).subsets_
        assert_array_equal(subsets, again)

    @pytest.mark.parametrize("scale", [True, False])
    def test_linear_kernel_is_the_primal_score(self, rng, scale):
        X, y = problem(rng)
        X = X * [1, 10, 100]
        primal = SignificanceRanker(n_subsets=50, scale=scale, random_state=0).fit(X, y)
        Z = (X - X.mean(axis=0)) / (X.std(axis=0) if scale else 1)
        K = Z @ Z.T
        dual = SignificanceRanker("precomputed", n_subsets=50, random_state=0).fit(K, y)
        by_function = SignificanceRanker(np.dot, n_subsets=50, scale=scale, random_state=0).fit(
            X, y
        )
        expected = primal.decision_function(X)
        assert_allclose(
            dual.decision_function(K), expected, rtol=1e-5, atol=1e-6 * np.ptp(expected)
        )
        assert_allclose(
            by_function.decision_function(X), expected, rtol=1e-5, atol=1e-6 * np.ptp(expected)
        )
        assert_allclose(dual.margin_, primal.margin_, rtol=1e-5)

    @pytest.mark.parametrize("kernel", ["rbf", "poly"])
    def test_kernel_expansion(self, rng, kernel):
        X, y = problem(rng, 5, 20)
        ranker = SignificanceRanker(
            kernel, n_subsets=12, scale=False, gamma=0.4, degree=2, random_state=0
        ).fit(X, y)
        Z = X - X.mean(axis=0)

        def k(a, b):
            if kernel == "rbf":
                return np.exp(-0.4 * ((a - b) @ (a - b)))
            return (0.4 * (a @ b) + 1) ** 2

        expected = [
            geurts2011.kernel_score(
                k, Z, np.flatnonzero(y), ranker.subsets_, ranker.dual_coef_, row
            )
            for row in Z
        ]
        found = ranker.decision_function(X) + ranker.offset_
        assert_allclose(found, expected, atol=1e-9)

    def test_every_source(self, make_source, rng, labels):
        X = rng.normal(size=(60, 3)) + labels[:, None]
        X[rng.random(X.shape) < 0.1] = 0
        source = make_source(X)
        found = SignificanceRanker(n_subsets=40, random_state=0).fit(source, labels)
        whole = SignificanceRanker(n_subsets=40, random_state=0).fit(X, labels)
        assert_array_equal(found.subsets_, whole.subsets_)
        assert_allclose(found.coef_, whole.coef_, atol=1e-6)
        assert_allclose(found.decision_function(source), whole.decision_function(X), atol=1e-5)
        a, b = (each.adjusted_p_value(50, random_state=0) for each in (found, whole))
        assert_allclose(a.null, b.null, rtol=1e-3, atol=1e-8)

    def test_missing_counts_as_the_mean(self, rng):
        X, y = problem(rng)
        gaps = X.copy()
        gaps[rng.random(X.shape) < 0.2] = np.nan
        filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
        found = SignificanceRanker(n_subsets=50, scale=False, random_state=0).fit(gaps, y)
        whole = SignificanceRanker(n_subsets=50, scale=False, random_state=0).fit(filled, y)
        assert_allclose(found.coef_, whole.coef_, atol=1e-6)
        assert_allclose(found.decision_function(gaps), whole.decision_function(filled), atol=1e-6)

    def test_sparse_is_dense(self, rng):
        X, y = problem(rng)
        X[rng.random(X.shape) < 0.5] = 0
        for kernel in ("linear", "rbf"):
            dense, rare = (
                SignificanceRanker(kernel, n_subsets=50, random_state=0).fit(each, y)
                for each in (X, sparse.csr_array(X))
            )
            assert_allclose(
                rare.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-5
            )

    def test_predict_cuts_at_the_median_positive(self, rng):
        X, y = problem(rng)
        ranker = SignificanceRanker(n_subsets=50, random_state=0).fit(X, y)
        assert_allclose(np.median(ranker.decision_function(X)[y == 1]), 0.0, atol=1e-12)

    @pytest.mark.filterwarnings("ignore:.* equals? an earlier positive row")
    def test_equal_features(self, rng):
        y = np.repeat([1, 0], [5, 45])
        with pytest.warns(SeparationWarning, match="Nothing separates the positives"):
            ranker = SignificanceRanker(n_subsets=20, random_state=0).fit(np.ones((50, 2)), y)
        assert ranker.margin_ == 0
        assert ranker.apparent_p_value_ == 1
        assert ranker.adjusted_p_value(20, random_state=0) == 1

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"nu": 0}, "nu=0 is not a number above 0 and of at most 1"),
            ({"nu": 1.5}, "nu=1.5 is not .*, or 1 for the centre-of-mass rule"),
            ({"n_subsets": 1}, "n_subsets=1 is not a whole number of at least 2"),
            (
                {"kernel": "cosine"},
                "kernel='cosine' is not 'linear', 'poly', 'precomputed'",
            ),
        ],
    )
    def test_parameters(self, rng, parameters, message):
        with pytest.raises(DataError, match=message):
            SignificanceRanker(**parameters).fit(*problem(rng))

    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_more_positives_than_unlabeled(self, rng, kernel):
        """The random sets then share rows with the positives, and still show where these are."""
        X, y = problem(rng, 120, 40)
        ranker = SignificanceRanker(kernel, n_subsets=100, random_state=0).fit(X, y)
        new, kind = problem(rng, 120, 40)
        assert roc_auc_score(kind, ranker.decision_function(new)) > 0.7
        one_unlabeled = SignificanceRanker(kernel, n_subsets=20, random_state=0)
        assert np.isfinite(one_unlabeled.fit(X[:121], y[:121]).decision_function(X)).all()

    def test_kernels_that_are_none(self, rng):
        X, y = problem(rng)
        with pytest.raises(DataError, match="has 60 rows and 3 columns"):
            SignificanceRanker("precomputed").fit(X, y)
        with pytest.raises(DataError, match="is not symmetric"):
            SignificanceRanker("precomputed").fit(rng.normal(size=(60, 60)), y)


class TestPValues:
    def test_adjusted_by_enumeration(self, rng):
        """Twelve objects, three positive: all 220 sets, each with libsvm's distance."""
        X, y = problem(rng, 3, 9, shift=1.5)
        ranker = SignificanceRanker(n_subsets=15, scale=False, random_state=0).fit(X, y)
        means = X[ranker.subsets_].mean(axis=1)
        lengths = []
        for chosen in itertools.combinations(range(12), 3):
            z = X[list(chosen)].mean(axis=0) - means
            lengths.append(solve_margin(z @ z.T, 0.25, 1e-9).length)
        expected = np.mean(np.array(lengths) >= ranker.distance_ * (1 - 1e-4))
        found = ranker.adjusted_p_value(1000)
        assert found.exact
        assert_allclose(float(found), expected)
        assert_allclose(np.sort(found.null), np.sort(lengths), rtol=1e-3, atol=1e-3)

    def test_signal_is_found(self, rng):
        X, y = problem(rng, 10, 90, shift=2.0)
        found = (
            SignificanceRanker(n_subsets=100, random_state=0)
            .fit(X, y)
            .adjusted_p_value(199, random_state=1)
        )
        assert found == 1 / 200
        assert found.null.max() < found.statistic
        assert "p = 0.005" in found.plot().to_dict()["title"]

    def test_p_value_needs_the_rows(self, rng):
        ranker = SignificanceRanker(n_subsets=20, random_state=0).fit(*problem(rng, shift=2.5))
        with pytest.raises(DataError, match="rows passed to fit are no longer"):
            pickle.loads(pickle.dumps(ranker)).adjusted_p_value()

    def test_fisher(self, rng):
        scores = (rng.random(40) < 0.3).astype(int)
        y = (rng.random(40) < 0.25).astype(int)
        table = [[((scores == a) & (y == b)).sum() for a in (1, 0)] for b in (1, 0)]
        expected = stats.fisher_exact(table, alternative="greater").pvalue
        assert_allclose(apparent_p_value(scores, y), expected)

    def test_wilcoxon(self, rng):
        scores, y = rng.normal(size=30), np.repeat([1, 0], [6, 24])
        expected = stats.ranksums(scores[:6], scores[6:], alternative="greater").pvalue
        assert_allclose(apparent_p_value(scores, y, statistic="rank"), expected, atol=0.03)
        exact = geurts2011.exact_p_value(sum, stats.rankdata(scores[:12]), [0, 1, 2])
        small = apparent_p_value(scores[:12], np.repeat([1, 0], [3, 9]), statistic="rank")
        assert_allclose(small, exact)

    @pytest.mark.parametrize("statistic", ["sum", "t"])
    def test_enumeration(self, rng, statistic):
        scores = rng.normal(size=12)
        aggregate = {"sum": sum, "t": lambda s: np.mean(s) / np.std(s, ddof=1)}[statistic]
        expected = geurts2011.exact_p_value(aggregate, scores, [0, 1, 2])
        y = np.repeat([1, 0], [3, 9])
        assert_allclose(apparent_p_value(scores, y, statistic=statistic), expected)
        drawn = apparent_p_value(scores, y, statistic=statistic, n_resamples=200, random_state=0)
        assert_allclose(drawn, expected, atol=0.1)

    def test_scores_that_cannot_be_tested(self):
        with pytest.raises(DataError, match="scores has nan in row 1, which is not finite"):
            apparent_p_value([1, np.nan, 2], [1, 0, 0])
        with pytest.raises(DataError, match=r"scores has shape \(2,\), y has 3 rows"):
            apparent_p_value([1, 2], [1, 0, 0])
        with pytest.raises(DataError, match="statistic='max' is not known"):
            apparent_p_value([1, 3, 2], [1, 0, 0], statistic="max")


class TestDrawnSubsets:
    @pytest.mark.parametrize(("n_rows", "size"), [(6, 2), (6, 3), (6, 4), (5, 1), (7, 6)])
    def test_every_subset_is_as_likely(self, n_rows, size):
        drawn = Pools.of(np.arange(n_rows) < size).draw(20_000, np.random.RandomState(0))
        assert drawn.shape == (20_000, size)
        assert (np.diff(drawn, axis=1) > 0).all()
        found, counts = np.unique(drawn, axis=0, return_counts=True)
        assert len(found) == math.comb(n_rows, size)
        assert stats.chisquare(counts).pvalue > 1e-3

    def test_steps_change_nothing(self):
        """Not which sets there are; the last step may be short."""
        whole = Pools.of(np.arange(50) < 8).draw(107, np.random.RandomState(3))
        for step in (1, 16, 20, 1000):
            steps, n_sets, exact = Pools.of(np.arange(50) < 8).steps(107, 3, step=step)
            parts = list(steps)
            assert_array_equal(np.concatenate(parts), whole)
            assert (n_sets, exact) == (107, False)
            assert max(map(len, parts)) <= step + 15

    def test_large_sets(self):
        drawn = Pools.of(np.arange(4000) < 2000).draw(20, np.random.RandomState(0))
        assert (np.diff(drawn, axis=1) > 0).all()
        assert abs(np.mean(drawn) - 1999.5) < 40


class TestOneSeedForAll:
    """The random sets of the p-value are never the subsets that the fit was measured against."""

    @pytest.mark.parametrize("nu", [0.005, 0.1])
    def test_noise_is_not_significant(self, rng, nu):
        p_values = []
        for seed in range(12):
            X, y = rng.normal(size=(100, 120)), np.arange(100) < 8
            ranker = SignificanceRanker(n_subsets=100, nu=nu, random_state=seed).fit(X, y)
            p_values.append(ranker.adjusted_p_value(99, random_state=seed))
            assert (p_values[-1].null > 1e-3).all()  # none is a vertex of the hull
        assert sum(p <= 0.05 for p in p_values) <= 3
        assert np.mean(p_values) > 0.25


def test_hard_margin_from_below(rng):
    """At ν ≤ 1/T nothing may lie on the wrong side: the solution does not depend on ν."""
    X, y = problem(rng, 10, 50, shift=1.0)
    found = [
        SignificanceRanker(n_subsets=60, nu=nu, random_state=0).fit(X, y).distance_
        for nu in (1 / 60, 1e-3, 1e-9)
    ]
    assert_allclose(found, found[0], rtol=1e-9)
    _, w, _ = geurts2011.one_class_dual(
        *_z_and_nu(SignificanceRanker(n_subsets=60, nu=1 / 60, random_state=0).fit(X, y), X, y)
    )
    assert_allclose(found[0], np.linalg.norm(w), rtol=1e-5)


def _z_and_nu(ranker, X, y):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return Z[np.flatnonzero(y)].mean(axis=0) - Z[ranker.subsets_].mean(axis=1), 1 / 60


def test_margin_goes_over_into_the_closed_form(rng):
    X, y = problem(rng, 10, 60, shift=1.0)
    near, at = (
        SignificanceRanker(n_subsets=50, nu=nu, random_state=0).fit(X, y) for nu in (0.9999, 1.0)
    )
    assert_allclose(near.margin_, at.margin_, rtol=1e-2)
    assert at.margin_ > 0


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_far_from_zero(rng, kernel):
    """A large mean takes no digits from the deviation."""
    X, y = problem(rng, 10, 60, shift=1.0)
    params = {"kernel": kernel, "n_subsets": 50, "random_state": 0}
    plain = SignificanceRanker(**params).fit(X, y)
    far = SignificanceRanker(**params).fit(X + 1e8, y)
    assert_allclose(far.distance_, plain.distance_, rtol=1e-4)
    assert_allclose(far.decision_function(X + 1e8), plain.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("scale", [False, True])
def test_a_kernel_sees_one_thing_sparse_or_dense(rng, scale):
    X, y = problem(rng, 8, 40)
    params = {"kernel": "poly", "degree": 2, "scale": scale, "n_subsets": 40, "random_state": 0}
    dense = SignificanceRanker(**params).fit(X, y)
    rare = SignificanceRanker(**params).fit(sparse.csr_array(X), y)
    assert_allclose(rare.distance_, dense.distance_)
    assert_allclose(
        rare.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-9
    )


def test_scale_is_that_of_the_values_that_are_there(rng):
    X, y = problem(rng, 10, 60)
    X[rng.random(X.shape) < 0.4] = np.nan
    ranker = SignificanceRanker(n_subsets=40, random_state=0).fit(X, y)
    Z = np.nan_to_num((X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0))
    by_hand = SignificanceRanker(n_subsets=40, scale=False, random_state=0).fit(Z, y)
    assert_allclose(ranker.distance_, by_hand.distance_)


class TestAfterTheFit:
    def test_progress(self, rng):
        X, y = problem(rng, 10, 60)
        seen = []
        ranker = SignificanceRanker(n_subsets=40, random_state=0).fit(X, y)
        ranker.adjusted_p_value(50, random_state=0, on_step=lambda *at: seen.append(at))
        assert [n for _, n in seen] == [51] * len(seen)
        assert sorted(done for done, _ in seen) == [done for done, _ in seen]
        assert seen[-1][0] > 40

    def test_rows_that_have_changed(self, rng):
        X, y = problem(rng, 10, 60, shift=2.0)
        ranker = SignificanceRanker(n_subsets=40, random_state=0).fit(X, y)
        X[:] = rng.normal(size=X.shape)
        with pytest.raises(DataError, match="have changed"):
            ranker.adjusted_p_value(19)

    def test_parameters_that_have_changed(self, rng):
        X, y = problem(rng, 10, 60, shift=2.0)
        ranker = SignificanceRanker(n_subsets=40, random_state=0).fit(X, y)
        with pytest.raises(DataError, match="Parameters have changed"):
            ranker.set_params(nu=0.5).adjusted_p_value(19)

    @pytest.mark.filterwarnings("ignore::onesided.exceptions.SeparationWarning")
    @pytest.mark.filterwarnings("ignore:.* equals? an earlier positive row")
    def test_where_nothing_separates_the_null_is_kept(self, rng):
        X, y = np.ones((40, 2)), np.arange(40) < 5
        X[5:, 0] = rng.normal(size=35)
        X[:5, 0] = X[5:, 0].mean()
        X[:5] = np.nan  # at the mean of all
        ranker = SignificanceRanker(n_subsets=40, random_state=0).fit(X, y)
        found = ranker.adjusted_p_value(19, random_state=0)
        assert found == 1
        assert found.null.max() > 0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"gamma": np.nan}, "gamma=nan"),
        ({"gamma": -1.0}, "gamma=-1.0"),
        ({"degree": 2.5}, "degree=2.5"),
        ({"coef0": np.inf}, "coef0=inf"),
        ({"kernel": lambda a, b: np.nan}, "a value that is not finite"),  # noqa: ARG005 - a kernel's signature
    ],
)
def test_kernels_that_cannot_be(rng, params, message):
    X, y = problem(rng, 6, 30)
    with pytest.raises(DataError, match=message):
        SignificanceRanker(**{"kernel": "poly", "n_subsets": 20, **params}).fit(X, y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_have_no_square(rng):
    X, y = problem(rng, 6, 30)
    X[:, 1] *= 1e200
    for kind in (SignificanceRanker, CenterOfMassRanker, CorrelationRanker, CenteredOneClassSVM):
        with pytest.raises(DataError, match="Column 1 holds numbers so large"):
            kind().fit(X, y)


class TestTiesInApparent:
    def test_t_without_spread(self):
        """Positives of one score: as many sets without spread as there are, by the sign of it."""
        y = [1, 1, 1, 0, 0, 0, 0, 0, 0]
        for scores, expected in (
            ([2, 2, 2, 0.3, 1, 0, -1, 4, 5], 1 / 84),
            ([1] * 9, 1.0),
            ([1, 1, 1, 0, 0, 1, 1, 0, 0], 10 / 84),
            ([0.1, 0.1, 0.1, 0.3, 1, 0, -1, 4, 5], 1 / 84),
        ):
            assert_allclose(apparent_p_value(scores, y, statistic="t"), expected)

    def test_ranks_that_are_tied_are_counted(self):
        """Not by a normal approximation, which is off by thirteen orders of magnitude here."""
        scores, y = np.zeros(1000), np.arange(1000) < 5
        scores[[0, 100, 101]] = 1
        exact = stats.hypergeom.sf(0, 1000, 3, 5)
        assert_allclose(apparent_p_value(scores, y, statistic="rank"), exact)
        few = [3.0, 3, 1, 1, 2, 0, 0, 1, 2]
        expected = geurts2011.exact_p_value(sum, stats.rankdata(few).tolist(), (0, 1, 2))
        labels = np.arange(9) < 3
        assert_allclose(apparent_p_value(few, labels, statistic="rank"), expected)

    def test_units_do_not_matter(self, rng):
        scores, y = rng.normal(size=9), np.arange(9) < 3
        for unit in (1e-13, 1e13):
            assert_allclose(apparent_p_value(scores * unit, y), apparent_p_value(scores, y))

    def test_one_is_added_where_sets_are_drawn(self, rng):
        scores, y = np.sort(rng.normal(size=100))[::-1], np.arange(100) < 8
        assert_allclose(apparent_p_value(scores, y, n_resamples=99, random_state=0), 0.01)


def test_apparent_of_a_fit_counts_itself(rng):
    """The +1 rule: 1 / (1 + T) where all subsets lie below; a subset like the positives counts."""
    X, y = problem(rng, 8, 60, shift=4.0)
    ranker = SignificanceRanker(n_subsets=30, nu=0.01, random_state=0).fit(X, y)
    assert_allclose(ranker.apparent_p_value_, 1 / 31)
