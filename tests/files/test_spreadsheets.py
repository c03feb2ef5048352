"""Workbooks: a sheet is the table that it would be as CSV."""

import csv
import datetime as dt
import re
import zipfile
from functools import partial

import pytest

from command_line import passed, refused, run
from onesided import PositiveNaiveBayes, rank_table, tables
from onesided._files import _extra
from onesided._files._find import find_files
from onesided._files._passes import FileTable
from onesided.exceptions import DataError, OnesidedWarning, TableError
from onesided.scoring import fit_table, score_table
from workbooks import put_cells, write_workbook

NAMES = ["id", "size", "whole", "kind", "mark", "day", "known", "typed", "code"]


def rows(rng, n_rows=40):
    size = rng.integers(-99, 99, size=n_rows) / 64
    return [
        [
            f"r{n}",
            float(size[n] + (n < 12)),
            n % 7 if n % 5 else None,
            ("red", "blue", "NA")[n % 3],
            n % 2 == 0,
            dt.date(2024, 1, 1 + n % 28),
            int(n < 12),
            f"{1000 + n},5",  # numbers that were typed as text
            f"{n % 9:03}",
        ]
        for n in range(n_rows)
    ]


@pytest.fixture(params=["xlsx", "ods"])
def ending(request):
    return request.param


def write_csv(path, lines):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        for line in lines:
            writer.writerow(str(c).lower() if isinstance(c, bool) else c for c in line)


def test_a_sheet_is_the_table_that_its_csv_is(ending, tmp_path, rng):
    """With columns and rows that are empty around it, and a title above."""
    lines = rows(rng)
    write_csv(tmp_path / "t.csv", [NAMES, *lines])
    right = tables.read_table(tmp_path / "t.csv")
    assert right.schema.field("typed").type == "double"
    assert right.schema.field("code").type == "string"
    path = tmp_path / f"t.{ending}"
    write_workbook(path, {"one": [NAMES, *lines]}, at=(4, 3))
    assert tables.read_table(path).equals(right)
    write_workbook(path, {"one": [["Yeast, all genes"], [], NAMES, *lines, ["", ""], [None] * 20]})
    with pytest.warns(OnesidedWarning, match="rows above the header, left out: 2"):
        assert tables.read_table(path).equals(right)
    asked = {"identifier": "id", "methods": ["naive-bayes"]}
    rankings = [rank_table(each, "known", **asked).table for each in (tmp_path / "t.csv", path)]
    assert rankings[0].equals(rankings[1])


def test_a_sheet_is_chosen_by_its_name(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    sheets = {"one": [["a", "b"], [1, 2]], "empty": [], "two, of Ärzte": [["c"], [3], [4]]}
    write_workbook(path, sheets)
    with pytest.warns(
        OnesidedWarning, match=r"Sheet 'one' of .*not read: 'two, of Ärzte' .*`sheet`"
    ):
        assert tables.read_table(path, at_least=1).to_pydict() == {"a": [1], "b": [2]}
    found = tables.read_table(path, sheet="two, of Ärzte")
    assert found.to_pydict() == {"c": [3, 4]}
    with pytest.raises(TableError, match=r"has no sheet 'three'.* 'one', 'empty', 'two, of Ärzte'"):
        tables.read_table(path, sheet="three")
    with pytest.raises(TableError, match="holds no cell"):
        tables.read_table(path, sheet="empty")
    write_workbook(path, {"one": []})
    with pytest.raises(TableError, match="holds no cell"):
        tables.read_table(path)


def test_the_command_takes_a_sheet(tmp_path, rng):
    lines = rows(rng)
    write_workbook(tmp_path / "t.xlsx", {"notes": [["see"], ["b"]], "data": [NAMES, *lines]})
    write_workbook(tmp_path / "n.xlsx", {"data": [NAMES, *lines[:15]], "old": [["id"]]})
    asked = ("--positive", "known", "--id", "id", "--method", "naive-bayes")
    passed("rank", "t.xlsx", *asked, "--sheet", "data", "--out", "r.csv", cwd=tmp_path)
    passed("enrich", "t.xlsx", *asked[:4], "--sheet", "data", "--out", "e.csv", cwd=tmp_path)
    passed("fit", "t.xlsx", *asked, "--sheet", "data", "--out", "m.onesided", cwd=tmp_path)
    passed("score", "m.onesided", "n.xlsx", "--sheet", "data", "--out", "s.csv", cwd=tmp_path)
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 16
    done = passed("score", "m.onesided", "n.xlsx", "--out", "s.csv", cwd=tmp_path)
    assert "Sheet 'data' of 'n.xlsx': other sheets, not read: 'old'" in done.stderr
    refused(run("rank", "t.xlsx", *asked, "--sheet", "dta", cwd=tmp_path), "no sheet 'dta'", "data")


def test_rows_may_be_drawn_from_a_sheet(tmp_path, rng):
    write_workbook(tmp_path / "t.xlsx", {"a": [["x"], [1]], "data": [NAMES, *rows(rng)]})
    asked = {"identifier": "id", "methods": ["naive-bayes"], "sheet": "data"}
    model = fit_table(tmp_path / "t.xlsx", "known", unlabeled=20, **asked)
    assert model.n_learned == 32
    assert score_table(model, tmp_path / "t.xlsx", sheet="data").n_rows == 40


def test_parts_of_a_table(ending, tmp_path):
    """Each file of a folder is read by its own first sheet."""
    for name, sheet in (("1", "2019"), ("2", "2020"), ("10", "2021")):
        write_workbook(tmp_path / f"{name}.{ending}", {sheet: [["a"], [int(name)]]})
    (tmp_path / f"~$1.{ending}").write_bytes(b"a lock of Excel, which has the file open")
    assert tables.read_table(tmp_path)["a"].to_pylist() == [1, 2, 10]
    assert FileTable(tmp_path).count_rows() == 3


@pytest.mark.filterwarnings("ignore:.*hold an error:onesided.exceptions.OnesidedWarning")
def test_cells_of_all_types(tmp_path):
    """Numbers as they are and not as they are shown; times as text."""
    cells = {
        "rounded": 0.1 + 0.2,
        "large": 1e20,
        "digits": 1000000000000014,
        "moment": dt.datetime(2024, 1, 2, 3, 4, 5),  # noqa: DTZ001 - a cell has no zone
        "time": dt.time(3, 4),
        "long": dt.timedelta(hours=30, seconds=5),
        "lines": 'a\nb, c\r\n"d"',
        "error": None,
    }
    book = write_workbook(tmp_path / "t.xlsx", {"one": [[*cells], [*cells.values()]]})
    book["one"].cell(2, len(cells), "#N/A").data_type = "e"
    book.save(tmp_path / "t.xlsx")
    (file,) = find_files(tmp_path / "t.xlsx")
    found = file.format.read(file, list(cells)).to_pylist()[0]
    assert found == {
        "rounded": "0.3",  # openpyxl writes 15 digits
        "large": "1e+20",
        "digits": "1000000000000014",
        "moment": "2024-01-02 03:04:05",
        "time": "03:04:00",
        "long": "30:00:05",
        "lines": 'a\nb, c\n"d"',
        "error": "",
    }


def test_merged_cells(tmp_path):
    book = write_workbook(
        tmp_path / "t.xlsx",
        {"one": [["A title"], ["a", "b"], ["x", 1], [None, 2], [None, 3], ["y", 4], ["z", 5]]},
        at=(2, 2),
    )
    book["one"].merge_cells("B2:C2")
    book["one"].merge_cells("B4:B6")
    book.save(tmp_path / "t.xlsx")
    with pytest.warns(OnesidedWarning) as notes:
        found = tables.read_table(tmp_path / "t.xlsx")
    assert found.to_pydict() == {"a": ["x", "x", "x", "y", "z"], "b": [1, 2, 3, 4, 5]}
    assert [str(each.message).split(": ", 1)[1] for each in notes] == [
        "rows above the header, left out: 1.",
        "merged cells, each read as several equal cells: 1.",
    ]


def test_hidden_sheets_are_not_the_first(tmp_path):
    book = write_workbook(tmp_path / "t.xlsx", {"old": [["a"], [1]], "new": [["b"], [2], [3]]})
    book["old"].sheet_state = "hidden"
    book.save(tmp_path / "t.xlsx")
    assert tables.read_table(tmp_path / "t.xlsx").to_pydict() == {"b": [2, 3]}
    assert tables.read_table(tmp_path / "t.xlsx", sheet="old", at_least=1)["a"].to_pylist() == [1]


def test_a_sheet_without_end_is_refused(ending, tmp_path, capfd):
    """One cell in the last corner: the library would end the process."""
    path = tmp_path / f"t.{ending}"
    book = write_workbook(path, {"one": [["a"], [1], ["far"]]})
    if ending == "xlsx":
        book["one"].cell(2**20, 2**14, "far")
        book.save(path)
    else:
        with zipfile.ZipFile(path) as file:
            parts = {name: file.read(name).decode() for name in file.namelist()}
        start, row, end = parts["content.xml"].rpartition("<table:table-row>")
        empty = '<table:table-cell table:number-columns-repeated="16383"/>'
        rows = f'<table:table-row table:number-rows-repeated="1048000">{empty}</table:table-row>'
        parts["content.xml"] = start + rows + row + empty + end
        with zipfile.ZipFile(path, "w") as file:
            for name, content in parts.items():
                file.writestr(name, content)
    with pytest.raises(TableError, match=r"as a spreadsheet: .* Save the sheet"):
        tables.read_table(path)
    assert capfd.readouterr() == ("", "")


def test_the_library_may_be_missing(tmp_path, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    write_workbook(tmp_path / "t.xlsx", {"one": [["a"], [1]]})
    monkeypatch.setattr(_extra, "import_module", missing)
    with pytest.raises(DataError, match=r"needs python-calamine.*'onesided\[excel\]'"):
        tables.read_table(tmp_path / "t.xlsx")


def test_a_changed_file_is_read_again(tmp_path):
    for n in (1, 2):
        write_workbook(tmp_path / "t.xlsx", {"one": [["a"], [n], [n]]})
        assert tables.read_table(tmp_path / "t.xlsx")["a"].to_pylist() == [n, n]


def of_ods(text, kind="", value=""):
    typed = f'office:value-type="{kind}" office:{value}' * bool(kind)
    cell = f'<table:table-cell table:formula="of:=[.B2]" {typed}'
    return cell + (f"><text:p>{text}</text:p></table:table-cell>" if text else "/>")


ERRORS = {  # as spreadsheet programs and libraries write them
    "xlsx": [
        '<c t="e"><f>A1/0</f><v>#DIV/0!</v></c>',
        '<c t="e"><v>#REF!</v></c>',
        "<c t='e'><v>#N/A</v></c>",
    ],
    "ods": [
        of_ods("#DIV/0!", "string", 'string-value="" calcext:value-type="error"'),
        of_ods("Err:502", "float", 'value="0" calcext:value-type="error"'),
        of_ods("#DIV/0!", "float", 'value="0"'),
        of_ods("#N/A", "string", 'string-value="#N/A"'),
        of_ods("#NAME?", "string", 'string-value="#NAME?"'),
    ],
}
NO_VALUES = {
    "xlsx": ["<c><f>A1</f><v /></c>", '<c t="n"><f>A1</f></c>', '<c t="str"><f>A1</f></c>'],
    "ods": [of_ods(""), of_ods("5")],
}
VALUES = {
    "xlsx": ["<c><f>A1</f><v>3</v></c>", '<c t="str"><f>""</f><v></v></c>'],
    "ods": [of_ods("3", "float", 'value="3"'), of_ods("", "string", 'string-value=""')],
}
OF = [(ending, cell) for ending, cells in ERRORS.items() for cell in cells]


def odd_workbook(path, cell, rng, *, column="size", place=4):
    """A workbook with a title, in which one cell is this XML."""
    lines = rows(rng)
    lines[place][NAMES.index(column)] = "@here"
    write_workbook(path, {"notes": [["a"]], "data": [["A title"], NAMES, *lines]}, at=(3, 2))
    put_cells(path, {"@here": cell})
    return path


@pytest.mark.parametrize(("ending", "cell"), OF, indirect=["ending"])
def test_errors_are_missing_values_that_are_said(ending, cell, tmp_path, rng):
    path = odd_workbook(tmp_path / f"t.{ending}", cell, rng)
    with pytest.warns(OnesidedWarning) as notes:
        found = tables.read_table(path, sheet="data")
    said = str(notes[1].message)
    assert re.search(r"an error, read as missing: 1 in column 'size' \(\S+ in row 5\)", said)
    assert found["size"].null_count == 1
    assert found["size"][4].as_py() is None


@pytest.mark.filterwarnings("ignore:Sheet:onesided.exceptions.OnesidedWarning")
@pytest.mark.parametrize("column", ["id", "known"])
def test_errors_neither_name_rows_nor_label_them(ending, column, tmp_path, rng):
    path = odd_workbook(tmp_path / f"t.{ending}", ERRORS[ending][0], rng, column=column)
    good = odd_workbook(tmp_path / f"g.{ending}", VALUES[ending][0], rng)
    asked = {"identifier": "id", "methods": ["naive-bayes"], "sheet": "data"}
    wrong = rf"Column '{column}' of .* holds the error #DIV/0! in row 5, which can neither"
    for again in (rank_table, fit_table, partial(fit_table, unlabeled=20)):
        with pytest.raises(TableError, match=wrong):
            again(path, "known", **asked)
    model = fit_table(good, "known", **asked)
    with pytest.raises(TableError, match=wrong):
        score_table(model, path, sheet="data", positive="known")
    write_workbook(path, {"one": [[column, "a"], *([n % 2, n] for n in range(5)), ["@here", 6]]})
    put_cells(path, {"@here": ERRORS[ending][0]})
    with pytest.raises(TableError, match=f"Column '{column}' of .* in row 6, which can neither"):
        PositiveNaiveBayes(0.3).fit(path, column)


@pytest.mark.filterwarnings("ignore:.*rows above:onesided.exceptions.OnesidedWarning")
def test_formulas_must_have_values(ending, tmp_path, rng):
    for cell in NO_VALUES[ending]:
        path = odd_workbook(tmp_path / f"t.{ending}", cell, rng)
        with pytest.raises(
            TableError, match=r"'size' of .* 1 formula without a value, the first in row 5\. Open"
        ):
            tables.read_table(path, sheet="data")
    write_workbook(path, {"one": [["@here", "@here"], ["@here", None]]})
    put_cells(path, {"@here": NO_VALUES[ending][0]})
    with pytest.raises(TableError, match="has 2 formulas without a value, the first in the header"):
        tables.read_table(path)
    for cell in VALUES[ending]:
        tables.read_table(odd_workbook(tmp_path / f"t.{ending}", cell, rng), sheet="data")


def test_values_that_no_program_calculated(tmp_path):
    """XlsxWriter stores 0 as the value of each formula, and asks programs to calculate them."""
    path = tmp_path / "t.xlsx"
    write_workbook(path, {"one": [["a", "b"], [1, "@here"], [2, "@here"]]})
    put_cells(path, {"@here": "<c><f>A2</f><v>0</v></c>"}, calculated=False)
    with pytest.warns(OnesidedWarning, match="no spreadsheet program has .*: 2 in column 'b'"):
        assert tables.read_table(path)["b"].to_pylist() == [0, 0]
