"""The promises of a class prior, simulated where the largest prior is known in closed form.

Scores are given, so that no scorer is fitted: two normal laws of which the upper tail of the one
outruns the other, so that the largest prior is the share that was drawn.
"""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from onesided.prior import _estimate, binormal_tail, estimate_class_prior, prior_upper_bound

RUNS = 200


def drawn(rng, n_positive, n_unlabeled, prior, apart):
    """Scores; how many of the unlabeled are positive is random, as in a sample."""
    hidden = rng.random(n_unlabeled) < prior
    return rng.normal(apart, 1, n_positive), rng.normal(apart * hidden, 1)


@pytest.mark.parametrize(
    ("n_positive", "n_unlabeled", "prior", "apart"),
    [(50, 300, 0.3, 2.0), (400, 1200, 0.05, 3.0), (1000, 4000, 0.5, 1.5)],
)
def test_bound_holds(n_positive, n_unlabeled, prior, apart):
    """At .95 of 400 samples .95 less three standard errors is .917; normal laws have .98."""
    rng = np.random.default_rng(0)
    bounds = [
        prior_upper_bound(*drawn(rng, n_positive, n_unlabeled, prior, apart)) for _ in range(400)
    ]
    assert np.mean(np.array(bounds) >= prior) >= 0.95


def test_bound_holds_and_is_sharp_where_the_scores_have_one_cut_only():
    """Ten positives: one cut, at the lowest, above which the unlabeled are positives alone."""
    rng = np.random.default_rng(1)
    bounds = []
    for _ in range(2000):
        hidden = rng.random(200) < 0.5
        scores = np.where(hidden, rng.random(200), -1.0)
        bounds.append(prior_upper_bound(rng.random(10), scores, 0.9))
    held = np.mean(np.array(bounds) >= 0.5)
    assert 0.9 - 3 * 0.0067 < held < 0.93  # Clopper, Pearson: a little above the level


def test_interval_covers(monkeypatch):
    """Of 80 runs at .9, .8 to 1 is three standard errors; the benchmark has 200 of three."""
    # TIcE is half of the time, and no part of the interval.
    monkeypatch.setattr(_estimate, "tree_induction", lambda *_, **__: 0.2)
    rng = np.random.default_rng(2)
    inside = []
    for run in range(80):
        known, rest = drawn(rng, 300, 1200, 0.2, 2.0)
        X, y = np.append(known, rest)[:, None], np.repeat([1, 0], [300, 1200])
        X = np.hstack([X, rng.normal(size=(1500, 9))])  # noise to fit, so that each fit differs
        low, high = estimate_class_prior(
            X,
            y,
            scenario="case-control",
            estimator=LogisticRegression(),
            cv=2,
            n_subsamples=20,
            random_state=run,
        ).interval
        inside.append(low <= 0.2 <= high)
    assert np.mean(inside) >= 0.8


def test_binormal_tail_has_little_bias():
    """Negatives that could be wider than positives would double the deviation."""
    rng = np.random.default_rng(3)
    errors = [binormal_tail(*drawn(rng, 400, 1200, 0.3, 2.0)) - 0.3 for _ in range(RUNS)]
    assert abs(np.mean(errors)) < 0.02
    assert np.std(errors) < 0.05
