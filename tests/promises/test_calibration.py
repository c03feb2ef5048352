"""Scores of held-out positives."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator

from onesided.exceptions import DataError, LabelError
from onesided.promises import ConformalTest, conformal_test, hidden_positive_scores


class FirstFeature(BaseEstimator):
    """Scores by the first feature, plus 100 for what it was told is positive."""

    def fit(self, X, y, **params):
        self.told_ = set(X[np.asarray(y) == 1, 0])
        return self

    def decision_function(self, X):
        return X[:, 0] + 100 * np.isin(X[:, 0], list(self.told_))


@pytest.mark.parametrize(("share", "n_held_out"), [(0.5, 10), (0.25, 5), (0.999, 19), (1e-9, 1)])
def test_held_out_positives_count_as_unlabeled(rng, share, n_held_out):
    X, y = rng.normal(size=(50, 2)), np.zeros(50, dtype=int)
    y[rng.permutation(50)[:20]] = 1
    calibration, scores = hidden_positive_scores(FirstFeature(), X, y, share=share)
    assert len(calibration) == n_held_out
    assert np.isin(calibration, X[y == 1, 0]).all()  # no 100 was added
    assert_array_equal(scores, X[y == 0, 0])


@pytest.mark.filterwarnings("ignore:Rows of one group")
def test_same_as_the_conformal_test(rng):
    X, y = rng.normal(size=(60, 2)), np.repeat([1, 0], [25, 35])
    groups = np.arange(60) // 2
    found = conformal_test(FirstFeature(), X, y, cv=0.4, groups=groups, random_state=3)
    scores = hidden_positive_scores(FirstFeature(), X, y, share=0.4, groups=groups, random_state=3)
    assert_array_equal(ConformalTest.of_scores(*scores).p_value, found.p_value)


@pytest.mark.parametrize("share", [0, 1, 1.5, None, "half"])
def test_share_that_is_none(share):
    with pytest.raises(DataError, match="share="):
        hidden_positive_scores(FirstFeature(), np.ones((4, 1)), [1, 1, 0, 0], share=share)


def test_single_positive():
    with pytest.raises(LabelError, match="1 positive row"):
        hidden_positive_scores(FirstFeature(), np.ones((4, 1)), [1, 0, 0, 0])
