"""Dask arrays and frames on a real cluster of two processes: the same numbers as in memory."""

import os
import signal
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from checks import public_classifiers, takes_weights
from onesided import (
    NearestKnown,
    PositiveNaiveBayes,
    SignificanceRanker,
    WeightedLogisticRegression,
    WeightedLogisticRegressionCV,
)
from onesided._blocks import Block, labeled_source, read_features
from onesided.exceptions import DataError, LabelError

N_ROWS = 80
CHUNKS = {"one": (80,), "three": (7, 33, 40), "seven": (3, 17, 0, 11, 1, 23, 25)}


@pytest.fixture(scope="module", autouse=True)
def client():
    """On a busy machine a killed worker takes long to come back."""
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def problem(rng):
    """Codes 0 to 3 of 80 rows, higher among the first 30, which are positive."""
    y = np.repeat([1, 0], [30, 50])
    X = rng.integers(0, 4, size=(N_ROWS, 4))
    X[:30] = np.maximum(X[:30], rng.integers(0, 4, size=(30, 4)))
    order = rng.permutation(N_ROWS)
    return X[order], y[order]


def frame_of(X, chunks):
    """A Dask frame cut as the chunks say."""
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    ends = np.cumsum(chunks)
    parts = [frame[end - size : end] for size, end in zip(chunks, ends, strict=True)]
    return dd.from_map(pd.DataFrame, parts)


def array_of(X, chunks):
    return da.from_array(X, chunks=(chunks, X.shape[1]))


MODELS = public_classifiers()
ADDING = [PositiveNaiveBayes(), WeightedLogisticRegression()]  # counts, and gradients
IN_FRAMES = [*ADDING, NearestKnown(), SignificanceRanker(n_subsets=100, random_state=0)]


@pytest.mark.parametrize(
    ("model", "make", "cut"),
    [
        *((model, array_of, "three") for model in MODELS),
        *((model, frame_of, "three") for model in IN_FRAMES),
        *((model, array_of, cut) for model in ADDING for cut in ("one", "seven")),
    ],
    ids=lambda each: type(each).__name__ if hasattr(each, "fit") else None,
)
def test_every_learner_has_the_same_numbers(model, problem, make, cut):
    X, y = problem
    expected = clone(model).fit(X, y)
    found = clone(model).fit(make(X, CHUNKS[cut]), y)
    assert_allclose(
        found.decision_function(make(X, CHUNKS[cut])), expected.decision_function(X), atol=1e-9
    )
    assert found.n_features_in_ == 4


@pytest.mark.parametrize(
    "model", [each for each in public_classifiers() if takes_weights(each)], ids=type
)
def test_weights(model, problem, rng):
    X, y = problem
    weight = rng.integers(1, 4, N_ROWS).astype(float)
    expected = clone(model).fit(X, y, sample_weight=weight).decision_function(X)
    d = da.from_array
    found = clone(model).fit(d(X, chunks=(30, 4)), d(y, chunks=20), sample_weight=d(weight, 40))
    assert_allclose(found.decision_function(X), expected, atol=1e-9)


def test_sparse_parts(problem):
    X, y = problem
    parts = array_of(X, CHUNKS["three"]).map_blocks(sparse.csr_array)
    model = WeightedLogisticRegression()
    expected = clone(model).fit(X, y).decision_function(X)
    assert_allclose(clone(model).fit(parts, y).decision_function(parts), expected, atol=1e-9)


def test_labels_are_a_column(problem):
    """With text, gaps, and a category; columns are found by name when scored."""
    X, y = problem
    frame = pd.DataFrame({"a": X[:, 0], "b": np.array(["x", "y", None, "z"], object)[X[:, 1]]})
    frame["c"] = pd.Categorical(np.array(["low", "high"])[X[:, 2] // 2])
    frame["known"] = y
    spread = dd.from_pandas(frame, npartitions=3)
    expected = PositiveNaiveBayes(0.2).fit(frame, "known")
    found = PositiveNaiveBayes(0.2).fit(spread, "known")
    assert list(found.feature_names_in_) == ["a", "b", "c"]
    turned = spread[["known", "c", "b", "a"]]
    assert_allclose(found.decision_function(turned), expected.decision_function(frame))
    assert_array_equal(found.predict(turned), expected.predict(frame))


def test_penalties_chosen(problem):
    X, y = problem
    model = WeightedLogisticRegressionCV([0.01, 1.0], validation=3, random_state=0)
    expected = clone(model).fit(X, y)
    found = clone(model).fit(array_of(X, CHUNKS["three"]), y)
    assert_allclose(found.scores_, expected.scores_)
    assert_allclose(found.coef_, expected.coef_, atol=1e-9)


def test_blocks_are_read_where_they_are(problem):
    source = read_features(array_of(problem[0], (8,) * 10), numeric=True)
    seen = set(source.total(lambda _: (os.getpid(),), ()))
    assert len(seen) == 2
    assert os.getpid() not in seen


def test_some_rows_are_taken(problem):
    X, y = problem
    source, _ = labeled_source(array_of(X, CHUNKS["seven"]), y, numeric=True)
    for rows in (np.array([0, 2, 2, 41, 79]), np.arange(N_ROWS), np.array([30])):
        taken = source.taken(rows)
        assert_array_equal(taken.X, X[rows])
        assert_array_equal(taken.labels(), y[rows] == 1)


def test_sums_are_in_the_order_of_the_rows(problem):
    source = read_features(array_of(problem[0], (4,) * 20), numeric=True)
    found = source.total(lambda block: ((block.start, block.n_rows),), ())
    assert found == tuple((4 * i, 4) for i in range(20))


def test_source_survives_the_loss_of_a_worker(client, problem):
    """Killed between two passes: its blocks are made again on another."""
    X, y = problem
    source, _ = labeled_source(array_of(X, (20,) * 4), y, numeric=True)
    before = source.total(Block.labels, np.zeros(20))
    killed = next(iter(client.run(os.getpid).values()))
    os.kill(killed, signal.SIGKILL)
    assert_array_equal(source.total(Block.labels, np.zeros(20)), before)
    ends = time.monotonic() + 120
    while killed in client.run(os.getpid).values() or len(client.scheduler_info()["workers"]) < 2:
        assert time.monotonic() < ends
        time.sleep(0.1)


def test_a_worker_killed_in_the_middle_of_a_fit(client, problem, tmp_path):
    X, y = problem
    expected = WeightedLogisticRegression(10.0).fit(X, y)
    marker = tmp_path / "killed"

    def kill_once(block):
        """The first to come here dies; its block is read again elsewhere."""
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            return block
        os.kill(os.getpid(), signal.SIGKILL)
        return block

    deadly = array_of(X, CHUNKS["three"]).map_blocks(kill_once, meta=X[:0])
    found = WeightedLogisticRegression(10.0).fit(deadly, y)
    assert marker.exists()
    assert_allclose(found.coef_, expected.coef_, atol=1e-9)
    client.wait_for_workers(2, timeout=120)


@pytest.mark.parametrize(
    ("make", "y", "error", "message"),
    [
        (lambda: np.ones((4, 2)), [1, 0, 1], LabelError, "y has 3 labels, X has 4 rows"),
        (lambda: np.ones(4), [1, 0, 1, 0], DataError, r"Dask array of shape \(4,\)"),
        (lambda: np.ones((0, 2)), [1, 0], DataError, "X has no rows"),
    ],
)
def test_what_cannot_be_used(make, y, error, message):
    with pytest.raises(error, match=message):
        WeightedLogisticRegression().fit(da.from_array(make(), chunks=2), y)


def test_values_that_are_no_numbers_are_refused(problem):
    X, y = problem
    gaps = X.astype(float)
    gaps[41, 2] = np.nan
    with pytest.raises(ValueError, match="Column 2 of X has a missing value"):
        WeightedLogisticRegression().fit(array_of(gaps, CHUNKS["three"]), y)
    words = dd.from_pandas(pd.DataFrame({"a": ["x", "y"] * 40}), npartitions=2)
    with pytest.raises(DataError, match=r"Column 'a' holds .* this learner takes numbers"):
        WeightedLogisticRegression().fit(words, y)
    with pytest.raises(DataError, match="There is no column 'known'"):
        WeightedLogisticRegression().fit(words, "known")
