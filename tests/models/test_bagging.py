"""Positives against random subsets of the unlabeled: out-of-bag scores by loops, and the cut."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from onesided import PositiveNaiveBayes, WeightedLogisticRegression
from onesided._blocks import ArraySource
from onesided.exceptions import DataError, OnesidedWarning, PriorError, SeparationWarning
from onesided.methods import rankers_for
from onesided.models.composite import PUBagging
from onesided.prior import binormal_tail
from onesided.reporting._drivers import LabeledRows, _of_bags, find_drivers
from onesided.tables import describe
from oracles import bagging
from oracles import class_prior as oracle

seeded = partial(PUBagging, random_state=0)


class Memory(ClassifierMixin, BaseEstimator):
    """Scores a row that it has learned from far below the others; rows are told by column 0."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = X[:, 0].copy()
        return self

    def decision_function(self, X):
        return X[:, 0] - 1e6 * np.isin(X[:, 0], self.seen_)


class Gives(ClassifierMixin, BaseEstimator):
    """Scores every row the same, whatever it learned."""

    def __init__(self, score=0.0, classes=(0, 1)):
        self.score = score
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def decision_function(self, X):
        return np.tile(self.score, (len(X), *[1] * np.ndim(self.score)))


class GivesOneInfinite(Gives):
    """Scores the first row infinitely high."""

    def decision_function(self, X):
        return np.where(np.arange(len(X)) == 0, np.inf, 0.0)


class Turned(ClassifierMixin, BaseEstimator):
    """A logistic regression whose classes are 1 and 0, in this order."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, 1 - y)
        self.classes_ = 1 - self.model_.classes_
        return self


class TurnedScores(Turned):
    def decision_function(self, X):
        return self.model_.decision_function(X)


class TurnedShares(Turned):
    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def shifted(rng, labels, n_features=4, shift=2.0):
    """Two clouds; half of the positives are not labeled."""
    hidden = rng.random(len(labels)) < 0.3
    return rng.normal(size=(len(labels), n_features)) + shift * (labels | hidden)[:, None]


def scores_by_bag(model, X):
    X = np.asarray(X, dtype=np.float32)
    return [each.predict_proba(X)[:, 1] for each in model.estimators_]


def test_out_of_bag_by_loops(make_source, rng, labels):
    X = shifted(rng, labels)
    source = make_source(X)
    dense = ExtraTreeClassifier(min_samples_leaf=5)
    model = seeded(dense, n_estimators=20, n_unlabeled_per_bag=9).fit(source, labels)
    scores = scores_by_bag(model, X)
    expected = bagging.out_of_bag(scores, model.bags_.tolist(), len(labels))
    assert_allclose(model.oob_decision_function_ + model.threshold_, expected)
    positives = np.flatnonzero(labels).tolist()
    cut = bagging.median_positive(scores, model.bags_.tolist(), positives)
    assert_allclose(model.threshold_, cut)
    found = model.decision_function(source)
    assert_allclose(found + model.threshold_, np.mean(scores, axis=0))


def test_bags_are_what_the_models_learned_from(rng, labels):
    X = shifted(rng, labels)
    X[:, 0] = np.arange(len(labels))
    model = seeded(Memory(), n_unlabeled_per_bag=7).fit(X, labels)
    assert model.bags_.shape == (100, 20 + 7)
    known, drawn = model.bags_[:, :20], model.bags_[:, 20:]
    assert labels[known].all()
    assert not labels[drawn].any()
    assert all(len(set(bag)) == 7 for bag in drawn.tolist())
    for each, bag in zip(model.estimators_, model.bags_, strict=True):
        assert_array_equal(each.seen_, bag)
    assert_array_equal(np.unique(drawn), np.flatnonzero(labels == 0))


def test_a_positive_drawn_twice_is_not_in_two_folds_of_a_model(rng, labels):
    """It has weight 2: the tables are those of the repeated rows, the prior is not."""
    X = rng.integers(0, 3, (len(labels), 3)) + 2 * (labels[:, None] == 1) * rng.integers(
        0, 2, (len(labels), 3)
    )
    model = seeded(PositiveNaiveBayes(), 20, n_unlabeled_per_bag=10).fit(X, labels)
    for bag, learned in zip(model.bags_.astype(int), model.estimators_, strict=True):
        rows, n_copies = np.unique(bag, return_counts=True)
        assert n_copies.max() > 1
        alone = PositiveNaiveBayes().fit(X[rows], labels[rows], n_copies)
        assert learned.class_prior_ == alone.class_prior_
        at = PositiveNaiveBayes(alone.class_prior_).fit(X[bag], labels[bag])
        for found, expected in zip(learned.feature_log_prob_, at.feature_log_prob_, strict=True):
            assert_allclose(found, expected)


def test_no_row_is_scored_by_a_model_that_saw_it(rng, labels):
    X = shifted(rng, labels)
    X[:, 0] = np.arange(len(labels))
    model = seeded(Memory()).fit(X, labels)
    assert_allclose(model.oob_decision_function_ + model.threshold_, np.arange(len(labels)))
    assert (model.decision_function(X) < -1000).all(), "each row is in some bag"


@pytest.mark.parametrize(
    ("asked", "n_positive", "size"), [(None, 3, 50), (None, 20, 80), (7, 3, 7)]
)
def test_size_of_bags(rng, asked, n_positive, size):
    X, y = rng.normal(size=(400, 2)), np.arange(400) < n_positive
    model = seeded(n_estimators=20, n_unlabeled_per_bag=asked).fit(X, y)
    assert model.bags_.shape == (20, n_positive + size)


def test_at_most_half_of_the_unlabeled(rng, labels):
    for asked in (None, 1000):
        model = seeded(n_unlabeled_per_bag=asked).fit(shifted(rng, labels), labels)
        assert model.bags_.shape == (100, 20 + 20)
        assert not np.isnan(model.oob_decision_function_).any()


@pytest.mark.parametrize("base", [None, LogisticRegression()], ids=["default", "logistic"])
def test_every_source_gives_the_same(make_source, rng, labels, base):
    X = np.round(shifted(rng, labels), 2)
    source = make_source(X)
    if base is None and any(block.is_sparse for block in getattr(source, "blocks", list)()):
        expected = seeded(n_estimators=9).fit(sparse.csr_array(X), labels)
    else:
        expected = seeded(base, n_estimators=9).fit(X, labels)
    found = seeded(base, n_estimators=9).fit(source, labels)
    assert_array_equal(found.bags_, expected.bags_)
    assert_allclose(
        found.oob_decision_function_, expected.oob_decision_function_, rtol=1e-3, atol=1e-3
    )
    assert_allclose(found.decision_function(source), expected.decision_function(X), atol=1e-3)


def test_the_default_base(rng, labels):
    X = shifted(rng, labels)
    (tree, *_) = seeded(n_estimators=20).fit(X, labels).estimators_
    assert isinstance(tree, ExtraTreeClassifier)
    assert tree.tree_.n_node_samples[tree.tree_.children_left == -1].min() == 3
    assert tree.max_features_ == X.shape[1]
    (linear, *_) = seeded(n_estimators=20).fit(sparse.csr_array(X), labels).estimators_
    assert isinstance(linear, WeightedLogisticRegression)


@pytest.mark.parametrize("n_positive", [1, 2, 3])
def test_few_positives_still_rank(rng, n_positive):
    truth = np.arange(300) < 60
    X = rng.normal(size=(300, 3)) + 4 * truth[:, None]
    scores = seeded().fit(X, np.arange(300) < n_positive).oob_decision_function_
    assert roc_auc_score(truth[n_positive:], scores[n_positive:]) > 0.9


BASES = [
    DecisionTreeClassifier(max_depth=3),
    RandomForestClassifier(n_estimators=3),
    SVC(),
    GaussianNB(),
    PositiveNaiveBayes(0.3),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(StandardScaler(), ExtraTreeClassifier(min_samples_leaf=5)),
]


@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
def test_any_base(rng, labels, base):
    X = np.round(shifted(rng, labels, shift=3.0))
    one, again = (seeded(base, n_estimators=8).fit(X, labels) for _ in range(2))
    assert_array_equal(one.oob_decision_function_, again.oob_decision_function_)
    hidden = X.mean(axis=1) > 1.5
    left = labels == 0
    assert roc_auc_score(hidden[left], one.oob_decision_function_[left]) > 0.9
    other = PUBagging(base, n_estimators=8, random_state=1).fit(X, labels)
    assert not np.array_equal(one.bags_, other.bags_)


def test_models_of_one_bag_differ_by_their_seeds(rng, labels):
    model = seeded(make_pipeline(StandardScaler(), ExtraTreeClassifier()), n_estimators=20)
    seeds = [each[-1].random_state for each in model.fit(shifted(rng, labels), labels).estimators_]
    assert len(set(seeds)) == 20


def test_hidden_positives_are_found_where_a_forest_learns_them_by_heart(rng):
    """Fully grown trees call every unlabeled row negative that they have seen."""
    truth = np.arange(600) < 300
    X = rng.normal(size=(600, 10)) + 0.7 * truth[:, None]
    y = np.arange(600) < 30
    ours = seeded().fit(X, y).oob_decision_function_[30:]
    forest = RandomForestClassifier(random_state=0).fit(X, y).predict_proba(X)[30:, 1]
    assert roc_auc_score(truth[30:], ours) > 0.8
    assert roc_auc_score(truth[30:], forest) < 0.7


def test_prior_estimated_from_out_of_bag_scores(rng, labels):
    X = shifted(rng, labels)
    model = seeded(LogisticRegression(), class_prior="estimate").fit(X, labels)
    scores = model.oob_decision_function_
    known, rest = scores[labels == 1], scores[labels == 0]
    assert not np.isnan(scores).any()
    of_curve = binormal_tail(known, rest)
    expected = oracle.combined(known.tolist(), rest.tolist(), of_curve)
    assert_allclose(model.class_prior_, expected, rtol=1e-6)
    expected = oracle.combined_error(known.tolist(), rest.tolist(), of_curve)
    assert_allclose(model.class_prior_error_, expected, rtol=1e-5)
    given = seeded(LogisticRegression(), class_prior=model.class_prior_).fit(X, labels)
    assert_array_equal(model.predict(X), given.predict(X))


@pytest.mark.parametrize("class_prior", [0.1, 0.35, 0.8])
def test_cut_by_the_class_prior(rng, labels, class_prior):
    """A continuous base, so that the share is met but for one row."""
    X = shifted(rng, labels)
    model = seeded(LogisticRegression(), class_prior=class_prior).fit(X, labels)
    called = model.oob_decision_function_[labels == 0] > 0
    assert abs(called.sum() - class_prior * len(called)) <= 1


def test_median_positive_is_at_the_cut_out_of_bag(rng, labels):
    model = seeded(LogisticRegression()).fit(shifted(rng, labels), labels)
    assert_allclose(np.median(model.oob_decision_function_[labels == 1]), 0.0, atol=1e-12)


def test_missing_values(rng, labels):
    X = shifted(rng, labels)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = seeded().fit(X, labels)
    assert np.isfinite(model.decision_function(X)).all()
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert_allclose(
        seeded().fit(frame, labels).decision_function(frame), model.decision_function(X)
    )
    by_imputed = seeded(make_pipeline(SimpleImputer(), LogisticRegression()), n_estimators=9).fit(
        X, labels
    )
    assert np.isfinite(by_imputed.decision_function(X)).all()
    with pytest.raises(ValueError, match="contains NaN"):
        seeded(LogisticRegression()).fit(X, labels)
    by_mean = seeded().fit(sparse.csr_array(X), labels)  # the linear models take gaps as the mean
    means = np.nanmean(X[np.unique(by_mean.bags_)], axis=0)
    expected = by_mean.decision_function(np.where(np.isnan(X), means, X))
    assert_allclose(by_mean.decision_function(sparse.csr_array(X)), expected)
    assert_allclose(by_mean.decision_function(X), expected)


PLAIN_TREE = ExtraTreeClassifier(max_features=1.0, min_samples_leaf=3, class_weight="balanced")


@pytest.mark.parametrize(
    "moved",
    [
        lambda X: X,
        lambda X: X + 1e9,
        lambda X: X * 2.0**-40,
        lambda X: X * 2.0**140,
        lambda X: X * 2.0**1015,
        lambda X: np.where(np.arange(4) % 2, X + 1e9, X * 2.0**-900),
    ],
    ids=["as it is", "large", "small", "beyond float32", "nearly infinite", "mixed"],
)
def test_default_trees_see_the_order_of_values(rng, labels, moved):
    """As trees of scikit-learn do where float32 holds the values; in eighths all sums are exact."""
    X = np.round(8 * shifted(rng, labels)) / 8
    X[rng.random(X.shape) < 0.1] = np.nan
    new = np.round(8 * shifted(rng, labels, shift=6.0)) / 8
    expected = seeded(PLAIN_TREE, n_estimators=20).fit(X, labels)
    found = seeded(n_estimators=20).fit(moved(X), labels)
    assert_allclose(found.oob_decision_function_, expected.oob_decision_function_, atol=1e-12)
    assert_allclose(found.decision_function(moved(new)), expected.decision_function(new))


def test_default_trees_beyond_the_values_of_the_fit(rng, labels):
    X = shifted(rng, labels)
    model = seeded(n_estimators=20).fit(X, labels)
    for far, edge in ((1e308, X.max(axis=0)), (-1e308, X.min(axis=0))):
        assert_array_equal(
            model.decision_function(np.full((1, 4), far)), model.decision_function(edge[None])
        )


def test_a_parameter_set_after_the_fit_changes_no_score(rng, labels):
    X = shifted(rng, labels)
    for base, other in ((None, PLAIN_TREE), (PLAIN_TREE, None)):
        model = seeded(base, n_estimators=20).fit(X, labels)
        before = model.decision_function(X)
        assert_array_equal(model.set_params(estimator=other).decision_function(X), before)


def test_columns_whose_range_overflows(rng, labels):
    signs = np.where(rng.random((60, 1)) < 0.2 + 0.6 * labels[:, None], 1.0, -1.0)
    found, expected = (
        seeded(n_estimators=20).fit(ArraySource(X), labels).oob_decision_function_
        for X in (1.7e308 * signs, signs)
    )
    assert_array_equal(found, expected)
    assert len(np.unique(found)) > 1


def test_columns_of_one_value_and_of_none(rng, labels):
    X = shifted(rng, labels)
    more = np.column_stack([np.full(len(X), 7.0), X, np.full(len(X), np.nan)])
    model = seeded().fit(more, labels)
    assert roc_auc_score(X.mean(axis=1) > 1, model.oob_decision_function_) > 0.9
    new = more.copy()
    new[:, [0, -1]] = 3.0
    assert_array_equal(model.decision_function(new), model.decision_function(more))


@pytest.mark.parametrize(
    ("base", "value", "said"),
    [
        (PLAIN_TREE, 1e39, "holds 1e+39, too large for a tree, which can hold numbers up to 3.4"),
        (PLAIN_TREE, -1e300, "holds -1e+300, too large"),
        (None, np.inf, "of X has an infinite value"),
    ],
)
def test_what_is_too_large_for_a_tree(rng, labels, tmp_path, base, value, said):
    X = pd.DataFrame(shifted(rng, labels), columns=list("abcd"))
    model = seeded(base, n_estimators=20).fit(X, labels)
    X.loc[7, "b"] = value
    X.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=re.escape(f"Column 'b' {said}")):
        seeded(base).fit(tmp_path / "t.parquet", labels)
    with pytest.raises(DataError, match=re.escape(f"Column 1 {said}")):
        seeded(base).fit(X.to_numpy(), labels)
    with pytest.raises(DataError, match=re.escape(f"Column 'b' {said}")):
        model.decision_function(X)


def test_a_row_in_every_bag_is_said(rng, labels):
    X = shifted(rng, labels)
    said = "{} of 40 unlabeled rows {} in every bag, which leaves no bag for an out-of-bag score."
    with pytest.warns(OnesidedWarning, match=said.format(20, "are")):
        model = seeded(LogisticRegression(), n_estimators=1).fit(X, labels)
    without = np.isnan(model.oob_decision_function_)
    assert_array_equal(np.flatnonzero(without), np.unique(model.bags_))
    assert np.isfinite(model.decision_function(X)).all()
    with pytest.warns(OnesidedWarning, match=said.format(1, "is")):
        seeded(LogisticRegression(), n_estimators=1, n_unlabeled_per_bag=1).fit(X, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seeded(n_estimators=50).fit(X, labels)


def test_one_score_of_all_rows_is_said(rng, labels):
    X = shifted(rng, labels)
    for base, columns in ((None, np.ones((60, 2))), (PLAIN_TREE, X + 1e12), (Gives(), X)):
        with pytest.warns(SeparationWarning, match="All 60 rows have the same score"):
            seeded(base, n_estimators=20).fit(columns, labels)


@pytest.mark.parametrize(
    ("base", "said"),
    [
        (Gives(np.nan), "Gives(score=nan) returns NaN as the score of 60 of 60 rows"),
        (Gives(np.inf), "Gives(score=inf) returns inf as the score of all 60 rows"),
        (GivesOneInfinite(), "GivesOneInfinite() returns an infinite score for 1 of 60 rows"),
        (Gives([0.0, 1.0]), "gives scores of shape (60, 2) for 60 rows"),
        (Gives(classes=(0, 1, 2)), "after it learned from positive and unlabeled rows."),
    ],
)
def test_scores_that_cannot_be_used(rng, labels, base, said):
    with pytest.raises(DataError, match=re.escape(said)):
        seeded(base).fit(shifted(rng, labels), labels)


def test_scores_of_new_rows_that_are_not_finite(rng, labels):
    X = shifted(rng, labels)
    X[:, 0] = np.arange(len(labels))
    model = seeded(Memory()).fit(X, labels)
    new = X[:3].copy()
    new[1, 0] = np.nan
    with pytest.raises(DataError, match=r"Memory\(\) returns NaN as the score of 1 of 3 rows"):
        model.decision_function(new)


def test_scores_are_of_the_positive_class(rng, labels):
    """Whichever place it has in the classes of the base."""
    X = shifted(rng, labels)
    scores, shares = (
        seeded(base, n_estimators=9).fit(X, labels) for base in (TurnedScores(), TurnedShares())
    )
    upright = [LogisticRegression().fit(X[bag], labels[bag]) for bag in scores.bags_]
    assert_allclose(
        scores.decision_function(X) + scores.threshold_,
        np.mean([each.decision_function(X) for each in upright], axis=0),
        atol=1e-4,
    )
    assert_allclose(
        shares.decision_function(X) + shares.threshold_,
        np.mean([each.predict_proba(X)[:, 1] for each in upright], axis=0),
        atol=1e-4,
    )


COLUMNS_BY_NAME = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]), (SimpleImputer(), ["size", "age"])
    ),
    LogisticRegression(),
)
KINDS = ["hen", "cow", "pig"]


@pytest.mark.parametrize(
    "kind_of",
    [pd.DataFrame, pl.DataFrame, pa.table, "parquet"],
    ids=["pandas", "polars", "arrow", "parquet"],
)
def test_bases_find_columns_by_name(rng, labels, tmp_path, kind_of):
    """In frames of the kind that X is, text and gaps included; column order does not matter."""
    size, age = shifted(rng, labels, n_features=2).T
    kinds = rng.choice(KINDS, len(labels))
    columns = {"age": age, "kind": kinds, "size": np.where(size > 3, np.nan, size)}
    if kind_of == "parquet":
        pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=13)
        X = again = tmp_path / "t.parquet"
    else:
        X, again = (
            kind_of(columns),
            kind_of({name: columns[name] for name in sorted(columns)[::-1]}),
        )
    kinds_seen = set()

    def seen(frame):
        kinds_seen.add(type(frame))
        return frame

    base = make_pipeline(FunctionTransformer(seen), COLUMNS_BY_NAME)
    found = seeded(base, n_estimators=9).fit(X, labels)
    assert kinds_seen == {pa.Table if kind_of == "parquet" else type(X)}
    by_place = make_pipeline(SimpleImputer(), LogisticRegression())
    plain = np.column_stack([*[kinds == kind for kind in sorted(KINDS)], columns["size"], age])
    expected = seeded(by_place, n_estimators=9).fit(plain, labels)
    assert_allclose(found.oob_decision_function_, expected.oob_decision_function_, atol=1e-5)
    assert_allclose(found.decision_function(again), expected.decision_function(plain), atol=1e-5)


def test_names_stay_where_all_columns_are_numbers(rng, labels):
    X = shifted(rng, labels)
    base = make_pipeline(make_column_transformer(("passthrough", ["b", "d"])), LogisticRegression())
    few = partial(seeded, n_estimators=5, n_unlabeled_per_bag=5)
    expected = few(LogisticRegression()).fit(X[:, [1, 3]], labels)
    for frame in (pd.DataFrame, pl.DataFrame):
        named = frame(dict(zip("abcd", X.T, strict=True)))
        found = few(GridSearchCV(base, {}, cv=2)).fit(named, labels)
        assert isinstance(found.estimators_[0].best_estimator_, type(base))
        assert_allclose(found.oob_decision_function_, expected.oob_decision_function_, atol=1e-5)


def test_text_is_refused_where_the_base_is_a_tree(rng, labels):
    frame = pd.DataFrame({"kind": rng.choice(KINDS, 60), "size": rng.normal(size=60)})
    for base in (None, ExtraTreeClassifier()):
        with pytest.raises(DataError, match=r"Column 'kind' holds .* this learner takes numbers"):
            seeded(base).fit(frame, labels)


@pytest.mark.parametrize(
    "kind_of", [np.array, sparse.csr_array, pd.DataFrame], ids=["dense", "csr", "pandas"]
)
def test_no_model_writes_into_the_rows(rng, labels, kind_of):
    X = shifted(rng, labels)
    given = kind_of(X)
    found, expected = (
        seeded(make_pipeline(MaxAbsScaler(copy=copy), LogisticRegression()), n_estimators=20)
        for copy in (False, True)
    )
    assert_allclose(
        found.fit(given, labels).oob_decision_function_,
        expected.fit(X, labels).oob_decision_function_,
        atol=1e-5,
    )
    assert_array_equal(given.toarray() if sparse.issparse(given) else given, X)


class Uncopied:
    """It can learn and score, and has no parameters to copy it by."""

    fit = decision_function = len


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"n_estimators": 0}, DataError, "n_estimators=0 is not a whole number of at least 1"),
        ({"n_estimators": 2.5}, DataError, "n_estimators=2.5"),
        ({"n_unlabeled_per_bag": 0}, DataError, "n_unlabeled_per_bag=0"),
        ({"estimator": StandardScaler()}, DataError, "has neither decision_function nor pred"),
        (
            {"estimator": "tree"},
            DataError,
            "estimator='tree' is not an object implem",
        ),
        ({"estimator": Uncopied()}, DataError, "has no get_params and cannot be copied"),
        (
            {"estimator": OneClassSVM()},
            DataError,
            r"OneClassSVM\(\) is not a classifier, but of the kind 'outlier_detector'",
        ),
        ({"estimator": IsolationForest()}, DataError, "a classifier, but of the kind 'outlier_det"),
        ({"estimator": GaussianMixture()}, DataError, "of the kind 'density_estimator'"),
        (
            {"estimator": make_pipeline(StandardScaler(), OneClassSVM())},
            DataError,
            "Pipeline.* is not a classifier, but of the kind 'outlier_detector'",
        ),
        (
            {"estimator": GridSearchCV(OneClassSVM(), {})},
            DataError,
            "GridSearchCV.* is not a classifier, but of the k",
        ),
        ({"class_prior": 1.0}, PriorError, "class_prior=1.0"),
        ({"class_prior": 0}, PriorError, "class_prior=0"),
    ],
)
def test_what_cannot_be_used(rng, labels, given, error, said):
    with pytest.raises(error, match=said):
        PUBagging(**given).fit(shifted(rng, labels), labels)


def test_one_unlabeled_row():
    with pytest.raises(DataError, match="There is 1 unlabeled row"):
        PUBagging().fit([[1.0], [2.0], [0.0]], [1, 1, 0])
    base = LogisticRegression()  # three rows are too few for a leaf of five
    model = seeded(base, n_unlabeled_per_bag=5).fit([[1.0], [2.0], [0.0], [0.5]], [1, 1, 0, 0])
    assert model.bags_.shape == (100, 3)


def ranked_by_bagging(frame, y, base=None):
    """The pipeline that `onesided rank` makes, with fewer bags, and maybe another base, fitted."""
    table = pa.table(frame)
    (pipeline,) = rankers_for(describe(table), methods=["bagging"]).values()
    return pipeline.set_params(model__estimator=base, model__n_estimators=60).fit(table, y)


def test_a_table_as_trees_see_it(rng):
    """Dense, gaps left, and large numbers that differ little are told apart in float32."""
    frame = pd.DataFrame(
        {
            "time": 1.6e9 + np.arange(300.0),
            "gap": np.where(rng.random(300) < 0.2, np.nan, rng.normal(size=300)),
            "kind": rng.choice(["hen", "cow", "pig"], 300),
            "code": [f"c{i}" for i in rng.integers(0, 120, 300)],
        }
    )
    pipeline = ranked_by_bagging(frame, np.arange(300) < 40)
    X = pipeline["columns"].transform(pa.table(frame))
    assert isinstance(X, np.ndarray)
    assert len(np.unique(X[:, 0].astype(np.float32))) == 300
    assert_array_equal(np.isnan(X[:, 1]), frame["gap"].isna())
    names = pipeline["columns"].get_feature_names_out().tolist()
    assert names[:5] == ["time", "gap", "kind = cow", "kind = hen", "kind = pig"]
    assert sum(name.startswith("code = ") for name in names) == 100
    assert names[-1] == "code = another"


def test_default_for_tables_without_text():
    numbers = pa.table({"a": np.arange(9.0), "b": np.arange(9.0)})
    words = numbers.append_column("t", pa.array(["red hen", "red fox", "old fox"] * 3))
    assert "bagging" in rankers_for(describe(numbers))
    assert "bagging" not in rankers_for(describe(words, text=["t"]))


def test_no_tree_by_default_of_hundreds_of_columns(rng):
    """A table of all pairs of their values is slow from some hundreds on, and then too large."""
    columns = {f"c{j}": rng.normal(size=30) for j in range(501)}
    few = describe(pa.table({name: columns[name] for name in list(columns)[:500]}))
    assert "tree-augmented naive Bayes" in rankers_for(few)
    many = describe(pa.table(columns))
    assert "tree-augmented naive Bayes" not in rankers_for(many)
    assert "tree-augmented naive Bayes" in rankers_for(many, methods=["tree"])


def test_drivers_have_a_direction(rng):
    truth = np.arange(300) < 100
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=["up", "down", "none", "other"])
    frame["up"] += 3 * truth
    frame["down"] -= 2 * truth
    rows = LabeledRows(pa.Table.from_pandas(frame), truth, ~truth)
    for base in (None, LogisticRegression()):
        pipeline = ranked_by_bagging(frame, np.arange(300) < 50, base)
        first, second, *_ = find_drivers(pipeline, rows)
        assert [(each["feature"], each["value"]) for each in (first, second)] == [
            ("up", "higher"),
            ("down", "lower"),
        ]
        assert first["effect"] > 0 > second["effect"]
    forest = find_drivers(ranked_by_bagging(frame, truth, RandomForestClassifier(5)), rows)
    assert forest[0]["feature"] == "up"
    assert find_drivers(ranked_by_bagging(frame, truth, GaussianNB()), rows) == []


def test_direction_of_a_tree_by_its_splits(rng):
    """Each split pulls by its rows times the rise of the share of positives, to the right."""
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=200) > 0).astype(int)
    fitted = ExtraTreeClassifier(max_features=None, random_state=0).fit(X, y)
    tree, pull = fitted.tree_, np.zeros(3)
    reached = fitted.decision_path(X).toarray().astype(bool)
    for node, (left, right) in enumerate(zip(tree.children_left, tree.children_right, strict=True)):
        if left >= 0:
            rise = y[reached[:, right]].mean() - y[reached[:, left]].mean()
            pull[tree.feature[node]] += reached[:, node].sum() * rise
    expected = np.sign(pull) * fitted.feature_importances_
    assert expected[0] > 0 > expected[1]
    assert_allclose(
        [each["effect"] for each in _of_bags([fitted], list("abc"), 3)],
        sorted(expected, key=lambda effect: -abs(effect)),
    )


def test_splines_find_what_a_line_does_not(rng):
    X = rng.normal(size=(600, 2))
    truth = np.abs(X[:, 0]) > 1.2
    X[rng.random(600) < 0.1, 1] = np.nan
    table = pa.table({"u": X[:, 0], "gap": pa.array(X[:, 1], from_pandas=True)})
    y = truth & (np.arange(600) % 2 == 0)
    (curves,) = rankers_for(describe(table), methods=["splines"]).values()
    (line, _) = rankers_for(describe(table), methods=["logistic"]).values()
    assert roc_auc_score(truth, curves.fit(table, y).decision_function(table)) > 0.95
    assert roc_auc_score(truth, line.fit(table, y).decision_function(table)) < 0.7


@pytest.mark.parametrize(
    ("estimator", "as_stored"),
    [
        (None, np.asarray),
        (None, sparse.csr_array),
        (DecisionTreeClassifier(max_depth=3), np.asarray),
        (LogisticRegression(), np.asarray),
    ],
)
def test_contributions_add_up_to_the_score(rng, estimator, as_stored):
    X = rng.normal(size=(300, 4))
    X[:60, 1] += 3
    y = np.arange(300) < 40
    given = as_stored(X)
    model = seeded(estimator, 20).fit(given, y)
    found = model.contributions(given)
    assert found.shape == X.shape
    constant = model.decision_function(given) - found.sum(axis=1)
    assert_allclose(constant, constant[0])
    assert np.abs(found).mean(axis=0).argmax() == 1


def test_contributions_of_a_tree_step_by_step(rng):
    """Node by node down the way of each row."""
    X = rng.normal(size=(80, 3))
    y = np.arange(80) < 20
    model = seeded(DecisionTreeClassifier(max_depth=3), 20).fit(X, y)
    expected = np.zeros(X.shape)
    for fitted in model.estimators_:
        tree = fitted.tree_
        for i, row in enumerate(X.astype(np.float32)):
            node = 0
            while tree.children_left[node] >= 0:
                column = tree.feature[node]
                goes_left = row[column] <= tree.threshold[node]
                child = (tree.children_left if goes_left else tree.children_right)[node]
                expected[i, column] += (tree.value[child, 0, 1] - tree.value[node, 0, 1]) / 20
                node = child
    assert_allclose(model.contributions(X), expected, atol=1e-12)


def test_contributions_of_models_that_have_none(rng):
    X = rng.normal(size=(60, 2))
    model = seeded(GaussianNB(), 20).fit(X, np.arange(60) < 20)
    with pytest.raises(
        DataError, match=r"GaussianNB.* is neither a tree nor a linear model, so it"
    ):
        model.contributions(X)
