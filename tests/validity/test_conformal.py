"""The promises of conformal p-values, simulated.

Each mean is held against the promise plus three standard errors of the simulation: a promise
that is kept fails so in about one run of a thousand, and the seeds are fixed.
"""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.base import BaseEstimator

from onesided import WeightedLogisticRegression
from onesided.exceptions import DataError
from onesided.promises import (
    adjusted_p_values,
    conformal_p_values,
    conformal_test,
    exchangeability_test,
)

DRAWS = 200


class Distance(BaseEstimator):
    """Minus the squared distance to the mean of the positives: does not read the unlabeled."""

    def fit(self, X, y):
        self.mean_ = X[y == 1].mean(axis=0)
        return self

    def decision_function(self, X):
        return -np.square(X - self.mean_).sum(axis=1)


def drawn(rng, n_known, n_new, share):
    """Normal points in the plane; of the new ones a share has its mean at 3.5 in place of 0."""
    odd = np.arange(n_new) < round(share * n_new)
    X = rng.normal(size=(n_known + n_new, 2))
    X[n_known:][odd] += 3.5
    return X, np.repeat([1, 0], [n_known, n_new]), odd


def test_p_values_of_positives_are_uniform():
    """With scores of a continuous law p takes k / (n + 1), each as often."""
    rng = np.random.default_rng(0)
    p = [conformal_p_values(rng.normal(size=19), rng.normal(size=1))[0] for _ in range(4000)]
    counts = np.bincount(np.round(np.array(p) * 20).astype(int), minlength=21)[1:]
    assert np.square(counts - 200).sum() / 200 < 43.8  # chi squared, 19 degrees, p = .001


@pytest.mark.parametrize(
    "scorer", [Distance(), WeightedLogisticRegression(tol=1e-4)], ids=["own", "both"]
)
@pytest.mark.parametrize("cv", [0.5, 5])
@pytest.mark.parametrize("share", [0.05, 0.375])
def test_false_discoveries_are_as_few_as_promised(scorer, cv, share):
    rng = np.random.default_rng(1)
    false, found = [], []
    for draw in range(DRAWS):
        X, y, odd = drawn(rng, 200, 160, share)
        test = conformal_test(scorer, X, y, cv=cv, random_state=draw)
        flagged = test.flagged(0.1)
        false.append((flagged & ~odd).sum() / max(flagged.sum(), 1))
        found.append(flagged[odd].mean())
    error = np.std(false) / np.sqrt(DRAWS)
    assert np.mean(false) <= 0.1 + 3 * error
    if share > 0.2:  # and it finds what is there
        assert np.mean(found) >= 0.5


def test_adaptive_keeps_the_promise_and_finds_more():
    rng = np.random.default_rng(2)
    false, plain, more = [], [], []
    for draw in range(DRAWS):
        X, y, odd = drawn(rng, 200, 160, 0.375)
        test = conformal_test(Distance(), X, y, cv=0.5, random_state=draw)
        flagged = test.flagged(0.1, adaptive=True)
        false.append((flagged & ~odd).sum() / max(flagged.sum(), 1))
        plain.append(test.flagged(0.1)[odd].mean())
        more.append(flagged[odd].mean())
    assert np.mean(false) <= 0.1 + 3 * np.std(false) / np.sqrt(DRAWS)
    assert np.mean(more) > np.mean(plain)


@pytest.mark.parametrize(("fdr", "bound"), [(0.05, 0.01), (0.1, 0.02), (0.2, 0.04)])
def test_hidden_positives_among_the_discarded(fdr, bound):
    """With a share .2 of positives among the unlabeled the rate is .2 fdr or less.

    Benjamini and Hochberg flag with the rate (share of nulls) x fdr; 150 calibration positives,
    2,000 unlabeled rows, of which the others have their mean at -3.
    """
    rng = np.random.default_rng(3)
    false = []
    for _ in range(DRAWS):
        positive = np.arange(2000) < 400
        scores = rng.normal(size=2000) - 3 * ~positive
        flagged = adjusted_p_values(conformal_p_values(rng.normal(size=150), scores)) <= fdr
        false.append((flagged & positive).sum() / max(flagged.sum(), 1))
    assert np.mean(false) <= bound + 3 * np.std(false) / np.sqrt(DRAWS)
    assert np.mean(false) >= bound / 2  # the procedure uses its rate


def test_exchangeability_p_values_are_uniform_whatever_lies_below():
    """A third of the new rows are no positives, and score low."""
    rng = np.random.default_rng(4)
    p = []
    for _ in range(500):
        others = rng.normal(-5, 1, 100)
        new = np.append(rng.normal(size=200), rng.normal(-5, 1, 100))
        p.append(exchangeability_test(rng.normal(size=300), new, reference=others))
    assert kstest(p, "uniform", alternative="greater").pvalue > 0.001  # not too small


def test_exchangeability_is_seen_to_fail():
    """Higher scores as they are; lower ones if it is seen elsewhere that classes are apart."""
    rng = np.random.default_rng(5)
    others = rng.normal(-5, 1, 1000)
    lower = [
        exchangeability_test(rng.normal(size=400), rng.normal(-0.8, 1, 400), reference=others)
        for _ in range(DRAWS)
    ]
    higher = [
        exchangeability_test(
            rng.normal(size=400), np.append(rng.normal(0.8, 1, 400), rng.normal(-5, 1, 400))
        )
        for _ in range(DRAWS)
    ]
    for p in (lower, higher):
        assert np.mean(np.array(p) < 0.05) > 0.5


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("apart", [1, 2, 3])
def test_exchangeability_is_refused_or_right_where_classes_overlap(apart, share):
    rng = np.random.default_rng(6)
    rejected = refused = 0
    for _ in range(60):
        scores = rng.normal(apart * (rng.random(2000) < share), 1)
        try:
            rejected += exchangeability_test(rng.normal(apart, 1, 300), scores) < 0.05
        except DataError as error:
            refused += "overlap" in str(error)
    assert rejected <= 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95)
    if apart == 1:
        assert refused > 50
