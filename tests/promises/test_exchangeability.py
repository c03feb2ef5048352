"""The test of the scores above the median, by the definition."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import ks_2samp

from onesided.promises import exchangeability_test


def test_strictly_above_the_median_of_the_held_out(rng):
    """Rows at the median itself are of neither sample."""
    known = np.append(rng.normal(size=30), np.zeros(31))
    new = np.append(rng.normal(0.3, 1.5, 50), np.zeros(12))
    assert np.median(known) == 0
    expected = ks_2samp(known[known > 0], new[new > 0], method="exact").pvalue
    found = exchangeability_test(known, new)
    assert_allclose(found, expected)
    assert 1e-6 < found < 0.9
