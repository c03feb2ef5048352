"""Numbered features: files of svmlight's format, and what becomes of their columns."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from onesided import tables
from onesided._files._rows import read_rows
from onesided.exceptions import TableError
from onesided.methods import rankers_for
from onesided.tables import _sparse
from onesided.tables._features import feature_matrices, used_columns

MAPS = pa.map_(pa.int32(), pa.float64())


@pytest.fixture
def X():  # noqa: N802 - scikit-learn's name
    """Counts with gaps, and a last row of nothing."""
    rng = np.random.default_rng(5)
    found = rng.poisson(0.4, (30, 12)) * (np.arange(12) != 5)
    found[-1] = 0
    return sparse.csr_matrix(found)


def write(X, folder, name="x.svm", *, labels=None):
    labels = np.arange(X.shape[0]) % 2 if labels is None else labels
    dump_svmlight_file(X, labels, str(folder / name), zero_based=False)
    return folder / name


def maps(*rows):
    return pa.chunked_array([pa.array(rows, MAPS)])


def test_a_file_is_read_with_its_numbers(tmp_path, X):
    data = read_rows(write(X, tmp_path)).data
    summary = tables.describe(data, without=["label"])
    assert data.column_names == ["label", "features"]
    assert data["label"].to_pylist() == list(np.arange(30) % 2)
    names, (found,) = feature_matrices(data, summary)
    assert names == [str(n + 1) for n in range(12) if n != 5]  # the file counts from 1
    assert_array_equal(found.toarray(), np.delete(X.toarray(), 5, axis=1))
    assert summary.sparse["features"].are_counts
    assert summary.columns[0].n_distinct == 11


def test_endings_and_folders(tmp_path, X):
    for name in ("a.svmlight", "a.libsvm", "a.dat", "a.svm.gz"):
        path = write(X, tmp_path, name.removesuffix(".gz"))
        if name.endswith(".gz"):
            (tmp_path / name).write_bytes(gzip.compress(path.read_bytes()))
        assert read_rows(tmp_path / name).data.num_rows == 30
    (tmp_path / "parts").mkdir()
    for n in (1, 2):
        write(X, tmp_path / "parts", f"{n}.svm")
    assert read_rows(tmp_path / "parts").data.num_rows == 60


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1 2:3 1:4\n", "cannot be read as svmlight"),
        ("1 a:3\n", "cannot be read as svmlight"),
        ("1 1:nan\n0 2:1\n", "holds a value that is not a finite number in row 1"),
        ("1 1:2\n0 2:1\n1 1:3 7:inf\n", "not a finite number in row 3"),
        ("1 99999999999:1\n", "cannot be read as svmlight|more than 2,147,483,647"),
        ("", "holds no row"),
    ],
)
def test_odd_files(tmp_path, text, problem):
    (tmp_path / "x.svm").write_text(text)
    with pytest.raises(TableError, match=problem):
        read_rows(tmp_path / "x.svm")


def test_a_column_of_maps_is_a_matrix():
    column = maps([(1, 2.0)], None, [(3, 0.0), (7, 5.0)], [], [(9, 1.0), (1, 4.0)])
    found = _sparse.find_features(column)
    assert_array_equal(found.numbers, [1, 7, 9])
    expected = np.array([[2, 0, 0], [0, 0, 0], [0, 5, 0], [0, 0, 0], [4, 0, 1]])
    transform = _sparse.SparseColumn(found.numbers).transform
    assert_array_equal(transform(column).toarray(), expected)
    assert_array_equal(transform(column.slice(2, 3)).toarray(), expected[2:])
    assert_array_equal(transform(column.take(pa.array([4, 1, 0]))).toarray(), expected[[4, 1, 0]])
    assert_array_equal(transform(pa.chunked_array([*column.chunks] * 2)).toarray()[5:], expected)
    assert transform(column.slice(0, 0)).shape == (0, 3)
    presence = _sparse.SparseColumn(np.array([7, 9]), binary=True).transform(column)
    assert_array_equal(presence.toarray(), (expected != 0)[:, 1:])
    fractions = maps([(1, 0.5)], [(1, 2.0)])
    assert not _sparse.find_features(fractions).are_counts


def test_what_arrow_keeps_behind_a_missing_map_is_not_read():
    (chunk,) = maps([(1, 2.0)], [(3, 4.0)], [(1, 5.0)]).chunks
    entries = pa.StructArray.from_arrays([chunk.keys, chunk.items], fields=list(MAPS.field(0).type))
    buffers = [pa.py_buffer(bytes([0b101])), chunk.buffers()[1]]  # the second is missing
    hidden = pa.Array.from_buffers(MAPS, 3, buffers, null_count=1, children=[entries])
    found = _sparse.SparseColumn(np.array([1, 3])).transform(pa.chunked_array([hidden]))
    assert_array_equal(found.toarray(), [[2, 0], [0, 0], [5, 0]])


def test_nothing_is_copied_where_arrow_has_a_csr():
    column = maps([(0, 2.0), (2, 3.0)], [(1, 1.0)])
    found = _sparse.SparseColumn(np.arange(3)).transform(column)
    assert np.shares_memory(found.data, column.chunk(0).items.to_numpy())


def test_what_columns_of_maps_are_features():
    table = pa.table({"x": maps(*[[(1, 1.0), (2, 3.0)], [(2, 1.0)]] * 10), "y": [0, 1] * 10})
    assert tables.describe(table).names("sparse") == ["x"]
    names = pa.array([[("a", 1)], [("b", 2)]] * 10, pa.map_(pa.string(), pa.int64()))
    with pytest.raises(TableError, match="not a single value"):
        tables.describe(table.append_column("z", names))
    none = table.set_column(0, "x", maps(*[[(1, 0.0)], []] * 10))
    assert tables.describe(none).dropped[0].reason == "all of its features are 0"


@pytest.mark.parametrize("method", ["naive-bayes", "multinomial", "logistic", "significance"])
@pytest.mark.parametrize("counts", [True, False])
def test_rankers_of_a_column_of_maps_are_those_of_the_matrix(tmp_path, X, method, counts):
    scaled = X if counts else X * 0.25 - sparse.diags_array([1.0] * 12, shape=X.shape)
    data = read_rows(write(scaled.tocsr(), tmp_path)).data
    summary = tables.describe(data, without=["label"])
    if method == "multinomial" and not counts:
        with pytest.raises(TableError, match="for counts of words"):
            rankers_for(summary, methods=[method])
        return
    y = data["label"].to_numpy() == 1
    for ranker in rankers_for(summary, methods=[method], class_prior=0.2).values():
        features = used_columns(data, summary)
        scores = ranker.fit(features, y).decision_function(features)
        matrix = ranker["columns"].transform(features)
        assert matrix.shape == (30, len(summary.sparse["features"].numbers))
        assert list(ranker["columns"].get_feature_names_out()) == [
            str(n) for n in summary.sparse["features"].numbers
        ]
        assert np.isfinite(scores).all()
        order = np.random.default_rng(0).permutation(30)
        again = ranker.decision_function(features.take(pa.array(order)))
        np.testing.assert_allclose(again, scores[order])
