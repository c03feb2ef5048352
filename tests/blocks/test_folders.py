"""Which files of a folder are its parts, in which order, and what cannot be read."""

import bz2
import gzip

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from onesided import PositiveNaiveBayes, WeightedLogisticRegression
from onesided._files._find import find_files
from onesided._files._passes import FileTable
from onesided.exceptions import DataError, LabelError, TableError
from onesided.preprocessing import HashedText


@pytest.fixture
def frame(rng):
    frame = pd.DataFrame(rng.normal(size=(24, 2)), columns=["a", "b"])
    return frame.assign(y=(np.arange(24) < 8).astype(int))


def test_numbers_in_names_are_numbers(frame, tmp_path):
    """Dask writes part.0 to part.11 and reads them so; a score is that of its row."""
    parts = dd.from_pandas(frame, npartitions=12, sort=False)
    parts.to_parquet(tmp_path, write_index=False)
    model = WeightedLogisticRegression().fit(tmp_path, "y")
    assert_allclose(model.decision_function(tmp_path), model.decision_function(frame[["a", "b"]]))
    names = [file.path.name for file in find_files(tmp_path)]
    assert names == [f"part.{number}.parquet" for number in range(12)]


def test_hidden_folders_are_left_out(frame, tmp_path):
    for folder in (".", ".ipynb_checkpoints", "_temporary", "more"):
        (tmp_path / folder).mkdir(exist_ok=True)
        frame.to_csv(tmp_path / folder / "a.csv", index=False)
    assert FileTable(tmp_path).count_rows() == 48


def test_what_would_be_lost(frame, tmp_path):
    (tmp_path / "links").mkdir()
    frame.to_csv(tmp_path / "links" / "a.csv", index=False)
    (tmp_path / "links" / "b.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(TableError, match=r"b.csv' cannot be read: it is a broken link, or"):
        find_files(tmp_path / "links")
    (tmp_path / "hive" / "b=u").mkdir(parents=True)
    frame.to_csv(tmp_path / "hive" / "b=u" / "a.csv", index=False)
    with pytest.raises(TableError, match=r"'b=u' in .* names a value of a column"):
        find_files(tmp_path / "hive")


def test_a_line_that_names_the_delimiter(frame, tmp_path):
    text = "sep=;\n" + frame.to_csv(index=False, sep=";")
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    found = WeightedLogisticRegression().fit(tmp_path / "t.csv", "y")
    assert_allclose(found.coef_, WeightedLogisticRegression().fit(frame, "y").coef_)


def test_names_in_other_digits_are_no_numbers(frame, tmp_path):
    for name in ("10²", "9", "²"):
        frame.to_parquet(tmp_path / f"{name}.parquet")
    found = [each.path.stem for each in find_files(tmp_path)]
    assert sorted(found) == sorted(["10²", "9", "²"])


def test_compressed_text(frame, tmp_path):
    text = frame.to_csv(index=False).encode()
    for ending, content in ((".gz", gzip.compress(text)), (".bz2", bz2.compress(text))):
        (tmp_path / f"t.csv{ending}").write_bytes(content)
        assert FileTable(tmp_path / f"t.csv{ending}").count_rows() == 24
    with pa.CompressedOutputStream(str(tmp_path / "t.csv.zst"), "zstd") as file:
        file.write(text)
    assert FileTable(tmp_path / "t.csv.zst").count_rows() == 24


@pytest.mark.parametrize("learner", [PositiveNaiveBayes(0.3), WeightedLogisticRegression()])
@pytest.mark.parametrize("n_labels", [20, 30])
def test_labels_of_another_length(frame, tmp_path, learner, n_labels):
    frame[["a", "b"]].to_parquet(tmp_path / "t.parquet")
    with pytest.raises(LabelError, match=f"y has {n_labels} labels, X has"):
        learner.fit(tmp_path / "t.parquet", np.arange(n_labels) < 8)


def test_two_columns_of_one_name(frame):
    twice = frame.set_axis(["a", "a", "y"], axis=1)
    table = pa.table(frame).rename_columns(["a", "a", "y"])
    for X, y in ((twice, "y"), (twice[["a"]], frame["y"]), (table, "y")):
        with pytest.raises(DataError, match=r"Two columns .* 'a'"):
            WeightedLogisticRegression().fit(X, y)
    with pytest.raises(DataError, match="Two columns are named 'a'"):
        WeightedLogisticRegression().fit(
            dd.from_pandas(twice[["a"]], npartitions=2), frame["y"].to_numpy()
        )


def test_a_column_named_as_an_attribute_is(frame):
    named = frame.set_axis(["column_names", "columns", "y"], axis=1)
    here = WeightedLogisticRegression().fit(frame[["a", "b"]], frame["y"])
    assert_allclose(WeightedLogisticRegression().fit(named, "y").coef_, here.coef_)


def test_missing_numbers_of_a_dask_frame(frame):
    X = frame[["a", "b"]].round().astype("Int64").mask(frame[["a", "b"]] > 1)
    parts = dd.from_pandas(X, npartitions=3, sort=False)
    with pytest.raises(ValueError, match="NaN"):
        WeightedLogisticRegression().fit(parts, frame["y"].to_numpy())
    fitted = PositiveNaiveBayes(0.3).fit(parts, frame["y"].to_numpy())
    here = PositiveNaiveBayes(0.3).fit(X, frame["y"])
    assert_allclose(fitted.decision_function(parts), here.decision_function(X))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"analyzer": "words"}, "cannot be hashed"),
        ({"ngram_range": (2, 1)}, "cannot be hashed"),
        ({"ngram_range": 2}, "cannot be hashed"),
        ({"stop_words": "german"}, "cannot be hashed"),
        ({"cache": "gone"}, "is not a folder"),
        ({"text": ["t", "t"]}, "is not a list of different column names"),
        ({"text": [3]}, "is not a list of different column names"),
        ({"text": None}, "is not a list of different column names"),
    ],
)
def test_hashed_text_refuses(given, problem):
    data = pd.DataFrame({"t": ["a hen", "a car"]})
    with pytest.raises(DataError, match=problem):
        HashedText(data, **{"text": "t", **given})
