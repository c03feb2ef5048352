"""Whether labels are drawn evenly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from onesided.exceptions import DataError, PriorError
from onesided.prior import out_of_fold_scores
from onesided.promises import calibrate_posterior, scar_p_value, scar_test
from oracles import promises as oracle


@pytest.mark.parametrize("prior", [0.1, 0.3, 0.8])
def test_statistic_against_loops(rng, prior):
    for _ in range(20):
        known, rest = rng.integers(3, 12, 15), rng.integers(0, 10, 40)  # ties
        found = scar_p_value(known, rest, class_prior=prior, n_resamples=1)
        expected = oracle.scar_statistic(known, rest, prior)
        assert_allclose(found.statistic, expected, atol=1e-12)


def test_p_value_of_one_positive_by_enumeration():
    """It ranks above all hidden ones, M of them binomial, with chance E 1 / (1 + M)."""
    found = scar_p_value([2.0], np.zeros(6), class_prior=0.5, n_resamples=20_000)
    assert found.statistic == 1
    hidden = np.arange(7)
    expected = (binom.pmf(hidden, 6, 0.5) / (1 + hidden)).sum()
    assert_allclose(float(found), expected, atol=3 * np.sqrt(expected / 20_000))


def test_of_rows_is_that_of_out_of_fold_scores(rng):
    X, y = rng.normal(size=(90, 3)), np.repeat([1, 0], [30, 60])
    X[:40] += 1
    scorer = LogisticRegression()
    scores = out_of_fold_scores(X, y, estimator=scorer)
    expected = scar_p_value(*scores, class_prior=0.2)
    assert scar_test(X, y, class_prior=0.2, estimator=scorer) == expected
    text = np.where(y == 1, "a known one", "new")
    found = scar_test(sparse.csr_array(X), text, class_prior=0.2, positive_label="a known one")
    assert 0 < found <= 1


@pytest.mark.filterwarnings("ignore:Rows of one group")
def test_what_it_is_told_is_told_to_both_parts(rng):
    X = rng.normal(size=(120, 2))
    y, groups = np.repeat([1, 0], [40, 80]), np.tile(np.arange(24), 5)
    X[:60] += 2
    told = {"estimator": LogisticRegression(), "cv": 3, "groups": groups, "random_state": 5}
    expected = scar_p_value(*out_of_fold_scores(X, y, **told), class_prior=0.3, random_state=5)
    found = scar_test(X, y, class_prior=0.3, **told)
    assert found.statistic == expected.statistic > 0
    for other in ({"groups": None}, {"cv": 4}, {"random_state": 6}):
        assert scar_test(X, y, class_prior=0.3, **told | other).statistic != found.statistic
    assert_array_equal(found.null, expected.null)
    assert len(found.null) == 999
    plain = scar_test(X, y, class_prior=0.3, estimator=LogisticRegression())
    known, rest = out_of_fold_scores(X, y, estimator=LogisticRegression(), cv=5, random_state=0)
    assert_array_equal(plain.null, scar_p_value(known, rest, class_prior=0.3).null)
    assert plain.statistic == scar_p_value(known, rest, class_prior=0.3).statistic


def test_order_of_rows_and_scale_change_nothing(rng):
    known, rest = rng.normal(1, 1, 40), rng.normal(size=100)
    found = scar_p_value(known, rest, class_prior=0.2)
    assert scar_p_value(known[::-1], rest[::-1], class_prior=0.2) == found
    assert scar_p_value(np.exp(known), np.exp(rest), class_prior=0.2) == found


def test_positives_that_score_low_refute_nothing():
    found = scar_p_value(np.zeros(30), np.ones(30), class_prior=0.5)
    assert found == 1
    assert found.statistic == 0


@pytest.mark.filterwarnings("ignore:There is only 1")
def test_what_cannot_be_tested():
    for odd in (0, 1, 1.5, None):
        with pytest.raises(PriorError, match="class_prior="):
            scar_p_value([1.0], [0.0], class_prior=odd)
        with pytest.raises(PriorError, match="class_prior="):  # before the rows are looked at
            scar_test(None, None, class_prior=odd)
    estimate = calibrate_posterior([0.0], [0.0], class_prior=0.5, scenario="case-control")
    with pytest.raises(PriorError, match="estimates assume what this test examines"):
        scar_p_value([1.0], [0.0], class_prior=estimate.expected_positives([0.0]))
    with pytest.raises(DataError, match="n_resamples="):
        scar_p_value([1.0], [0.0], class_prior=0.5, n_resamples=0)
    with pytest.raises(DataError, match="NaN"):
        scar_p_value([np.nan], [0.0], class_prior=0.5)


def test_infinite_ties_are_ties():
    """Half the labeled and a fifth of the others score highest: as even labels have it."""
    known, rest = np.full(300, 9.0), np.r_[np.full(200, 9.0), np.zeros(800)]
    finite = scar_p_value(known, rest, class_prior=0.2)
    for high, low in ((np.inf, 0.0), (9.0, -np.inf), (np.inf, -np.inf)):
        for scores in (known, rest):
            scores[scores > 1], scores[scores < 1] = high, low
        assert scar_p_value(known, rest, class_prior=0.2) == finite > 0.5
        known, rest = np.full(300, 9.0), np.r_[np.full(200, 9.0), np.zeros(800)]
