"""Random sets with the make-up of the positives, against enumeration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from onesided import SignificanceRanker, enrichment
from onesided.exceptions import DataError
from onesided.model_selection._chance import _exchanged, check_exchangeable
from onesided.models.significance._pvalues import Pools
from oracles import geurts2011

STRATA = np.repeat([0, 1, 2], [7, 5, 6])
KINDS = np.array(["a", "b", "c"])[STRATA]
POSITIVES = [0, 1, 7]  # two of the first stratum, one of the second
Y = np.isin(np.arange(18), POSITIVES)
SETS = geurts2011.matched_sets(STRATA, POSITIVES)


def as_rows(sets):
    return sorted(tuple(each) for each in sets.tolist())


def test_all_sets():
    assert as_rows(Pools.of(Y, STRATA).all_sets(200)) == SETS
    assert Pools.of(Y, STRATA).all_sets(len(SETS) - 1) is None


def test_every_set_is_as_likely():
    drawn = Pools.of(Y, STRATA).draw(21_000, np.random.RandomState(0))
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    assert as_rows(found) == SETS
    assert abs(counts - 200).max() < 5 * np.sqrt(200)


@pytest.mark.parametrize("statistic", ["sum", "t"])
def test_enrichment(rng, statistic):
    """Numbers, and features of two values, one of which is the same within strata."""
    X = np.column_stack([rng.normal(size=(18, 2)) + STRATA[:, None], rng.random((18, 3)) < 0.4])
    X[:2, 1] += 2
    X[:, 4] = STRATA == 1
    expected_mean = np.mean([X[list(each)].mean(axis=0) for each in SETS], axis=0)
    error = np.std([X[list(each)].mean(axis=0) for each in SETS], axis=0)
    if statistic == "t":
        X, expected_mean = X[:, :2], expected_mean[:2]

    def of_set(x, rows):
        (column,) = np.flatnonzero((x[:, None] == X).all(axis=0))
        far = x[rows].mean() - expected_mean[column]
        by = x[rows].std(ddof=1) if statistic == "t" else error[column]
        return far / by if by > 1e-9 else 0.0

    two_valued = [] if statistic == "t" else [2, 3]
    raw, adjusted = geurts2011.enrichment_by_enumeration(X, POSITIVES, of_set, two_valued, STRATA)
    for rows in (X, sparse.csr_array(X)):
        found = enrichment(rows, Y, statistic=statistic, match=KINDS)
        assert_allclose(found.statistic, [of_set(x, POSITIVES) for x in X.T], atol=1e-9)
        assert_allclose(found.p_value, raw, rtol=1e-9)
        assert_allclose(found.adjusted_p_value, adjusted, rtol=1e-9)


def test_exact_p_values_of_two_values_without_enumeration(rng):
    X = (rng.random((18, 6)) < 0.5).astype(float)
    every = enrichment(X, Y, match=KINDS)
    for rows in (X, sparse.csr_array(X), 3 - 2 * X):
        assert_allclose(enrichment(rows, Y, match=KINDS, n_resamples=9).p_value, every.p_value)


def test_adjusted_p_value_of_the_ranker(rng):
    X = rng.normal(size=(18, 2)) + STRATA[:, None]
    ranker = SignificanceRanker(n_subsets=15, nu=0.3, scale=False, random_state=0)
    ranker.fit(X, Y, match=KINDS)
    assert {tuple(each) for each in ranker.subsets_.tolist()} <= set(SETS)
    found = ranker.adjusted_p_value(200)
    means = X[ranker.subsets_].mean(axis=1)

    def distance(chosen):
        _, w, _ = geurts2011.one_class_dual(X[list(chosen)].mean(axis=0) - means, 0.3)
        return np.linalg.norm(w)

    distances = np.array([distance(each) for each in SETS])
    assert found.exact
    assert_allclose(found, np.mean(distances >= distance(POSITIVES) * (1 - 1e-3)))


def test_labels_change_places_within_strata(rng):
    drawn = {tuple(np.flatnonzero(_exchanged(Y, None, rng, STRATA)).tolist()) for _ in range(2000)}
    assert sorted(drawn) == SETS


def test_groups_change_places_with_groups_of_the_same_strata(rng):
    """Pairs of rows: of one stratum or of both, whatever the order of the rows of a pair."""
    groups = np.repeat(np.arange(12), 2)
    strata = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3).ravel()
    positive = np.isin(groups, [0, 1, 4])
    positive[2] = False  # of group 1 only the row of stratum 1
    for _ in range(50):
        drawn = _exchanged(positive, groups, rng, strata)
        assert_array_equal(np.bincount(strata, drawn), np.bincount(strata, positive))
        n_of_groups = np.bincount(groups, drawn).astype(int)
        assert set(np.flatnonzero(n_of_groups == 2).tolist()) <= {0, 4, 8}
        (mixed,) = np.flatnonzero(n_of_groups == 1)
        assert mixed % 4 in (1, 2)
        assert strata[drawn & (groups == mixed)].tolist() == [1]


def test_strata_that_leave_nothing_to_compare_with():
    with pytest.raises(DataError, match="has only positive rows"):
        SignificanceRanker().fit(np.eye(12), np.arange(12) < 5, match=["a"] * 5 + ["b"] * 7)
    with pytest.raises(DataError, match="only 1"):
        check_exchangeable(np.arange(12) < 5, None, (np.arange(12) < 5).astype(int))


def test_sets_biased_by_a_column_are_noise_only_when_matched(rng):
    """Chosen by a category, which two of ten features go with."""
    small = np.zeros(2)
    for seed in range(60):
        kind = rng.integers(0, 3, 300)
        X = rng.normal(size=(300, 10))
        X[:, :2] += kind[:, None]
        y = np.zeros(300)
        y[rng.choice(300, 30, replace=False, p=kind**2 / (kind**2).sum())] = 1
        for place, match in enumerate([None, kind.astype(str)]):
            found = enrichment(X, y, n_resamples=99, match=match, random_state=seed)
            small[place] += found.adjusted_p_value.min() <= 0.1
    assert small[0] > 40
    assert small[1] < 6 + 4 * np.sqrt(5.4)
