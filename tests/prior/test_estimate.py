"""The class prior with its interval, its bound and what it says."""

import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from given_scores import Column
from onesided._labels import population_prior
from onesided.datasets import hide_labels
from onesided.exceptions import (
    CalibrationWarning,
    DataError,
    LabelError,
    OnesidedWarning,
    PriorWarning,
)
from onesided.metrics import rank_shares
from onesided.prior import (
    BestBinPrior,
    ClassPriorEstimate,
    DensityRatioPrior,
    TIcEPrior,
    estimate_class_prior,
    out_of_fold_scores,
)
from onesided.prior._estimate import halve
from onesided.promises import hidden_positive_scores, scar_test

SINGLE, APART = "single-training-set", "case-control"


def problem(rng, n_positive=200, n_hidden=200, n_negative=500):
    """Positives three deviations off in one column of two; a share of n_hidden is unlabeled."""
    n_rows = n_positive + n_hidden + n_negative
    X = rng.normal(size=(n_rows, 2))
    X[: n_positive + n_hidden, 0] += 3
    return X, (np.arange(n_rows) < n_positive).astype(int)


def estimate(X, y, **given):
    """By a column, which scores the rows alike in however few folds."""
    defaults = {"scenario": SINGLE, "estimator": Column(), "cv": 2}
    return estimate_class_prior(X, y, **{**defaults, **given})


def test_everything_is_there(rng):
    X, y = problem(rng)
    found = estimate(X, y)
    of_bin, of_curve = found.by_method["best-bin"], found.by_method["binormal"]
    assert float(found) == found.point == found.by_method["combined"]
    assert_allclose(found.point, of_bin * of_bin + (1 - of_bin) * of_curve)
    low, high = found.interval
    assert low <= 2 / 7 <= high <= found.upper_bound
    assert low <= found.point <= high
    of_others = {"best-bin", "binormal", "density-ratio", "elkan-noto", "tice"}
    assert set(found.by_method) == {"combined"} | of_others
    assert (found.n_positive, found.n_unlabeled, found.n_duplicates) == (200, 700, 0)
    assert found.disagreement < 0.2
    frame = found.to_frame("pandas")
    assert frame["method"][0] == "combined"
    assert frame["class_prior"][0] == found.point
    assert len(frame) == 6
    assert pickle.loads(pickle.dumps(found)) == found


def test_same_seed_same_estimate(rng):
    X, y = problem(rng)
    assert estimate(X, y, estimator=LogisticRegression()) == estimate(
        X, y, estimator=LogisticRegression()
    )
    other = estimate(X, y, estimator=LogisticRegression(), random_state=1)
    assert other.interval != estimate(X, y, estimator=LogisticRegression()).interval


def test_scenario_is_required(rng):
    X, y = problem(rng)
    with pytest.raises(TypeError, match="scenario"):
        estimate_class_prior(X, y)
    with pytest.raises(LabelError, match="scenario='both' is neither 'single-training-set'"):
        estimate(X, y, scenario="both")


def test_population_by_scenario(rng):
    X, y = problem(rng)
    single, apart = estimate(X, y), estimate(X, y, scenario=APART)
    assert single.point == apart.point == apart.population_prior
    assert_allclose(
        single.population_prior,
        population_prior(single.point, single.label_frequency, scenario=SINGLE),
    )
    assert_allclose(single.label_frequency, 200 / (200 + single.point * 700))


def test_points_are_those_of_the_estimators(rng):
    X, y = problem(rng)
    found = estimate(X, y)
    assert found.by_method["best-bin"] == BestBinPrior(Column()).fit(X, y).class_prior_
    assert found.by_method["density-ratio"] == DensityRatioPrior(Column()).fit(X, y).class_prior_
    assert abs(found.by_method["tice"] - TIcEPrior().fit(X, y).class_prior_) < 0.1
    assert estimate(X, y, method="tice").point == found.by_method["tice"]
    assert estimate(X, y, method="tice").interval == found.interval


def test_interval_is_longer_for_more_confidence_and_fewer_rows(rng):
    X, y = problem(rng, 400, 400, 1000)
    few = rng.choice(len(y), 400, replace=False)

    def length(rows, confidence):
        low, high = estimate(X[rows], y[rows], confidence=confidence).interval
        return high - low

    assert length(slice(None), 0.99) > length(slice(None), 0.8)
    assert length(few, 0.9) > length(slice(None), 0.9)


@pytest.mark.parametrize("given", [{}, {"estimator": None}])
def test_text_labels_and_sparse_rows(rng, given):
    X, y = problem(rng)
    text = np.where(y == 1, "known", "rest")
    found = estimate(X, text, positive_label="known", n_subsamples=2, **given)
    assert_allclose(found.point, estimate(X, y, n_subsamples=2, **given).point)
    if given:
        thin = estimate(sparse.csr_array(X), y, n_subsamples=2, **given)
        assert 0.2 < thin.point < 0.4


def test_frames(rng):
    X, y = problem(rng)
    logistic = LogisticRegression()
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert estimate(frame, pd.Series(y), estimator=logistic) == estimate(X, y, estimator=logistic)


def test_rows_are_scored_by_models_that_have_not_seen_them(rng):
    """Labels say nothing here; a model that had seen the rows would have them by heart."""
    X, y = rng.normal(size=(300, 5)), np.repeat([1, 0], [100, 200])
    known, rest = out_of_fold_scores(X, y)
    assert abs(np.mean(known[:, None] > rest) - 0.5) < 0.12
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415 - one test needs it

    known, rest = out_of_fold_scores(X, y, estimator=DecisionTreeClassifier(random_state=0))
    assert known.mean() < 0.6


def test_groups_stay_together(rng):
    X, y = problem(rng)
    groups = np.arange(900) // 3
    X[:, 1] = groups

    class Remembers(Column):
        """Fails if it scores a row of a group that it has seen."""

        def fit(self, X, y):
            self.seen_ = set(X[:, 1])
            return super().fit(X, y)

        def decision_function(self, X):
            assert not self.seen_ & set(X[:, 1])
            return super().decision_function(X)

    with pytest.warns(
        CalibrationWarning,
        match="the true share exceeds the bound more often than the confidence says.",
    ):
        found = estimate(X, y, groups=groups, estimator=Remembers())
    assert 0.2 < found.point < 0.4
    with pytest.raises(AssertionError):
        estimate(X, y, estimator=Remembers())


def test_halves_hold_half_of_each_kind():
    positive = np.arange(100) < 30
    half = halve(positive, None, np.random.RandomState(0))
    assert half[positive].sum() == 15
    assert half[~positive].sum() == 35
    groups = np.repeat(np.arange(20), 5)
    half = halve(positive, groups, np.random.RandomState(0))
    assert half[positive].sum() == 15
    assert set(half.reshape(20, 5).sum(axis=1)) == {0, 5}


def test_duplicates_are_said(rng):
    X, y = problem(rng)
    X[-7:] = X[0]
    with pytest.warns(OnesidedWarning, match="7 of 700 unlabeled rows equal a positive row"):
        found = estimate(X, y)
    assert found.n_duplicates == 7
    assert "unlabeled rows that are identical to a positive row: 7" in str(found)


def test_prior_at_an_edge_is_said():
    y = np.repeat([1, 0], [40, 60])
    X = np.column_stack([y, np.arange(100)]).astype(float)
    with pytest.warns(PriorWarning, match="prior is estimated as 0 by best bin and"):
        found = estimate(X, y)
    assert found.point == 0
    assert found.upper_bound > 0


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"method": "best"}, DataError, "Pass one of combined, best-bin, binormal"),
        ({"confidence": 1.0}, DataError, "confidence=1.0 is not a number above 0 and below 1"),
        ({"n_subsamples": 1}, DataError, "n_subsamples=1 is not a whole number of at least 2"),
        ({"positive_label": 3}, LabelError, "positive_label=3 is not among the values"),
    ],
)
def test_what_is_no_choice(rng, given, error, said):
    with pytest.raises(error, match=re.escape(said)):
        estimate(*problem(rng), **given)


def test_too_few_positives(rng):
    X, y = problem(rng, n_positive=9)
    with pytest.raises(
        LabelError, match="9 positive and 700 unlabeled rows are too few: an interval"
    ):
        estimate(X, y)


def test_ten_positives_are_enough(rng):
    X, y = problem(rng, n_positive=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)
        low, high = estimate(X, y).interval
    assert 0 <= low < high <= 1


def test_words_say_what_is_known(rng):
    words = str(estimate(*problem(rng)))
    assert re.search(r"among the 700 unlabeled: about \d+ rows, [\d.]+% \(90% interval", words)
    assert "exact only if some kinds of rows are always positive" in words
    assert "if labels are even (the known positives are like the others)" in words.splitlines()[0]
    assert re.search(r"at most [\d.]+% if the odds of being labeled differ up to threefold", words)


def test_kinds_that_overlap_leave_a_bound_alone(rng):
    """Positives one deviation off: the point is above the prior, and only the bound is said."""
    y = np.repeat([1, 0], [300, 1000])
    X = rng.normal(size=(1300, 1))
    X[:500] += 1  # 200 of the 1,000 unlabeled
    found = estimate(X, y)
    assert found.only_at_most
    assert 0.2 < found.headline == found.interval[1] <= found.upper_bound
    assert found.auc == pytest.approx(1 - rank_shares(X[:300, 0], X[300:, 0]).mean(), abs=0.01)
    of_negatives = rank_shares(X[:300, 0], X[500:, 0])  # those unlabeled that are no positives
    truth = replace(found, point=0.2, by_method={"best-bin": 0.2}).separation
    assert truth == pytest.approx(1 - of_negatives.mean(), abs=0.02)
    n_most = round(found.headline * 1000)
    words = str(found)
    said = f"at most {n_most} rows, {100 * found.headline:.3g}% (90% confidence)"
    assert words.startswith(f"Positive among the 1,000 unlabeled: {said}")
    bound = f"at most {100 * found.upper_bound:.3g}% are positive"
    assert f"without any assumption about the distributions, of the unlabeled rows {bound}" in words
    assert "interval" not in words
    assert found.interval[0] == 0
    assert found.why_only_at_most == "positives and other rows are too similar to tell"
    assert found.why_only_at_most in words
    apart = replace(found, auc=0.97, point=0.21, interval=(0.15, 0.25), by_method={"tice": 0.21})
    assert not apart.only_at_most
    assert apart.why_only_at_most == ""
    assert replace(apart, auc=0.9).separation == pytest.approx((0.9 - 0.105) / 0.79)
    lower = replace(apart, auc=0.9, by_method={"best-bin": 0.21, "binormal": 0.1})
    assert lower.separation == pytest.approx((0.9 - 0.05) / 0.9), "by the lower of the two"
    assert lower.only_at_most
    assert apart.headline == 0.21
    few = replace(apart, interval=(0.05, 0.25))
    assert few.why_only_at_most == "the estimate varies too much to tell"
    ends = replace(apart, interval=(found.upper_bound,) * 2)
    assert ends.why_only_at_most == "the estimates lie above the upper bound"
    assert replace(apart, point=1.0).separation == 0.5


@pytest.mark.parametrize(
    "ask",
    [
        estimate,
        lambda X, y: BestBinPrior(Column()).fit(X, y),
        lambda X, y: out_of_fold_scores(X, y, estimator=Column()),
        lambda X, y: hidden_positive_scores(Column(), X, y),
        lambda X, y: scar_test(X, y, class_prior=0.2, estimator=Column()),
        lambda X, y: hide_labels(X, y, label_frequency=0.5),
    ],
)
def test_x_and_y_of_different_length(rng, ask):
    X, y = problem(rng, 50, 50, 100)
    for more, fewer in ((X, y[:-1]), (X[:-1], y)):
        with pytest.raises(DataError, match=f"X has {len(more)} rows, y has {len(fewer)}"):
            ask(more, fewer)


def test_a_class_is_no_estimator(rng):
    with pytest.raises(DataError, match="LogisticRegression is a class"):
        estimate(*problem(rng), estimator=LogisticRegression)


def test_few_groups_of_positives(rng):
    X, y = problem(rng)
    with pytest.raises(LabelError, match="positives are in 3 groups; an interval needs at least 4"):
        estimate(X, y, groups=np.arange(len(y)) % 3)


def test_words_of_small_shares_and_of_another_method(rng):
    found = replace(estimate(*problem(rng)), auc=0.99)
    assert not found.only_at_most
    small = replace(found, point=0.0012, interval=(0.0004, 0.0019), confidence=0.995)
    assert "about 1 row, 0.12%" in str(small)
    assert "(99.5% interval 0.04% to 0.19%)" in str(small)
    assert "lies outside" not in str(small)
    assert "lies outside" in str(replace(found, point=0.9, method="elkan-noto"))
    above = found.by_method | {"tice": 0.9}
    cut = replace(found, point=found.interval[1], method="tice", by_method=above)
    assert "The estimate of tice is above the upper bound" in str(cut)


@pytest.mark.parametrize("seed", [1, 3, 6, 7])
def test_point_and_interval_end_at_the_bound(seed):
    """Of few positives that overlap with the rest: the spread of the halves would go beyond."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    X[:120, 0] += 1
    y = (np.arange(400) < 60).astype(int)
    logistic = LogisticRegression()
    found = estimate(X, y, estimator=logistic, cv=5, n_subsamples=2, random_state=seed)
    low, high = found.interval
    assert 0 <= low <= high == found.upper_bound
    assert found.point <= found.upper_bound


def test_uneven_labels_widen_the_bound(rng):
    """Above a ratio of 1 nothing is said but the bound; other figures stay as they are."""
    X, y = problem(rng)
    even, uneven = (estimate(X, y, label_odds_ratio=ratio) for ratio in (1, 4))
    assert uneven.by_method == even.by_method
    assert sorted(uneven.upper_bounds) == [1, 3, 4]
    bounds = list(uneven.upper_bounds.values())
    assert even.upper_bound == bounds[0] < bounds[1] < bounds[2] == uneven.upper_bound
    assert uneven.interval == (0, uneven.upper_bound)
    assert uneven.headline == uneven.upper_bound
    assert uneven.why_only_at_most == "the odds of being labeled may differ fourfold"
    assert uneven.tipping_point == even.tipping_point > 4
    facts = uneven.facts()
    assert facts["label_odds_ratio"] == 4
    assert [each["class_prior"] for each in facts["upper_bounds"]] == bounds
    assert facts["class_prior_at_most"] == uneven.upper_bound
    assert_allclose(facts["n_hidden_at_most"], uneven.upper_bound * 700)
    assert facts["class_prior"] is facts["n_hidden"] is facts["label_frequency"] is None
    with pytest.raises(DataError, match=r"`label_odds_ratio` 0.5 is not a .*number of at least 1"):
        estimate(X, y, label_odds_ratio=0.5)


def test_the_tipping_point_is_where_the_bound_is_all(rng):
    X, y = problem(rng)
    tipping_point = estimate(X, y).tipping_point
    for ratio, is_all in ((0.97 * tipping_point, False), (1.01 * tipping_point, True)):
        assert (estimate(X, y, label_odds_ratio=ratio).upper_bound == 1) == is_all


def test_the_bound_never_falls_where_more_is_allowed(rng):
    """For even labels all cuts that are looked at are too high to say anything here."""
    known = np.concatenate(
        [rng.normal(10, 0.5, 200), rng.normal(5, 0.5, 160), rng.normal(-10, 0.1, 40)]
    )
    rest = np.append(rng.normal(10.3, 0.5, 1000), rng.normal(-5, 0.1, 1000))
    X, y = np.append(known, rest)[:, None], np.repeat([1, 0], [400, 2000])
    found = estimate(X, y, label_odds_ratio=1.5)
    bounds = list(found.upper_bounds.values())
    assert bounds == sorted(bounds)


@pytest.mark.parametrize(
    ("bounds", "without"), [({1.0: 0.4}, "40%"), ({1.0: 1.0}, "all"), ({}, "40%")]
)
def test_an_upper_bound_says_what_it_rests_on(bounds, without):
    """The end of the interval rests on the highest scores; the bound for any distribution not."""
    assumes = "the highest scores of positives and negatives are normally distributed"

    def said(high, **more):
        made = ClassPriorEstimate(
            0.2, (0.0, high), 0.9, bounds.get(1.0, 0.4), 0.9, "best-bin", {"best-bin": 0.2},
            "case-control", 60, 400, 0, upper_bounds=bounds, **more,
        )  # fmt: skip
        return made.sentences

    head, *others = said(0.3)
    text = "\n".join((head, *others))
    assert f"(the known positives are like the others), and {assumes}" in head
    assert len(re.findall(rf"(at most|distributions) {without}", text)) == 1, "said once"
    assert head.endswith(assumes) == bool(bounds)
    assert assumes not in said(bounds.get(1.0, 0.4))[0]
    assert assumes not in said(0.4, label_odds_ratio=3.0)[0]
