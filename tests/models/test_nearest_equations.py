"""The cut and the expected similarity of few documents."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided.models.nearest._equations import Cut, ExpectedSimilarity, mean_of_largest
from oracles import nearest as oracle


@pytest.mark.parametrize("n_known", [3, 9, 19])
def test_cut_of_few_known_against_loops(rng, n_known):
    """Cuts that explain exactly half of the known are allowed."""
    at_half = 0
    for _ in range(150):
        known = rng.normal(size=n_known)
        unlabeled = np.append(rng.normal(size=rng.integers(10, 14)), rng.normal(-0.5, 0.5, 9))
        cut = Cut.best(known, unlabeled)
        flagged, share = oracle.best_cut(known, unlabeled)
        assert_array_equal(unlabeled <= cut.threshold, flagged)
        assert_allclose(cut.share, share)
        at_half += (known <= cut.threshold).sum() == (n_known - 1) // 2
    assert at_half > 0


def test_nothing_below_the_known_is_flagged():
    known, unlabeled = np.arange(30.0), np.arange(30.0, 50.0)
    cut = Cut.best(known, unlabeled)
    assert not (unlabeled <= cut.threshold).any()
    assert cut.share == 1 / 20


def test_threshold_lies_half_way_to_the_next():
    known = np.linspace(10, 20, 40)
    cut = Cut.best(known, np.append([1.0, 1.5, 2.0, 3.0], np.linspace(12, 20, 16)))
    assert_allclose(cut.threshold, (3.0 + 12.0) / 2)


def test_threshold_is_at_most_the_median_of_the_known():
    """All of the unlabeled are flagged, and what comes next would be above it."""
    known = np.array([5.0, 5.1, 5.2, 5.3])
    cut = Cut.best(known, np.append(np.linspace(0, 1, 20), [11.0]))
    assert_allclose(cut.threshold, np.median(known))


class TestExpectedSimilarity:
    @pytest.mark.parametrize(("n_rows", "degree"), [(30, 2), (29, 2), (19, 1), (9, 0)])
    def test_by_loops(self, rng, n_rows, degree):
        """One term for each ten rows."""
        length, similarity = rng.uniform(2, 9, n_rows), rng.uniform(0, 1, n_rows)
        found = ExpectedSimilarity.of(similarity, length)
        at, of_length = rng.uniform(0, 1, 8), rng.uniform(1, 12, 8)
        expected = oracle.scores(similarity, length, at, of_length, degree)
        assert_allclose(found.deviation(at, of_length), expected, rtol=1e-6)

    @pytest.mark.parametrize(("lengths", "degree"), [([2.0], 0), ([2.0, 5.0], 1), ([2.0, 3, 5], 2)])
    def test_few_lengths(self, rng, lengths, degree):
        length, similarity = np.repeat(lengths, 20), rng.uniform(0, 1, 20 * len(lengths))
        found = ExpectedSimilarity.of(similarity, length)
        expected = oracle.scores(similarity, length, similarity, length, degree)
        assert_allclose(found.deviation(similarity, length), expected, rtol=1e-6)


def test_mean_of_largest_of_all():
    values = np.array([[3.0, 1.0], [-np.inf, 4.0]])
    assert_allclose(mean_of_largest(values, 1), [3.0, 4.0])
    assert_allclose(mean_of_largest(values, 2), [2.0, 4.0])
    assert_allclose(mean_of_largest(values, 3), [2.0, 4.0])
