"""A file is the same table to whoever reads it."""

import bz2
import datetime as dt
import gzip
import json
import lzma
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

from onesided import PositiveNaiveBayes, WeightedLogisticRegression, tables
from onesided._blocks import labeled_source, read_features
from onesided._files._batches import count_rows, read_batches, whole_batches
from onesided._files._find import find_files
from onesided._files._format import Format
from onesided._files._formats import FORMATS
from onesided._files._notation import Notation
from onesided._files._passes import FileTable
from onesided._files._wanted import ModelColumn
from onesided.exceptions import TableError
from onesided.formats import column_names, formats_in_words
from onesided.scoring import fit_table, score_table
from onesided.tables._features import used_columns
from workbooks import write_workbook

N_ROWS = 60
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:.* {what}:onesided.exceptions.OnesidedWarning")
    for what in ("not UTF-8", "was read as a CSV file")
]
LABELS_IN_CELLS = pytest.mark.filterwarnings(
    "ignore:Column '(code|kind)' alone separates:onesided.exceptions.LeakWarning"
)
NAMES = ["code", "amount", "whole", "size", "kind", "day", "gap", "y"]


def rows(n_rows=N_ROWS, *, decimal=".", missing="", code="{:05}"):
    """Cells of a table with codes, money, numbers, words, days and gaps, as text."""
    for n in range(n_rows):
        amount = f"{1000 * (n % 7) + n / 4:,.2f}".translate(str.maketrans(",.", ".,"))
        yield [
            code.format(n % 9 * 137),
            amount if decimal == "," else f"{n / 4:.2f}",
            str(n % 5),
            f"{n / 8:.3f}".replace(".", decimal),
            missing if n % 11 == 3 else ("red", "grün", "blue; or so, not")[n % 3],
            f"2024-01-{1 + n % 28:02}",
            missing if n % 2 else str(n % 4),
            str(int(n % 3 == 0)),
        ]


def text(delimiter, *, quote='"', **how):
    lines = [NAMES, *rows(**how)]
    cells = ([quote + each + quote if delimiter in each else each for each in x] for x in lines)
    return "".join(delimiter.join(line) + "\n" for line in cells)


def zst(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def objects():
    kinds = [str, float, int, float, str, str, float, int]
    table = [list(zip(NAMES, kinds, row, strict=True)) for row in rows()]
    return [{name: kind(cell) if cell else None for name, kind, cell in row} for row in table]


GERMAN = text(";", decimal=",", missing="NA")
PLAIN = text(",", missing="?")
TEXTS = {
    "comma.csv": PLAIN.encode(),
    "german.csv": GERMAN.encode(),
    "tab.tsv": text("\t", decimal=",").encode(),
    "pipe.txt": text("|").encode(),
    "names.csv": b"sep=;\n" + GERMAN.encode(),
    "bom.csv": b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode(),
    "packed.csv.gz": gzip.compress(GERMAN.encode()),
    "packed.csv.bz2": bz2.compress(PLAIN.encode()),
    "packed.csv.zst": zst(GERMAN.encode()),
    "packed.csv.xz": lzma.compress(GERMAN.encode()),
    "packed.csv": gzip.compress(GERMAN.encode()),
    "parts.tsv": GERMAN.encode(),
    "windows.csv": GERMAN.encode("cp1252"),
    "wide.csv": GERMAN.encode("utf-16"),
    "blank_end.csv": (GERMAN + ";;;;;;;\n" * 3).encode(),
    "lines.jsonl": "\n".join(map(json.dumps, objects())).encode(),
    "packed.jsonl.gz": gzip.compress("".join(json.dumps(x) + "\n" for x in objects()).encode()),
    "words.jsonl": "".join(
        json.dumps(dict(zip(NAMES, [*row[:-1], int(row[-1])], strict=True))) + "\n"
        for row in rows(decimal=",")
    ).encode(),
}


def write_parts(folder, contents):
    folder.mkdir()
    for number, content in enumerate(contents):
        (folder / f"part-{number}.csv").write_bytes(content)


def write_parquet(path, **kinds):
    table = pa.Table.from_pylist(objects())
    for name, kind in kinds.items():
        at = table.column_names.index(name)
        table = table.set_column(at, name, table[name].cast(kind))
    pq.write_table(table, path, row_group_size=17)


def arrow_file(name):
    table = pa.Table.from_pylist(objects())
    if name.startswith("odd"):
        at, kind = table.column_names.index("kind"), pa.dictionary(pa.int32(), pa.string())
        table = table.set_column(at, "kind", table["kind"].cast(kind))
    held = pa.BufferOutputStream()
    new = pa.ipc.new_stream if name.startswith("stream") else pa.ipc.new_file
    with new(held, table.schema) as writer:
        writer.write_table(table, max_chunksize=17)
    content = held.getvalue().to_pybytes()
    return lzma.compress(content) if name.endswith(".xz") else content


@pytest.fixture(
    params=[
        *TEXTS,
        "parts",
        "parts_of_two_kinds",
        "plain.parquet",
        "odd.parquet",
        "views.parquet",
        "notation.parquet",
        "plain.feather",
        "stream.arrow",
        "odd.arrow.xz",
        "book.xlsx",
        "book.ods",
    ]
)
def path(request, tmp_path):
    found = tmp_path / request.param
    lines = GERMAN.encode().splitlines(keepends=True)
    if request.param in TEXTS:
        found.write_bytes(TEXTS[request.param])
    elif request.param == "parts":
        write_parts(found, [b"".join(lines[:30]), lines[0] + b"".join(lines[30:])])
    elif request.param == "parts_of_two_kinds":  # whole numbers, then fractions
        write_parts(found, [b"a;b;y\n1;u;1\n2;v;0\n", b"a;b;y\n1.234;u;1\n3,5;v;0\n"])
    elif request.param == "odd.parquet":
        write_parquet(found, kind=pa.dictionary(pa.int32(), pa.string()), code=pa.large_string())
    elif request.param == "views.parquet":
        write_parquet(found, kind=pa.string_view(), size=pa.float32())
    elif request.param == "notation.parquet":
        columns = zip(*rows(decimal=","), strict=True)
        table = pa.table(dict(zip(NAMES, columns, strict=True)))
        pq.write_table(table.set_column(7, "y", table["y"].cast(pa.int64())), found)
    elif found.suffix in (".xlsx", ".ods"):
        lines = [tuple(each.values()) for each in objects()]
        day = NAMES.index("day")
        lines = [(*x[:day], dt.date.fromisoformat(x[day]), *x[day + 1 :]) for x in lines]
        write_workbook(found, {"one": [NAMES, *lines]}, at=(3, 2))
    elif found.suffix != ".parquet":
        found.write_bytes(arrow_file(found.name))
    else:
        write_parquet(found)
    return found


def joined(batches):
    return pa.Table.from_batches(list(batches))


def without_metadata(table):
    return table.cast(pa.schema([each.remove_metadata() for each in table.schema]))


def test_passes_see_what_is_read_whole(path):
    whole = tables.read_table(path)
    data = FileTable(path, at_once=7)
    assert data.schema.equals(whole.schema, check_metadata=True)
    assert data.count_rows() == whole.num_rows
    plain = without_metadata(whole)
    batches = list(data.to_batches(whole.column_names))
    assert max(batch.num_rows for batch in batches) <= 7
    assert joined(batches).equals(plain)
    assert joined(data.to_batches(["y"])).equals(plain.select(["y"]))
    assert joined(each.X for each in read_features(path, numeric=False).blocks()).equals(plain)
    source, _ = labeled_source(path, "y", numeric=False, positive_label=1)
    assert joined(block.X for block in source.blocks()).equals(plain.drop_columns("y"))
    labels = np.concatenate([block.positive for block in source.blocks()])
    assert labels.tolist() == [each == 1 for each in plain["y"].to_pylist()]


def test_learners_see_a_file_as_its_frame(path):
    whole = tables.read_table(path)
    y = whole["y"].to_numpy()
    here = PositiveNaiveBayes(0.3).fit(whole.drop_columns("y"), y)
    found = PositiveNaiveBayes(0.3).fit(path, "y")
    assert_allclose(found.class_prior_, here.class_prior_)
    assert len(found.feature_log_prob_) == whole.num_columns - 1
    for one, other in zip(found.feature_log_prob_, here.feature_log_prob_, strict=True):
        assert_allclose(one, other)


def test_scoring_sees_what_is_read_whole(path):
    """In the columns of a model that learned from the table."""
    whole = tables.read_table(path)
    files = find_files(path)
    columns = [column_of(field) for field in whole.schema]
    batches = [read_batches(file, columns) for file in files]
    found = joined(batch for each in batches for batch in each)
    for name in whole.column_names:
        assert found[name].to_pylist()[: whole.num_rows] == whole[name].to_pylist(), name
    assert sum(count_rows(file) for file in files) == found.num_rows
    drawn = [each for file in files for each in whole_batches(file)]
    assert drawn[0].column_names == whole.column_names
    assert sum(each.num_rows for each in drawn) == found.num_rows
    assert column_names(path) == whole.column_names


@LABELS_IN_CELLS
def test_ranking_sees_what_is_read_whole(path):
    """A file and a frame of the same table are the same problem."""
    whole = tables.read_table(path)
    summary = tables.describe(whole, without=["y"])
    columns = [(column.name, column.role) for column in summary.columns]
    positive = [each == 1 for each in whole["y"].to_pylist()]
    for table in (path, whole):
        problem = tables.read_problem(table, "y")
        assert [(column.name, column.role) for column in problem.summary.columns] == columns
        assert without_metadata(problem.features).equals(
            without_metadata(used_columns(whole, summary))
        )
        assert problem.positive.tolist() == positive


@LABELS_IN_CELLS
def test_a_model_scores_a_file_as_its_frame(path):
    whole = tables.read_table(path)
    model = fit_table(path, "y", methods=["naive-bayes"])
    of_file = score_table(model, path).to_frame("pandas")
    of_frame = score_table(model, whole).to_frame("pandas")
    assert len(of_frame) == whole.num_rows
    assert_frame_equal(of_file, of_frame)


def column_of(field):
    """What a model keeps of a column."""
    notation = Notation.of(field)
    said = (notation.decimal, notation.unit) if notation else ()
    is_number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
    role, kind = ("number", "double") if is_number else ("category", str(field.type))
    return ModelColumn(field.name, role, kind, *said)


def test_decimal_commas_are_numbers_and_codes_are_text(tmp_path):
    (tmp_path / "t.csv").write_bytes(GERMAN.encode())
    schema = FileTable(tmp_path / "t.csv").schema
    assert schema.field("code").type == pa.string()
    assert schema.field("amount").type == schema.field("size").type == pa.float64()
    numbers = ["amount;size;y"] + [";".join([x[1], x[3], x[7]]) for x in rows(decimal=",")]
    (tmp_path / "u.csv").write_text("\n".join(numbers))
    frame = tables.read_table(tmp_path / "u.csv")
    here = WeightedLogisticRegression().fit(frame.drop_columns("y"), frame["y"].to_numpy())
    found = WeightedLogisticRegression().fit(tmp_path / "u.csv", "y")
    assert_allclose(found.coef_, here.coef_)
    assert_allclose(found.intercept_, here.intercept_)


FAR = 400_000  # rows: behind the first block


@pytest.mark.parametrize(
    ("first", "last", "kind"),
    [
        ("1", "2.5", pa.float64()),
        ("1", "x", pa.string()),
        ("", "7", pa.int64()),
        ("", "", pa.null()),
        ("0", "true", pa.bool_()),
        ("5", "true", pa.string()),
        ("2024-01-01", "2024-01-01T10:00:00", pa.timestamp("s")),
        ("2024-01-01", "12:00:00", pa.string()),
        ("1.5", "99999999999999999999", pa.float64()),
        ("1", "1.234,5", pa.float64()),
        ("0.5", "1,5", pa.string()),
        ("007", "x", pa.string()),
        ("1", "007", pa.string()),
        ("1", "0x1F", pa.string()),
    ],
)
def test_late_cells_of_csv_decide_too(first, last, kind, tmp_path):
    lines = [f"{first};plain text that fills a block\n"] * FAR
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(lines) + f"{last};x\n")
    whole = tables.read_table(tmp_path / "t.csv")
    data = FileTable(tmp_path / "t.csv")
    assert data.schema.equals(whole.schema, check_metadata=True)
    assert data.schema.field("a").type == kind
    assert joined(data.to_batches(["a"]))["a"].to_pylist() == whole["a"].to_pylist()


@pytest.mark.parametrize(
    ("first", "last", "kind"),
    [
        ("1", "2.5", pa.float64()),
        ("null", "7", pa.int64()),
        ('"2024-01-01"', '"soon"', pa.string()),
        ('"1"', '"1.234,5"', pa.float64()),
    ],
)
def test_late_cells_of_json_decide_too(first, last, kind, tmp_path):
    """The file is longer than a block of a pass, and shorter than one that is read whole."""
    beside = '"b": "plain text that fills a block"'
    lines = [f'{{"a": {first}, {beside}}}\n'] * 100_000
    (tmp_path / "t.jsonl").write_text("".join(lines) + f'{{"a": {last}, "c": 1}}\n')
    whole = tables.read_table(tmp_path / "t.jsonl")
    data = FileTable(tmp_path / "t.jsonl")
    assert data.schema.equals(whole.schema, check_metadata=True)
    assert data.schema.field("a").type == kind
    assert joined(data.to_batches(["c", "a"])).to_pydict() == whole.select(["c", "a"]).to_pydict()


def test_a_last_row_that_holds_only_text_counts(tmp_path):
    (tmp_path / "t.csv").write_text("n;t\n1;a\n;b\n;\n;\n")
    assert tables.read_table(tmp_path / "t.csv").to_pydict() == {"n": [1, None], "t": ["a", "b"]}
    assert FileTable(tmp_path / "t.csv").count_rows() == 2


def test_files_that_do_not_fit_are_refused_alike(tmp_path):
    folder = tmp_path / "parts"
    for contents, problem in (
        ([b"a;b\n1;2\n2;3\n", b"a;c\n1;2\n2;3\n"], "which 'part-1.csv' lacks"),
        ([b"a;b\n1;2\n2;3\n", b"a;b\n1;x\n2;3\n"], "'part-1.csv' does not fit .* int64 vs string"),
        ([b"a;a\n1;2\n"], "two columns named 'a'"),
        ([b"a;b\n1;2\n3\n"], "part-0.csv' cannot be read as csv"),
    ):
        write_parts(folder, contents)
        for read in (tables.read_table, FileTable):
            with pytest.raises(TableError, match=problem):
                read(folder)
        shutil.rmtree(folder)


class Pipes(Format):
    """Cells in a line of their own, as a new format is added."""

    name = "pipes"
    title = "pipes"
    endings = (".pipes",)

    def read(self, file, as_text=(), only=()):
        names, *cells = [line.split("|") for line in file.path.read_text().splitlines()]
        columns = dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))
        whole = {"n", "y"} & columns.keys()
        kinds = pa.schema([(each, pa.int64() if each in whole else pa.string()) for each in names])
        return pa.table({n: pa.array(c).cast(kinds.field(n).type) for n, c in columns.items()})


def test_a_format_is_added_in_one_place(tmp_path, monkeypatch):
    monkeypatch.setattr("onesided._files._formats.FORMATS", [*FORMATS, Pipes()])
    path = tmp_path / "t.pipes"
    lines = [f"{n}|{'red' if n % 2 else 'blue'}|{n / 2:.1f}|{n % 3 // 2}" for n in range(30)]
    path.write_text("n|kind|size|y\n" + "\n".join(line.replace(".", ",") for line in lines))
    whole = tables.read_table(path)
    assert whole.schema.field("size").type == pa.float64()
    assert whole["size"][3].as_py() == 1.5
    test_passes_see_what_is_read_whole(path)
    test_learners_see_a_file_as_its_frame(path)
    test_scoring_sees_what_is_read_whole(path)
    assert tables.table_name(path) == "t"
    assert "spreadsheet or pipes file," in formats_in_words()
    (tmp_path / "t.doc").write_text("a")
    with pytest.raises(TableError, match=r"Rename it to one of .*\.pipes"):
        tables.read_table(tmp_path / "t.doc")


@pytest.mark.parametrize("read", [tables.read_table, FileTable, tables.read_problem])
def test_equal_names_in_parquet(read, tmp_path):
    """Arrow itself would only say that it found several matches."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1, 2])] * 2, names=["a", "a"]), path)
    with pytest.raises(TableError, match=r"'t\.parquet' has two columns named 'a'"):
        read(path, "a") if read is tables.read_problem else read(path)


def write_frame(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=15, index=False)
    elif path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".feather":
        frame.to_feather(path, chunksize=15)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)


BLANK = {  # places of rows, and of those that have a cell of a column that no model learned from
    "end": ([*range(40, 65)], []),
    "start": ([0, 1, 2], []),
    "within": ([1, *range(7, 24), 33, 41], []),
    "other columns filled": ([5, 6, 12, 13, *range(47, 65)], [6, 13, 64]),
}


FILLED = {"a": [1.0, 2.5, None, 4.0] * 10, "b": [*"xyyx"] * 10, "y": [1.0, 0.0] * 20}


@pytest.fixture(scope="module")
def blank_model():
    return fit_table(pd.DataFrame(FILLED), "y", methods=["naive-bayes"])


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "feather", "xlsx"])
@pytest.mark.parametrize("where", BLANK)
def test_rows_without_any_cell_are_no_rows(where, ending, blank_model, tmp_path, monkeypatch):
    """Nor are they scored; rows are named and said by their numbers in the file."""
    monkeypatch.setattr("onesided.scoring._plan.PART_ROWS", 20)
    blank, others = BLANK[where]
    filled = pd.DataFrame({**FILLED, "rest": "z"})
    places = [n for n in range(65) if n not in blank][:40]
    frame = filled.set_index(pd.Index(places)).reindex(range(max(places[-1], *blank) + 1))
    frame.loc[others, "rest"] = "z"
    if ending == "xlsx":  # ends with its last cell
        frame = frame[: frame.dropna(how="all").index[-1] + 1]
    numbers = (np.flatnonzero(frame.notna().any(axis=1)) + 1).tolist()
    n_blank = len(frame) - len(numbers)
    folder = tmp_path / "parts"
    folder.mkdir()
    write_frame(frame, folder / f"part-0.{ending}")
    assert tables.read_table(folder).num_rows == FileTable(folder).count_rows() == len(numbers)
    write_frame(filled, folder / f"part-1.{ending}")
    numbers += range(len(frame) + 1, len(frame) + 41)
    table = tables.read_table(folder)
    passed = FileTable(folder, at_once=7)
    assert passed.schema.equals(table.schema, check_metadata=True)
    assert pa.Table.from_batches(passed.to_batches(table.column_names)).equals(table)
    problem = tables.read_problem(folder, "y")
    assert problem.ids.to_pylist() == numbers
    said = f"  rows without any cell, left out: {n_blank}" in problem.sentences
    assert said == bool(n_blank)
    for _ in range(2):  # the second call finds the parts
        scored = score_table(blank_model, folder, tmp_path / "scores")
        said = f"Rows without any cell, left out: {n_blank}." in scored.notes
        assert said == bool(n_blank)
    assert score_table(blank_model, folder).table["row"].to_pylist() == numbers
    if where == "within":
        drawn = fit_table(folder, "y", methods=["naive-bayes"], unlabeled=100)
        assert (drawn.n_positive, drawn.n_unlabeled) == (40, 40)


def test_errors_number_the_rows_of_the_file(tmp_path):
    rows = [f"{n},{'xyz'[n % 3]},{n // 2 % 2}" for n in range(40)]
    lines = ["a,b,y", ",,", *rows[:20], " , NA,", "3q,x,0", *rows[20:]]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(TableError, match="row 23 holds '3q'"):
        tables.read_problem(tmp_path / "t.csv", "y")
    (tmp_path / "t.csv").write_text("\n".join(lines).replace("3q,x,0", "3,x,maybe"))
    with pytest.raises(TableError, match="holds 'maybe' in row 23"):
        tables.read_problem(tmp_path / "t.csv", "y")


def test_a_missing_value_is_a_row_of_a_single_column(tmp_path):
    """A blank line is none, for pandas and Arrow too."""
    (tmp_path / "t.csv").write_text('a\n1\n\n""\nNA\n4\n\n')
    assert tables.read_table(tmp_path / "t.csv")["a"].to_pylist() == [1, None, None, 4]
    assert pd.read_csv(tmp_path / "t.csv")["a"].isna().tolist() == [False, True, True, False]
    assert FileTable(tmp_path / "t.csv").count_rows() == 4
    table = pd.DataFrame({"a": np.arange(40) % 7, "y": [1, 0] * 20})
    model = fit_table(table, "y", methods=["naive-bayes"])
    assert score_table(model, tmp_path / "t.csv").table["row"].to_pylist() == [1, 2, 3, 4]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "feather"])
@pytest.mark.parametrize("only", [["c"], ["c", "a"], ["b"]])
def test_a_format_reads_only_some_columns(tmp_path, ending, only):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [0.5, 1.5]})
    path = tmp_path / f"t.{ending}"
    write = {
        "csv": lambda: frame.to_csv(path, index=False),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        "parquet": lambda: frame.to_parquet(path),
        "feather": lambda: frame.to_feather(path),
    }
    write[ending]()
    (file,) = find_files(path)
    found = file.format.read(file, only=only)
    assert found.column_names == only
    assert found.to_pydict() == frame[only].to_dict("list")
