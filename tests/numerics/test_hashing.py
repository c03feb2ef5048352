"""Numbers for the content of rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.stats import chisquare

from onesided._numerics._hashing import DOUBLE, SINGLE, row_hashes


@pytest.mark.parametrize("bits", [SINGLE, DOUBLE])
def test_depends_on_content_alone(rng, bits):
    X = rng.poisson(0.7, (500, 8)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    found = row_hashes(X, 3, bits)
    shuffled = rng.permutation(500)
    assert_array_equal(row_hashes(X[shuffled], 3, bits), found[shuffled])
    assert_array_equal(row_hashes(sparse.csr_array(X), 3, bits), found)
    assert_array_equal(row_hashes(np.where(X == 0, -0.0, X), 3, bits), found)
    explicit = sparse.csr_array((np.zeros(2), [0, 3], [0, 2]), shape=(1, 8))
    assert_array_equal(row_hashes(explicit, 3, bits), row_hashes(np.zeros((1, 8)), 3, bits))
    _, rows = np.unique(np.nan_to_num(X, nan=-1), axis=0, return_index=True)
    assert len(np.unique(found)) == len(rows)
    assert not np.any(found[rows] == row_hashes(X, 4, bits)[rows])


def test_where_a_value_stands_matters():
    found = row_hashes(np.vstack([np.eye(5), 2 * np.eye(5), np.zeros((1, 5))]), 0, DOUBLE)
    assert len(np.unique(found)) == 11


def test_is_even():
    """Rows that differ in one bit fall into ten folds evenly."""
    found = row_hashes(np.arange(20_000.0)[:, None], 0, SINGLE)
    fold = (found >> np.uint64(60)).astype(int)
    assert chisquare(np.bincount(fold, minlength=16)).pvalue > 1e-3


def test_a_number_of_float32_is_the_same_in_float64(rng):
    X = rng.normal(size=(300, 2)) * 10.0 ** rng.integers(-9, 9, (300, 1))
    single = X.astype(np.float32)
    assert_array_equal(row_hashes(single, 3, SINGLE), row_hashes(X, 3, SINGLE))
    assert (row_hashes(single, 3, DOUBLE) != row_hashes(X, 3, DOUBLE)).all()
    ties = 1 + np.arange(9.0)[:, None] * 2**-24  # half of them lie between two numbers of float32
    assert_array_equal(row_hashes(ties.astype(np.float32), 3, SINGLE), row_hashes(ties, 3, SINGLE))
