"""Problems drawn from labeled data have what was asked for."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided.datasets import hide_labels
from onesided.exceptions import DataError, PriorError


@pytest.fixture
def labeled(rng):
    y = rng.permutation(np.repeat([1, 0], [400, 600]))
    return np.arange(1000)[:, None], y


def test_by_counts(labeled):
    X, y = labeled
    drawn = hide_labels(X, y, n_positive=50, n_unlabeled=200, class_prior=0.3, random_state=0)
    assert drawn.y.sum() == 50
    assert (drawn.y == 0).sum() == 200
    assert drawn.class_prior == 0.3
    assert_array_equal(drawn.X[:, 0], drawn.rows)
    assert_array_equal(drawn.y_true, y[drawn.rows])
    assert (drawn.y_true[drawn.y == 1] == 1).all()
    assert len(set(drawn.rows)) == 250


def test_by_frequency_keeps_all_rows(labeled):
    X, y = labeled
    drawn = hide_labels(X, y, label_frequency=0.25, random_state=0)
    assert len(drawn.y) == 1000
    assert drawn.y.sum() == 100
    assert drawn.label_frequency == 0.25
    assert_allclose(drawn.class_prior, 300 / 900)


def test_prior_alone_takes_as_many_unlabeled_as_there_are(labeled):
    X, y = labeled
    drawn = hide_labels(X, y, n_positive=100, class_prior=0.5, random_state=0)
    assert (drawn.y == 0).sum() == 600
    assert_allclose(drawn.class_prior, 0.5)


def test_unlabeled_from_all_the_rest(labeled):
    X, y = labeled
    drawn = hide_labels(X, y, n_positive=100, n_unlabeled=300, random_state=0)
    assert abs(drawn.class_prior - 300 / 900) < 0.1


def test_propensity_biases_the_labels(labeled):
    X, y = labeled
    upper = (X[:, 0] >= 500).astype(float)
    evenly = hide_labels(X, y, n_positive=100, random_state=0)
    biased = hide_labels(
        X, y, n_positive=100, propensity=lambda X: 0.1 + (X[:, 0] >= 500), random_state=0
    )
    assert abs(upper[evenly.rows][evenly.y == 1].mean() - 0.5) < 0.15
    assert upper[biased.rows][biased.y == 1].mean() > 0.8
    only = hide_labels(X, y, n_positive=100, propensity=upper, random_state=0)
    assert upper[only.rows][only.y == 1].all()


def test_propensity_as_the_chance_itself(labeled):
    X, y = labeled
    drawn = hide_labels(X, y, propensity=np.full(1000, 0.2), random_state=0)
    assert abs(drawn.y.sum() - 80) < 25


def test_same_seed_same_draw(labeled):
    X, y = labeled
    draws = [hide_labels(X, y, n_positive=10, random_state=seed).y for seed in (1, 1, 2)]
    assert_array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])


def test_frames_stay_frames(labeled):
    X, y = labeled
    drawn = hide_labels(pd.DataFrame(X, columns=["a"]), y, n_positive=10, n_unlabeled=20)
    assert isinstance(drawn.X, pd.DataFrame)
    assert_array_equal(drawn.X["a"], drawn.rows)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "Nothing says how many positives are labeled"),
        ({"n_positive": 500}, "500 positives cannot be labeled: 400 have"),
        ({"n_positive": 0}, "0 positives cannot be labeled"),
        ({"n_positive": 5, "label_frequency": 0.5}, "both say how many"),
        (
            {"n_positive": 5, "n_unlabeled": 996},
            "996 unlabeled rows are asked for, but there are 995",
        ),
        (
            {"n_positive": 300, "n_unlabeled": 400, "class_prior": 0.5},
            "200 unlabeled positives are asked for, but there are 100",
        ),
        ({"n_positive": 5, "propensity": [0.5]}, r"propensity has shape \(1,\)"),
        ({"propensity": np.arange(1000) - 2.0}, r"propensity has .* values from -2\.0 to 997\.0"),
        ({"propensity": np.zeros(1000)}, "none of 400 positives was labeled"),
    ],
)
def test_what_cannot_be_drawn(labeled, asked, message):
    with pytest.raises(DataError, match=message):
        hide_labels(*labeled, **asked)


@pytest.mark.parametrize("asked", [{"class_prior": 1.5, "n_positive": 5}, {"label_frequency": 0}])
def test_shares(labeled, asked):
    with pytest.raises(PriorError, match="is not between 0 and 1"):
        hide_labels(*labeled, **asked)


def test_rows_are_drawn_again_only_where_there_are_too_few(labeled):
    X, y = labeled
    drawn = hide_labels(
        X, y, n_positive=300, n_unlabeled=400, class_prior=0.5, replace=True, random_state=0
    )
    hidden = drawn.rows[(drawn.y == 0) & (drawn.y_true == 1)]
    negative = drawn.rows[drawn.y_true == 0]
    assert drawn.class_prior == 0.5
    assert len(hidden) == 200 > len(set(hidden)) > 50
    assert len(negative) == 200 == len(set(negative))
    assert not set(hidden) & set(drawn.rows[drawn.y == 1])


def test_a_propensity_that_is_no_chance():
    y = np.repeat([1, 0], [20, 20])
    with pytest.raises(DataError, match="propensity of 2, which is not a probability"):
        hide_labels(np.zeros((40, 1)), y, propensity=np.full(40, 2.0))
    assert hide_labels(np.zeros((40, 1)), y, n_positive=5, propensity=np.full(40, 2.0)).y.sum() == 5
