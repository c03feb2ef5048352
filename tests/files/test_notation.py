"""Numbers as people write them: what each cell means, and which notation a file has."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from onesided import tables
from onesided._files._batches import read_batches
from onesided._files._find import find_files
from onesided._files._wanted import ModelColumn
from onesided.exceptions import TableError
from onesided.tables._features import used_columns

GERMAN, ENGLISH = "1.234,56", "1,234.56"


def column(tmp_path, cells, *, name="t.csv", delimiter=";", beside=()):
    """A column of a file, as numbers or text, and how it was written."""
    quote = '"' if delimiter == "," else ""
    rows = zip(cells, *beside, strict=True) if beside else ([cell] for cell in cells)
    header = [f"c{number}" for number in range(1 + len(beside))]
    lines = [header, *rows]
    text = "\n".join(delimiter.join(quote + each + quote for each in line) for line in lines)
    (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    found = tables.read_table(tmp_path / name, delimiter=delimiter)
    summary = tables.describe(found.append_column("x", pa.array(range(0, 2 * len(cells), 2))))
    return found["c0"].to_pylist(), summary.columns[0].written


@pytest.mark.parametrize(
    ("cells", "numbers", "written"),
    [
        (["1.234,56", "3", "-1.234,5"], [1234.56, 3, -1234.5], "1.234,56"),
        (["1.234.567", "2.000"], [1234567, 2000], "1.234,56"),
        (["1 234,5", "1\u00a0234,5", "1\u202f234"], [1234.5, 1234.5, 1234], "1 234,56"),
        (["1'234.50", "12"], [1234.5, 12], "1'234.56"),
        (["1\u2019234,50", "12"], [1234.5, 12], "1\u2019234,56"),
        (["1,234.56", "4,052.49", "7"], [1234.56, 4052.49, 7], "1,234.56"),
        (["12 345", "9"], [12345, 9], "1 234.56"),
        (["€ 12,50", "€ -3", "-€1.000,5"], [12.5, -3, -1000.5], "1.234,56 €"),
        (["12,50 EUR", "3,00 EUR"], [12.5, 3], "1234,56 EUR"),
        (["$1,234.50", "$7"], [1234.5, 7], "1,234.56 $"),
        (["12 %", "3,5 %"], [12, 3.5], "1234,56 %"),
        (["\u22125,5", "+2"], [-5.5, 2], "1234,56"),
        (["1,5E+03", "2,0"], [1500, 2], "1234,56"),
    ],
)
def test_cells(cells, numbers, written, tmp_path):
    assert column(tmp_path, cells) == (numbers, written)


@pytest.mark.parametrize(
    "cells",
    [
        ["1.234,56", "1,234.56"],
        ["12 %", "5"],
        ["€ 5", "$ 5"],
        ["1,5", "a"],
        ["12.34.567,0", "1,5"],
        ["01.234,5", "1,5"],
        ["1,5-2,5", "3"],
        ["1 234.567,0", "1,5"],
    ],
)
def test_what_is_no_notation_stays_text(cells, tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(f"{each};1\n" for each in cells))
    assert tables.read_table(tmp_path / "t.csv")["a"].to_pylist() == cells


@pytest.mark.parametrize(
    ("cells", "delimiter", "beside", "first"),
    [
        (["1.234", "2.345"], ";", [], 1.234),
        (["1.234", "2.345"], ";", [["0,5", "1"]], 1234),
        (["1.230", "2.345"], ";", [["0,5", "1"]], 1230),
        (["1.234", "2,5"], ";", [], 1234),
        (["1.23", "2.345"], ";", [["0,5", "1"]], 1.23),
        (["1,234", "2,345"], ";", [], 1.234),
        (["1,234", "2,345"], "\t", [["0.5", "1"]], 1234),
        (["1,234", "2,345"], ",", [], 1234),
        (["1,234", "2,345"], ",", [["0,5", "1"]], 1.234),
        (["35,5", "2,345"], ",", [], 35.5),
        (["0,234", "0,345"], ",", [], 0.234),
        (["1,234", "2,345"], ",", [["0,5", "1"], ["0.5", "1"]], 1234),
    ],
)
def test_cells_of_two_meanings(cells, delimiter, beside, first, tmp_path):
    """What other cells, other columns and the delimiter say, in this order."""
    assert column(tmp_path, cells, delimiter=delimiter, beside=beside)[0][0] == first


def test_the_files_of_a_folder_have_one_notation(tmp_path):
    for name, cells in {"a": ["1", "2"], "b": ["1.234", "NA"], "c": ["1.234,5", "2"]}.items():
        text = "x;y\n" + "".join(f"{cell};u\n" for cell in cells)
        (tmp_path / f"{name}.csv").write_text(text)
    found = tables.read_table(tmp_path)
    assert found["x"].to_pylist() == [1, 2, 1234, None, 1234.5, 2]
    assert tables.describe(found, without=["y"]).columns[0].written == GERMAN


def test_parts_of_two_currencies_stay_text(tmp_path):
    for name, unit in {"a": "€", "b": "$"}.items():
        (tmp_path / f"{name}.csv").write_text(f"x;y\n5 {unit};u\n6 {unit};u\n")
    assert tables.read_table(tmp_path)["x"].to_pylist() == ["5 €", "6 €", "5 $", "6 $"]


def test_the_row_of_a_cell_that_does_not_fit(tmp_path):
    """Behind the first batch, which holds whole numbers that say nothing."""
    rows = ["1234;x\n"] * 70_000 + ["1.234,5;x\n", "1.234.5;x\n"]
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(rows))
    column = ModelColumn("a", "number", "double", ",")
    batches = read_batches(*find_files(tmp_path / "t.csv"), [column])
    assert sum(next(batches)["a"].to_pylist()) == 1234 * 65_536
    with pytest.raises(TableError, match=r"'a' of 't.csv' holds '1\.234\.5' in row 70002; the oth"):
        list(batches)


def test_text_of_other_formats(tmp_path):
    """Whole numbers that are text there are codes, and stay text."""
    rows = '{"a": "1,234.5", "b": "012"}\n{"a": "7", "b": "013"}\n'
    (tmp_path / "t.jsonl").write_text(rows)
    found = tables.read_table(tmp_path / "t.jsonl")
    assert found.to_pydict() == {"a": [1234.5, 7], "b": ["012", "013"]}


def test_identifiers_are_taken_to_the_letter(tmp_path):
    (tmp_path / "t.csv").write_text("id;a\n1.234;0,5\n2.345;1\n")
    found = tables.read_table(tmp_path / "t.csv", as_text=["id"])
    assert found.to_pydict() == {"id": ["1.234", "2.345"], "a": [0.5, 1]}


@pytest.mark.parametrize("cell", ["etwa 5", "1,234.56"])
def test_a_cell_that_does_not_fit_is_named(cell, tmp_path):
    cells = [f"{n}.234,5" for n in range(1, 60)]
    cells[40] = cell
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(f"{each};1\n" for each in cells))
    found = tables.read_table(tmp_path / "t.csv")
    with pytest.raises(
        TableError, match=f"'a' holds numbers, but row 41 holds '{cell}'.* Correct the"
    ):
        tables.describe(found)
    assert tables.describe(found, categorical=["a"]).used == ["a"]


@pytest.mark.parametrize(
    "date",
    [
        "{:02}.08.2024",
        "{}.8.2024",
        "08/{:02}/2024",
        "{:02}.08.24",
        "2024/08/{:02} 13:44:05",
        "{:02}.08.2024 13:44",
        "{:02}-08-2024",
        "2024-08-{:02}T09:30:00+02:00",
        "8/{}/2024 1:30 PM",
        "{} August 2024",
        "{:02}-Aug-24",
        "August {}, 2024",
        "Thursday, Aug. {}th, 2024",
        "Thu, {} Aug 2024 13:44:05 GMT",
        "Thu, {:02} Aug 2024 13:44:05 -0700 (PDT)",
    ],
)
@pytest.mark.parametrize("n_days", [3, 28])
def test_dates_that_are_text(date, n_days):
    cells = [date.format(1 + n % n_days) for n in range(56)]
    table = pa.table({"d": cells, "x": [n % 5 for n in range(56)]})
    summary = tables.describe(table)
    assert summary.names("date") == ["d"]
    if n_days == 28:  # so that a number above 12 tells the day from the month
        days = np.floor(used_columns(table, summary)["d"].to_numpy())
        first = (dt.date(2024, 8, 1) - dt.date(1970, 1, 1)).days
        assert days.tolist() == [first + n % n_days for n in range(56)]
    assert tables.describe(pa.table({"d": cells}), categorical=["d"]).used == ["d"]


@pytest.mark.parametrize(
    "cell", ["1.2.{}", "192.168.1.{}", "99.99.{:02}", "20-00-{:02}", "May {}", "12-Marble-{}"]
)
def test_codes_are_no_dates(cell):
    summary = tables.describe(pa.table({"c": [cell.format(10 + n % 3) for n in range(56)]}))
    assert summary.names("category") == ["c"]
