"""What can break in the middle of a fit ends it with one clear error, and does not hang."""

import gzip
import pickle
import signal
import subprocess
import sys
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster
from numpy.testing import assert_allclose

from onesided import PositiveNaiveBayes, WeightedLogisticRegression
from onesided._blocks import read_features
from onesided.exceptions import DataError, OnesidedError, TableError

MODELS = [PositiveNaiveBayes(0.3), WeightedLogisticRegression()]
models = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
N_ROWS = 50_000  # of a part: more than the first megabyte, from which types are read


@pytest.fixture
def frames(rng):
    """Three frames of codes and their labels."""
    columns = {name: rng.integers(0, 9, N_ROWS) for name in "abc"}
    frame = pd.DataFrame(columns | {"known": (np.arange(N_ROWS) % 3 == 0).astype(int)})
    return [frame, frame[::-1], frame]


def write_parquet(frames, folder, **settings):
    folder.mkdir(exist_ok=True)
    for number, frame in enumerate(frames):
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, folder / f"part-{number}.parquet", **settings)
    return folder


def write_csv(frames, folder):
    folder.mkdir(exist_ok=True)
    for number, frame in enumerate(frames):
        text = frame.to_csv(index=False).encode()
        (folder / f"part-{number}.csv.gz").write_bytes(gzip.compress(text, 1))
    return folder


def refused(model, folder, n_jobs=1):
    """The error of a fit from this folder."""
    with joblib.parallel_config(n_jobs=n_jobs), pytest.raises(TableError) as caught:
        model.fit(folder, "known")
    assert len(caught.value.problem.splitlines()) == 1
    return str(caught.value)


@models
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_parquet_part(model, share, frames, tmp_path):
    folder = write_parquet(frames, tmp_path)
    part = folder / "part-1.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[: int(share * len(whole))])
    assert "part-1.parquet" in refused(model, folder)


@models
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_parquet_part_with_a_hole(model, n_jobs, frames, tmp_path):
    """Its end says what it holds, and that is there no more; checksums find what still decodes."""
    for settings in ({}, {"compression": "none", "use_dictionary": False}):
        folder = write_parquet(frames, tmp_path, write_page_checksum=bool(settings), **settings)
        part = folder / "part-1.parquet"
        holed = bytearray(part.read_bytes())
        holed[2000:6000] = bytes(4000)
        part.write_bytes(holed)
        assert "part-1.parquet' cannot be read as parquet: " in refused(model, folder, n_jobs)


@models
@pytest.mark.parametrize("lost", [0.5, 0.01, 6])
def test_a_truncated_gz_part(model, lost, frames, tmp_path):
    """A share of it, or its last bytes, which hold a checksum."""
    folder = write_csv(frames, tmp_path)
    part = folder / "part-1.csv.gz"
    whole = part.read_bytes()
    part.write_bytes(whole[: -int(lost if lost > 1 else lost * len(whole))])
    message = refused(model, folder)
    assert "part-1.csv.gz'" in message
    assert "check that the file is complete" in message.lower()


@models
def test_a_part_that_vanishes_after_it_was_seen(model, frames, tmp_path):
    """While another process cleans up."""
    folder = write_parquet(frames, tmp_path)
    source = read_features(folder, numeric=True)
    (folder / "part-1.parquet").unlink()
    with pytest.raises(TableError, match=r"part-1\.parquet' cannot be read"):
        model.fit(source, np.arange(3 * N_ROWS) % 2)


@models
@pytest.mark.parametrize("write", [write_parquet, write_csv])
def test_a_part_with_other_columns(model, write, frames, tmp_path):
    folder = write([frames[0], frames[1].drop(columns="c")], tmp_path / "less")
    assert r"has a column 'c', which 'part-1" in refused(model, folder)
    folder = write([frames[0], frames[1].assign(d=1)], tmp_path / "more")
    message = refused(model, folder)
    assert message.index("'part-1") < message.index("has a column 'd', which 'part-0")
    folder = write([frames[0], frames[1].rename(columns={"known": "label"})], tmp_path / "label")
    assert "has a column 'known', which 'part-1" in refused(model, folder)


@models
@pytest.mark.parametrize("write", [write_parquet, write_csv])
def test_a_part_with_another_type(model, write, frames, tmp_path):
    words = frames[1].assign(b="x" + frames[1]["b"].astype(str))
    message = refused(model, write([frames[0], words], tmp_path))
    assert "part-1" in message
    assert "Field b has incompatible types: int64 vs " in message


@models
def test_columns_in_another_order_and_fractions_are_no_fault(model, frames, tmp_path):
    turned = frames[1][["known", "c", "a", "b"]].astype({"a": float})
    found = model.fit(write_parquet([frames[0], turned], tmp_path), "known")
    scores = found.decision_function(frames[0][["a", "b", "c"]])
    both = pd.concat(frames[:2])
    expected = model.fit(both.drop(columns="known"), both["known"])
    assert_allclose(scores, expected.decision_function(frames[0][["a", "b", "c"]]), atol=1e-9)


def test_a_word_far_down_a_csv_part(frames, tmp_path):
    late = pd.concat([frames[1]] * 4).astype(object)
    late.iloc[-3, 1] = "word"
    message = refused(MODELS[0], write_csv([frames[0], late], tmp_path))
    assert "'part-1.csv.gz' does not fit the earlier parts: " in message
    assert "Field b has incompatible types: int64 vs string" in message


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


on_cluster = pytest.mark.usefixtures("client")


def spread(frames, meta):
    """A Dask frame that promises the columns of `meta`, whatever its parts are."""
    return dd.from_map(lambda part: frames[part], range(len(frames)), meta=meta)


@on_cluster
@models
@pytest.mark.parametrize("kind", [int, str])
def test_a_dask_part_with_other_columns(model, kind, frames):
    if kind is str and isinstance(model, WeightedLogisticRegression):
        pytest.skip("it takes no text")
    small = [frame[:20].astype({"a": kind}) for frame in frames]
    y = [1, 0] * 30
    X = [frame.drop(columns="known") for frame in small]
    for changed in (
        X[1].drop(columns="c"),
        X[1].assign(d=1),
        X[1].rename(columns={"b": "other"}),
        X[1][["b", "a", "c"]],
    ):
        with pytest.raises(DataError, match="Part 1 of X has the columns ") as caught:
            model.fit(spread([X[0], changed, X[2]], X[0][:0]), y)
        assert "Make all parts with the same columns" in str(caught.value)


@on_cluster
@models
def test_a_dask_block_of_another_width(model):
    blocks = [np.ones((20, 3)), np.ones((20, 2)), np.ones((20, 3))]
    delayed = [da.from_delayed(dask.delayed(each), (20, 3), dtype=float) for each in blocks]
    with pytest.raises(DataError, match=r"Part 1 of X has shape \(20, 2\), X has 3 columns"):
        model.fit(da.concatenate(delayed), [1, 0] * 30)


@on_cluster
def test_a_dask_part_with_values_of_two_types(frames):
    small = [frame[:20].drop(columns="known").astype({"a": str}) for frame in frames]
    small[1]["a"] = pd.Series([1, "x"] * 10, dtype=object, index=small[1].index)
    with (
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(DataError, match="Part 1 of X cannot be read: "),
    ):
        PositiveNaiveBayes(0.3).fit(spread(small, small[0][:0]), [1, 0] * 30)


@on_cluster
@models
@pytest.mark.parametrize("scheduler", ["cluster", "threads"])
def test_an_exception_on_a_worker(model, scheduler):
    """While blocks are made; it comes out as it is."""

    def broken(block):
        if block[0, 0] == 40:
            raise ZeroDivisionError("in block 2")
        return block

    X = da.from_array(np.arange(180.0).reshape(60, 3) // 3 * np.ones(3), chunks=(20, 3))
    X = X.map_blocks(broken, meta=np.empty((0, 3)))
    settings = {} if scheduler == "cluster" else {"scheduler": "threads"}
    with dask.config.set(settings), pytest.raises(ZeroDivisionError, match="in block 2"):
        model.fit(X, [1, 0] * 30)


@on_cluster
def test_an_error_in_a_pass_on_a_worker_names_the_rows():
    """A value that fit has not seen, in the second block."""
    X = np.array([[0], [1]] * 30)
    model = PositiveNaiveBayes(0.3, handle_unknown="error").fit(X, [1, 0] * 30)
    X[35] = 7
    with pytest.raises(DataError, match="Row 35 has a value") as caught:
        model.decision_function(da.from_array(X, chunks=(20, 1)))
    assert caught.value.__notes__ == ["In rows 20 to 39 of X."]


FIT = """
import sys, joblib
from onesided import PositiveTAN

def fit_for_ever():
    with joblib.parallel_config(n_jobs=int(sys.argv[2])):
        while True:
            PositiveTAN(0.3).fit(sys.argv[1], "known")
            print("fitted", flush=True)

for _ in range(4):
    try:
        fit_for_ever()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
fit_for_ever()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(("write", "n_jobs"), [(write_parquet, "2"), (write_csv, "1")])
def test_interrupted(write, n_jobs, frames, tmp_path):
    """Ctrl-C, at any moment of a fit from files, ends it as it ends any program."""
    command = [sys.executable, "-c", FIT, str(write(frames, tmp_path)), n_jobs]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        killer = threading.Timer(60, running.kill)
        killer.start()
        for moment in (0.0, 0.01, 0.03, 0.07):
            assert running.stdout.readline() == "fitted\n"
            time.sleep(moment)
            running.send_signal(signal.SIGINT)
            while (said := running.stdout.readline()) == "fitted\n":
                pass
            assert said == "interrupted\n"
        assert running.stdout.readline() == "fitted\n"
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()
        killer.cancel()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert running.returncode == -signal.SIGINT


def test_errors_of_ours_travel():
    """Between processes, with both sentences."""
    for kind in (TableError, DataError):
        error = pickle.loads(pickle.dumps(kind("a.", "b.")))
        assert isinstance(error, OnesidedError)
        assert (error.problem, error.mend) == ("a.", "b.")
