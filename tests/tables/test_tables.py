"""What is understood of a table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from onesided import hidden_positive_ranks, tables
from onesided.exceptions import TableError
from onesided.methods import rankers_for
from onesided.tables._labels import read_labels

EXAMPLE = Path(__file__).parents[2] / "examples" / "yeast"


def roles(columns):
    summary = tables.describe(pa.table(columns))
    return {column.name: column.role for column in summary.columns}


def test_roles():
    n = 60
    columns = {
        "real": np.linspace(0, 1, n),
        "count": np.arange(n) % 7,
        "flag": np.arange(n) % 2 == 0,
        "color": np.array(["red", "blue"])[np.arange(n) % 2],
        "postcode": np.array(["0130", "0481A", "B7"])[np.arange(n) % 3],
        "opinion": [f"this is a note of number {i % 9}" for i in range(n)],
        "name": [f"gene{i}" for i in range(n)],
        "row": np.arange(n),
        "constant": np.ones(n),
        "gaps": pa.nulls(n),
        "date": pa.array(np.arange(0, n, dtype="M8[D]")),
        "one value or missing": pa.array(["x" if i % 3 else None for i in range(n)]),
    }
    assert roles(columns) == {
        "real": "number",
        "count": "number",
        "flag": "category",
        "color": "category",
        "postcode": "category",
        "opinion": "text",
        "name": "dropped",
        "row": "dropped",
        "constant": "dropped",
        "gaps": "dropped",
        "date": "date",
        "one value or missing": "category",
    }


def test_the_index_of_a_data_frame_is_no_feature(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0]}, index=[7, 3, 9])
    frame.to_parquet(tmp_path / "t.parquet")
    summary = tables.describe(tables.read_table(tmp_path / "t.parquet"))
    assert summary.used == ["a"]
    assert summary.dropped[0].reason == "it is the index of a data frame"


def test_differences_that_rounding_swallows():
    n = 60
    summary = tables.describe(
        pa.table(
            {
                "wide": 1e9 + np.arange(n),
                "narrow": 2**60 + np.arange(n) % 5,
                "lone": pa.array([7.0 if i % 3 else None for i in range(n)]),
            }
        )
    )
    assert summary.used == ["wide", "lone"]
    assert summary.dropped[0].reason == "its values, about 1.15e+18, are nearly equal"


@pytest.mark.parametrize(("size", "fits"), [(1e-200, False), (1e-99, True), (1e-320, False)])
def test_numbers_whose_squares_vanish(size, fits):
    table = pa.table({"tiny": size * np.array([0.0, 1.0, 3.0, -2.0])})
    if fits:
        assert tables.describe(table).used == ["tiny"]
        return
    with pytest.raises(TableError, match=r"column 'tiny' .*underflow to 0\. Multiply them"):
        tables.describe(table)
    assert tables.describe(table, categorical=["tiny"]).used == ["tiny"]


def test_nan_is_missing():
    (column,) = tables.describe(pa.table({"a": [1.0, np.nan, 2.0, None]})).columns
    assert (column.n_missing, column.n_distinct, column.role) == (2, 2, "number")


@pytest.mark.parametrize(
    ("cells", "spec", "expected"),
    [
        ([1, 0, 1], "y", [1, 0, 1]),
        ([1.0, None, 1.0], "y", [1, 0, 1]),
        ([1, -1, 1], "y", [1, 0, 1]),
        ([True, False, True], "y", [1, 0, 1]),
        (["Yes", "no", "yes"], "y", [1, 0, 1]),
        (["x", "", "X"], "y", [1, 0, 1]),
        (["x", None, "x"], "y", [1, 0, 1]),
        (["TRUE", "FALSE", "true"], "y", [1, 0, 1]),
        (["spam", "ham", "spam"], "y=spam", [1, 0, 1]),
        ([3, 2, 3], "y=3", [1, 0, 1]),
        ([3.0, 2.5, 3.0], "y=3", [1, 0, 1]),
        ([2.5, 3.0, 2.5], "y=2.5", [1, 0, 1]),
    ],
)
def test_labels(cells, spec, expected):
    name, positive = read_labels(pa.table({"y": cells * 2}), spec)
    assert name == "y"
    assert_array_equal(positive, expected * 2)


def test_a_column_whose_name_holds_an_equals_sign():
    table = pa.table({"a=b": [1, 0, 0, 1], "a": ["b", "c", "c", "b"]})
    assert read_labels(table, "a=b")[0] == "a=b"
    assert read_labels(table, "a=b=1")[0] == "a=b"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(tmp_path, delimiter):
    path = tmp_path / "t.csv"
    rows = [["id", "a", "b"], ["r1", "1", "x"], ["r2", "2", '"y, z"']]
    path.write_text("\n".join(delimiter.join(row) for row in rows))
    table = tables.read_table(path)
    assert table.column_names == ["id", "a", "b"]
    assert table["b"].to_pylist() == ["x", "y, z"]


def test_byte_order_mark_windows_lines_and_unnamed_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeff,naïve\r\n1,2\r\n3,4\r\n".encode())
    assert tables.read_table(path).to_pydict() == {"column_1": [1, 3], "naïve": [2, 4]}


def test_quoted_line_breaks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"two\nlines"\n2,"one"\n')
    assert tables.read_table(path)["b"].to_pylist() == ["two\nlines", "one"]


@pytest.mark.parametrize(
    "form", ["<{}.5", "{}.25 kg", "{}.5±0.1", "~{}", "{}.5 (0.2)", "{}*", "{} mg/l"]
)
def test_odd_numbers_do_not_name_rows(form):
    """They are no names; identifiers are."""
    for cells, said in (
        ([form.format(n) for n in range(40)], f"write them alone, and not as {form.format(0)!r}"),
        ([f"r{n}" for n in range(40)], "they name the rows"),
        ([f"10.1000/x{n}" for n in range(40)], "they name the rows"),
        ([f"2024-{n:03}" for n in range(40)], "they name the rows"),
    ):
        table = pa.table({"a": cells, "b": [n % 3 for n in range(40)]})
        (found,) = tables.describe(table).dropped
        assert found.reason.endswith(said), cells[0]


def test_missing_marks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,x,1\nNA,?,2\n,,3\n4,y,4\n")
    table = tables.read_table(path)
    assert table["a"].to_pylist() == [1, None, None, 4]
    assert table["b"].to_pylist() == ["x", None, None, "y"]


def test_types_that_change_late_in_a_file(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{i},{i}" for i in range(200_000)]
    path.write_text("a,b\n" + "\n".join(lines) + "\n1.5,word\n")
    table = tables.read_table(path)
    assert table["a"][-1].as_py() == 1.5
    with pytest.raises(TableError, match="Column 'b' holds numbers, but row 200001 holds 'word'"):
        tables.describe(table)


def test_writing_is_whole_or_not_at_all(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("old")

    def fail(path):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(TableError, match=r"two.csv' cannot be written: No space left"):
        tables.write_files({one: lambda path: path.write_text("new"), two: fail})
    assert one.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["one.csv"]
    tables.write_files({one: lambda path: path.write_text("new")})
    assert one.read_text() == "new"


@pytest.fixture(scope="module")
def yeast():
    table = tables.read_table(EXAMPLE / "genes.csv.gz")
    summary = tables.describe(table, without=["gene", "known_target"])
    return table, summary


def test_example_is_as_its_source(yeast, data_dir):
    """The shipped table is the Spellman part of the expression data, to the digits given."""
    table, _ = yeast
    source = pq.read_table(data_dir / "tabular" / "yeast_expression.parquet")
    assert table["gene"].to_pylist() == source["gene"].to_pylist()
    for name in table.column_names[2:]:
        found = table[name].cast(pa.float64()).to_numpy()
        expected = source[f"sp_{name}"].to_numpy()
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_five_cell_cycle_factors(yeast):
    """Hidden-positive AUC over the targets of five factors named before the first run.

    Of the other genes one in four, few folds and bags: enough for the claim.
    """
    table, summary = yeast
    known = pacsv.read_csv(EXAMPLE / "targets.csv").to_pydict()
    genes = np.array(table["gene"].to_pylist())
    kept = np.isin(genes, known["gene"]) | (np.arange(len(genes)) % 4 == 0)
    table, genes = table.filter(pa.array(kept)), genes[kept]
    X, rankers = table.select(summary.used), rankers_for(summary)
    rankers["bagging"].set_params(model__n_estimators=30)
    factors = ["ACE2", "MBP1", "MCM1", "SWI4", "SWI5"]
    assert sorted(set(known["factor"])) == factors
    for name, ranker in rankers.items():
        aucs = []
        for factor in factors:
            pairs = zip(known["factor"], known["gene"], strict=True)
            y = np.isin(genes, [gene for each, gene in pairs if each == factor])
            aucs.append(1 - hidden_positive_ranks(ranker, X, y, cv=3).mean())
        assert np.mean(aucs) > 0.7, name


def test_a_table_larger_than_memory(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 50, encoding="utf-8")
    needed = 2 * 204 + 12 * 102  # twice the text, and 12 bytes a cell
    monkeypatch.setattr("onesided._files._whole.available_memory", lambda: needed - 1.0)
    with pytest.raises(
        TableError, match=r"exceeds the .* that are free.* sample.*`unlabeled=200000`, then score"
    ):
        tables.read_table(tmp_path / "t.csv")
    monkeypatch.setattr("onesided._files._whole.available_memory", lambda: float(needed))
    assert tables.read_table(tmp_path / "t.csv").num_rows == 50
