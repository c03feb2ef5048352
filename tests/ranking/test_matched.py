"""`match=` of `rank_table`: the test against chance within strata."""

import numpy as np
import pandas as pd
import pytest

from onesided import rank_table
from onesided.exceptions import DataError


@pytest.fixture
def frame(rng):
    """Positives are long, and the feature goes with the length."""
    length = rng.lognormal(size=200)
    known = np.zeros(200, dtype=int)
    known[rng.choice(200, 20, replace=False, p=length / length.sum())] = 1
    return pd.DataFrame(
        {"known": known, "x": np.log(length) + rng.normal(size=200), "length": length}
    )


def test_an_auc_that_the_column_alone_brings_is_chance(frame):
    asked = {"methods": ["center-of-mass"], "drop": ["length"], "resamples": 19}
    plain, matched = (
        rank_table(frame, "known", **asked, match=match) for match in (None, ["length"])
    )
    assert plain.chance["auc"] == 1 / 20
    assert matched.chance["auc"] > 1 / 20
    assert matched.chance["auc"].statistic == plain.chance["auc"].statistic
    page = matched.report().data
    assert page["chance"][0]["matched_by"] == ["length"]
    assert "match=['length']" in matched.command


def test_match_without_a_test(frame):
    with pytest.raises(DataError, match="no test is asked for"):
        rank_table(frame, "known", methods=["center-of-mass"], match=["length"])
