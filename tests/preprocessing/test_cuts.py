"""Quantile cuts, the same however rows are cut into blocks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided._blocks import read_features
from onesided._blocks._draw import row_uniforms
from onesided.exceptions import DataError
from onesided.preprocessing import QuantileBinner


def test_categories_hold_about_as_many_rows(rng):
    codes = QuantileBinner(4).fit_transform(rng.normal(size=(1000, 2)))
    for column in codes.T:
        assert_allclose(np.bincount(column.astype(int)), 250, atol=2)


def test_order_is_kept(rng):
    x = np.sort(rng.normal(size=50))
    codes = QuantileBinner(5).fit_transform(x[:, None])[:, 0]
    assert (np.diff(codes) >= 0).all()


def test_few_values_are_categories_of_their_own():
    codes = QuantileBinner(5).fit_transform([[0.0], [0], [0], [0], [0], [0], [1], [1], [2]])[:, 0]
    assert_array_equal(codes, [0, 0, 0, 0, 0, 0, 1, 1, 2])


def test_missing_stays_missing():
    codes = QuantileBinner(2).fit_transform([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    assert_array_equal(np.isnan(codes), [[False, True], [True, True], [False, True]])


def test_cuts_are_the_same_in_every_source(make_source, rng):
    X = rng.normal(size=(60, 3))
    whole = QuantileBinner(4, sample_size=20).fit(X)
    source = read_features(make_source(X), numeric=False)
    if next(source.blocks()).is_sparse:
        pytest.skip("cuts are for dense numbers")
    parts = QuantileBinner(4, sample_size=20).fit(source)
    for found, expected in zip(parts.cuts_, whole.cuts_, strict=True):
        assert_allclose(found, expected)
    assert_array_equal(parts.transform(source), whole.transform(X))


def test_a_sample_is_taken(rng):
    X = rng.normal(size=(5000, 1))
    some, others = (QuantileBinner(4, sample_size=100, random_state=s).fit(X) for s in (0, 1))
    assert not np.array_equal(some.cuts_[0], others.cuts_[0])
    assert_allclose(some.cuts_[0], np.quantile(X, [0.25, 0.5, 0.75]), atol=0.35)


@pytest.mark.parametrize("start", [0, 1, 2, 3, 4, 7, 100])
def test_a_row_has_its_number_wherever_its_block_starts(start):
    whole = row_uniforms(5, 0, 200)
    assert_array_equal(row_uniforms(5, start, 200 - start), whole[start:])
    assert not np.array_equal(whole, row_uniforms(6, 0, 200))
    assert 0 <= whole.min() < whole.max() < 1


@pytest.mark.parametrize("n_bins", [1, 0, 2.5, "4"])
def test_bins(n_bins):
    with pytest.raises(DataError, match="is not a whole number of at least 2"):
        QuantileBinner(n_bins).fit([[1.0], [2.0]])
