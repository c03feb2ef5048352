"""PositiveMultinomialNB against the loops of its equations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse, stats

from onesided import BetaPrior, PositiveMultinomialNB
from onesided.exceptions import DataError, PriorError
from onesided.models.bayes._multinomial import _of_words
from oracles import denis2002


def documents(rng, labels, n_words=6):
    """Counts of words; positives use the last ones more, and are longer."""
    means = np.where(labels[:, None] == 1, np.linspace(0.2, 3, n_words), 1.0)
    return rng.poisson(means).astype(float)


@pytest.mark.parametrize("p", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("smoothing", [1.0, 0.01])
def test_log_odds(make_source, rng, labels, p, smoothing):
    X = documents(rng, labels)
    source = make_source(X)
    model = PositiveMultinomialNB(p, smoothing=smoothing).fit(source, labels)
    tables = denis2002.word_tables(X[labels == 1].tolist(), X[labels == 0].tolist(), p, smoothing)
    expected = [denis2002.log_odds(tables, p, row) for row in X.tolist()]
    assert_allclose(model.decision_function(source), expected, atol=1e-8, rtol=0)
    assert_allclose(np.exp(model.feature_log_prob_).sum(axis=1), 1.0)


def test_averaged_form_is_eq_6_on_words(rng, labels):
    """At equal lengths p' = p, and P(w | 0) = ((α + β − 1) P(w) − α P(w | 1)) / (β − 1)."""
    X = documents(rng, labels)
    X[:, 0] += 30 - X.sum(axis=1)
    alpha, beta = 2.0, 20.0
    model = PositiveMultinomialNB(BetaPrior(alpha, beta)).fit(X, labels)
    positive = X[labels == 1].sum(axis=0)
    given_positive = (positive + 1) / (positive.sum() + 6)
    share = X[labels == 0].sum(axis=0) / X[labels == 0].sum()
    average = ((alpha + beta - 1) * share - alpha * given_positive) / (beta - 1)
    assert (average > 0).all()
    assert_allclose(np.exp(model.feature_log_prob_[0]), average / average.sum(), rtol=1e-10)
    assert_allclose(model.word_share_, model.class_prior_)


@pytest.mark.parametrize("length", [0.5, 1.6])
def test_belief_of_documents_is_averaged_over_words(length):
    """The mean of (P(w) - r p P(w | 1)) / (1 - r p) over p, by quadrature; r is the length."""
    positive, unlabeled = np.array([60, 30, 10]) * length, np.array([42, 32, 26])
    X = np.vstack([np.tile(positive, (1000, 1)), np.tile(unlabeled, (1000, 1))])
    belief = BetaPrior.from_estimate(0.3, 0.05)
    found = PositiveMultinomialNB(belief).fit(X, np.arange(2000) < 1000)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    p = (nodes + 1) / 2 * 0.6
    weights = weights * stats.beta(belief.alpha, belief.beta).pdf(p)
    inverse = (weights / (1 - length * p)).sum() / weights.sum()
    given_positive, share = positive / positive.sum(), unlabeled / unlabeled.sum()
    expected = given_positive + (share - given_positive) * inverse
    assert_allclose(np.exp(found.feature_log_prob_[0]), expected, atol=0.002)


@pytest.mark.parametrize("belief", [BetaPrior(2.0, 1.5), BetaPrior(3.0, 9.0)])
def test_belief_at_equal_lengths_is_as_given_and_longer_positives_only_narrow_it(belief):
    even = _of_words(belief, 1.0)
    assert_allclose([even.alpha, even.beta], [belief.alpha, belief.beta])
    wide = _of_words(belief, 0.99 / belief.mean)
    assert_allclose([wide.mean, wide.beta], [0.99, min(belief.beta, 2.0)])
    with pytest.raises(PriorError, match=f"Pass a BetaPrior of mean below {belief.mean:.2g}"):
        _of_words(belief, 1.001 / belief.mean)


def test_sparse_is_dense_and_contributions_sum(rng, labels):
    X = documents(rng, labels)
    dense = PositiveMultinomialNB(0.2).fit(X, labels)
    rare = PositiveMultinomialNB(0.2).fit(sparse.csr_array(X), labels)
    assert_allclose(rare.feature_log_prob_, dense.feature_log_prob_)
    for given in (X, sparse.csr_array(X)):
        parts = dense.contributions(given)
        total = np.asarray(parts.sum(axis=1)).ravel() + np.log(0.2 / 0.8)
        assert_allclose(total, dense.decision_function(X))
    assert sparse.issparse(dense.contributions(sparse.csr_array(X)))


def test_weight_is_repetition(rng, labels):
    X, weight = documents(rng, labels), rng.integers(0, 4, len(labels))
    model = PositiveMultinomialNB(0.2)
    weighted = model.fit(X, labels, sample_weight=weight).feature_log_prob_
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(labels, weight))
    assert_allclose(weighted, repeated.feature_log_prob_)


def test_recovers_known_words(rng):
    """Words of the truth are found in the limit, documents of unequal length."""
    words = {1: np.array([0.6, 0.3, 0.1]), 0: np.array([0.1, 0.3, 0.6])}
    hidden = rng.random(20_000) < 0.25
    X = np.vstack(
        [
            rng.multinomial(40, words[1], 5000),
            np.where(
                hidden[:, None],
                rng.multinomial(40, words[1], 20_000),
                rng.multinomial(10, words[0], 20_000),
            ),
        ]
    )
    model = PositiveMultinomialNB(0.25).fit(X, np.repeat([1, 0], [5000, 20_000]))
    assert_allclose(np.exp(model.feature_log_prob_), [words[0], words[1]], atol=0.01)
    assert_allclose(model.word_share_, 0.25 * 40 / (0.25 * 40 + 0.75 * 10), rtol=0.02)


def test_positives_that_would_hold_all_words(rng, labels):
    X = documents(rng, labels)
    X[labels == 1] *= 10
    with pytest.raises(PriorError, match=r"times as long .* Pass a class_prior below 0\.0"):
        PositiveMultinomialNB(0.5).fit(X, labels)


def test_negative_counts(make_source, rng, labels):
    X = documents(rng, labels)
    X[41, 2] = -3
    with pytest.raises(DataError, match="row 41 has -3 in feature 2"):
        PositiveMultinomialNB().fit(make_source(X), labels)


def test_probabilities_are_those_of_the_log_odds(rng):
    X, y = rng.poisson(1.0, (60, 5)), np.repeat([1, 0], [20, 40])
    X[:20, 0] += 2
    text = np.where(y == 1, "known", "rest")  # the alphabet would say the rest
    model = PositiveMultinomialNB(0.3, positive_label="known").fit(X, text)
    log_odds = model.decision_function(X)
    assert log_odds[:20].mean() > log_odds[20:].mean()
    found = model.predict_proba(X)
    assert_allclose(found[:, 1], 1 / (1 + np.exp(-log_odds)))
    assert_allclose(found.sum(axis=1), 1)
    assert_allclose(model.predict_proba(X[:7]), found[:7])
