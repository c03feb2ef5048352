"""Lists of positives at a false discovery rate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided.exceptions import CalibrationWarning, DataError, OnesidedWarning, PriorError
from onesided.prior import best_bin, binormal_tail, density_ratio, prior_upper_bound
from onesided.promises import positives_at_fdr
from oracles import conformal
from oracles import promises as oracle


def drawn(rng, n_known=80, n_rest=200, prior=0.3):
    """Scores in whole numbers, with ties; positives are 4 higher."""
    hidden = rng.random(n_rest) < prior
    return rng.integers(4, 12, n_known), rng.integers(0, 8, n_rest) + 4 * hidden


@pytest.mark.parametrize("fdr", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("prior", [0.1, 0.2, 0.25])
def test_list_against_loops(rng, fdr, prior):
    for _ in range(4):
        known, rest = drawn(rng)
        found = positives_at_fdr(known, rest, fdr=fdr, prior_at_least=prior)
        expected = oracle.longest_list(known, rest, fdr, prior)
        assert_array_equal(found.selected, expected)
        if any(expected):
            cut = rest[found.selected].min()
            assert_allclose(found.lift, oracle.lift(known, rest, cut))
            assert_allclose(found.false_share(prior), 1 - prior * found.lift)
            assert found.false_share(prior) <= fdr


def test_least_false_share_against_loops(rng):
    known, rest = rng.normal(1, 1, 900), np.append(rng.normal(1, 1, 500), rng.normal(size=4500))
    for at_most, errors in ((0.12, 2), (None, 3)):
        found = positives_at_fdr(known, rest, fdr=0.8, prior_at_least=0.1, prior_at_most=at_most)
        cut, error = rest[found.selected].min(), 0.05 / errors
        bound = prior_upper_bound(known, rest, 1 - error) if at_most is None else at_most
        expected = oracle.least_false(known, rest, cut, bound, error)
        assert_allclose(found.minimum_false_share, expected)
        assert expected > 0.2


def test_list_for_uneven_labels_against_loops(rng):
    """Of the hidden positives so many fewer are above a cut as the odds of being labeled allow."""
    known, rest = rng.normal(4, 1, 80), rng.normal(4 * (rng.random(200) < 0.3), 1)
    even, uneven = (
        positives_at_fdr(known, rest, fdr=0.5, prior_at_least=0.25, label_odds_ratio=ratio)
        for ratio in (1, 2)
    )
    expected = oracle.longest_list(known, rest, 0.5, 0.25, odds_ratio=2)
    assert_array_equal(uneven.selected, expected)
    assert 0 < uneven.selected.sum() < even.selected.sum()
    assert "The odds of being labeled differ among the positives up to twofold." in uneven.assumes
    assert uneven.minimum_false_share <= even.minimum_false_share
    with pytest.raises(PriorError, match="irreducible=True and label_odds_ratio=2 are given"):
        positives_at_fdr(known, rest, irreducible=True, label_odds_ratio=2)


@pytest.mark.parametrize("apart", [3.5, 8.0])
def test_irreducible_takes_the_largest_prior_a_standard_error_lower(rng, apart):
    known, rest = rng.normal(apart, 1, 200), rng.normal(apart * (rng.random(1000) < 0.2), 1)
    found = positives_at_fdr(known, rest, fdr=0.2, irreducible=True)
    largest = min(best_bin(known, rest), density_ratio(known, rest))
    points = [largest, min(largest, binormal_tail(known, rest))]
    expected = [point * (1 - oracle.error_at_the_best_bin(known, rest)) for point in points]
    assert min(abs(found.class_prior - each) for each in expected) < 1e-12
    listed = oracle.longest_list(known, rest, 0.2, found.class_prior)
    assert_array_equal(found.selected, listed)
    assert found.selected.any()


def test_irreducible_is_refused_where_scores_overlap(rng):
    known, rest = rng.normal(1, 1, 200), rng.normal(rng.random(1000) < 0.1, 1)
    with pytest.raises(PriorError, match=r"overlap in their scores, .* Declare prior_at_least="):
        positives_at_fdr(known, rest, fdr=0.2, irreducible=True)


@pytest.mark.parametrize("fdr", [0.1, 0.3])
def test_known_negatives_against_loops(rng, fdr):
    known, rest = drawn(rng)
    negative = rng.integers(0, 8, 60) - rng.random(60)
    found = positives_at_fdr(known, rest, fdr=fdr, known_negative=negative)
    p = [conformal.p_value(-negative, -each) for each in rest]
    assert_array_equal(found.selected, conformal.step_up(p, fdr))
    assert found.selected.any()
    assert found.class_prior is None
    assert_allclose(found.lift, oracle.lift(known, rest, rest[found.selected].min()))


def test_refuses_without_a_declaration():
    scores = np.arange(40.0)
    with pytest.raises(PriorError, match=r"if no unlabeled row were positive.*prior_at_least="):
        positives_at_fdr(scores, scores)
    with pytest.raises(PriorError, match=r"prior_at_least and irreducible are given"):
        positives_at_fdr(scores, scores, prior_at_least=0.2, irreducible=True)


def test_too_few_known_negatives():
    scores = np.arange(40.0)
    with pytest.raises(DataError, match=r"8 known negatives .* 10% .* at least 9 are needed"):
        positives_at_fdr(scores, scores, fdr=0.1, known_negative=np.zeros(8))
    found = positives_at_fdr(scores, scores + 1, fdr=0.1, known_negative=np.zeros(9))
    assert found.selected.all()


def test_prior_that_the_scores_do_not_allow(rng):
    known, rest = rng.normal(3, 1, 300), np.append(rng.normal(3, 1, 100), rng.normal(size=900))
    with pytest.warns(OnesidedWarning, match=r"`prior_at_least` 0.3 is above 0\.1"):
        found = positives_at_fdr(known, rest, fdr=0.1, prior_at_least=0.3)
    assert positives_at_fdr(known, rest, fdr=0.99, prior_at_least=0.1).false_share(0.5) > 0
    assert found.false_share(0.3) <= 0.1
    with pytest.raises(PriorError, match=r"above prior_at_most=0\.2"):
        positives_at_fdr(known, rest, prior_at_least=0.3, prior_at_most=0.2)
    for odd in (0, 1.2, "0.1"):
        with pytest.raises(PriorError, match="prior_at_least="):
            positives_at_fdr(known, rest, prior_at_least=odd)


def test_frames_and_words(rng):
    known, rest = drawn(rng)
    found = positives_at_fdr(known, rest, fdr=0.3, prior_at_least=0.3)
    frame = found.to_frame("pyarrow").to_pydict()
    assert sorted(frame["row"]) == list(range(200))
    assert_array_equal(frame["selected"], found.selected[frame["row"]])
    assert np.all(np.diff(frame["score"]) <= 0)
    curve = found.curve("pyarrow").to_pydict()
    assert curve["class_prior"][0] == 0
    assert curve["false_share"][0] == 1
    assert_allclose(curve["false_share"][-1], max(0, 1 - found.lift), atol=1e-12)
    assert "at most 30% of these rows are negative" in str(found)
    assert "as declared" in found.assumes
    assert "SCAR" in found.assumes


def test_empty_list():
    found = positives_at_fdr(np.zeros(50), np.ones(50), fdr=0.2, prior_at_least=0.1)
    assert not found.selected.any()
    assert found.minimum_false_share == 0
    assert found.curve("pyarrow").num_rows == 0
    assert str(found) == f"0 of 50 rows are listed.\n{found.assumes}"


def test_a_mask_of_known_negatives_is_no_score():
    with pytest.raises(DataError, match="is a mask"):
        positives_at_fdr([1.0], [0.0, 1.0], fdr=0.5, known_negative=[True, False])


def test_few_held_out_positives_are_said(rng):
    known, rest = rng.normal(2, 1, 10), rng.normal(size=100)
    positives_at_fdr(known, rest, prior_at_least=0.05)
    with pytest.warns(CalibrationWarning, match="There are only 3 held-out positives") as caught:
        positives_at_fdr(known[:3], rest, prior_at_least=0.05)
    assert [each.filename for each in caught] == [__file__]
