"""Labels of any kind: they are understood, or refused in words."""

import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from fuzzing import enduring, some
from onesided._labels import encode_labels
from onesided.datasets import hide_labels
from onesided.tables._labels import read_known_negative, read_labels

_ODD = (
    None,
    float("nan"),
    float("inf"),
    1,
    0,
    -1,
    True,
    False,
    10**30,
    0.5,
    "",
    " ",
    "yes",
    "X",
    "x=y",
)
_WORDS = st.sampled_from(
    ["", " ", "1", "0", "1.0", "yes", "NO", "x", "a", "a=b", "\x1b[2J", "\ud7ff", "x\n"]
)
_CELLS = [
    _WORDS,
    st.integers(-2, 2),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.booleans(),
    st.binary(max_size=2),
    st.dates(),
    st.lists(st.integers(0, 1), max_size=2),
    st.decimals(-3, 3, places=2),
]


@st.composite
def tables(draw):
    """A table of one to three columns of one kind of cells each, with gaps."""
    n_rows = draw(st.integers(0, 8))
    names = draw(
        st.lists(st.sampled_from(["a", "b", "a=b", "=", "", " a"]), unique=True, min_size=1)
    )
    cells = [st.none() | draw(st.sampled_from(_CELLS)) for _ in names]
    columns = [draw(st.lists(each, min_size=n_rows, max_size=n_rows)) for each in cells]
    return pa.table([pa.array(column) for column in columns], names=names)


SPECS = st.lists(st.sampled_from(["a", "b", "=", "", " ", "1", "x", "0.0"]), max_size=4).map(
    "".join
)


@some(40)
@given(tables(), SPECS, SPECS, st.sets(st.sampled_from(["a", "b"])))
def test_columns_of_labels(table, positive, negative, lists):
    with enduring():
        name, marked = read_labels(table, positive, lists=lists)
        assert name in table.column_names
        assert marked.shape == (table.num_rows,)
        assert marked.sum() >= 2
        assert (~marked).sum() >= 2
        _, others = read_known_negative(table, negative, marked, lists=lists)
        assert not (others & marked).any()


_ANY = (
    st.sampled_from(_ODD)
    | st.dates()
    | st.binary(max_size=2)
    | st.just(Decimal(1))
    | st.complex_numbers()
)
_ARRAYS = st.one_of(
    st.lists(_ANY, max_size=6),
    st.lists(st.sampled_from([0, 1]), min_size=1, max_size=9).map(np.array),
    st.lists(st.sampled_from([0, 1, np.nan]), max_size=9).map(np.array),
    st.lists(st.sampled_from(["a", "b", None, ""]), max_size=9).map(pd.Series),
    st.lists(st.sampled_from([0, 1, None]), max_size=9).map(lambda v: pd.Series(v, dtype="Int64")),
    st.lists(st.sampled_from(["a", "b", None]), max_size=9).map(pd.Categorical),
    st.lists(_ANY, max_size=6).map(lambda v: np.array([*v, None], dtype=object)[:-1]),
    st.lists(st.sampled_from([0, 1]), min_size=1, max_size=4).map(lambda v: np.array([v])),
    st.lists(st.sampled_from([0, 1]), max_size=4).map(lambda v: pa.array(v, pa.int8())),
    st.sampled_from([None, 1, "text", {}, {"a": 1}, object(), dt.time(12)]),
    st.lists(st.sampled_from(["2001", "2002", "NaT"]), max_size=4).map(
        lambda v: np.array(v, dtype="datetime64[Y]")
    ),
    st.lists(st.lists(_ANY, max_size=2), max_size=3),
)


@some(40)
@given(_ARRAYS, _ANY)
def test_labels_in_memory(y, positive_label):
    for label in (None, positive_label):
        with enduring(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            positive, coding = encode_labels(y, label)
            assert positive.dtype == bool
            assert 0 < positive.sum() < len(positive)
            assert coding.positive != coding.unlabeled


_NUMBERS = st.none() | st.sampled_from(
    [0, 1, 3, -1, 10**12, 0.5, 1.0, 1e-300, float("nan"), "a", True, [1]]
)
_CHANCES = _NUMBERS | st.sampled_from(
    [np.ones(6), np.zeros(6), np.full(6, np.nan), np.ones((6, 1)), "size"]
)


@some(40)
@given(
    _ARRAYS | st.just([1, 1, 1, 0, 0, 0]),
    _NUMBERS,
    _NUMBERS,
    _NUMBERS,
    _NUMBERS,
    _CHANCES,
    st.booleans(),
)
def test_hidden_labels(
    y, n_positive, n_unlabeled, class_prior, label_frequency, propensity, replace
):
    X = np.arange(12.0).reshape(6, 2)
    with enduring(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = hide_labels(
            X,
            y,
            n_positive=n_positive,
            n_unlabeled=n_unlabeled,
            class_prior=class_prior,
            label_frequency=label_frequency,
            propensity=propensity,
            replace=replace,
            random_state=0,
        )
        assert len(drawn.X) == len(drawn.y) == len(drawn.rows)
        assert drawn.y.sum() >= 1
