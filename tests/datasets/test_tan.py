"""Rows of a model whose posterior is known."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided.datasets import make_tan
from onesided.exceptions import DataError, PriorError

TOPOLOGIES = ["chain", "star", "balanced", "random"]


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_posterior_by_enumeration(topology):
    """P(1 | x) from the joint probability of every row, factor by factor."""
    model = make_tan(topology, n_features=4, n_values=3, random_state=1)
    rows = np.array(list(itertools.product(range(3), repeat=4)))
    joint = np.ones((2, len(rows)))
    for c, (n, row) in itertools.product((0, 1), enumerate(rows)):
        for j, parent in enumerate(model.parents):
            joint[c, n] *= model.tables[c, j, row[parent] if parent >= 0 else 0, row[j]]
    assert_allclose(joint.sum(axis=1), 1.0)
    expected = np.log(0.3 * joint[1]) - np.log(0.7 * joint[0])
    assert_allclose(model.log_odds(rows, 0.3), expected, rtol=1e-10)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_rows_follow_the_tables(topology):
    model = make_tan(topology, n_features=3, n_values=2, random_state=2)
    drawn = model.sample(60_000, 60_000, 0.5, random_state=0)
    assert drawn.y.sum() == 60_000
    assert drawn.class_prior == 0.5
    for c, j in itertools.product((0, 1), range(3)):
        X = drawn.X[drawn.y_true == c]
        parent = model.parents[j]
        above = X[:, parent] if parent >= 0 else np.zeros(len(X), dtype=int)
        for value in (0, 1):
            if (above == value).sum() > 500:
                found = X[above == value, j].mean()
                assert_allclose(found, model.tables[c, j, value, 1], atol=0.03)


def test_seeds():
    one, again, other = (make_tan("random", random_state=seed) for seed in (0, 0, 1))
    assert_array_equal(one.tables, again.tables)
    assert_array_equal(one.parents, again.parents)
    assert not np.array_equal(one.tables, other.tables)
    assert one.parents[0] == -1
    assert (one.parents[1:] < np.arange(1, 10)).all()


def test_what_cannot_be_made():
    with pytest.raises(DataError, match="topology='ring' is not known"):
        make_tan("ring")
    with pytest.raises(DataError, match="n_values=1 is not a whole number above 1"):
        make_tan(n_values=1)
    with pytest.raises(PriorError, match="class_prior=1 is not between"):
        make_tan().sample(5, 5, 1)
    with pytest.raises(DataError, match="n_positive=0 is not a whole number above 0"):
        make_tan().sample(0, 5, 0.5)
