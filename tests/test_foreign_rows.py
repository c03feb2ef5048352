"""Lazy frames, sparse frames and arrays of other libraries give what an array of numpy gives."""

import os
import subprocess
import sys
from pathlib import Path

import array_api_strict
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from checks import public_classifiers
from onesided import (
    NearestKnown,
    PositiveKFold,
    PositiveNaiveBayes,
    RankAverage,
    WeightedLogisticRegression,
    compare,
    enrichment,
    hidden_positive_ranks,
)
from onesided.datasets import hide_labels
from onesided.exceptions import DataError
from onesided.metrics import lee_liu_score
from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.preprocessing import InformationGainSelector, QuantileBinner
from onesided.prior import BestBinPrior, TIcEPrior, estimate_class_prior, subtype_prior
from onesided.promises import conformal_test, hidden_positive_scores, scar_test
from onesided.ranking import rank_table

DISPATCH = bool(os.environ.get("SCIPY_ARRAY_API"))
NAMES = list("abcd")
LINEAR = WeightedLogisticRegression()


def _sparse_column(values):
    return pd.arrays.SparseArray(values, fill_value=np.nan)


class Streamed:
    """A table of a library that is known only by Arrow's interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


KINDS = {
    "batch": lambda X: pa.RecordBatch.from_arrays([*map(pa.array, X.T.copy())], names=NAMES),
    "stream": lambda X: Streamed(pa.table([*map(pa.array, X.T.copy())], names=NAMES)),
    "narwhals": lambda X: nw.from_native(pd.DataFrame(X, columns=NAMES)),
    "matrix": np.matrix,
    "memory": lambda X: memoryview(np.ascontiguousarray(X)),
    "lazy": lambda X: pl.DataFrame(X, schema=NAMES).lazy(),
    "sparse-frame": lambda X: pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(X), columns=NAMES),
    "sparse-frame-of-gaps": lambda X: pd.DataFrame(X, columns=NAMES).apply(_sparse_column),
    **({"array": array_api_strict.asarray} if DISPATCH else {}),
}


def _fitted(model):
    def call(X, y):
        fitted = clone(model).fit(X, y)
        return fitted.decision_function(X), fitted.predict(X).astype(float)

    return call


CALLS = {
    **{type(each).__name__: _fitted(each) for each in public_classifiers()},
    "average": _fitted(RankAverage([("a", LINEAR), ("b", clone(LINEAR))], random_state=0)),
    "binner": lambda X, y: QuantileBinner().fit(X, y).transform(X),
    "gain": lambda X, y: InformationGainSelector().fit(X, y).information_gain_,
    "best_bin": lambda X, y: BestBinPrior(LINEAR).fit(X, y).class_prior_,
    "tree": lambda X, y: TIcEPrior().fit(X, y).class_prior_,
    "estimate": lambda X, y: float(
        estimate_class_prior(X, y, estimator=LINEAR, scenario="case-control")
    ),
    "subtype": lambda X, y: float(subtype_prior(X, y, np.arange(80.0))),
    "compare": lambda X, y: compare({"it": LINEAR}, X, y).best_estimator_.coef_,
    "ranks": lambda X, y: hidden_positive_ranks(LINEAR, X, y),
    "out_of_fold": lambda X, y: unlabeled_out_of_fold_scores(LINEAR, X, y).scores,
    "hidden": lambda X, y: hidden_positive_scores(LINEAR, X, y)[0],
    "conformal": lambda X, y: conformal_test(LINEAR, X, y).p_value,
    "scar": lambda X, y: float(scar_test(X, y, class_prior=0.3, estimator=LINEAR)),
    "enrichment": lambda X, y: enrichment(X, y, random_state=0).statistic,
    "folds": lambda X, y: next(PositiveKFold(3, random_state=0).split(X, y))[0],
    "criterion": lambda _, y: lee_liu_score(y, y, scenario="case-control"),
    "hide": lambda X, y: hide_labels(X, y, n_positive=10, random_state=0).y,
}


@pytest.fixture(scope="module")
def problem():
    y = np.repeat([1, 0], [30, 50])
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, (80, 4)) + y[:, None] * (rng.random((80, 4)) < 0.6) + 0.0, y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::onesided.exceptions.DuplicateWarning")  # rows of codes
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("name", CALLS)
def test_rows_of_any_kind(name, kind, problem):
    X, y = problem
    expected = CALLS[name](X, y)
    labels = array_api_strict.asarray(y) if kind == "array" else y
    with sklearn.config_context(array_api_dispatch=kind == "array"):
        found = CALLS[name](KINDS[kind](X), labels)
    for one, other in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
        assert_allclose(np.asarray(one), np.asarray(other), atol=1e-9)


def test_dispatch_to_other_libraries():
    """scipy reads its switch when it is imported, so another process has it on."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", Path(__file__)]
    done = subprocess.run(
        [*words, "-k", "array and test_rows"],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]


OF_COLUMNS = ["lazy", "sparse-frame", "sparse-frame-of-gaps", "batch", "stream", "narwhals"]


@pytest.mark.parametrize("kind", OF_COLUMNS)
def test_tables_of_any_kind(kind, problem):
    X, y = problem
    table = KINDS[kind](np.column_stack([X[:, :3], y]))
    plain = pd.DataFrame(np.column_stack([X[:, :3], y]), columns=NAMES)
    found, expected = (
        rank_table(each, "d", methods=["center-of-mass"], random_state=0) for each in (table, plain)
    )
    assert found.table.equals(expected.table)


TAKES_NO_ROWS = {"folds", "criterion"}


@pytest.mark.parametrize("name", sorted(CALLS.keys() - TAKES_NO_ROWS))
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", 1, 2.5, None], r"of several types: 'a' is text, 1 is not\. Make all names text"),
        (list("abbb"), r"Two columns are named 'b'\. Give each column its own "),
    ],
)
def test_names_that_cannot_be_used(name, names, said, problem):
    X, y = problem
    with pytest.raises(DataError, match=said):
        CALLS[name](pd.DataFrame(X, columns=names), y)


@pytest.mark.filterwarnings("ignore::onesided.exceptions.DuplicateWarning")  # rows of codes
@pytest.mark.parametrize("name", ["estimate", "out_of_fold"])
def test_a_dask_frame_whose_rows_are_taken(name, problem):
    X, y = problem
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    frame = dask.from_pandas(pd.DataFrame(X, columns=NAMES), npartitions=2)
    with pytest.raises(DataError, match=r"^X is a Dask DataFrame, .* that X\.compute\(\) returns"):
        CALLS[name](frame, y)


def test_an_array_that_numpy_cannot_read():
    class Elsewhere:
        def __array_namespace__(self):
            return np

        def __array__(self, dtype=None, copy=None):
            raise TypeError("it is on another device")

    with pytest.raises(DataError, match=r"cannot become .* another device\. Pass an array"):
        LINEAR.fit(Elsewhere(), [1, 0])


@pytest.mark.parametrize("odd", [1j, Path("a"), object()], ids=lambda odd: type(odd).__name__)
def test_a_column_that_arrow_cannot_hold(odd):
    frame = pd.DataFrame({"a": [1.0, 2.0], "odd": [odd, odd]})
    named = rf"^Column 'odd' holds .* \({type(odd).__name__}\) in row 1, .* Convert the column to "
    with pytest.raises(DataError, match=named):
        LINEAR.fit(frame, [1, 0])


@pytest.mark.parametrize("wide", [10**30, -(2**64), 2**64])
@pytest.mark.parametrize("row", [1, 3])
def test_a_whole_number_beyond_64_bits(wide, row):
    cells = [wide if place == row else place for place in range(1, 5)]
    frame = pd.DataFrame({"a": np.array(cells, dtype=object), "b": [1.0, 2, 3, 4]})
    for X in (frame, frame[["b", "a"]]):
        named = rf"^Column 'a' holds {wide} in row {row}, which has more than 64 bits\. Convert "
        for learner in (LINEAR, PositiveNaiveBayes(class_prior=0.2), NearestKnown()):
            with pytest.raises(DataError, match=named):
                learner.fit(X, [1, 0, 1, 0])


def test_values_of_several_types():
    frame = pd.DataFrame({"a": [1, 2, "n.d.", 4]})
    with pytest.raises(
        DataError, match=r"^Column 'a' .*: 1 \(int\) in row 1 and 'n.d.' \(str\) in"
    ):
        PositiveNaiveBayes(class_prior=0.2).fit(frame, [1, 0, 1, 0])
