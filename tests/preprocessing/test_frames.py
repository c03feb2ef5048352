"""Names and kinds of frames that transformers and learners keep."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

from onesided import PositiveNaiveBayes
from onesided.exceptions import DataError
from onesided.preprocessing import InformationGainSelector, QuantileBinner

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
kinds = pytest.mark.parametrize("kind", KINDS)
N = 60


@pytest.fixture
def columns(rng):
    return {
        "sent": rng.normal(size=N),
        "paid": (np.arange(N) < 25).astype(float),
        "known": (rng.random(N) < 0.5).astype(float),
    }


@pytest.fixture
def y():
    return (np.arange(N) < 20).astype(int)


@kinds
def test_bins_of_a_frame(kind, columns):
    frame = KINDS[kind](columns)
    binner = QuantileBinner().set_output(transform=kind)
    found = binner.fit_transform(frame)
    assert isinstance(found, KINDS[kind])
    assert list(found.columns) == list(columns)
    assert_array_equal(binner.feature_names_in_, list(columns))
    assert_array_equal(binner.get_feature_names_out(), list(columns))
    plain = QuantileBinner().fit_transform(np.column_stack(list(columns.values())))
    assert_array_equal(found.to_numpy(), plain)


@kinds
def test_features_of_a_frame_are_selected_by_name(kind, columns, y):
    frame = KINDS[kind]({name: columns[name] for name in ("known", "paid")})
    selector = InformationGainSelector(0.1).set_output(transform=kind)
    found = selector.fit(frame, y).transform(frame)
    assert isinstance(found, KINDS[kind])
    assert list(found.columns) == ["paid"]
    assert_array_equal(selector.get_feature_names_out(), ["paid"])


@kinds
def test_names_go_through_a_pipeline(kind, columns, y):
    frame = KINDS[kind](columns)
    model = make_pipeline(
        make_column_transformer(
            (QuantileBinner(3), ["sent"]), remainder="passthrough", verbose_feature_names_out=False
        ),
        PositiveNaiveBayes(),
    ).set_output(transform=kind)
    model.fit(frame, y)
    assert_array_equal(model[-1].feature_names_in_, ["sent", "paid", "known"])
    assert_array_equal(model[:-1].get_feature_names_out(), ["sent", "paid", "known"])
    assert_array_equal(model.predict(frame), model.predict(frame[["known", "sent", "paid"]]))


@kinds
def test_all_transformers_at_once(kind, columns):
    with config_context(transform_output=kind):
        assert isinstance(QuantileBinner().fit_transform(KINDS[kind](columns)), KINDS[kind])


def test_a_learner_takes_a_frame_of_another_kind(columns, y):
    model = PositiveNaiveBayes().fit(pd.DataFrame(columns).round(), y)
    assert_array_equal(model.feature_names_in_, list(columns))
    other = pl.DataFrame({name: columns[name].round() for name in reversed(columns)})
    assert_array_equal(model.predict(other), model.predict(pd.DataFrame(columns).round()))


def test_a_file_has_names(columns, tmp_path):
    frame = pl.DataFrame(columns)
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.select(["known", "sent", "paid"]).write_parquet(tmp_path / "turned.parquet")
    binner = QuantileBinner().fit(tmp_path / "rows.parquet")
    assert_array_equal(binner.feature_names_in_, list(columns))
    expected = QuantileBinner().fit_transform(frame)
    assert_array_equal(binner.transform(tmp_path / "rows.parquet"), expected)
    assert_array_equal(binner.transform(tmp_path / "turned.parquet"), expected)
    assert_array_equal(binner.transform(frame), expected)


def test_names_are_of_the_last_fit(columns, tmp_path):
    frame = pl.DataFrame(columns)
    binner = QuantileBinner().fit(frame).fit(frame.to_numpy())
    assert not hasattr(binner, "feature_names_in_")
    frame.rename({"sent": "got"}).write_parquet(tmp_path / "rows.parquet")
    binner.fit(frame).fit(tmp_path / "rows.parquet")
    assert_array_equal(binner.feature_names_in_, ["got", "paid", "known"])


VALUES = np.random.default_rng(0).normal(size=N)
NO_NUMBERS = {
    "cut": (pd.cut(VALUES, 4), "holds string values; this learner takes numbers"),
    "categories with gaps": (
        pd.Series(pd.cut(VALUES, 4)).where(np.arange(N) > 5),
        "holds string values; this learner takes numbers",
    ),
    "text": (np.where(VALUES > 0, "a", "b"), "holds string values; this learner takes numbers"),
    "dates": (pd.date_range("2020", periods=N), r"holds timestamp\[.*Make it a number first"),
    "periods": (pd.period_range("2015-01", periods=N, freq="M"), "holds string values"),
    "durations": (pd.to_timedelta(np.arange(N), "D"), r"holds duration\[.*Make it a number first"),
    "tuples": ([(1, 2)] * N, "holds list<item: int64> values; this learner takes numbers"),
    "objects": ([object()] * N, "which is neither a number nor text nor a date"),
    "several types": (["x", 1] * (N // 2), "holds values of several types: 'x'"),
    "complex": (VALUES + 1j, "which is neither a number nor text nor a date"),
}


@pytest.mark.parametrize("name", NO_NUMBERS)
@pytest.mark.parametrize("transformer", [QuantileBinner(), InformationGainSelector()])
def test_a_column_of_no_numbers_is_named_as_by_learners(transformer, name, y):
    column, said = NO_NUMBERS[name]
    frame = pd.DataFrame({"plain": VALUES, "odd": column})
    with pytest.raises(DataError, match=rf"^Column 'odd' .*{said}"):
        clone(transformer).fit(frame, y)
    fitted = clone(transformer).fit(frame.assign(odd=VALUES > 0), y)
    if isinstance(transformer, QuantileBinner):  # the other leaves all values as they are
        with pytest.raises(DataError, match=rf"^Column 'odd' .*{said}"):
            fitted.transform(frame)


@kinds
def test_missing_numbers_are_refused_by_the_column(kind, y):
    odd = [None if row == 3 else float(row % 2) for row in range(N)]
    frame = KINDS[kind]({"plain": VALUES, "odd": odd})
    with pytest.raises(DataError, match=r"^Column 'odd' of X has a missing value"):
        InformationGainSelector().fit(frame, y)
