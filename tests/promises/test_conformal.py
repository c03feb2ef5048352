"""Conformal p-values."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import NearestKnown, PositiveKFold, WeightedLogisticRegression
from onesided.exceptions import CalibrationWarning, DataError, LabelError, PriorError
from onesided.promises import (
    ConformalTest,
    adjusted_p_values,
    conformal_p_values,
    conformal_test,
    exchangeability_test,
    positives_at_fdr,
)
from onesided.promises._conformal import fewest_for_rate, held_out_to_reject
from oracles import conformal as oracle


class FirstFeature(BaseEstimator):
    """Scores by the first feature; remembers what it was given."""

    def fit(self, X, y, **params):
        self.y_, self.params_ = np.asarray(y), params
        SEEN.append(self)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


SEEN = []


@pytest.fixture(autouse=True)
def nothing_seen():
    SEEN.clear()


def test_p_values_against_loops(rng):
    calibration, scores = rng.integers(0, 9, 30), rng.integers(-1, 10, 40)  # many ties
    expected = [oracle.p_value(calibration, each) for each in scores]
    assert_allclose(conformal_p_values(calibration, scores), expected)


@pytest.mark.parametrize("fdr", [0.01, 0.1, 0.3, 0.7])
def test_flagged_against_loops(rng, fdr):
    for _ in range(50):
        p = rng.integers(1, 50, 30) / 50 * rng.random() ** 2
        assert_array_equal(adjusted_p_values(p) <= fdr, oracle.step_up(p, fdr))
        found = adjusted_p_values(p, adaptive=True)
        near = np.isclose(found, fdr, rtol=1e-9)
        assert_array_equal((found <= fdr)[~near], np.array(oracle.storey(p, fdr))[~near])


def test_rows_at_the_rate_are_flagged_and_discarded():
    """Five p-values of .25 and one of 1: adjusted .3 and 1, or by Storey 2 / 3 of that."""
    found = ConformalTest(np.arange(6), np.array([0.25] * 5 + [1.0]), 99)
    assert_array_equal(found.adjusted_p_value, [0.3] * 5 + [1.0])
    assert_array_equal(found.flagged(0.3), [True] * 5 + [False])
    assert_array_equal(found.discarded(0.3, prior_at_most=1), [True] * 5 + [False])
    assert not found.flagged(0.29).any()
    assert found.flagged(0.21, adaptive=True).sum() == 5
    few = found.discarded(prior_at_most=1)
    assert not few.any(), "by default a hundredth of them may be positive"
    two = ConformalTest(np.arange(2), np.array([0.004, 1.0]), 999)
    assert two.discarded(prior_at_most=1).sum() == 1
    halves = np.array([0.5, 0.5, 0.5])  # p-values of one half are not above it
    assert_array_equal(adjusted_p_values(halves, adaptive=True), 0.5 * (1 + 0) / (3 * 0.5))
    assert adjusted_p_values(np.ones(2), adaptive=True).max() == 1
    assert_array_equal(adjusted_p_values([0.0, 1.0]), [0.0, 1.0])


def test_five_folds_of_a_fixed_seed_by_default(rng):
    X, y = rng.poisson(3, (60, 4)), np.repeat([1, 0], [30, 30])
    expected = conformal_test(NearestKnown(), X, y, cv=5, random_state=0).p_value
    assert_array_equal(conformal_test(NearestKnown(), X, y).p_value, expected)
    counted = []
    conformal_test(NearestKnown(), X, y, on_progress=lambda *_: counted.append(1))
    assert len(counted) == 5


def test_infinite_scores_have_p_values_of_their_place():
    assert_allclose(conformal_p_values([1.0, 2.0, 3.0], [-np.inf, np.inf]), [0.25, 1.0])
    assert_allclose(
        conformal_p_values([-np.inf, 2.0, np.inf], [-np.inf, 2.0, np.inf]), [0.5, 0.75, 1]
    )


def test_adaptive_flags_more_where_many_are_none(rng):
    p = np.append(rng.random(50) * 0.12, rng.random(50))
    assert (adjusted_p_values(p, adaptive=True) <= 0.1).sum() > (adjusted_p_values(p) <= 0.1).sum()


def test_hidden_positives_count_as_unlabeled(rng):
    X = rng.normal(size=(50, 2))
    y = np.repeat([1, 0], [20, 30])
    found = conformal_test(FirstFeature(), X, y, cv=0.25, params={"kinds": y}, random_state=3)
    (model,) = SEEN
    assert model.y_.sum() == 15
    assert found.n_calibration == 5
    assert_array_equal(model.params_["kinds"], y)
    held_out = np.flatnonzero((y == 1) & (model.y_ == 0))
    expected = [oracle.p_value(X[held_out, 0], each) for each in X[20:, 0]]
    assert_allclose(found.p_value, expected)
    assert_array_equal(found.rows, np.arange(20, 50))


def test_each_fold_is_compared_with_its_own_fit(rng):
    """Cross-conformal: a fit that shifts its scores changes nothing."""

    class Shifted(FirstFeature):
        def decision_function(self, X):
            return super().decision_function(X) + 100 * len(SEEN)

    X, y = rng.normal(size=(60, 1)), np.repeat([1, 0], [25, 35])
    found = conformal_test(Shifted(), X, y, cv=5)
    assert len(SEEN) == 5
    assert found.n_calibration == 25
    assert_allclose(found.p_value, [oracle.p_value(X[:25, 0], each) for each in X[25:, 0]])


@pytest.mark.filterwarnings("ignore:Rows of one group")
def test_groups_are_held_out_together(rng):
    X, y = rng.normal(size=(60, 1)), np.repeat([1, 0], [30, 30])
    groups = np.arange(60) // 3
    for cv in (0.4, 4, PositiveKFold(4)):
        SEEN.clear()
        conformal_test(FirstFeature(), X, y, cv=cv, groups=groups)
        for model in SEEN:
            hidden = (y == 1) & (model.y_ == 0)
            assert hidden.sum() % 3 == 0
            assert len(np.unique(groups[hidden])) == hidden.sum() / 3


def test_same_on_arrays_frames_and_sparse(rng):
    X, y = rng.poisson(2.0, (60, 9)).astype(float), np.repeat([1, 0], [30, 30])
    plain = conformal_test(NearestKnown(3), X, y).p_value
    assert_allclose(conformal_test(NearestKnown(3), sparse.csr_array(X), y).p_value, plain)
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    assert_allclose(conformal_test(NearestKnown(3), frame, y).p_value, plain)
    text = np.where(y == 1, "known", "a new one")
    told = conformal_test(NearestKnown(3, positive_label="known"), X, text)
    assert_allclose(told.p_value, plain)
    pipeline = make_pipeline(StandardScaler(), WeightedLogisticRegression())
    assert len(conformal_test(pipeline, X, y).p_value) == 30


def test_table():
    found = ConformalTest(np.array([4, 7, 9]), np.array([0.5, 0.1, 0.9]), 9)
    table = found.to_frame("pyarrow").to_pydict()
    assert table["row"] == [7, 4, 9]
    assert table["p_value"] == [0.1, 0.5, 0.9]
    assert table["adjusted_p_value"] == pytest.approx([0.3, 0.75, 0.9])
    assert_allclose(found.adjusted_p_value, [0.75, 0.3, 0.9])


def test_of_scores():
    found = ConformalTest.of_scores([1.0, 2.0, 3.0, 4.0], [0.5, 2.0, -np.inf, np.inf])
    assert_allclose(found.p_value, [0.2, 0.6, 0.2, 1.0])
    assert_array_equal(found.rows, np.arange(4))
    assert found.n_calibration == 4


def test_discarded_is_flagged_at_a_rate_over_the_prior(rng):
    found = ConformalTest(np.arange(40), rng.integers(1, 101, 40) / 100 * rng.random(40), 99)
    assert_array_equal(found.discarded(0.03, prior_at_most=0.1), found.flagged(0.3))
    assert_array_equal(found.discarded(0.2, prior_at_most=1), oracle.step_up(found.p_value, 0.2))
    with pytest.raises(DataError, match=r"share=0.1 is not a number above 0 and below 0.1"):
        found.discarded(0.1, prior_at_most=0.1)
    with pytest.raises(PriorError, match=r"prior_at_most=1\.5"):
        found.discarded(0.1, prior_at_most=1.5)
    with pytest.warns(CalibrationWarning, match="at least 99 are needed"):
        ConformalTest(np.arange(3), np.ones(3), 98).discarded(0.01, prior_at_most=1)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 5.0])
def test_discarded_in_the_worst_case_of_uneven_labels(rng, ratio):
    """Of all weights of the held-out positives and the row those are taken that are worst."""
    calibration, scores = rng.integers(0, 20, 9), rng.integers(-5, 20, 30)
    worst = [oracle.largest_weighted_p_value(calibration, each, ratio) for each in scores]
    found = ConformalTest.of_scores(calibration, scores)
    for share in (0.4, 0.6):
        discarded = found.discarded(share, prior_at_most=1, label_odds_ratio=ratio)
        assert_array_equal(discarded, oracle.step_up(worst, share))
    with pytest.raises(DataError, match="`label_odds_ratio` 0 is not a"):
        found.discarded(0.5, label_odds_ratio=0)
    with pytest.warns(CalibrationWarning, match="at least 297 are needed"):
        ConformalTest(np.arange(3), np.ones(3), 98).discarded(
            0.01, prior_at_most=1, label_odds_ratio=3
        )


@pytest.mark.parametrize("ratio", [1.0, 2.0, 5.0])
def test_discarded_by_an_estimated_prior_against_loops(rng, ratio):
    """With many ties, few and many held-out positives, and rates of one and more."""
    for _ in range(100):
        calibration = rng.integers(0, 20, rng.integers(1, 30))
        scores = rng.integers(-10, 20, rng.integers(1, 40))
        share = rng.choice([0.0213, 0.2137, 0.6171, 0.9531])  # no p-value is equal to a bound
        found = ConformalTest.of_scores(calibration, scores)
        prior = oracle.estimated_prior(calibration, scores, ratio)
        assert found.estimated_prior(ratio) == pytest.approx(prior)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrationWarning)  # so few cannot discard
            discarded = found.discarded(share, label_odds_ratio=ratio)
        assert_array_equal(discarded, oracle.discarded(calibration, scores, share, ratio))


@pytest.mark.parametrize(
    ("known", "ratio", "least"),
    [(True, 1, 0.5), (True, 4, 0.2), (False, 1, 0.2), (False, 4, 0)],
)
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_the_positive_share_of_the_discarded_over_all_ways_to_label(share, known, ratio, least):
    """Exactly: of some positives all choices of those held out, in proportion to their odds.

    The promise is kept in each case, and used up to a part `least` in some.
    """
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(15):
        n_held_out, n_hidden = rng.integers(3, 7), rng.integers(2, 5)
        positives = np.round(rng.normal(1, 1, n_held_out + n_hidden), rng.integers(0, 3))
        negatives = np.round(rng.normal(-9, 1, rng.integers(0, 12)), 1)
        prior = n_hidden / (n_hidden + len(negatives))
        if known and share >= prior:
            continue
        odds = np.where(positives > rng.normal(1), 1, 1 / ratio)

        def discarded(calibration, scores, prior=prior if known else "estimate"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CalibrationWarning)  # so few cannot discard
                return ConformalTest.of_scores(calibration, scores).discarded(
                    share, prior_at_most=prior, label_odds_ratio=ratio
                )

        found = oracle.positive_share(positives, negatives, n_held_out, odds, discarded)
        assert found <= share + 1e-9
        worst = max(worst, found / share)
    assert worst >= least


def test_too_few_to_flag_any():
    found = ConformalTest(np.arange(3), np.array([0.2, 0.5, 1.0]), 4)
    with pytest.warns(CalibrationWarning, match=r"4 held-out .*: at least 9 are needed"):
        assert not found.flagged(0.1).any()
    with pytest.warns(CalibrationWarning, match=r"allow a larger share \(`fdr`\)\.$"):
        found.flagged(0.1)
    with pytest.warns(CalibrationWarning, match=r"allow a larger share \(`share`\)\.$"):
        found.discarded(0.1, prior_at_most=1)
    with pytest.warns(CalibrationWarning, match="at least 19 are needed"):
        found.flagged(0.05)
    found.flagged(0.2)  # warnings are errors


@pytest.mark.parametrize(
    ("p_values", "n_held_out", "words", "promised"),
    [
        ([1.0, 1.0], 1, "0 of 2 rows are flagged as negative.", ""),
        ([1.0], 1, "0 of 1 row is flagged as negative.", ""),
        ([0.01, 1.0], 99, "1 of 2 rows is flagged as negative.", "99 held-out positives."),
        ([0.01, 0.02], 99, "2 of 2 rows are flagged as negative.", "99 held-out positives."),
    ],
)
def test_words(p_values, n_held_out, words, promised):
    found = ConformalTest(np.arange(len(p_values)), np.array(p_values), n_held_out)
    if promised:
        words += f" In expectation at most 10% of these rows are positive, by {promised}"
    assert str(found) == f"{words}\n{found.assumes}"


@pytest.mark.parametrize("fdr", [0, 1, -0.1, 1.5, np.nan, "0.1", None])
def test_fdr_that_is_none(fdr):
    with pytest.raises(DataError, match=r"`fdr` .* is not a number above 0"):
        ConformalTest(np.arange(1), np.array([0.5]), 20).flagged(fdr)


@pytest.mark.parametrize("cv", [0, 1, 1.0, -0.5, 1.5, "half", None])
def test_cv_that_is_none(rng, cv):
    with pytest.raises(DataError, match="cv="):
        conformal_test(FirstFeature(), rng.normal(size=(9, 1)), np.repeat([1, 0], [4, 5]), cv=cv)


@pytest.mark.parametrize("cv", [0.5, 5])
def test_single_positive(rng, cv):
    with pytest.raises(LabelError, match="1 positive row"):
        conformal_test(FirstFeature(), rng.normal(size=(9, 1)), np.repeat([1, 0], [1, 8]), cv=cv)


@pytest.mark.parametrize("cv", [0.5, 5])
def test_groups_that_cannot_be_used(rng, cv):
    X, y = rng.normal(size=(60, 1)), np.repeat([1, 0], [30, 30])
    missing = np.arange(60.0)
    missing[3] = np.nan
    for groups, message in (
        (missing, "no value in row 3"),
        (np.arange(59), "groups has shape"),
        ("abc", "groups has shape"),
        (np.zeros((60, 2)), "groups has shape"),
    ):
        with pytest.raises(DataError, match=message):
            conformal_test(FirstFeature(), X, y, cv=cv, groups=groups)


def test_scores_that_differ_by_rounding_are_tied():
    third = (0.1 + 0.2) / 3
    assert conformal_p_values([0.1, 0.5], [0.1, third, third - 1e-3]).tolist() == [
        2 / 3,
        2 / 3,
        1 / 3,
    ]
    assert conformal_p_values([third], [0.1]).tolist() == [1.0]


def test_results_can_be_compared(rng):
    X, y = rng.normal(size=(60, 1)), np.repeat([1, 0], [30, 30])
    one = conformal_test(FirstFeature(), X, y)
    assert one == one  # noqa: PLR0124 - numpy's arrays would not say
    assert one != conformal_test(FirstFeature(), X, y)


def test_scores_that_are_none():
    for odd in ([0.5, np.nan], [0.5, 1.5], [-0.1], [[0.5]]):
        with pytest.raises(DataError, match=r"NaN|p-values range|of shape|is an array"):
            adjusted_p_values(odd)
    with pytest.raises(DataError, match="no calibration scores"):
        conformal_p_values([], [1.0])
    with pytest.raises(DataError, match="NaN"):
        conformal_p_values([1.0, np.nan], [1.0])
    with pytest.raises(DataError, match="of shape"):
        conformal_p_values(np.ones((2, 2)), [1.0])
    assert len(conformal_p_values([1.0], [])) == 0
    assert len(adjusted_p_values([])) == 0


def test_estimators_that_do_not_score():
    with pytest.raises(DataError, match="lacks fit, or has neither"):
        conformal_test(StandardScaler(), np.ones((4, 1)), [1, 1, 0, 0])


def test_exchangeability_needs_rows():
    with pytest.raises(DataError, match="At least 10 of each are needed"):
        exchangeability_test(np.arange(12.0), np.arange(100.0))
    with pytest.raises(DataError, match="0 held-out positives"):
        exchangeability_test([], np.arange(100.0))


@pytest.mark.parametrize("ratio", [1.0, 2.5, 3.0])
@pytest.mark.parametrize("fdr", [0.02, 0.07, 0.1, 0.45])
def test_the_fewest_held_out_to_reject_any_by_trying_all(fdr, ratio):
    """The row scores lowest: its p-value is 1 / (n + 1), or Γ / (n + Γ) with uneven labels."""
    expected = next(n for n in range(1, 1000) if ratio / (n + ratio) <= fdr + 1e-12)
    assert held_out_to_reject(fdr, ratio) == expected


@pytest.mark.filterwarnings("ignore::onesided.exceptions.CalibrationWarning")
@pytest.mark.parametrize("rate", ["0.05", "0.1", "0.2", "0.3"])
def test_rates_are_reached_as_in_fractions(rate):
    """Of m rows, k score below the n held-out rows: their adjusted p-values are m / (k (n + 1)).

    Many of these are exactly the rate, which rounding must not change.
    """
    exact, asked = Fraction(rate), float(rate)
    for n in range(1, 40):
        assert held_out_to_reject(asked) == next(
            at for at in range(1000) if Fraction(1, at + 1) <= exact
        )
        for m in (10, 30, 77):
            fewest = next(k for k in range(1, 10**6) if Fraction(m, k * (n + 1)) <= exact)
            assert fewest_for_rate(m / (n + 1), asked) == fewest
            for k in {*range(1, m + 1, 4), min(fewest, m), max(1, min(fewest, m) - 1)}:
                expected = k if k >= fewest else 0
                scores = np.repeat([-1.0, 1.0], [k, m - k])
                test = ConformalTest.of_scores(np.zeros(n), scores)
                assert test.flagged(asked).sum() == expected
                assert test.discarded(asked, prior_at_most=1.0).sum() == expected
                if n >= held_out_to_reject(asked):
                    found = positives_at_fdr(
                        np.full(10, 2.0), -scores, fdr=asked, known_negative=np.zeros(n)
                    )
                    assert found.selected.sum() == expected
