"""The same cells are the same table, whatever holds them: text, numbers, files, frames, streams."""

import csv
import datetime as dt
import io
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import feather

from onesided import PositiveNaiveBayes, WeightedLogisticRegression, rank_table, tables
from onesided._files._passes import FileTable
from onesided._text import MISSING_MARKS
from onesided.exceptions import OnesidedWarning, TableError
from onesided.scoring import Stream, fit_table, score_table
from onesided.tables._labels import label_notes, read_labels

N_ROWS = 60


def cells(decimal="."):
    """Columns of text: all kinds of numbers, and what only looks like numbers."""
    rows = range(N_ROWS)
    fraction = [f"{n / 8:.3f}".replace(".", decimal) for n in rows]
    return {
        "id": [f"{2**64 + n}" for n in rows],
        "whole": [str(n * 7 % 50) for n in rows],
        "fraction": fraction,
        "power": [f"{n % 13}e-3" for n in rows],
        "signed": [f"{'-' if n % 3 else '+'}{n}.5".replace(".", decimal) for n in rows],
        "gaps": [("NA", "?", ".", " ", "-1.5".replace(".", decimal))[n % 5] for n in rows],
        "huge": [f"{10**19 * (1 + n % 17)}" for n in rows],
        "code": [f"{n % 9 * 137:05}" for n in rows],
        "more": [("1", "2", "3", "more")[n % 4] for n in rows],
        "kind": [("red", "NA", "blue")[n % 3] for n in rows],
        "y": [("1", "0", "NA")[n // 2 % 3] for n in rows],
    }


ROLES = {
    **dict.fromkeys(("whole", "fraction", "power", "signed", "gaps", "huge"), "number"),
    **dict.fromkeys(("code", "more", "kind"), "category"),
}
NUMBERS = [name for name, role in ROLES.items() if role == "number"]


def as_value(name, cell):
    """A cell as a format with types has it."""
    if cell.strip() in MISSING_MARKS:
        return None
    if name in ("whole", "huge"):
        return int(cell)
    return float(cell) if name in NUMBERS or name == "y" else cell


def objects(columns, convert):
    names = list(columns)
    return [
        {name: convert(name, cell) for name, cell in zip(names, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]


def write_csv(columns, path, delimiter):
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\n")
    writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    path.write_text(lines.getvalue(), encoding="utf-8")
    return path


def write_lines(rows, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_parquet(table, path):
    pq.write_table(table, path, row_group_size=17)
    return path


def arrow(columns, **kinds):
    return pa.table({n: pa.array(c, kinds.get(n, pa.string())) for n, c in columns.items()})


def typed(columns):
    values = {n: [as_value(n, cell) for cell in c] for n, c in columns.items()}
    values["huge"] = [float(each) for each in values["huge"]]
    return pa.table(values)


DOORS = {
    "comma.csv": lambda columns, path: write_csv(columns, path, ","),
    "tab.tsv": lambda columns, path: write_csv(columns, path, "\t"),
    "text.jsonl": lambda columns, path: write_lines(objects(columns, lambda _, c: c), path),
    "typed.jsonl": lambda columns, path: write_lines(objects(columns, as_value), path),
    "text.parquet": lambda columns, path: write_parquet(arrow(columns), path),
    "typed.parquet": lambda columns, path: write_parquet(typed(columns), path),
    "views.parquet": lambda columns, path: write_parquet(
        arrow(columns, whole=pa.string_view(), kind=pa.large_string()), path
    ),
    "dictionary.parquet": lambda columns, path: write_parquet(
        arrow(columns, **dict.fromkeys(("more", "gaps"), pa.dictionary(pa.int32(), pa.string()))),
        path,
    ),
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "arrow": lambda columns, _: arrow(columns),
}
FILES = [name for name in DOORS if "." in name]
OF_TEXT = [name for name in DOORS if not name.startswith("typed")]
"""Through which a number comes as text, as people write it."""


def through(door, folder, **how):
    return DOORS[door](cells(**how), folder / door)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    return tables.read_problem(through("typed.parquet", folder), "y", identifier="id")


@pytest.mark.parametrize("door", DOORS)
def test_a_problem_is_the_same_through_every_door(door, expected, tmp_path):
    found = tables.read_problem(through(door, tmp_path), "y", identifier="id")
    assert {each.name: each.role for each in found.summary.columns} == ROLES
    assert found.positive.tolist() == expected.positive.tolist()
    assert found.ids.to_pylist() == cells()["id"]
    for name in ROLES:
        here, there = (each.features[name].to_pylist() for each in (found, expected))
        assert here == (pytest.approx(there) if name in NUMBERS else there), name
    said = "\n".join(found.sentences)
    assert "more: read as categories, although most cells are numbers: row 4 holds 'more'" in said
    is_text = door not in ("comma.csv", "tab.tsv", "typed.jsonl", "typed.parquet")
    assert (f"  {', '.join(NUMBERS)}: numbers written as text" in said) == is_text


@pytest.mark.parametrize("door", OF_TEXT)
def test_decimal_commas_are_numbers_through_every_door(door, expected, tmp_path):
    found = tables.read_problem(through(door, tmp_path, decimal=","), "y", identifier="id")
    for name in NUMBERS:
        assert_allclose(*(np.array(each.features[name]) for each in (found, expected)))


@pytest.mark.parametrize("door", FILES)
def test_learners_read_the_same_cells(door, expected, tmp_path):
    whole = tables.read_table(through(door, tmp_path))
    passed = FileTable(tmp_path / door)
    assert passed.schema.equals(whole.schema, check_metadata=True)
    for name in ROLES:
        there = expected.features[name].to_pylist()
        assert whole[name].to_pylist() == (pytest.approx(there) if name in NUMBERS else there)
    found = PositiveNaiveBayes(0.3).fit(tmp_path / door, "y")
    here = PositiveNaiveBayes(0.3).fit(whole.drop_columns("y"), whole["y"].to_numpy())
    assert_allclose(found.class_prior_, here.class_prior_)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of typed cells, and one of text."""
    folder = tmp_path_factory.mktemp("models")
    return [
        fit_table(through(door, folder), "y", identifier="id", methods=["naive-bayes"])
        for door in ("typed.parquet", "text.jsonl", "comma.csv")
    ]


@pytest.mark.parametrize("door", DOORS)
def test_scores_are_the_same_through_every_door(door, models, tmp_path):
    given = through(door, tmp_path)
    for model in models:
        found = score_table(model, given).table
        assert found["id"].to_pylist() == cells()["id"]
        assert_allclose(found["score"], score_table(models[0], arrow(cells())).table["score"])


@pytest.mark.parametrize("door", ["comma.csv", "tab.tsv", "text.jsonl", "typed.jsonl"])
def test_a_stream_is_scored_as_the_table(door, models, tmp_path):
    lines = through(door, tmp_path).read_bytes()
    expected = score_table(models[0], arrow(cells())).table["score"]
    for model in models:
        rows = [line for each in Stream(model).score(io.BytesIO(lines)) for line in each]
        if door.endswith("jsonl"):
            found = [json.loads(row) for row in rows]
        else:
            found = list(csv.DictReader(rows, delimiter="\t" if door == "tab.tsv" else ","))
        assert [str(row["id"]) for row in found] == cells()["id"]
        assert_allclose([float(row["score"]) for row in found], expected)


def with_percents(columns, *, sign="%"):
    """The same cells with shares, which have a sign as text and none as numbers."""
    shares = [f"{n * 37 % 100}.5 {sign}" for n in range(N_ROWS)]
    return {name: shares if name == "fraction" else cell for name, cell in columns.items()}


@pytest.mark.parametrize(("door", "sign"), [("comma.csv", "%"), ("pandas", "‰")])
def test_percents_without_their_sign_are_refused(door, sign, tmp_path):
    """A number of 0.393 or 39.3 may both be 39.3 %: every door says so."""
    columns = with_percents(cells(), sign=sign)
    model = fit_table(DOORS[door](columns, tmp_path / door), "y", methods=["naive-bayes"])
    right = score_table(model, arrow(columns)).table["score"]
    for other in OF_TEXT:
        found = score_table(model, DOORS[other](columns, tmp_path / other)).table["score"]
        assert_allclose(found, right)
    refused = rf"'fraction'.*the model learned from numbers written 1234\.56 {sign}"
    sheet = tmp_path / "t.xlsx"
    pd.DataFrame(cells()).to_excel(sheet, index=False)
    for given in (*(through(other, tmp_path) for other in DOORS), sheet):
        with pytest.raises(TableError, match=refused):
            score_table(model, given)
    plain = tmp_path / "typed.jsonl"
    with pytest.raises(TableError, match=refused):
        list(Stream(model).score(io.BytesIO(plain.read_bytes())))
    with pytest.raises(TableError, match=f"'fraction' holds numbers with {sign} in"):
        tables.read_problem(DOORS[door](columns, tmp_path / door), positive_table=plain)


@pytest.mark.parametrize("door", OF_TEXT)
def test_one_cell_that_is_no_number(door, tmp_path):
    """It is a mistake in CSV. A format with types has text on purpose."""
    columns = {**cells(), "fraction": [*cells()["fraction"][:-1], "7.5o"]}
    given = DOORS[door](columns, tmp_path / door)
    if door in ("comma.csv", "tab.tsv"):
        with pytest.raises(TableError, match=r"'fraction' holds numbers, but row 60 holds '7\.5o'"):
            tables.read_problem(given, "y", identifier="id")
        return
    found = tables.read_problem(given, "y", identifier="id").summary
    (why,) = (each.reason for each in found.dropped)
    assert why.startswith(
        "most of its cells are numbers, but row 60 holds '7.5o', which is not a number"
    )


@pytest.mark.parametrize("mark", [*MISSING_MARKS, " NA "])
@pytest.mark.parametrize("door", ["comma.csv", "text.jsonl", "text.parquet", "pandas"])
def test_marks_of_missing_values(door, mark, tmp_path):
    """Missing in numbers, categories, labels and groups; an identifier keeps its letters."""
    columns = {
        name: [mark if n % 6 == 5 else cell for n, cell in enumerate(column)]
        for name, column in cells().items()
    }
    columns["y"] = [("1", "0", mark)[n // 2 % 3] for n in range(N_ROWS)]
    columns["id"] = [mark.strip() if n == 7 and mark.strip() else str(n) for n in range(N_ROWS)]
    given = DOORS[door](columns, tmp_path / door)
    found = tables.read_problem(given, "y", identifier="id", group="kind")
    assert {each.name: each.role for each in found.summary.columns} == {
        name: role for name, role in ROLES.items() if name != "kind"
    }
    for name in found.features.column_names:
        assert found.features[name][5].as_py() is None
    assert found.positive.tolist() == [n // 2 % 3 == 0 for n in range(N_ROWS)]
    assert found.groups[5] == "row 6 without a group"
    assert found.ids[7].as_py() == columns["id"][7]
    said = f"y is {mark.strip()!r} in 20 rows; a row with a missing label counts as unlabeled"
    assert (said in "\n".join(found.sentences)) == bool(mark.strip())


@pytest.mark.parametrize("door", DOORS)
def test_a_mark_of_no_cell_is_said(door, tmp_path):
    """However the number is written."""
    columns = {**cells(), "whole": ["-9999" if n % 9 == 5 else str(n) for n in range(N_ROWS)]}
    given = DOORS[door](columns, tmp_path / door)
    tables.read_problem(given, "y", identifier="id", missing=["-9999.0", "more"])
    with pytest.warns(
        OnesidedWarning, match=r"No cell of '\S+' is '-99' or 'unknown', which `miss"
    ):
        found = tables.read_problem(given, "y", missing=["unknown", "-99", -9999])
    assert found.features["whole"].null_count == columns["whole"].count("-9999")


def test_a_mark_may_be_asked_for():
    table = pa.table({"y": ["NA", "x", "NA", "b"], "a": [1, 2, 3, 4]})
    assert label_notes(table, "y=NA", negatives=False) == []
    name, positive = read_labels(table, "y=NA")
    assert (name, positive.tolist()) == ("y", [True, False, True, False])


IDENTIFIERS = {
    "1.10": "9007199254740993.5",
    "digits": "123456789012345678901234567890",
    "beyond": str(2**63),
    "power": "1e300",
}


@pytest.mark.parametrize("identifier", IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_identifiers_are_kept_to_the_letter(identifier, tmp_path):
    """Numbers of JSON that no type of 64 bits holds, and what is no number at all beside them."""
    names = [identifier, *(f"{n}.10" for n in range(1, N_ROWS))]
    lines = [f'{{"id": {name}, "a": {n % 7}}} \n' for n, name in enumerate(names)]
    known = "".join(line.replace("}", f', "y": {n % 2}}}') for n, line in enumerate(lines))
    (tmp_path / "t.jsonl").write_text(known)
    found = tables.read_problem(tmp_path / "t.jsonl", "y", identifier="id")
    assert found.ids.to_pylist() == names
    model = fit_table(tmp_path / "t.jsonl", "y", identifier="id", methods=["naive-bayes"])
    (tmp_path / "new.jsonl").write_text("".join(lines))
    assert score_table(model, tmp_path / "new.jsonl").table["id"].to_pylist() == names


DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=n) for n in range(N_ROWS)]
NAMED = {
    "day": DAYS,
    "moment": [dt.datetime(2024, 1, 1, 3, 4, n) for n in range(N_ROWS)],  # noqa: DTZ001 - tables have no zones
    "clock": [dt.time(n % 24, n) for n in range(N_ROWS)],
}
"""Values that name rows, which people see as text."""


@pytest.fixture(scope="module")
def named_files(tmp_path_factory):
    """The same table in all formats: names of rows, labels that are true, decimals, hours."""
    folder = tmp_path_factory.mktemp("named")
    columns = NAMED | {
        "flag": [n % 4 == 0 for n in range(N_ROWS)],
        "size": [Decimal(n * 37 % 101) / 1000 for n in range(N_ROWS)],
        "hour": [dt.time(n % 3) for n in range(N_ROWS)],
    }
    table = pa.table(columns)
    frame = table.to_pandas()
    frame.to_csv(folder / "t.csv", index=False)
    frame.astype({"size": float}).to_excel(folder / "t.xlsx", index=False)
    texts = [{n: c if n == "flag" else str(c) for n, c in row.items()} for row in table.to_pylist()]
    numbers = [row | {"size": float(row["size"])} for row in texts]
    write_lines(numbers, folder / "t.jsonl")
    write_parquet(table, folder / "t.parquet")
    feather.write_feather(table, folder / "t.feather")
    return sorted(folder.iterdir())


def test_decimals_are_the_numbers_of_csv(named_files):
    exact = [float(Decimal(n * 37 % 101) / 1000) for n in range(N_ROWS)]
    for path in named_files:
        found = tables.read_problem(path, "flag", identifier="day")
        months = ["moment (sine of month)", "moment (cosine of month)"]
        assert found.features.column_names == ["moment", "size", *months]  # and no hours
        assert found.features["size"].to_pylist() == exact, path
        assert FileTable(path).schema.field("size").type == pa.float64()
        model = fit_table(path, "flag", identifier="day", methods=["naive-bayes"])
        (right,) = {
            tuple(score_table(model, each).table["score"].to_pylist()) for each in named_files
        }
        assert len(right) == N_ROWS
    y = np.arange(N_ROWS) % 4 == 0
    table = feather.read_table(named_files[1]).select(["size"])
    given = (table, pa.table({"size": exact}))
    assert_array_equal(*(WeightedLogisticRegression().fit(each, y).coef_ for each in given))


@pytest.mark.parametrize("name", NAMED)
def test_names_of_rows_are_spelled_alike(name, named_files, tmp_path):
    """And so are labels, whatever a format calls true and whatever names the rows."""
    labels = ("flag", "flag=True", "flag=true") if name == next(iter(NAMED)) else ("flag",)
    written = []
    for path in named_files:
        asked = {"identifier": name, "methods": ["naive-bayes"]}
        for positive in labels:
            found = rank_table(path, positive, **asked)
            tables.write_table(found.table, tmp_path / "r.csv")
            written.append((tmp_path / "r.csv").read_text())
        score_table(fit_table(path, "flag", **asked), path, tmp_path / "s.csv")
        scores = (tmp_path / "s.csv").read_text()
        assert [line.split(",")[0].strip('"') for line in scores.split("\n")[1:-1]] == [
            str(each) for each in NAMED[name]
        ]
    assert len({*written}) == 1


def test_long_numbers_of_decimals_name_rows(tmp_path):
    names = [Decimal(2**80 + n) for n in range(20)]
    table = pa.table({"id": names, "a": [1, 2, 4, 4] * 5, "y": [1, 0] * 10})
    write_parquet(table, tmp_path / "t.parquet")
    found = tables.read_problem(tmp_path / "t.parquet", "y", identifier="id")
    tables.write_table(pa.table({"id": found.ids}), tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_text().split()[1:] == [str(each) for each in names]
