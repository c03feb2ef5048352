"""The interval and the paired test of `compare`, simulated with scores that are given.

Two scores are the same signal with noise of their own, so that one is as good as the other. Of
2000 draws a share of .05 has a standard error of .005: it is out of [.03, .07] in about one run of
24,000. Without the variance over the unlabeled the test rejects about .09 and .17, and .09 is
within in one of 1000. With 2 or 5 positives the normal distribution in place of Student's rejects
.12 and .08, and DeLong's interval covers .7 and .85. Where positives spread three times as wide as
the unlabeled, the interval of 3 of them would cover .85 with the normal distribution. The seeds are
fixed.
"""

import numpy as np
import pytest
from scipy.stats import norm

from onesided.metrics import rank_counts
from onesided.model_selection import HiddenPositives
from onesided.model_selection._delong import interval, p_value

DRAWS = 2000
SHIFT, NOISE = 1.2, 0.7


def hidden(positives, unlabeled):
    """Of two kinds of scores, as `compare` finds them with a method that scores so."""
    above, tied = rank_counts(positives, unlabeled)
    placements = rank_counts(unlabeled, positives)[0] / len(positives)
    nothing = np.zeros(len(positives), dtype=bool)
    return HiddenPositives(above, tied, positives, len(unlabeled), placements, nothing, 0.0)


@pytest.mark.parametrize(
    ("n_positive", "n_unlabeled", "spread", "level", "coverage"),
    [
        (50, 50, 1, (0.03, 0.07), (0.94, 0.98)),
        (50, 200, 1, (0.03, 0.07), (0.94, 0.98)),
        (5, 100, 1, (0.01, 0.06), (0.95, 1.0)),
        (2, 40, 1, (0.02, 0.09), (0.95, 1.0)),
        (3, 300, 3, (0.0, 0.06), (0.88, 1.0)),
    ],
)
def test_level_and_coverage(n_positive, n_unlabeled, spread, level, coverage):
    rng = np.random.default_rng(n_unlabeled)
    y = np.repeat([1, 0], [n_positive, n_unlabeled])
    deviations = np.where(y, spread, 1)[:, None]
    auc = norm.cdf(SHIFT / np.sqrt(1 + spread**2 + 2 * NOISE**2))
    rejected, covered = [], []
    for _ in range(DRAWS):
        signal = deviations * rng.normal(size=(len(y), 1)) + SHIFT * y[:, None]
        scores = signal + NOISE * rng.normal(size=(len(y), 2))
        both = [hidden(*np.split(of_one, [n_positive])) for of_one in scores.T]
        rejected.append(p_value(*both) < 0.05)
        covered.extend(low < auc < high for low, high in map(interval, both))
    assert level[0] < np.mean(rejected) < level[1]
    assert coverage[0] < np.mean(covered) <= coverage[1]
