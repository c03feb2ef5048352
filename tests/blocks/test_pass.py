"""A pass by several threads has the same bits as by one, holds few blocks, and says what it did."""

import logging
import threading
from functools import partial

import dask
import dask.array as da
import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context, get_config
from sklearn.base import clone

from checks import public_classifiers
from onesided import PositiveNaiveBayes, WeightedLogisticRegression
from onesided._blocks import ArraySource, Block
from onesided.exceptions import DataError, LabelError

N_ROWS = 80
SEVEN = [0, 3, 3, 20, 31, 32, 55]  # an empty block, and one of one row
learners = pytest.mark.parametrize(
    "model", public_classifiers(), ids=lambda model: type(model).__name__
)
threads = pytest.mark.parametrize("n_jobs", [1, 2, 3])


@pytest.fixture
def problem(rng):
    """Codes 0 to 3 of 80 rows, higher among the positive, with weights whose sums are rounded."""
    y = rng.permutation(np.repeat([1, 0], [30, 50]))
    X = rng.integers(0, 4, size=(N_ROWS, 4))
    X[y == 1] = np.maximum(X[y == 1], rng.integers(0, 4, size=(30, 4)))
    return X, y


def sums(block):
    """Whose last bits depend on the order in which they are added."""
    return np.exp(block.X).sum(axis=0)


@learners
def test_any_number_of_threads_has_the_same_bits(model, problem):
    X, y = problem
    scores = []
    for n_jobs in (1, 2, 3):
        with joblib.parallel_config(n_jobs=n_jobs):
            fitted = clone(model).fit(ArraySource(X, cuts=SEVEN), y)
            scores.append(fitted.decision_function(ArraySource(X, cuts=SEVEN)))
    assert_array_equal(scores[1], scores[0], strict=True)
    assert_array_equal(scores[2], scores[0], strict=True)


@learners
def test_files_have_the_same_bits_too(model, problem, tmp_path):
    X, y = problem
    table = pa.table({**{f"f{j}": X[:, j] for j in range(4)}, "known": y})
    for part, (start, end) in enumerate([(0, 7), (7, 40), (40, 80)]):
        pq.write_table(table[start:end], tmp_path / f"{part}.parquet", row_group_size=13)
    scores = []
    for n_jobs in (1, 2, 3):
        with joblib.parallel_config(n_jobs=n_jobs):
            fitted = clone(model).fit(tmp_path, "known")
            scores.append(fitted.decision_function(tmp_path))
    assert_array_equal(scores[1], scores[0], strict=True)
    assert_array_equal(scores[2], scores[0], strict=True)


def test_a_file_has_more_rows_than_there_are_labels(problem, tmp_path):
    X, y = problem
    pq.write_table(pa.table({f"f{j}": X[:, j] for j in range(4)}), tmp_path / "t.parquet")
    message = "y has 79 labels, X has 80 rows.* Pass one label for each row"
    with pytest.raises(LabelError, match=message):
        PositiveNaiveBayes().fit(tmp_path / "t.parquet", y[:-1])


@threads
def test_blocks_are_added_in_their_order(n_jobs, rng):
    """Also where the first block is the last to be ready."""
    first_may_end = threading.Event()

    def of(block):
        if n_jobs > 1 and block.start == 0:
            assert first_may_end.wait(10)
        if block.start == 3:
            first_may_end.set()
        return (block.start,)

    source = ArraySource(rng.normal(size=(N_ROWS, 2)), cuts=range(0, N_ROWS, 3))
    with joblib.parallel_config(n_jobs=n_jobs):
        assert source.total(of, ()) == tuple(range(0, N_ROWS, 3))
        assert_array_equal(source.map(lambda block: block.X), source._X)


def test_blocks_are_worked_on_at_once():
    """Each waits for another: one thread alone would wait for ever."""
    both = threading.Barrier(2, timeout=10)
    source = ArraySource(np.ones((4, 1)), cuts=range(4))
    with joblib.parallel_config(n_jobs=2):
        assert source.total(lambda _: both.wait() >= 0, 0) == 4


@threads
def test_few_blocks_are_held(n_jobs, rng):
    """However slow the sums are: that of the first block is late."""
    n_read, most_ahead = 0, 0

    class Slow:
        def __add__(self, other):
            nonlocal most_ahead
            most_ahead = max(most_ahead, n_read - other)
            return self

    class Counted(ArraySource):
        def blocks(self):
            nonlocal n_read
            for block in super().blocks():
                n_read += 1
                yield block

    source = Counted(rng.normal(size=(N_ROWS, 2)), cuts=range(N_ROWS))
    with joblib.parallel_config(n_jobs=n_jobs):
        source.total(lambda block: block.start, Slow())
    assert n_read == N_ROWS
    assert most_ahead <= (1 if n_jobs == 1 else 2 * n_jobs + 1)


@threads
@pytest.mark.parametrize("error", [ZeroDivisionError("here"), DataError("a", "b")])
def test_an_error_in_a_block_comes_out_as_it_is(n_jobs, error, rng):
    def of(block):
        if block.start == 20:
            raise error
        return block.X.sum(axis=0)

    source = ArraySource(rng.normal(size=(N_ROWS, 2)), cuts=SEVEN)
    before = threading.active_count()
    for a_pass in (partial(source.total, of, np.zeros(2)), partial(source.map, of)):
        with joblib.parallel_config(n_jobs=n_jobs), pytest.raises(type(error)) as caught:
            a_pass()
        assert caught.value is error
        assert threading.active_count() == before


@threads
def test_an_error_of_the_source_or_the_sum_comes_out_as_it_is(n_jobs, rng):
    class Torn(ArraySource):
        def blocks(self):
            yield from list(super().blocks())[:3]
            raise OSError("torn")

    X = rng.normal(size=(N_ROWS, 2))
    before = threading.active_count()
    with joblib.parallel_config(n_jobs=n_jobs):
        with pytest.raises(OSError, match="torn"):
            Torn(X, cuts=SEVEN).total(sums, np.zeros(2))
        with pytest.raises(ValueError, match="broadcast"):
            ArraySource(X, cuts=SEVEN).total(sums, np.zeros(3))
    assert threading.active_count() == before


def test_settings_hold_in_the_threads(rng):
    """Those of numpy and of scikit-learn; and a pass within a block has one thread."""

    def of(_):
        within = joblib.effective_n_jobs(None)
        return ((np.geterr()["divide"], get_config()["assume_finite"], within),)

    source = ArraySource(rng.normal(size=(N_ROWS, 2)), cuts=SEVEN)
    with (
        np.errstate(divide="raise"),
        config_context(assume_finite=True),
        joblib.parallel_config(n_jobs=2),
    ):
        assert set(source.total(of, ())) == {("raise", True, 1)}


@threads
def test_small_blocks_are_gathered(n_jobs, rng):
    source = ArraySource(rng.normal(size=(N_ROWS, 2)), cuts=range(0, N_ROWS, 3))
    with joblib.parallel_config(n_jobs=n_jobs):
        found = source.total(lambda block: (block.n_rows,), (), at_least=10)
    assert found == (12, 12, 12, 12, 12, 12, 8)


@threads
def test_each_pass_is_logged(n_jobs, problem, caplog):
    X, y = problem
    source = ArraySource(X, cuts=SEVEN)
    with caplog.at_level(logging.DEBUG, "onesided"), joblib.parallel_config(n_jobs=n_jobs):
        model = PositiveNaiveBayes(0.2).fit(source, y)
        model.decision_function(source)
    fit, score = (record.args[0] for record in caplog.records)
    assert (fit.of, fit.n_rows, fit.n_blocks) == ("ValueCounts", 80, 6)  # none is empty
    assert (score.of, score.n_rows, score.n_blocks) == ("PositiveNaiveBayes._score_block", 80, 7)
    assert fit.seconds > 0
    assert (fit.n_bytes_sent, fit.n_bytes_returned) == (None, None)
    assert caplog.records[0].getMessage().startswith("ValueCounts: 80 rows in 6 blocks, ")
    assert {record.levelname for record in caplog.records} == {"DEBUG"}


def test_the_log_is_silent_by_default(problem, caplog, capfd):
    X, y = problem
    PositiveNaiveBayes(0.2).fit(pd.DataFrame(X), y)
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_passes_of_a_solver_are_counted(problem, caplog):
    X, y = problem
    with caplog.at_level(logging.DEBUG, "onesided"):
        model = WeightedLogisticRegression().fit(X, y)
    names = [record.args[0].of for record in caplog.records]
    assert names.count("LogisticLoss") > model.n_iter_  # one a step, and one at zero
    assert set(names) == {"LogisticLoss", "LossCurvature", "SquareSums"}


@threads
def test_no_blocks(n_jobs):
    class Empty(ArraySource):
        def blocks(self):
            yield from ()

    with joblib.parallel_config(n_jobs=n_jobs):
        assert Empty(np.ones((1, 1))).total(Block.labels, 5) == 5
        with pytest.raises(DataError, match="X has no rows"):
            Empty(np.ones((1, 1))).map(Block.labels)


def test_what_moves_to_and_from_dask_is_logged(problem, caplog):
    """Coefficients go out and a gradient comes back, whatever the number of rows."""
    X, y = problem
    moved = []
    for repeats in (1, 20):
        parts = da.from_array(np.tile(X, (repeats, 1)), chunks=(40 * repeats, 4))
        caplog.clear()
        with (
            dask.config.set(scheduler="synchronous"),
            caplog.at_level(logging.DEBUG, "onesided"),
        ):
            WeightedLogisticRegression().fit(parts, np.tile(y, repeats))
        told = [each.args[0] for each in caplog.records if each.name == "onesided"]
        losses = [each for each in told if each.of == "LogisticLoss"]
        assert {(each.n_rows, each.n_blocks) for each in losses} == {(80 * repeats, 2)}
        moved.append((losses[0].n_bytes_sent, losses[0].n_bytes_returned))
        assert str(losses[0]).endswith(f"{moved[-1][0]:,} bytes sent, {moved[-1][1]:,} returned")
    assert moved[0] == moved[1]
    assert 5 * 8 < min(moved[0]) <= max(moved[0]) < 2000  # five coefficients, five derivatives
