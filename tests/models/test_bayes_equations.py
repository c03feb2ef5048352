"""The equations of the Bayesian classifiers where a fit of ordinary data does not lead."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided import BetaPrior
from onesided._statistics import ValueCounts
from onesided.exceptions import PriorError
from onesided.models.bayes import _equations as equations
from onesided.models.bayes._beta_prior import check_class_prior, estimate_from_counts
from onesided.models.bayes._structure import strongest_earlier
from oracles import calvo2007, class_prior


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 1.5), (1e-9, 1 + 1e-9)])
def test_the_least_beliefs(alpha, beta):
    assert BetaPrior(alpha, beta).mean == alpha / (alpha + beta)
    assert check_class_prior(BetaPrior(alpha, beta)).alpha == alpha


@pytest.mark.parametrize(
    ("alpha", "beta"),
    [
        *[(0, 2), (-1, 2), (1, 1), (1, 0.5)],
        *[(np.inf, 2), (1, np.inf), (np.nan, 2), (1, np.nan)],
    ],
)
def test_a_belief_has_two_numbers_and_an_average(alpha, beta):
    with pytest.raises(PriorError, match="is not above"):
        BetaPrior(alpha, beta)


def counted(features):
    """Counts of values from a list of features, each a list of (unlabeled, positive) rows."""
    pairs = [pair for feature in features for pair in feature]
    of = np.repeat(np.arange(len(features)), [len(feature) for feature in features])
    value = np.concatenate([np.arange(len(feature)) for feature in features])
    return ValueCounts(len(features), of, value, np.array(pairs))


class TestEstimatedPrior:
    """The class prior of the value whose confidence limits have the least ratio."""

    @pytest.mark.parametrize("seed", range(20))
    def test_by_exact_limits(self, seed):
        rng = np.random.default_rng(seed)
        features = []
        for _ in range(rng.integers(1, 6)):
            n_values = rng.integers(1, 6)
            share = rng.dirichlet(np.full(n_values, 0.7))
            unlabeled = rng.multinomial(rng.integers(1, 80), share)
            positive = rng.multinomial(
                rng.integers(1, 40), 0.8 * share + 0.2 * rng.dirichlet(np.ones(n_values))
            )
            features.append(list(zip(unlabeled.tolist(), positive.tolist(), strict=True)))
        found = estimate_from_counts(counted(features))
        assert_allclose(found, class_prior.rarest_value(features), rtol=1e-9)

    def test_a_constant_bounds_nothing(self):
        features = [[(90, 40)], [(30, 38), (60, 2)]]
        found = estimate_from_counts(counted(features))
        assert_allclose(found, class_prior.rarest_value(features), rtol=1e-9)
        assert found < 0.9

    def test_a_feature_that_one_kind_lacks_does_not_take_the_others_along(self):
        told = [(5, 38), (85, 2)]
        expected = class_prior.rarest_value([told])
        for silent in ([(0, 3), (0, 7)], [(3, 0), (7, 0)]):
            found = estimate_from_counts(counted([silent, told]))
            assert_allclose(found, expected, rtol=1e-9)
            assert estimate_from_counts(counted([silent])) == 0.9

    def test_a_single_row_counts(self):
        """One unlabeled row observed, or one positive row with the value."""
        for features in ([[(1, 30), (0, 10)]], [[(2, 1), (200, 0)]]):
            found = estimate_from_counts(counted(features))
            assert_allclose(found, class_prior.rarest_value(features), rtol=1e-9)

    def test_no_more_than_nine_tenths(self):
        assert estimate_from_counts(counted([[(60, 6), (40, 4)]])) == 0.9


def test_rows_that_weigh_less_than_one():
    """Counts are sums of weights: halves of the rows give the same shares, and Eq. 3 holds."""
    segments = equations.Segments(np.zeros(2, dtype=int), 1)
    assert_allclose(segments.frequencies(np.array([0.3, 0.1])), [0.75, 0.25])
    found = equations.negative_probs(
        np.array([0.3, 0.1]), np.array([0.5, 0.5]), 0.4, segments, smoothing=1.0
    )
    # R = N_u,j − p N_u P(j | 1): 0.3 − 0.08, 0.1 − 0.08; sums to (1 − p) N_u = 0.24.
    assert_allclose(found, [(1 + 0.22) / (2 + 0.24), (1 + 0.02) / (2 + 0.24)])


def printed_table(unlabeled, positive, prior, share, *, n0=None, smoothing=1.0):
    marginal = equations.Marginal(np.full(len(share), 1 / len(share)), share, share)
    unlabeled, positive = np.array(unlabeled), np.array(positive)
    given = equations.positive_table(positive, marginal, n0, smoothing)
    return equations.negative_table(
        unlabeled, positive, given, prior, marginal, n0, smoothing, printed=True
    )


def test_printed_rest_of_less_than_one_row():
    """Section 3.2, N_pa = 0.5 and p = 0.4: R* = 0.35 − 0.1, 0.15 − 0.1, of sum 0.3."""
    found = printed_table([[0.35, 0.15]], [[3.0, 3.0]], 0.4, np.array([0.5, 0.5]))
    assert_allclose(found, [[(1 + 0.25) / 2.3, (1 + 0.05) / 2.3]])


class TestPrintedAverage:
    """Eq. 7, entries at or below 0 become 1/r, then each row is normalised."""

    def test_by_hand(self):
        share = np.array([0.2, 0.3, 0.5])
        positive = np.array([[9.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
        found = printed_table(np.ones((2, 3)), positive, BetaPrior(3.0, 4.0), share)
        for row, counts in zip(found, positive, strict=True):
            expected = [
                (3 * (s - (n + 1) / (counts.sum() + 3)) + 3 * s) / 3
                for s, n in zip(share, counts, strict=True)
            ]
            assert (min(expected) <= 0) == (counts[0] == 9)
            expected = [each if each > 0 else 1 / 3 for each in expected]
            assert_allclose(row, np.array(expected) / sum(expected), rtol=1e-12)

    def test_zero_itself_is_replaced(self):
        """No unlabeled row has the value and, unsmoothed, no positive: α (0 − 0) + (β − 1) 0."""
        share, given = np.array([0.0, 1.0]), np.array([[0.0, 5.0]])
        found = printed_table([[0.0, 9.0]], given, BetaPrior(2.0, 3.0), share, smoothing=0.0)
        assert_allclose(found, [[1 / 3, 2 / 3]])


def test_information_where_only_positives_have_a_value():
    positives, unlabeled = [[0], [1], [2], [2]], [[0], [0], [1], [0], [1], [1], [0]]
    features = equations.Segments(np.zeros(3, dtype=int), 1)
    found = equations.class_information(
        np.array([4.0, 3.0, 0.0]), np.array([1.0, 1.0, 2.0]), 0.2, features, 1.0
    )
    expected = calvo2007.class_information(positives, unlabeled, 0, 0.2)
    assert_allclose(found, [expected], rtol=1e-12)


class TestStrongestEarlier:
    def test_parts_of_a_nat_tell(self):
        weights = np.array([[0, 0.1, 0.2], [0.1, 0, 0.3], [0.2, 0.3, 0]])
        found = strongest_earlier(np.arange(3), weights, 1)
        assert_array_equal(found, [[-1], [0], [1]])

    def test_of_many_ties_the_lowest(self):
        n = 400
        weights = np.ones((n, n))
        weights[-1, ::2] = weights[::2, -1] = 2.0
        found = strongest_earlier(np.arange(n), weights, 3)
        assert_array_equal(found[-1], [0, 2, 4])
        assert_array_equal(found[300], [0, 1, 2])
