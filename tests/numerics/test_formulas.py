"""Small formulas by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from onesided._numerics._convolve import count_posteriors, poisson_binomial
from onesided._numerics._logspace import log_complement
from onesided._numerics._tfidf import (
    inverse_document_frequency,
    tfidf,
    weighted_counts,
)
from onesided._numerics._welch import variance_of_means
from oracles import vomlel2004


class TestVarianceOfMeans:
    def test_by_hand(self):
        """Variances 1 and 8, of 3 and 2 rows: 1/3 + 8/2, and (1/3)² / 2 + 4² / 1."""
        variance, within = variance_of_means(np.array([1.0, 2, 3]), np.array([5.0, 9.0]))
        assert_allclose(variance, 1 / 3 + 4)
        assert_allclose(within, (1 / 3) ** 2 / 2 + 4**2)

    @pytest.mark.parametrize("sizes", [(1, 5), (5, 1), (1, 1)])
    def test_a_single_row_has_none(self, sizes):
        found = variance_of_means(*(np.arange(float(size)) for size in sizes))
        assert np.isnan(found).all()


class TestTfidf:
    def test_idf(self):
        """log((1 + n) / n_w); a word of no document counts as in one."""
        found = inverse_document_frequency(np.array([0.0, 1, 2, 9]), 9)
        assert_allclose(found, [math.log(10 / each) for each in (1, 1, 2, 9)])

    @pytest.mark.parametrize("sublinear", [False, True])
    def test_weights(self, sublinear):
        X, idf = np.array([[0, 3, 1], [0, 0, 0], [2, 0, 5]]), np.array([0.5, 1.5, 2.0])
        expected = (np.log(1 + X) if sublinear else X) * idf
        assert_allclose(weighted_counts(X, idf, sublinear=sublinear), expected)
        matrix = sparse.csr_array(X)
        found = weighted_counts(matrix, idf, sublinear=sublinear)
        assert_allclose(found.toarray(), expected)
        assert_array_equal(matrix.toarray(), X)

    def test_rows_of_unit_length(self):
        X, idf = np.array([[0, 3, 1], [0, 0, 0], [2, 0, 5]]), np.array([0.5, 1.5, 2.0])
        length = np.sqrt(((X * idf) ** 2).sum(axis=1))
        unit = X * idf / np.where(length > 0, length, 1)[:, None]
        assert_allclose(tfidf(X, idf), unit)
        assert_allclose(tfidf(sparse.csr_array(X), idf).toarray(), unit)

    def test_counts_by_default(self):
        assert_allclose(weighted_counts(np.array([[3.0]]), np.array([2.0])), [[6.0]])
        assert_allclose(tfidf(np.array([[3.0, 4.0]]), np.ones(2)), [[0.6, 0.8]])

    def test_a_count_in_parts(self):
        """3 = 1 + 2, stored twice: the logarithm is of the whole."""
        X = sparse.csr_array((np.array([1, 2, 7]), np.array([1, 1, 0]), [0, 2, 3]), shape=(2, 2))
        for sublinear in (False, True):
            found = weighted_counts(X, np.array([1.0, 10.0]), sublinear=sublinear)
            expected = np.array([[0, 10 * 3.0], [7.0, 0]])
            if sublinear:
                expected = np.array([[0, 10 * math.log(4)], [math.log(8), 0]])
            assert_allclose(found.toarray(), expected)
        assert X.nnz == 3  # as it was passed

    def test_short_rows_are_as_long_as_others(self):
        X = np.array([[3e-5, 4e-5], [0.0, 0.0], [3.0, 4.0]])
        expected = [[0.6, 0.8], [0, 0], [0.6, 0.8]]
        assert_allclose(tfidf(X, np.ones(2)), expected)
        assert_allclose(tfidf(sparse.csr_array(X), np.ones(2)).toarray(), expected)


def test_poisson_binomial(rng):
    p = rng.random((5, 7))
    p[0, 0], p[1, 1] = 0.0, 1.0
    for row, found in zip(p, poisson_binomial(p), strict=True):
        assert_allclose(found, vomlel2004.poisson_binomial(row.tolist()), atol=1e-15)


class TestCountPosteriors:
    def test_rows_of_different_numbers(self, rng):
        p, count = rng.random((9, 4)), np.array([0, 1, 2, 3, 4, 1, 2, 0, 4])
        log_prob, posterior = count_posteriors(p, 1 - p, count)
        for i, (row, number) in enumerate(zip(p, count, strict=True)):
            assert_allclose(np.exp(log_prob[i]), vomlel2004.poisson_binomial(row.tolist())[number])
            for j in range(4):
                others = np.delete(row, j).tolist()
                present = row[j] * vomlel2004.poisson_binomial(others)[number - 1] if number else 0
                assert_allclose(posterior[i, j], present / np.exp(log_prob[i]), atol=1e-14)
        assert_allclose(posterior.sum(axis=1), count, atol=1e-12)

    def test_events_that_hardly_ever_happen(self):
        """Of three as unlikely ones two: each in two of three cases; 3 p² the probability."""
        p = np.full((1, 3), 1e-120)
        log_prob, posterior = count_posteriors(p, 1 - p, np.array([2]))
        assert_allclose(log_prob, math.log(3) + 2 * math.log(1e-120))
        assert_allclose(posterior, 2 / 3)

    def test_events_that_nearly_always_happen(self):
        q = np.full((1, 3), 1e-120)
        log_prob, posterior = count_posteriors(1 - q, q, np.array([1]))
        assert_allclose(log_prob, math.log(3) + 2 * math.log(1e-120))
        assert_allclose(posterior, 1 / 3)

    def test_half_of_many_that_hardly_ever_happen(self):
        """Odds of 1e-100 of each: no part of the recursion may be below the least number."""
        p = np.full((1, 60), 1e-100)
        log_prob, posterior = count_posteriors(p, 1 - p, np.array([30]))
        assert_allclose(log_prob, math.log(math.comb(60, 30)) + 30 * math.log(1e-100))
        assert_allclose(posterior, 0.5)

    def test_no_rows(self):
        log_prob, posterior = count_posteriors(np.empty((0, 3)), np.empty((0, 3)), np.empty(0, int))
        assert log_prob.shape == (0,)
        assert posterior.shape == (0, 3)


def test_log_complement_where_its_two_forms_meet():
    for p in (0.49, 0.5, 0.51, math.exp(-1), 0.25):
        assert_allclose(log_complement(np.log(p)), math.log(1 - p), rtol=1e-14)
    assert log_complement(np.array(-np.inf)) == 0.0
    assert_allclose(log_complement(np.array([-50.0])), -math.exp(-50.0), rtol=1e-14)
