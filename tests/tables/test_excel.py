"""Workbooks of Excel: every cell means what the same cell of a CSV file means."""

import datetime as dt
import math

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

from command_line import passed, refused, run
from onesided import tables
from onesided.exceptions import TableError
from onesided.tables import _excel
from onesided.tables._write import write_table

FORMULAS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", "=HYPERLINK(1)"]
TEXTS = [
    "04109",
    "1e5",
    "007",
    "TRUE",
    "",
    " x ",
    "ß",
    "a\nb",
    "https://a.b/c",
    "mailto:x",
]


def sheet(path):
    (found,) = openpyxl.load_workbook(path).worksheets
    return found


def test_text_stays_text(tmp_path):
    cells = [*FORMULAS, *TEXTS]
    write_table(pa.table({"=name": cells}), tmp_path / "t.xlsx")
    found = [each[0] for each in sheet(tmp_path / "t.xlsx").iter_rows()]
    assert {each.data_type for each in found if each.value is not None} == {"s"}  # no "f"
    assert [each.value or "" for each in found] == ["=name", *cells]


def test_numbers_and_times(tmp_path):
    table = pa.table(
        {
            "whole": pa.array([1, -(2**53), None]),
            "long": pa.array([2**53 + 1, 12345678901234567, 3]),
            "real": [0.1, math.nan, math.inf],
            "truth": [True, False, None],
            "day": [dt.date(2026, 1, 2), None, dt.date(1890, 3, 4)],
            "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
        }
    )
    write_table(table, tmp_path / "t.xlsx")
    rows = list(sheet(tmp_path / "t.xlsx").iter_rows(values_only=True))
    assert rows == [
        tuple(table.column_names),
        (1, str(2**53 + 1), 0.1, True, "2026-01-02", "a"),
        (-(2**53), "12345678901234567", None, False, None, "b"),
        (None, 3, "inf", None, "1890-03-04", "a"),
    ]
    first = (tmp_path / "t.xlsx").read_bytes()
    write_table(table, tmp_path / "t.xlsx")
    assert (tmp_path / "t.xlsx").read_bytes() == first


def test_what_no_sheet_holds(tmp_path, monkeypatch):
    with pytest.raises(TableError, match="row 1 has one of 32,768"):
        write_table(pa.table({"a": ["x" * 32_768]}), tmp_path / "t.xlsx")
    monkeypatch.setattr(_excel, "_MOST_ROWS", 2)
    with pytest.raises(TableError, match=r"holds 2 rows.*\.csv or \.parquet"):
        write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "t.xlsx")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("customers")
    rng = np.random.default_rng(5)
    known = np.arange(200) < 40
    table = pd.DataFrame({"code": [f"{n:05}" for n in range(200)], "known": known.astype(int)})
    table.assign(size=rng.normal(size=200) + known).to_csv(folder / "t.csv", index=False)
    return folder


def test_every_table_may_be_a_workbook(folder):
    ask = ["t.csv", "--positive", "known", "--id", "code", "--method", "logistic"]
    for ending in ("csv", "xlsx"):
        more = ["--scenario", "case-control", "--gains", f"g.{ending}"]
        passed("rank", *ask, *more, "--out", f"r.{ending}", cwd=folder)
        passed("fit", *ask, "--out", "m.onesided", cwd=folder)
        passed("score", "m.onesided", "t.csv", "--out", f"s.{ending}", cwd=folder)
    for name in "rgs":
        csv = pd.read_csv(folder / f"{name}.csv", dtype={"code": str})
        excel = pd.read_excel(folder / f"{name}.xlsx", dtype={"code": str}, engine="openpyxl")
        pd.testing.assert_frame_equal(csv, excel, check_dtype=False)


def test_it_is_said_before_the_work_what_is_missing(folder, monkeypatch):
    ask = ["rank", "t.csv", "--positive", "known", "--out", "o.xlsx"]
    refused(run(*ask, "--for-spreadsheet", cwd=folder), "works only for .csv", "never a formula")
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    done = run(*ask, cwd=folder)
    refused(done, "To write .xlsx onesided needs XlsxWriter", "pip install 'onesided[excel]'")
    assert "rows" not in done.stderr
    assert tables.RANKING_ENDINGS.count(".xlsx") == 1
