"""The interval and the paired test of `compare`, simulated with scores that are given.

Two scores are the same signal with noise of their own, so that one is as good as the other. Of
2000 draws a share of .05 has a standard error of .005: it is out of [.03, .07] in about one run of
24,000. Without the variance over the unlabeled the test rejects about .09 and .17, and .09 is
within in one of 1000. The seeds are fixed.
"""

import numpy as np
import pytest
from scipy.stats import norm

from given_scores import Column
from onesided import compare

DRAWS, N_POSITIVE = 2000, 50
SHIFT, NOISE = 1.2, 0.7
AUC = norm.cdf(SHIFT / np.sqrt(2 * (1 + NOISE**2)))


@pytest.mark.parametrize("times", [1, 4], ids="{}_times_as_many_unlabeled".format)
def test_level_and_coverage(times):
    rng = np.random.default_rng(times)
    y = np.repeat([1, 0], [N_POSITIVE, times * N_POSITIVE])
    rejected, covered = [], []
    for _ in range(DRAWS):
        signal = rng.normal(size=(len(y), 1)) + SHIFT * y[:, None]
        X = signal + NOISE * rng.normal(size=(len(y), 2))
        found = compare({"a": Column(0), "b": Column(1)}, X, y, cv=2)
        rejected.append(found.pairwise("pyarrow")["delong_p"][0].as_py() < 0.05)
        low, high = (found.to_frame("pyarrow")[end].to_numpy() for end in ("auc_low", "auc_high"))
        covered.append((low < AUC) & (high > AUC))
    assert 0.03 < np.mean(rejected) < 0.07
    assert 0.93 < np.mean(covered) < 0.97
