"""What is no table of numbers is named, with what to pass instead."""

from datetime import date

import pandas as pd
import pytest

from onesided import WeightedLogisticRegression
from onesided.exceptions import DataError


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (None, "X is None,"),
        (5, "X is 5,"),
        ({"a": 1}, "X is a dict,"),
        (object(), "X is an object"),
    ],
)
def test_a_value_without_rows(X, said):
    with pytest.raises(DataError) as raised:
        WeightedLogisticRegression().fit(X, [1, 0])
    assert said in raised.value.problem
    assert raised.value.mend.startswith("Pass an array")


def test_dates_are_not_sent_to_an_encoder_of_categories():
    table = pd.DataFrame({"age": [1, 2, 3], "born": [date(2020, 1, day) for day in (1, 2, 3)]})
    table["born"] = pd.to_datetime(table["born"])
    with pytest.raises(DataError, match="'born'") as raised:
        WeightedLogisticRegression().fit(table, [1, 0, 0])
    assert "days since a date" in raised.value.mend
