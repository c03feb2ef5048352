"""The protocol of hidden positives, and scores of rows that did not count as unlabeled."""

import time
from statistics import NormalDist

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import (
    CenterOfMassRanker,
    PositiveKFold,
    PositiveNaiveBayes,
    WeightedLogisticRegression,
    compare,
    hidden_positive_ranks,
)
from onesided.datasets import hide_labels
from onesided.exceptions import DataError, LabelError
from onesided.metrics import lee_liu_score
from onesided.model_selection import (
    Comparison,
    HiddenPositives,
    hide_and_rank,
    unlabeled_out_of_fold_scores,
)
from onesided.promises import hold_out
from oracles import delong, geurts2011


class Recorder(ClassifierMixin, BaseEstimator):
    """Scores by the first column and keeps what it was fitted on."""

    seen = []  # noqa: RUF012 - shared by clones, on purpose

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append((np.asarray(X)[:, 0].copy(), np.asarray(y).copy()))
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0].astype(float)


@pytest.fixture(autouse=True)
def _forget():
    Recorder.seen.clear()


def gaussian(rng, n_positive=30, n_unlabeled=120, shift=1.5):
    y = np.repeat([1, 0], [n_positive, n_unlabeled])
    order = rng.permutation(len(y))
    X = rng.normal(size=(len(y), 2)) + shift * y[:, None]
    return X[order], y[order]


def test_ranks_by_pairs(rng):
    X, y = gaussian(rng)
    X = np.round(X)  # ties
    found = hidden_positive_ranks(Recorder(), X, y)
    unlabeled = X[y == 0, 0].tolist()
    assert_allclose(found, [geurts2011.rank_share(x, unlabeled) for x in X[y == 1, 0]])


def test_each_positive_is_hidden_once_among_all_unlabeled(rng):
    X, y = gaussian(rng)
    X[:, 0] = np.arange(len(y))
    hidden_positive_ranks(Recorder(), X, y, cv=5)
    assert len(Recorder.seen) == 5
    positives, times_hidden = np.flatnonzero(y), np.zeros(len(y))
    for rows, labels in Recorder.seen:
        assert_array_equal(rows, X[:, 0])
        assert not labels[y == 0].any()
        times_hidden += y - labels
    assert_array_equal(times_hidden[positives], 1)


def test_leave_one_out_below_five(rng):
    X, y = gaussian(rng, n_positive=4)
    hidden_positive_ranks(Recorder(), X, y)
    assert [labels.sum() for _, labels in Recorder.seen] == [3, 3, 3, 3]


@pytest.mark.parametrize("held", ["positives", "rows"])
def test_groups_of_text_are_those_of_numbers_and_as_fast(held):
    """Each group compared with each took 4 s."""
    numbers, y = np.arange(20_000) // 5 + 10_000, np.arange(20_000) % 2
    text = numbers.astype(str).astype(object)
    folds = PositiveKFold(5, random_state=0, hold_out=held)
    start = time.process_time()
    found = [
        folds.deal(y, text),
        list(folds.split(None, y, text)),
        hold_out(y == 1, groups=text).tolist(),
    ]
    assert time.process_time() - start < 1.5
    expected = [
        folds.deal(y, numbers),
        list(folds.split(None, y, numbers)),
        hold_out(y == 1, groups=numbers).tolist(),
    ]
    assert str(found) == str(expected)


def test_groups_are_hidden_together(rng):
    X, y = gaussian(rng)
    groups = rng.integers(0, 9, len(y))
    for hidden in PositiveKFold(4, random_state=0).hidden_positives(y, groups):
        others = np.setdiff1d(np.flatnonzero(y), hidden)
        assert not set(groups[hidden]) & set(groups[others])
    few = np.where(y == 1, np.arange(len(y)) % 2, 7)
    assert len(PositiveKFold(5).hidden_positives(y, few)) == 2
    with pytest.raises(DataError, match="All 30 positives are in one group, 3"):
        hidden_positive_ranks(Recorder(), X, y, groups=np.full(len(y), 3))


@pytest.mark.parametrize("with_groups", [False, True])
def test_split_for_searches(rng, with_groups):
    X, y = gaussian(rng)
    groups = rng.integers(0, 40, len(y)) if with_groups else None
    folds = PositiveKFold(5, random_state=0)
    tested = np.zeros(len(y))
    for train, test in folds.split(X, y, groups):
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(y)))
        assert 0 < y[test].sum() < len(test)
        tested[test] += 1
        if with_groups:
            assert not set(groups[train]) & set(groups[test])
    assert_array_equal(tested, 1)
    assert folds.get_n_splits(X, y, groups) == 5
    model = WeightedLogisticRegression()
    assert cross_val_score(model, X, y, cv=folds, groups=groups, scoring="roc_auc").mean() > 0.7


def test_same_seed_same_ranks_other_seed_others(rng):
    X, y = gaussian(rng, shift=0.5)
    model = WeightedLogisticRegression()
    one, again = (hidden_positive_ranks(model, X, y, random_state=1) for _ in range(2))
    assert_array_equal(one, again)
    assert not np.array_equal(one, hidden_positive_ranks(model, X, y, random_state=2))


def test_every_kind_of_table_gives_the_same(rng):
    X, y = gaussian(rng)
    X[np.abs(X) < 0.3] = 0
    model = WeightedLogisticRegression(tol=1e-8)
    plain = hide_and_rank(model, X, y)
    scored = unlabeled_out_of_fold_scores(model, X, y)
    kinds = [
        pd.DataFrame(X, columns=["a", "b"], index=np.arange(len(y)) * 2),
        pl.DataFrame(X, schema=["a", "b"]),
        pa.table({"a": X[:, 0], "b": X[:, 1]}),
        sparse.csr_array(X),
    ]
    for kind in kinds:
        assert_allclose(hide_and_rank(model, kind, y).ranks, plain.ranks)
        assert_allclose(unlabeled_out_of_fold_scores(model, kind, y).ranks, scored.ranks)


def test_pipelines_and_models_with_probabilities_only(rng):
    X, y = gaussian(rng)
    piped = make_pipeline(StandardScaler(), WeightedLogisticRegression())
    assert hidden_positive_ranks(piped, X, y).mean() < 0.4
    assert hidden_positive_ranks(BernoulliNB(binarize=0.7), X, y).mean() < 0.4


def test_noise_is_at_chance(rng):
    X, y = gaussian(rng, n_positive=200, n_unlabeled=800, shift=0.0)
    assert abs(hidden_positive_ranks(WeightedLogisticRegression(), X, y).mean() - 0.5) < 0.06


def test_cross_fit_never_learns_from_what_it_scores(rng):
    X, y = gaussian(rng)
    X[:, 0] = np.arange(len(y))
    scored = unlabeled_out_of_fold_scores(Recorder(), X, y, cv=5)
    assert_array_equal(scored.rows, np.flatnonzero(y == 0))
    left_out = []
    for rows, labels in Recorder.seen:
        assert labels.sum() == y.sum()
        left_out.extend(set(range(len(y))) - set(rows.astype(int)))
    assert sorted(left_out) == np.flatnonzero(y == 0).tolist()


def test_cross_fit_ranks_are_shares_within_the_fold(rng):
    X, y = gaussian(rng)
    scored = unlabeled_out_of_fold_scores(WeightedLogisticRegression(), X, y, cv=5)
    expected = (np.arange(24) + 0.5) / 24  # 120 unlabeled in five folds, no ties
    assert_allclose(np.sort(scored.ranks), np.repeat(expected, 5))
    assert abs(np.median(scored.scores)) < 0.2


def test_unlabeled_rows_score_higher_when_they_do_not_count(rng):
    """A model that memorises scores the rows it held for negatives too low."""
    y = np.repeat([1, 0], [40, 40])
    X = rng.integers(0, 40, (80, 1))
    memorised = PositiveNaiveBayes(0.3).fit(X, y).decision_function(X)[y == 0]
    fair = np.concatenate(
        [
            PositiveNaiveBayes(0.3)
            .fit(np.delete(X, row, 0), np.delete(y, row))
            .decision_function(X[[row]])
            for row in np.flatnonzero(y == 0)
        ]
    )
    assert fair.mean() > memorised.mean() + 0.2


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 0, 0, 0], "y has 1 positive row; if it were hidden, no positive row would be left"),
        ([1, 1, 1, 1], "every row is positive"),
    ],
)
def test_too_few_positives(y, message):
    with pytest.raises(LabelError, match=message):
        hidden_positive_ranks(PositiveNaiveBayes(), np.arange(4)[:, None], y)


def test_too_few_unlabeled():
    with pytest.raises(LabelError, match="There is 1 unlabeled row"):
        unlabeled_out_of_fold_scores(PositiveNaiveBayes(), np.arange(4)[:, None], [1, 1, 1, 0])
    with pytest.raises(LabelError, match="Fold 2 of 5 has no unlabeled row"):
        list(PositiveKFold(5).split(None, [1] * 8 + [0] * 2))


def test_compare(rng):
    X, y = gaussian(rng)
    methods = {
        "blind": WeightedLogisticRegression(1e-9).set_params(C=1e-9),
        "logistic": WeightedLogisticRegression(),
        "first column": Recorder(),
    }
    found = compare(methods, X, y, random_state=3)
    assert found.best_ in {"logistic", "blind"}  # both columns tell more than one
    assert found.best_estimator_.n_features_in_ == 2
    for name, method in methods.items():
        expected = hidden_positive_ranks(method, X, y, random_state=3)
        assert_allclose(found.hidden[name].ranks, expected)
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["hidden_positive_auc"].is_monotonic_decreasing
    assert frame.loc[0, "method"] == found.best_
    assert_allclose(frame["hidden_positive_auc"], 1 - frame["average_rank"])
    assert found.to_frame("pyarrow").num_rows == 3
    assert found.to_frame("polars").height == 3


class Probable(BaseEstimator):
    """Probabilities of half, and more by the first column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        positive = np.clip(0.5 + np.asarray(X)[:, 0] / 20, 0, 1)
        return np.column_stack([1 - positive, positive])


@pytest.mark.parametrize("model", [Recorder(), Probable()])
def test_what_is_predicted_when_hidden(rng, model):
    """Both cut the first column at 0, which is not above itself."""
    X, y = gaussian(rng, n_positive=12, shift=0.5)
    X[np.flatnonzero(y)[3], 0] = 0.0
    found = hide_and_rank(model, X, y)
    positive = X[:, 0] > 0
    assert_array_equal(found.predicted, positive[y == 1])
    assert_allclose(found.predicted_share, positive[y == 0].mean())
    expected = lee_liu_score(y, positive.astype(int), scenario="case-control")
    assert_allclose(found.lee_liu, expected)  # of the unlabeled, whatever the scenario
    assert_allclose(found.lee_liu.interval(), expected.interval())


def test_share_predicted_is_the_mean_over_the_folds(rng):
    X, y = gaussian(rng, n_positive=10)
    model = WeightedLogisticRegression()
    found = hide_and_rank(model, X, y, cv=PositiveKFold(2, random_state=0))
    shares = []
    for hidden in PositiveKFold(2, random_state=0).hidden_positives(y):
        shown = y.copy()
        shown[hidden] = 0
        predicted = model.fit(X, shown).predict(X)
        shares.append(predicted[y == 0].mean())
        assert_array_equal(found.predicted[np.isin(np.flatnonzero(y), hidden)], predicted[hidden])
    assert shares[0] != shares[1]
    assert_allclose(found.predicted_share, np.mean(shares))


def test_lee_liu_of_the_hidden_is_precision_times_recall_over_prior(rng):
    """Among the unlabeled, of which a third is positive; a single training set."""
    truth = rng.random(30_000) < 0.4
    y = (truth & (rng.random(30_000) < 0.25)).astype(int)
    X = rng.normal(size=(30_000, 1)) + 1.5 * truth[:, None] - 0.5
    found = hide_and_rank(Recorder(), X, y).lee_liu
    true, predicted = truth[y == 0], X[y == 0, 0] > 0
    both = (true & predicted).sum()
    expected = both / predicted.sum() * (both / true.sum()) / true.mean()
    low, high = found.interval(0.999)
    assert low < expected < high
    assert high / low < 1.2


def of_ranks(*above, n_unlabeled=20):
    """No ties: the positives with at most j above them are above place j, counted from 0."""
    above = np.array(above)
    placements = np.mean(above <= np.arange(n_unlabeled)[:, None], axis=1)
    return HiddenPositives(
        above,
        0 * above,
        -above.astype(float),
        n_unlabeled,
        placements,
        predicted=above < 5,
        predicted_share=0.25,
    )


def pair_by_pair(*above, n_unlabeled=20):
    """The same for the oracle: the unlabeled score -j, a positive just above its place."""
    unlabeled = [-float(j) for j in range(n_unlabeled)]
    return delong.wins([0.5 - a for a in above], [unlabeled] * len(above))


def test_tables_of_a_comparison():
    """Ranks by hand: b is behind a on four positives of five, by 1 to 4; c is as a."""
    hidden = {
        "b": of_ranks(1, 3, 5, 7, 6),
        "a": of_ranks(0, 1, 2, 3, 6),
        "c": of_ranks(0, 1, 2, 3, 6),
    }
    found = Comparison(hidden, dict.fromkeys("abc", 1.0), "a", None)
    table = found.to_frame("pandas").set_index("method")
    assert list(table.index) == ["a", "c", "b"]
    assert np.isnan(table.p_value_against_best[["a", "c"]]).all()
    ahead, behind = pair_by_pair(0, 1, 2, 3, 6), pair_by_pair(1, 3, 5, 7, 6)
    assert_allclose(table.p_value_against_best["b"], delong.p_value(ahead, behind))
    assert_allclose(table.lee_liu, [0.8**2 / 0.25, 0.8**2 / 0.25, 0.4**2 / 0.25])
    for name, row in table.iterrows():
        assert (row.lee_liu_low, row.lee_liu_high) == hidden[name].lee_liu.interval()
    assert_allclose(table.auc_standard_error["a"], delong.variance(ahead) ** 0.5)
    pairs = found.pairwise("pandas").set_index(["method", "other"])
    assert len(pairs) == 6
    assert pairs.n_better["a", "b"] == 4
    assert pairs.n_better["b", "a"] == 0
    assert_allclose(pairs.auc_gain["a", "b"], (1 + 2 + 3 + 4) / 5 / 20)
    assert_allclose(pairs.auc_gain["b", "a"], -pairs.auc_gain["a", "b"])
    assert_allclose(pairs.delong_p["b", "a"], delong.p_value(ahead, behind))
    assert_allclose(pairs.wilcoxon_p["b", "a"], 2 / 16)  # four signs, all alike
    assert np.isnan(pairs.wilcoxon_p["a", "c"])


def test_equal_differences_are_ties_for_the_signed_ranks():
    """3/20 - 2/20 and 1/20 - 0 differ in the last bit; here all steps are one row of 20.

    Equal steps all have the middle rank, and the normal approximation is that of the sign test.
    """
    above, below = of_ranks(*range(1, 13)), of_ranks(*range(12))
    crossed = of_ranks(*range(9), 11, 12, 13)  # ahead of the first on 9, behind on 3
    for found, n_ahead in ((below, 12), (crossed, 9)):
        pairs = Comparison({"a": above, "b": found}, dict.fromkeys("ab", 1.0), "b", None)
        z = (n_ahead - 6) / 3**0.5
        assert_allclose(pairs.pairwise("pandas").wilcoxon_p, 2 * NormalDist().cdf(-z))


def test_picture_of_a_comparison():
    found = Comparison(
        {"a": of_ranks(4, 5, 6), "b": of_ranks(0, 1, 3)}, {"a": 1.0, "b": 1.0}, "b", None
    )
    chart = found.plot().to_dict()
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["rule", "circle"]
    assert chart["layer"][0]["encoding"]["y"]["sort"] is None  # as they come
    (data,) = chart["datasets"].values()
    assert [row["method"] for row in data] == ["b", "a"]


def test_compare_nothing():
    with pytest.raises(DataError, match=r"estimators is \{\}"):
        compare({}, np.zeros((4, 1)), [1, 1, 0, 0])


def test_cross_fit_ranks_point_the_right_way(rng):
    X, y = gaussian(rng)
    scored = unlabeled_out_of_fold_scores(Recorder(), X, y)
    first = X[scored.rows, 0]
    assert np.corrcoef(scored.ranks, first)[0, 1] < -0.9
    assert np.corrcoef(scored.scores, first)[0, 1] > 0.9


def test_scores_are_in_standard_deviations(rng):
    X, y = gaussian(rng, n_positive=50, n_unlabeled=2000, shift=3.0)
    assert abs(unlabeled_out_of_fold_scores(Recorder(), X, y).scores.std() - 1) < 0.1
    assert abs(hide_and_rank(Recorder(), X, y).scores.mean() - 3) < 0.5


def test_generators_are_used(rng):
    X, y = gaussian(rng, shift=0.5)
    found = [
        compare({"it": WeightedLogisticRegression()}, X, y, random_state=seed).hidden["it"].ranks
        for seed in (np.random.RandomState(1), np.random.RandomState(1), np.random.RandomState(2))
    ]
    assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_split_where_all_unlabeled_share_a_group_with_a_positive():
    y = np.array([1, 0] * 10)
    groups = np.repeat(np.arange(10), 2)
    tested = [test for _, test in PositiveKFold(5, random_state=0).split(None, y, groups)]
    assert sorted(np.concatenate(tested)) == list(range(20))


@pytest.mark.parametrize("bad", [None, 1, 2.5, "5"])
def test_number_of_folds(bad):
    with pytest.raises(DataError, match=r"n_splits=.* is not a whole number above 1"):
        PositiveKFold(bad).hidden_positives([1, 1, 0])


def test_wrong_number_of_groups():
    with pytest.raises(DataError, match=r"groups has shape \(2,\), y has 3 rows"):
        PositiveKFold(2).hidden_positives([1, 1, 0], groups=[0, 1])


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_a_row_without_a_group(rng, gap):
    X, y = gaussian(rng)
    groups = np.arange(len(y)).astype(object)
    groups[3] = gap
    with pytest.raises(DataError, match="groups has no value in row 3"):
        hidden_positive_ranks(Recorder(), X, y, groups=groups)
    days = np.arange(len(y)).astype("M8[D]")
    days[3] = "NaT"
    with pytest.raises(DataError, match="groups has no value in row 3"):
        hidden_positive_ranks(Recorder(), X, y, groups=days)


def test_a_class_is_no_estimator(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) < 6
    with pytest.raises(
        DataError, match=r"is a class, not an estimator\. Pass CenterOfMassRanker\(\)"
    ):
        compare({"odd": CenterOfMassRanker}, X, y)


class Says(ClassifierMixin, BaseEstimator):
    """Scores as told."""

    def __init__(self, scores=None, classes=(0, 1)):
        self.scores = scores
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        found = np.asarray(X)[:, 0] if self.scores is None else self.scores * np.ones(len(X))
        order = [0, 1] if self.classes[0] == 0 else [1, 0]
        return np.column_stack([1 - found, found])[:, order]


def test_scores_are_of_the_positive_class_whatever_its_place(rng):
    X, y = gaussian(rng)
    found = compare({"as ever": Says(), "turned": Says(classes=(1, 0))}, X, y)
    assert found.hidden["as ever"].auc == found.hidden["turned"].auc > 0.5


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            Says(scores=np.nan),
            r"^odd: Says\(scores=nan\) returns NaN as the score of 150 of 150 rows",
        ),
        (Says(classes=(0, 1, 2)), r"^odd: Says.* has the classes \[0, 1, 2\]"),
    ],
)
def test_what_cannot_be_used_is_named(rng, bad, message):
    X, y = gaussian(rng)
    with pytest.raises(DataError, match=message):
        compare({"fine": Recorder(), "odd": bad}, X, y)
    with pytest.raises(DataError, match=message.replace("^odd", "^one: odd")):
        compare({"fine": Recorder(), "odd": bad}, X, {"one": y})


def test_an_error_of_another_library_says_in_which_method(rng):
    X, y = gaussian(rng)
    with pytest.raises(ValueError, match="Negative values") as caught:
        compare({"counts": MultinomialNB()}, X, y)
    assert caught.value.__notes__ == ["In counts."]


class FailsAtTheSixth(Recorder):
    def fit(self, X, y):
        if len(self.seen) == 5:
            raise RuntimeError("the sixth fit")
        return super().fit(X, y)


def test_infinite_scores_are_ranked(rng):
    X, y = gaussian(rng)
    X[:, 0] = np.where(X[:, 0] > 2, np.inf, X[:, 0])
    X[:, 0] = np.where(X[:, 0] < -1, -np.inf, X[:, 0])
    found = hide_and_rank(Recorder(), X, y)
    assert np.isfinite(found.scores).all()
    capped = np.clip(X[:, :1], -9, 9)
    assert_array_equal(found.ranks, hide_and_rank(Recorder(), capped, y).ranks)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X": {"a": 0}}, "X has no task 'b'"),
        ({"X": {"a": 0, "b": 0, "c": 0}}, "y has no task 'c', which X has"),
        ({"groups": {"a": 0}}, "groups has no task 'b'"),
        ({"groups": {"a": 0, "b": 0, "c": 0}}, "y has no task 'c', which groups has"),
    ],
)
def test_tasks_that_are_not_the_same(rng, given, message):
    X, y = gaussian(rng)
    filled = {"X": X, "groups": np.arange(len(y))}
    filled |= {name: dict.fromkeys(tasks, filled[name]) for name, tasks in given.items()}
    with pytest.raises(DataError, match=message):
        compare({"it": Recorder()}, filled["X"], {"a": y, "b": y}, groups=filled["groups"])


def test_a_refit_that_fails_says_of_which(rng):
    X, y = gaussian(rng)
    with pytest.raises(RuntimeError, match="sixth") as caught:
        compare({"odd": FailsAtTheSixth()}, X, y)
    assert caught.value.__notes__ == ["In odd."]


@pytest.mark.parametrize("tasks", [False, True])
def test_what_is_wrong_with_labels_or_folds_is_of_no_method(tasks):
    X, y = np.zeros((6, 1)), np.arange(6) < 1
    start = "^one: " if tasks else "^"
    with pytest.raises(LabelError, match=start + "y has 1 positive row"):
        compare({"fine": Recorder()}, X, {"one": y} if tasks else y)
    y = np.arange(6) < 3
    with pytest.raises(DataError, match=start + "n_splits=1 is not"):
        compare({"fine": Recorder()}, X, {"one": y} if tasks else y, cv=1)


@pytest.mark.parametrize("seed", [None, np.random.RandomState(0)])
def test_all_methods_have_the_same_folds(rng, seed):
    X, y = gaussian(rng, shift=0.5)
    model = WeightedLogisticRegression()
    tasks = {"one": y, "again": y}
    found = compare({"a": model, "b": model}, X, tasks, cv=PositiveKFold(3, random_state=seed))
    assert len(np.unique(found.auc)) == 1


def test_no_refit(rng):
    X, y = gaussian(rng)
    found = compare({"it": Recorder()}, X, y, refit=False)
    assert len(Recorder.seen) == 5
    assert found.best_estimator_ is None


def test_zero_may_be_the_positive_label(rng):
    X, y = gaussian(rng)
    expected = hidden_positive_ranks(WeightedLogisticRegression(), X, y)
    model = WeightedLogisticRegression(positive_label=0)
    assert_allclose(hidden_positive_ranks(model, X, 1 - y), expected)
    assert expected.mean() < 0.3


@pytest.mark.parametrize("layout", ["csc", "coo", "lil", "dok", "dia", "bsr"])
def test_sparse_tables_of_every_layout(layout, rng):
    y = np.repeat([1, 0], [20, 60])
    X = sparse.csr_array(rng.poisson(1 + y[:, None], (80, 4)).astype(float))
    other = X.asformat(layout)
    model = WeightedLogisticRegression()
    expected = unlabeled_out_of_fold_scores(model, X, y).ranks
    assert_allclose(unlabeled_out_of_fold_scores(model, other, y).ranks, expected)
    expected = compare({"it": model}, X, y).hidden["it"].auc
    assert_allclose(compare({"it": model}, other, y).hidden["it"].auc, expected)
    drawn = hide_labels(other, y, label_frequency=0.5, random_state=0)
    assert_allclose(drawn.X.toarray(), X.toarray()[drawn.rows])
