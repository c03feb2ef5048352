"""The test of the scores above the median, by the definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ks_2samp

from onesided.exceptions import DataError
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


def test_a_reference_of_few_rows_shows_nothing(rng):
    known, new = rng.normal(size=(2, 60))
    with pytest.raises(DataError, match=r"reference has 9 scores, .*at least 10 unlabeled rows"):
        exchangeability_test(known, new, reference=rng.normal(-5, 1, 9))


def test_overlap_is_refused_with_a_way_out(rng):
    new = rng.normal(rng.random(2000) < 0.1, 1)
    with pytest.raises(DataError, match=r"overlap: .* Use scar_test .* reference="):
        exchangeability_test(rng.normal(1, 1, 200), new)
