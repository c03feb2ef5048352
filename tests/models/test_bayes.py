"""PositiveNaiveBayes against the loops of the paper's equations."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

from onesided import BetaPrior, PositiveNaiveBayes
from onesided.exceptions import DataError, ManyValuesWarning, PriorError, PriorWarning
from onesided.models.bayes import _equations as equations
from oracles import calvo2007

TEXT = np.array(["adenine", "cytosine", "guanine", "thymine"], dtype=object)
MANY = BetaPrior(4.4, 13.17)


def codes(rng, labels, n_values=4, n_features=3):
    """Categories that differ between positives and the rest."""
    shift = labels[:, None] * rng.integers(0, 2, (len(labels), n_features))
    return (rng.integers(0, n_values - 1, (len(labels), n_features)) + shift).astype(np.int8)


def as_lists(X):
    """Rows for the oracle, None where missing."""
    missing = pd.isna(X).tolist()
    return [
        [None if gone else value for value, gone in zip(row, row_missing, strict=True)]
        for row, row_missing in zip(X.tolist(), missing, strict=True)
    ]


def oracle_scores(X, y, prior, at=None):
    """Log odds of the paper for each row of `at`."""
    rows = as_lists(X)
    positives = [row for row, label in zip(rows, y, strict=True) if label == 1]
    unlabeled = [row for row, label in zip(rows, y, strict=True) if label == 0]
    if isinstance(prior, BetaPrior):
        tables = calvo2007.apnb_tables(positives, unlabeled, prior.alpha, prior.beta)
        p = prior.alpha / (prior.alpha + prior.beta)
    else:
        tables = calvo2007.pnb_tables(positives, unlabeled, prior)
        p = prior
    return [calvo2007.log_odds(tables, p, row) for row in (rows if at is None else as_lists(at))]


@pytest.mark.parametrize("prior", [0.05, 0.3, 0.9, MANY], ids=str)
class TestOracle:
    """Log odds to 1e-8, over every source and cut."""

    def test_integers(self, make_source, rng, labels, prior):
        X = codes(rng, labels)
        source = make_source(X)
        model = PositiveNaiveBayes(prior).fit(source, labels)
        assert_allclose(
            model.decision_function(source), oracle_scores(X, labels, prior), atol=1e-8, rtol=0
        )

    def test_text_with_gaps(self, make_source, rng, labels, prior):
        X = TEXT[codes(rng, labels)]
        X[rng.random(X.shape) < 0.1] = None
        source = make_source(X)
        model = PositiveNaiveBayes(prior).fit(source, labels)
        assert_allclose(
            model.decision_function(source), oracle_scores(X, labels, prior), atol=1e-8, rtol=0
        )

    def test_floats_with_gaps(self, make_source, rng, labels, prior):
        X = codes(rng, labels) / 2.0
        X[rng.random(X.shape) < 0.1] = np.nan
        source = make_source(X)
        model = PositiveNaiveBayes(prior).fit(source, labels)
        assert_allclose(
            model.decision_function(source), oracle_scores(X, labels, prior), atol=1e-8, rtol=0
        )

    def test_unseen_values_are_skipped(self, rng, labels, prior):
        X = codes(rng, labels)
        new = np.array([[0, 9, 1], [-5, 100, 2], [3, 3, 127]], dtype=np.int8)
        model = PositiveNaiveBayes(prior).fit(X, labels)
        expected = oracle_scores(X, labels, prior, at=new)
        assert_allclose(model.decision_function(new), expected, atol=1e-8, rtol=0)


def test_swapped_labels_score_differently(rng, labels):
    X = codes(rng, labels)
    right = PositiveNaiveBayes(0.3).fit(X, labels).decision_function(X)
    wrong = PositiveNaiveBayes(0.3).fit(X, 1 - labels).decision_function(X)
    assert np.corrcoef(right, wrong)[0, 1] < 0


def test_counts_are_the_same_in_every_cut(make_source, rng, labels):
    X = codes(rng, labels)
    model = PositiveNaiveBayes(0.3).fit(make_source(X), labels)
    whole = PositiveNaiveBayes(0.3).fit(X, labels)
    assert_array_equal(model._log_probs, whole._log_probs)
    for found, expected in zip(model.categories_, whole.categories_, strict=True):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("prior", [0.02, 0.5, 0.98, MANY], ids=str)
def test_tables_sum_to_one(rng, labels, prior):
    model = PositiveNaiveBayes(prior).fit(codes(rng, labels, n_values=7), labels)
    for log_probs in model.feature_log_prob_:
        assert_allclose(np.exp(log_probs).sum(axis=1), [1.0, 1.0], rtol=1e-12)


def test_average_is_the_unsmoothed_table_at_a_shifted_prior(rng):
    """Where nothing clips, APNB's P(x | 0) is PNB's at p = α / (α + β − 1), unsmoothed."""
    labels = np.repeat([1, 0], [200, 2000])
    X = rng.integers(0, 3, (2200, 4))
    prior = BetaPrior(3.0, 15.0)
    model = PositiveNaiveBayes(prior).fit(X, labels)
    rows = X.tolist()
    expected = calvo2007.unsmoothed_pnb_tables(rows[:200], rows[200:], 3.0 / 17.0)
    for log_probs, table in zip(model.feature_log_prob_, expected, strict=True):
        assert_allclose(np.exp(log_probs).T, [table[value] for value in (0, 1, 2)], rtol=1e-10)


def test_recovers_known_tables(rng):
    """With p known the tables of the truth are found, in the limit."""
    truth = {1: np.array([0.7, 0.2, 0.1]), 0: np.array([0.2, 0.3, 0.5])}
    n, p = 200_000, 0.3
    hidden = (rng.random(n) < p).astype(int)
    values = np.array([rng.choice(3, n, p=truth[c]) for c in (0, 1)])
    X = np.concatenate([rng.choice(3, 50_000, p=truth[1]), np.where(hidden, values[1], values[0])])
    y = np.repeat([1, 0], [50_000, n])
    model = PositiveNaiveBayes(p).fit(X[:, None], y)
    assert_allclose(np.exp(model.feature_log_prob_[0]), [truth[0], truth[1]], atol=0.01)


def test_weight_is_repetition(rng, labels):
    X = codes(rng, labels)
    weight = rng.integers(0, 4, len(labels))
    weight[:2] = [0, 3]
    weighted = PositiveNaiveBayes(0.3).fit(X, labels, sample_weight=weight)
    repeated = PositiveNaiveBayes(0.3).fit(np.repeat(X, weight, axis=0), np.repeat(labels, weight))
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-12)


def test_weights_in_every_source(make_source, rng, labels):
    X = codes(rng, labels)
    weight = rng.random(len(labels)) + 0.1
    source = make_source(X)
    found = PositiveNaiveBayes(0.3).fit(source, labels, sample_weight=weight)
    whole = PositiveNaiveBayes(0.3).fit(X, labels, sample_weight=weight)
    assert_allclose(found.decision_function(source), whole.decision_function(X), atol=1e-12)


def test_order_of_rows_and_features_is_no_matter(rng, labels):
    X = codes(rng, labels)
    rows, features = rng.permutation(len(X)), rng.permutation(X.shape[1])
    plain = PositiveNaiveBayes(0.3).fit(X, labels).decision_function(X)
    moved = PositiveNaiveBayes(0.3).fit(X[rows][:, features], labels[rows])
    assert_allclose(moved.decision_function(X[:, features]), plain, atol=1e-12)


def test_renamed_values_are_no_matter(rng, labels):
    X = codes(rng, labels)
    plain = PositiveNaiveBayes(0.3).fit(X, labels).decision_function(X)
    renamed = PositiveNaiveBayes(0.3).fit(TEXT[X], labels).decision_function(TEXT[X])
    assert_allclose(renamed, plain, atol=1e-12)


def test_probabilities_are_the_logistic_of_the_score(rng, labels):
    X = codes(rng, labels)
    model = PositiveNaiveBayes(0.3).fit(X, labels)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_allclose(np.log(proba[:, 1] / proba[:, 0]), model.decision_function(X), rtol=1e-9)


def test_constant_feature_adds_nothing(rng, labels):
    X = codes(rng, labels)
    constant = np.column_stack([X, np.full(len(X), 7)])
    for prior in (0.3, MANY):
        plain = PositiveNaiveBayes(prior).fit(X, labels).decision_function(X)
        with_it = PositiveNaiveBayes(prior).fit(constant, labels).decision_function(constant)
        assert_allclose(with_it, plain, atol=1e-12)


def test_feature_missing_in_one_kind(labels, rng):
    X = codes(rng, labels).astype(float)
    for kind in (0, 1):
        gone = X.copy()
        gone[labels == kind, 0] = np.nan
        scores = PositiveNaiveBayes(0.3).fit(gone, labels).decision_function(gone)
        assert np.isfinite(scores).all()
    X[:, 0] = np.nan
    model = PositiveNaiveBayes(0.3).fit(X, labels)
    assert len(model.categories_[0]) == 0
    assert np.isfinite(model.decision_function(X)).all()


def test_unseen_value_is_refused_on_request(rng, labels):
    X = codes(rng, labels)
    model = PositiveNaiveBayes(0.3, handle_unknown="error").fit(X, labels)
    assert np.isfinite(model.decision_function(X)).all()
    X[4, 2] = 100
    with pytest.raises(DataError, match="Row 4 has a value of feature 2 that fit has not seen"):
        model.decision_function(X)


@pytest.mark.parametrize("prior", [0, 1, 1.2, -0.1, float("nan"), "half", True])
def test_prior_must_be_a_share(rng, labels, prior):
    with pytest.raises(PriorError, match="is not between 0 and 1"):
        PositiveNaiveBayes(prior).fit(codes(rng, labels), labels)


def test_equations_at_a_feature_that_no_unlabeled_row_has():
    """Nothing is known of the negatives: uniform."""
    segments = equations.Segments(np.zeros(2, dtype=int), 1)
    given_positive = equations.smoothed_probs(np.array([3.0, 1.0]), segments, 1.0)
    assert_allclose(given_positive, [4 / 6, 2 / 6])
    for prior in (0.4, MANY):
        found = equations.negative_probs(np.zeros(2), given_positive, prior, segments, 1.0)
        assert_allclose(found, [0.5, 0.5])


@pytest.mark.parametrize("hidden", [0.1, 0.4])
def test_estimated_prior_in_the_limit(rng, hidden):
    """Where no value is pure the estimate lies above; where one is, it is right."""
    n = 50_000
    positive = rng.random(n) < hidden
    impure = np.where(positive, rng.random(n) < 0.6, rng.random(n) < 0.3)
    pure = np.where(positive, rng.random(n) < 0.5, False)
    known = np.column_stack([rng.random(5000) < 0.6, rng.random(5000) < 0.5])
    X = np.vstack([known, np.column_stack([impure, pure])]).astype(int)
    y = np.repeat([1, 0], [5000, n])
    alone = PositiveNaiveBayes().fit(X[:, :1], y).class_prior_
    both = PositiveNaiveBayes().fit(X, y).class_prior_
    assert_allclose(alone, (0.6 * hidden + 0.3 * (1 - hidden)) / 0.6, rtol=0.05)
    assert_allclose(both, hidden, atol=0.05)


@pytest.mark.parametrize("seen", [0, 1, 20])
def test_a_value_that_hardly_any_unlabeled_row_has_decides(seen):
    """All 50 positives have it: at most that share of the unlabeled can be positive."""
    X = np.repeat([1, 0, 1], [50, 1000 - seen, seen])[:, None]
    y = np.repeat([1, 0], [50, 1000])
    found = PositiveNaiveBayes().fit(X, y).class_prior_
    assert_allclose(found, max(seen / 1000, 0.001))


def test_estimated_prior_of_many_noisy_features_is_not_far_too_low(rng):
    """The least of 1,600 ratios by itself would be near 0."""
    hidden = rng.random(1000) < 0.3
    positive, negative = rng.dirichlet(np.ones(16), (2, 100))
    draw = [[rng.choice(16, 1000, p=p) for p in kind] for kind in (positive, negative)]
    rows = np.where(hidden[:, None], *(np.array(kind).T for kind in draw))
    known = np.array([rng.choice(16, 100, p=p) for p in positive]).T
    found = PositiveNaiveBayes().fit(np.vstack([known, rows]), np.repeat([1, 0], [100, 1000]))
    assert 0.15 < found.class_prior_ < 0.45


def test_nothing_known_leaves_the_largest_prior():
    with pytest.warns(PriorWarning, match="fewer than 10"):
        model = PositiveNaiveBayes().fit([[np.nan], [1.0], [1.0]], [1, 0, 0])
    assert model.class_prior_ == 0.9


@pytest.mark.parametrize("smoothing", [0, -1, np.inf, np.nan, None, "1"])
def test_smoothing_is_positive(rng, labels, smoothing):
    with pytest.raises(DataError, match=r"smoothing=.* is not a finite number above 0"):
        PositiveNaiveBayes(0.3, smoothing=smoothing).fit(codes(rng, labels), labels)


def test_contributions_sum_to_the_score(make_source, rng, labels):
    X = codes(rng, labels)
    source = make_source(X)
    model = PositiveNaiveBayes(0.3).fit(source, labels)
    parts = model.contributions(source)
    assert parts.shape == X.shape
    assert_allclose(parts.sum(axis=1) + np.log(0.3 / 0.7), model.decision_function(source))


def test_a_feature_of_many_values_is_named(rng):
    X = np.column_stack([np.arange(3000), rng.integers(0, 3, 3000)])
    y = rng.integers(0, 2, 3000)
    frame = pd.DataFrame(X, columns=["customer", "kind"])
    with pytest.warns(ManyValuesWarning, match="Feature 'customer' has 3,000 values in 3,000 rows"):
        PositiveNaiveBayes().fit(frame, y)


CATEGORIES = ["a", "b", "a", "c", None, "b"] * 5


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(CATEGORIES, categories=list("zcbxay"))),
        pl.Series(CATEGORIES, dtype=pl.Categorical),
        pl.Series(CATEGORIES, dtype=pl.Enum(list("zcbxay"))),
        pa.array(CATEGORIES, pa.string_view()),
        pa.array(CATEGORIES, pa.large_string()),
        pa.array(CATEGORIES).dictionary_encode(),
    ],
    ids=["pandas", "polars", "enum", "view", "large", "dictionary"],
)
def test_types_of_text(column):
    y = np.repeat([1, 0], [10, 20])
    X = np.array(CATEGORIES, dtype=object)[:, None]
    kind = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(column), pa.table)
    frame = kind({"letter": column})
    plain = PositiveNaiveBayes(0.3).fit(X, y)
    model = PositiveNaiveBayes(0.3).fit(frame, y)
    assert model.categories_[0].tolist() == ["a", "b", "c"]
    assert_allclose(model.decision_function(frame), plain.decision_function(X))


@pytest.mark.parametrize("large", [2**53, 2**62])
def test_large_whole_numbers_are_told_apart(large):
    X = np.array([[large], [large + 1]] * 10)
    y = np.array([1, 0] * 5 + [0, 0] * 5)
    dense = PositiveNaiveBayes(0.3).fit(X, y).decision_function(X)
    assert dense[0] > dense[1] + 1
    assert_allclose(
        PositiveNaiveBayes(0.3).fit(sparse.csr_array(X), y).decision_function(sparse.csr_array(X)),
        dense,
    )
    wide = (X - large).astype(np.uint64) + np.uint64(2**63)
    assert_allclose(PositiveNaiveBayes(0.3).fit(wide, y).decision_function(wide), dense)


def test_fractional_weights_add_no_zero_to_sparse_categories(rng):
    y = np.arange(300) < 60
    for seed in range(20):
        weight = np.random.default_rng(seed).random(300)
        X = rng.integers(1, 4, (300, 4))
        dense = PositiveNaiveBayes(0.2).fit(X, y, sample_weight=weight)
        rare = PositiveNaiveBayes(0.2).fit(sparse.csr_array(X), y, sample_weight=weight)
        assert [each.tolist() for each in rare.categories_] == [[1, 2, 3]] * 4
        assert_allclose(rare.decision_function(sparse.csr_array(X)), dense.decision_function(X))


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, lambda X: X.astype(object)])
def test_there_is_one_zero(rng, kind):
    X = rng.integers(0, 2, (100, 2)).astype(float)
    signed = np.where((X == 0) & (rng.random(X.shape) < 0.5), -0.0, X)
    y = np.arange(100) < 20
    plain = PositiveNaiveBayes(0.2).fit(X, y)
    model = PositiveNaiveBayes(0.2).fit(kind(signed), y)
    assert [len(each) for each in model.categories_] == [2, 2]
    assert_allclose(model.decision_function(kind(signed)), plain.decision_function(X))


def test_another_kind_of_value_than_in_fit(rng):
    numbers = pd.DataFrame(rng.integers(0, 3, (40, 2)), columns=["a", "b"])
    y = np.arange(40) < 10
    text = PositiveNaiveBayes(0.2).fit(numbers.astype(str), y)
    with pytest.raises(DataError, match="holds numbers; in fit it held text"):
        text.decision_function(numbers)
    text = PositiveNaiveBayes(0.2).fit(numbers.astype(str).to_numpy(dtype=object), y)
    with pytest.raises(DataError, match="A sparse matrix holds numbers; in fit the features held"):
        text.predict(sparse.csr_array(numbers.to_numpy()))
    with pytest.raises(DataError, match="'a' holds text; in fit it held numbers"):
        PositiveNaiveBayes(0.2).fit(numbers, y).decision_function(numbers.astype(str))


def test_sparse_features_that_are_always_missing():
    X = sparse.csr_array(np.full((5, 2), np.nan))
    model = PositiveNaiveBayes(0.2).fit(X, [1, 0, 0, 0, 0])
    assert_allclose(model.decision_function(X), np.log(0.2 / 0.8))


@pytest.mark.parametrize("kind", [int, np.int64, np.float32])
def test_numbers_of_any_kind_in_a_beta_prior(kind):
    assert BetaPrior(kind(2), kind(6)).mean == 0.25
    with pytest.raises(PriorError):
        BetaPrior(True, 2)


def test_contributions_need_a_fit():
    with pytest.raises(NotFittedError):
        PositiveNaiveBayes().contributions([[1]])
