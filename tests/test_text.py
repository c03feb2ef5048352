"""Cells and names of columns as errors and tables write them."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from onesided._text import as_text, is_missing, no_such_column


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), np.datetime64("NaT"), pd.NaT, pd.NA]
)
def test_values_that_are_missing(value):
    assert is_missing(value)
    assert as_text(value) == ""


@pytest.mark.parametrize(
    "value", [0, "", "NA", False, float("inf"), Decimal("0.5"), [], dt.date(2026, 1, 31)]
)
def test_values_that_are_there(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("name", "known", "mend"),
    [
        ("bdy", ["size", "body"], "Did you mean 'body'?"),
        ("BODY", ["size", "body"], "Did you mean 'body'?"),
        ("size", ["SIZES", "Size"], "Did you mean 'Size'?"),
        ("zzz", ["size", "body"], "The columns are size, body."),
        ("zzz", list("abcdefgh"), "The columns are a, b, c, d, e, f, g, h."),
        ("zzz", list("abcdefghi"), "The columns are a, b, c, d, e, f, g, h, ..."),
    ],
)
def test_a_column_that_is_not_there(name, known, mend):
    assert no_such_column(name, known) == (f"There is no column {name!r}.", mend)
