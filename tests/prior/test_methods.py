"""Estimators of the class prior from scores, against loops over all cuts."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.integrate import quad
from scipy.optimize import differential_evolution
from scipy.stats import beta, norm
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from given_scores import Column
from onesided import PositiveKFold, WeightedLogisticRegression
from onesided.exceptions import DataError, LabelError, PriorWarning
from onesided.prior import (
    BestBinPrior,
    BinormalPrior,
    DensityRatioPrior,
    ElkanNotoPrior,
    SubtypePrior,
    TIcEPrior,
    best_bin,
    binormal_tail,
    density_ratio,
    elkan_noto,
    out_of_fold_scores,
    prior_upper_bound,
    tree_induction,
)
from onesided.prior._bound import _prior_quantile
from onesided.prior._tree import _best_split, _highest
from oracles import class_prior as oracle

FUNCTIONS = [best_bin, binormal_tail, density_ratio, elkan_noto, prior_upper_bound]
ESTIMATORS = [BestBinPrior, BinormalPrior, DensityRatioPrior, ElkanNotoPrior, SubtypePrior]


def scores(n):
    """Few values, so that there are ties."""
    return arrays(float, st.integers(1, n), elements=st.integers(0, 9).map(float))


def two_normals(rng, n_positive=500, n_unlabeled=2000, prior=0.3, apart=3.0):
    hidden = round(prior * n_unlabeled)
    known = rng.normal(apart, 1, n_positive)
    return known, np.append(rng.normal(apart, 1, hidden), rng.normal(0, 1, n_unlabeled - hidden))


@given(scores(12), scores(20), st.sampled_from([0.01, 0.5]), st.sampled_from([0.1, 0.02]))
def test_best_bin_is_algorithm_1(known, rest, gamma, delta):
    expected = oracle.best_bin(known.tolist(), rest.tolist(), gamma, delta)
    assert_allclose(best_bin(known, rest, gamma=gamma, delta=delta), expected, rtol=1e-12)


def test_best_bin_with_its_defaults(rng):
    """Many scores, so that the error of the shares matters."""
    for _ in range(40):
        known, rest = two_normals(rng, 40, 150, 0.3, apart=1.0)
        assert_allclose(best_bin(known, rest), oracle.best_bin(known.tolist(), rest.tolist()))


def test_elkan_noto_is_no_more_than_one():
    """All alike, of whatever numbers: the labeled share is not rounded to a prior above 1."""
    assert {elkan_noto(np.ones(a), np.ones(b)) for a in range(1, 30) for b in range(1, 30)} == {1.0}
    assert elkan_noto([0.0], [1.0, 1.0]) == 1.0


def test_elkan_noto_is_e1():
    """Scores of two values: the isotonic chance is the labeled share at each."""
    known, rest = np.repeat([1.0, 0.0], [8, 2]), np.repeat([1.0, 0.0], [6, 14])
    chances = [8 / 14] * 8 + [2 / 16] * 2
    assert_allclose(elkan_noto(known, rest), oracle.elkan_noto(chances, 10, 20))


@pytest.mark.parametrize("estimate", FUNCTIONS)
def test_increasing_functions_of_the_scores_change_nothing(rng, estimate):
    known, rest = two_normals(rng)
    assert_allclose(estimate(np.exp(known), np.exp(rest)), estimate(known, rest), rtol=1e-9)


@pytest.mark.parametrize("estimate", FUNCTIONS)
def test_order_of_rows_changes_nothing(rng, estimate):
    known, rest = two_normals(rng)
    assert_allclose(estimate(rng.permutation(known), rest[::-1]), estimate(known, rest), rtol=1e-9)


@pytest.mark.parametrize("estimate", FUNCTIONS[:4])
@pytest.mark.parametrize("prior", [0.1, 0.5, 0.8])
def test_prior_of_classes_far_apart_is_found(rng, estimate, prior):
    known, rest = two_normals(rng, 2000, 4000, prior, apart=5.0)
    assert abs(estimate(known, rest) - prior) < 0.03


@pytest.mark.parametrize("estimate", [best_bin, binormal_tail, elkan_noto])
def test_higher_scores_are_more_positive(rng, estimate):
    known, rest = two_normals(rng)
    assert estimate(-known, -rest) > 0.9


def test_slopes_of_the_likelihood(rng, monkeypatch):
    """Against differences, at what the optimiser is given."""
    from scipy.optimize import approx_fprime, minimize  # noqa: PLC0415 - one test needs them

    seen = []

    def watched(loss, start, **given):
        seen.append((loss, start))
        return minimize(loss, start, **given)

    monkeypatch.setattr("onesided.prior._binormal.minimize", watched)
    binormal_tail(*two_normals(rng, apart=2.0))
    loss, start = seen[0]
    for at in (start, [0.4, -1.5, -0.3]):
        slopes = approx_fprime(np.array(at), lambda x: loss(x)[0], 1e-6)
        assert_allclose(loss(at)[1], slopes, rtol=1e-3, atol=1e-5)


# The last number: decimals, with few of which there are ties.
OF_TWO_NORMALS = [
    (0.1, 3.0, 9),
    (0.3, 2.0, 9),
    (0.6, 3.0, 1),
    (0.9, 2.0, 1),
    (0.3, -0.5, 0),
]  # ties
of_two_normals = pytest.mark.parametrize(("prior", "apart", "digits"), OF_TWO_NORMALS)


@of_two_normals
def test_density_ratio_by_kernels_one_at_each_row(rng, prior, apart, digits):
    known, rest = (part.round(digits) for part in two_normals(rng, 90, 200, prior, apart))
    expected = oracle.density_ratio(known.tolist(), rest.tolist())
    assert abs(density_ratio(known, rest) - expected) < 0.006, "a step of the grid"
    wide = oracle.density_ratio(known.tolist(), rest.tolist(), bandwidth=0.5)
    assert abs(density_ratio(known, rest, bandwidth=0.5) - wide) < 0.006


@of_two_normals
def test_binormal_tail_is_the_highest_likelihood(rng, prior, apart, digits):
    """Sought all over, from the cells counted one by one."""
    known, rest = (part.round(digits) for part in two_normals(rng, 90, 200, prior, apart))
    known = np.maximum(known, np.quantile(known, 0.1))  # alike at the lower end
    lowest = np.quantile(known, 0.2, method="inverted_cdf")
    recall = (known >= lowest).mean()
    if recall == 1:
        recall = (known > lowest).mean()
    highest_mean = 0.5 - norm.ppf(recall)

    def loss(at):
        return -oracle.binormal_log_likelihood(known.tolist(), rest.tolist(), *at)

    ranges = [(1e-9, 1 - 1e-9), (-8, highest_mean), (0.4, 1)]
    best = differential_evolution(loss, ranges, popsize=8, maxiter=25, rng=0)
    assert_allclose(binormal_tail(known, rest), best.x[0], atol=3e-4)


def test_binormal_is_right_where_best_bins_are_too_high(rng):
    """Two deviations apart the best bin still has negatives."""
    draws = [two_normals(rng, 1000, 3000, 0.2, apart=2.0) for _ in range(20)]
    bins, tails = (np.mean([f(*draw) for draw in draws]) for f in (best_bin, binormal_tail))
    assert bins > 0.23
    assert abs(tails - 0.2) < 0.02


@pytest.mark.parametrize("estimate", FUNCTIONS)
def test_heavy_ties(estimate):
    """Of 100 unlabeled rows 30 score as all positives do."""
    known, rest = np.full(50, 2.0), np.repeat([2.0, 1.0], [30, 70])
    assert 0.25 <= estimate(known, rest) <= 0.5
    assert estimate(np.ones(50), np.ones(100)) == pytest.approx(1.0)


@pytest.mark.parametrize("estimate", FUNCTIONS)
@pytest.mark.parametrize("bad", [[], [[1.0]], [np.nan], ["a"], [1j]])
def test_scores_that_are_none(estimate, bad):
    with pytest.raises(DataError, match=r"positive_scores (is|has)"):
        estimate(bad, [1.0])
    with pytest.raises(DataError, match=r"unlabeled_scores (is|has)"):
        estimate([1.0], bad)


@pytest.mark.parametrize("estimate", FUNCTIONS)
def test_infinite_scores_are_the_highest_and_the_lowest(estimate, rng):
    known, rest = rng.normal(2, 1, 200), rng.normal(size=400)
    known[known > 3], rest[rest < -1] = 3, -1
    finite = estimate(known, rest)
    known[known == 3], rest[rest == -1] = np.inf, -np.inf
    if estimate is not density_ratio:  # which smooths, and takes them for the extremes
        assert estimate(known, rest) == pytest.approx(finite)
    assert 0 <= estimate(known, rest) <= 1


@given(scores(40), scores(60))
def test_bound_is_above_the_share_at_the_lowest_cuts(known, rest):
    """It never says less than the best bin's own limit would at no error."""
    bound = prior_upper_bound(known, rest)
    least = min(
        oracle.share_at_least(rest.tolist(), cut) / oracle.share_at_least(known.tolist(), cut)
        for cut in known
    )
    assert min(least, 1) <= bound <= 1


def test_bound_at_one_cut_is_that_of_the_ratio_of_betas(rng):
    """15 positives have one cut, the lowest of them, above which lie k = n of n."""
    known, rest = np.full(15, 1.0), np.repeat([1.0, 0.0], [12, 48])
    drawn = rng.beta(13, 48, 200_000) / rng.beta(15, 1, 200_000)
    assert abs(prior_upper_bound(known, rest, 0.9) - np.quantile(drawn, 0.9)) < 0.003


@pytest.mark.parametrize(
    ("n", "m", "odds_ratio"),
    [
        *(
            (*sizes, odds)
            for sizes in ((7, 30), (8, 40), (16, 100), (37, 60))
            for odds in (1, 3, 100)
        ),
        (100, 300, 3),
    ],
)
def test_bound_is_the_least_of_its_cuts(rng, n, m, odds_ratio):
    known, rest = two_normals(rng, n, m, apart=3.0)
    expected = oracle.upper_bound(known.tolist(), rest.tolist(), 0.9, odds_ratio=odds_ratio)
    found = prior_upper_bound(known, rest, 0.9, label_odds_ratio=odds_ratio)
    assert_allclose(found, expected, atol=2e-5)


def test_labels_of_odds_within_the_ratio_cannot_break_the_bound(rng):
    """The worst case of the argument: all rows above a cut have odds three times those below.

    Of the .7 of the labeled above the cut .7 / (.7 + 3 (1 - .7)) is the share of the hidden ones.
    """
    above = rng.random(4000) < 0.7 / (0.7 + 3 * 0.3)
    rest = rng.random(4000) + above  # all are positive
    known = rng.random(400) + (rng.random(400) < 0.7)
    assert prior_upper_bound(known, rest) < 0.8
    assert prior_upper_bound(known, rest, label_odds_ratio=3) > 0.99


def test_bound_is_less_than_that_of_two_bands(rng):
    for n_positive, n_unlabeled in ((100, 1000), (1000, 4000)):
        known, rest = two_normals(rng, n_positive, n_unlabeled, apart=2.0)
        wide = oracle.dkw_bound(known.tolist(), rest.tolist(), 0.95)
        assert prior_upper_bound(known, rest) < wide
        assert prior_upper_bound(known, rest, 0.99) > prior_upper_bound(known, rest, 0.9)


def test_tree_bound_is_that_of_cantelli():
    counts = np.array([[3, 40], [9, 12], [30, 100]])
    delta, frequency = 0.2, 0.4
    expected = max(oracle.tree_bound(*each, frequency, delta) for each in counts.tolist())
    spread = frequency * (1 - frequency) * (1 - delta) / delta
    assert_allclose(_highest(counts, spread), expected)


def test_split_is_the_best_of_all(rng):
    X = rng.integers(0, 4, (30, 3)).astype(float)
    labeled = rng.random(30) < 0.3
    shares = {}
    for column in range(3):
        for value in np.unique(X[:, column])[:-1]:
            below = X[:, column] <= value
            parts = labeled[below], labeled[~below]
            shares[column, value] = max(part.sum() / (len(part) + 5) for part in parts)
    column, value = _best_split(X, labeled)
    assert_allclose(shares[column, value], max(shares.values()))
    assert _best_split(np.ones((5, 2)), labeled[:5]) is None


def test_tree_says_no_more_than_the_best_box(rng):
    """On the rows themselves the tree's densest node is a box, so the best box is no worse."""
    X = rng.integers(0, 5, (120, 2)).astype(float)
    labeled = (X[:, 0] >= 3) & (rng.random(120) < 0.7)
    best = oracle.best_region(X.tolist(), labeled.tolist(), 0.5, 0.3)
    assert best > oracle.tree_bound(labeled.sum(), 120, 0.5, 0.3)
    from onesided.prior._tree import _regions  # noqa: PLC0415 - one test needs it

    counts = np.array(list(_regions(X, labeled, np.arange(120), np.arange(120), 500)))
    found = _highest(counts, 0.25 * 0.7 / 0.3)
    assert_allclose(found, best)  # the box is the half-plane that labels are in


@pytest.mark.parametrize(("n_labeled", "cv", "max_splits"), [(40, 5, 500), (60, 3, 4), (3, 5, 7)])
def test_tree_is_that_of_loops(rng, n_labeled, cv, max_splits):
    X = np.round(rng.normal(size=(160, 3)), 1)
    X[:80, 1] += 1.5
    labeled = np.zeros(160, dtype=bool)
    labeled[rng.choice(80, n_labeled, replace=False)] = True
    dealt = StratifiedKFold(min(cv, n_labeled), shuffle=True, random_state=3)
    folds = [(judge.tolist(), grow.tolist()) for judge, grow in dealt.split(X, labeled)]
    expected = oracle.tice(X.tolist(), labeled.tolist(), folds, max_splits)
    found = tree_induction(X, labeled, max_splits=max_splits, cv=cv, random_state=3)
    assert_allclose(found, expected)


def test_tree_finds_a_pure_box(rng):
    positive = np.arange(4000) < 2000
    X = rng.uniform(size=(4000, 3))
    X[:, 1] += positive
    prior = tree_induction(X, np.arange(4000) < 1500)  # 500 of the 2,500 unlabeled
    assert abs(prior - 0.2) < 0.06


@pytest.mark.parametrize("kind", [*ESTIMATORS, TIcEPrior])
def test_estimators(rng, kind):
    known, rest = two_normals(rng, 300, 900, 0.3, apart=4.0)
    X = np.column_stack([np.append(known, rest), rng.normal(size=1200)])
    y = np.repeat([1, 0], [300, 900])
    model = kind() if kind is TIcEPrior else kind(LogisticRegression())
    fitted = clone(model).fit(X, y)
    assert 0.2 < fitted.class_prior_ < 0.4
    assert fitted.class_prior_ == clone(model).fit(X, y).class_prior_
    text = np.where(y == 1, "known", "rest")  # in alphabetical order the rest would be positive
    named = clone(model).set_params(positive_label="known").fit(X, text)
    assert named.class_prior_ == fitted.class_prior_


@pytest.mark.parametrize("is_sparse", [False, True])
def test_scores_out_of_fold_are_those_of_the_others_model(rng, is_sparse):
    """Of the scorer that is promised where none is given, fold by fold."""
    y = np.repeat([1, 0], [20, 60])
    X = rng.normal(size=(80, 3)) + y[:, None]
    rows = sparse.csr_array(X) if is_sparse else X
    scorer = (
        LogisticRegression(class_weight="balanced", max_iter=1000)
        if is_sparse
        else ExtraTreesClassifier(200, min_samples_leaf=5, class_weight="balanced", random_state=0)
    )
    expected = np.empty(80)
    for train, test in PositiveKFold(5, random_state=0).split(X, y):
        model = clone(scorer).fit(rows[train], y[train])
        score = (
            model.decision_function if is_sparse else lambda X, m=model: m.predict_proba(X)[:, 1]
        )
        expected[test] = score(rows[test])
    known, rest = out_of_fold_scores(rows, y)
    assert_allclose(np.concatenate([known, rest]), expected)


def test_scores_out_of_fold_of_groups_and_given_folds():
    """The scorer tells whether it has learned from the groups of what it scores: from none."""
    y = np.repeat([1, 0], [20, 60])
    groups = np.tile(np.arange(16), 5)
    X = np.arange(80.0)[:, None]

    class Learned(Column):
        def fit(self, X, y):
            self.rows_ = X[:, 0].astype(int)
            return super().fit(X, y)

        def decision_function(self, X):
            shared = np.isin(groups[X[:, 0].astype(int)], groups[self.rows_])
            return shared + 10.0 * len(self.rows_)

    for cv in (4, PositiveKFold(4, random_state=7)):
        known, rest = out_of_fold_scores(X, y, estimator=Learned(), cv=cv, groups=groups)
        scores = np.concatenate([known, rest])
        assert set(scores % 10) == {0}, "a group was learned from and scored"
        assert len(set(scores)) <= 4


def test_scores_out_of_fold_of_a_scorer_that_names_the_positives(rng):
    """It is given the text, and its own name of the positives holds."""
    y = np.repeat([1, 0], [20, 60])
    X = rng.poisson(1 + y[:, None], (80, 3)).astype(float)
    text = np.where(y == 1, "known", "rest")
    named = WeightedLogisticRegression(positive_label="known")
    expected = out_of_fold_scores(X, y, estimator=WeightedLogisticRegression())
    assert_allclose(
        np.concatenate(out_of_fold_scores(X, text, estimator=named)), np.concatenate(expected)
    )


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_take_the_scores_out_of_fold(rng, kind):
    known, rest = two_normals(rng, 100, 300)
    X = np.append(known, rest)[:, None]
    fitted = kind(Column()).fit(X, np.repeat([1, 0], [100, 300]))
    assert_allclose(fitted.positive_scores_, known)
    assert_allclose(fitted.unlabeled_scores_, rest)


def test_priors_at_an_edge_are_said_and_not_clipped():
    y = np.repeat([1, 0], [40, 60])
    with pytest.warns(PriorWarning, match="as 0 by BestBinPrior: some positives score above"):
        assert BestBinPrior(Column()).fit(y[:, None], y).class_prior_ == 0
    with pytest.warns(PriorWarning, match="as 1 by BestBinPrior: nothing sets"):
        assert BestBinPrior(Column()).fit(np.ones((100, 1)), y).class_prior_ == 1


def test_tice_takes_dense_numbers(rng):
    y = np.repeat([1, 0], [20, 30])
    for X, said in (
        (sparse.csr_array(np.eye(50)), "Sparse data was passed"),
        (np.full((50, 1), "a"), "could not convert string to float"),
        (np.full((50, 1), np.nan), "contains NaN"),
        (np.full((50, 1), np.inf), "contains infinity"),
        (np.empty((0, 1)), "0 sample"),
    ):
        with pytest.raises((TypeError, ValueError), match=said):
            TIcEPrior().fit(X, y)
    with pytest.raises(DataError, match="X has 50 rows, y has 49"):
        TIcEPrior().fit(rng.normal(size=(50, 1)), y[1:])
    with pytest.raises(LabelError, match="y has 1 row of one kind"):
        TIcEPrior().fit(rng.normal(size=(50, 1)), np.arange(50) < 1)


@pytest.mark.parametrize(
    ("n", "k", "m", "j"),
    [(8, 8, 10**6, 300_000), (64, 8, 10**6, 5000), (1000, 8, 10**7, 20_000), (9, 9, 5000, 100)],
)
def test_quantile_of_the_ratio_for_millions_of_rows(n, k, m, j):
    """P(V / B > bound) is .01, by adaptive quadrature over B of what V exceeds."""
    upper, lower = beta(j + 1, m - j), beta(k, n - k + 1)
    bound = _prior_quantile((j + 1, m - j), (k, n - k + 1), 1.0, 0.01)
    middle = min(upper.mean() / bound, 1.0)
    spread = 40 * upper.std() / bound
    cuts = sorted({0.0, max(middle - spread, 0.0), middle, min(middle + spread, 1.0), 1.0})
    found = sum(
        quad(lambda b: lower.pdf(b) * upper.sf(min(bound * b, 1.0)), *ends, epsabs=1e-10)[0]
        for ends in pairwise(cuts)
    )
    assert found == pytest.approx(0.01, rel=1e-3)
