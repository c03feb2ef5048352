"""Numbers for the content of rows."""

import numpy as np
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.stats import chisquare

from onesided._numerics._hashing import row_hashes


def test_depends_on_content_alone(rng):
    X = rng.poisson(0.7, (500, 8)).astype(float)
    found = row_hashes(X, 3)
    shuffled = rng.permutation(500)
    assert_array_equal(row_hashes(X[shuffled], 3), found[shuffled])
    assert_array_equal(row_hashes(sparse.csr_array(X), 3), found)
    assert_array_equal(row_hashes(np.where(X == 0, -0.0, X), 3), found)
    explicit = sparse.csr_array((np.zeros(2), [0, 3], [0, 2]), shape=(1, 8))
    assert_array_equal(row_hashes(explicit, 3), row_hashes(np.zeros((1, 8)), 3))
    _, rows = np.unique(X, axis=0, return_index=True)
    assert len(np.unique(found)) == len(rows)
    assert not np.any(found[rows] == row_hashes(X, 4)[rows])


def test_where_a_value_stands_matters():
    found = row_hashes(np.vstack([np.eye(5), 2 * np.eye(5), np.zeros((1, 5))]), 0)
    assert len(np.unique(found)) == 11


def test_is_even():
    """Rows that differ in one bit fall into ten folds evenly."""
    found = row_hashes(np.arange(20_000.0)[:, None], 0)
    fold = (found >> np.uint64(60)).astype(int)
    assert chisquare(np.bincount(fold, minlength=16)).pvalue > 1e-3
