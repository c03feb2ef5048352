"""Coded missing values: pointed out, and missing where the user says so."""

import csv
import datetime as dt
import io
import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from command_line import passed, run
from model_files import change_header
from onesided._text import counted
from onesided.exceptions import OnesidedWarning, TableError
from onesided.scoring import Stream, _plan, fit_table, load_model, score_table
from onesided.tables import read_problem
from onesided.tables._ends import Ends

N_ROWS = 120
CODES = [-9999, -999.0, 99999, 1e20, -1e38, 9.96921e36, 255, -32768, 2**31 - 1, 9999.9, -888, 1e30]
TYPES = {
    "Likert": lambda rng, n: rng.integers(1, 8, n),
    "percent": lambda rng, n: rng.integers(0, 101, n),
    "normal": lambda rng, n: rng.normal(size=n).round(3),
    "counts": lambda rng, n: rng.poisson(2, n),
}
NO_CODES = {
    **TYPES,
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "money": lambda rng, n: np.rint(rng.lognormal(8, 1.5, n)),
    "long tail": lambda rng, n: np.rint(rng.pareto(1, n) * 10),
    "zeros": lambda rng, n: rng.integers(50, 60, n) * (rng.random(n) < 0.5),
    "two": lambda rng, n: np.where(rng.random(n) < 0.2, 255, 0),
}


def find_codes(values):
    return Ends.of(pa.array(values)).codes()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("code", CODES)
def test_codes_are_found(code, kind, rng):
    values = TYPES[kind](rng, N_ROWS).astype(float)
    assert find_codes(values) == []
    for n_rows in (1, 7):
        values[:n_rows] = code
        assert find_codes(values) == [(code, n_rows)]
    values[7:9] = np.nan
    assert find_codes(values) == [(code, 7)]


def test_codes_on_both_sides_and_next_to_each_other(rng):
    values = rng.integers(0, 11, N_ROWS).astype(float)
    values[:9] = [97, 98, 99] * 3
    values[9:12] = -99
    assert find_codes(values) == [(-99, 3), (97, 3), (98, 3), (99, 3)]


@pytest.mark.parametrize("kind", NO_CODES)
def test_other_values_are_no_codes(kind, rng):
    """Heavy tails and zeros of a count have values far outside, too."""
    n_found = sum(
        bool(find_codes(NO_CODES[kind](rng, n).astype(float)))
        for n in (20, 60, 200, 1000)
        for _ in range(50)
    )
    assert n_found <= 1


@pytest.mark.parametrize("kind", [*TYPES, "Cauchy", "two"])
def test_parts_have_the_codes_of_the_whole(kind, rng):
    """With few different values, with many, and with a code that only some parts have."""
    values = NO_CODES[kind](rng, 5 * N_ROWS).astype(float)
    values[: 2 * N_ROWS : 7] = -9999
    values[::11] = np.nan
    values[3::200] = 99999
    parts = sum((Ends.of(pa.array(each)) for each in np.split(values, 5)), Ends())
    assert parts == Ends.of(pa.array(values))
    whole, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    every = Ends(tuple(whole.tolist()), tuple(counts.tolist()))
    assert parts.codes() == every.codes()
    assert parts.codes() or kind in ("Cauchy", "two")


@pytest.mark.parametrize("batched", [False, True])
def test_a_code_in_new_rows_is_pointed_out(batched, tmp_path, monkeypatch):
    """By score, of a file in one part or in several, and of a stream."""
    if batched:
        monkeypatch.setattr(_plan, "PART_ROWS", 17)
    with_code, with_gaps = coded()
    kept = {name: with_gaps[name] for name in ("kind", "y")}
    as_csv(with_gaps, tmp_path / "old.csv")
    as_csv(with_code | kept, tmp_path / "new.csv")
    ask = ("fit", "old.csv", "--positive", "y", "--id", "id", "--method", "naive-bayes")
    passed(*ask, "--out", "m.onesided", cwd=tmp_path)
    n_cells = sum(cell == "-9999" for name in ("depth", "heat") for cell in with_code[name])
    said = (
        f"Columns depth, heat: -9999 in {n_cells} cells is far outside the other values. If -9999 "
        "means that the value is missing, leave the cell empty, or learn the model again: "
        "--missing -9999."
    )
    assert said in passed("score", "m.onesided", "new.csv", cwd=tmp_path).stderr
    assert "far outside" not in passed("score", "m.onesided", "old.csv", cwd=tmp_path).stderr
    passed(*ask, "--missing", "-9999", "--out", "n.onesided", cwd=tmp_path)
    assert "far outside" not in passed("score", "n.onesided", "new.csv", cwd=tmp_path).stderr
    stream = Stream(load_model(tmp_path / "m.onesided"))
    assert len([*stream.score(io.BytesIO((tmp_path / "new.csv").read_bytes()))]) > 1
    assert any("-9999" in each for each in stream.drift().codes)


def coded(code="-9999"):
    """A table of text with a coded gap in each column, beside the same with plain gaps."""
    rng = np.random.default_rng(9)
    columns = {
        "id": [f"r{n}" for n in range(N_ROWS)],
        "depth": [str(n) for n in rng.integers(0, 90, N_ROWS)],
        "heat": [f"{x:.2f}" for x in rng.normal(size=N_ROWS)],
        "kind": [str(each) for each in rng.choice(["red", "blue"], N_ROWS)],
        "y": [str(int(each)) for each in rng.random(N_ROWS) < 0.3],
    }
    gaps = {name: rng.random(N_ROWS) < 0.1 for name in ("depth", "heat", "kind", "y")}
    tables = []
    for mark in (code, ""):
        marked = {
            name: [mark if name in gaps and gaps[name][n] else cell for n, cell in enumerate(cells)]
            for name, cells in columns.items()
        }
        tables.append(marked)
    return tables


def as_csv(columns, path):
    pd.DataFrame(columns).to_csv(path, index=False)


def as_json(columns, path):
    rows = pd.DataFrame(columns).to_dict("records")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def as_parquet(columns, path):
    def number(cell):
        try:
            return float(cell)
        except ValueError:
            return None

    typed = {
        name: pa.array(map(number, cells), kind)
        for name, kind in (("depth", pa.int32()), ("heat", pa.float32()), ("y", pa.int8()))
        if (cells := columns[name])
    }
    pq.write_table(pa.table({**columns, **typed}), path)


DOORS = {"t.csv": as_csv, "t.jsonl": as_json, "t.parquet": as_parquet}
FIT = {"identifier": "id", "methods": ["naive-bayes"]}


@pytest.mark.parametrize("door", DOORS)
def test_a_code_is_missing_through_every_door(door, tmp_path):
    """In numbers, categories and labels; a model remembers it, and so does its file."""
    code = "-99" if door == "t.parquet" else "-9999"  # the labels have 8 bits
    with_code, with_gaps = coded(code)
    for name, columns in (("code", with_code), ("gap", with_gaps)):
        (tmp_path / name).mkdir()
        DOORS[door](columns, tmp_path / name / door)
    path, plain = tmp_path / "code" / door, tmp_path / "gap" / door
    found, expected = read_problem(path, "y", missing=[int(code)]), read_problem(plain, "y")
    assert found.features.to_pylist() == expected.features.to_pylist()
    assert found.positive.tolist() == expected.positive.tolist()
    assert found.missing == (code,)
    with pytest.raises(TableError, match=r"Column 'y' holds '-99+' in row"):
        read_problem(path, "y")
    model = fit_table(path, "y", missing=[code], **FIT)
    model.save(tmp_path / "m.onesided")
    model = load_model(tmp_path / "m.onesided")
    assert model.missing == (code,)
    scores = score_table(fit_table(plain, "y", **FIT), plain).table["score"]
    assert_allclose(score_table(model, path).table["score"], scores, rtol=1e-6)
    if door != "t.parquet":
        lines = list(Stream(model).score(io.BytesIO(path.read_bytes())))
        rows = [line for each in lines for line in each]
        given = map(json.loads, rows) if door == "t.jsonl" else csv.DictReader(rows)
        assert_allclose([float(row["score"]) for row in given], scores)


def test_a_code_in_words_beside_numbers(tmp_path):
    with_code, with_gaps = coded("not measured")
    as_csv(with_code | {"kind": with_gaps["kind"], "y": with_gaps["y"]}, tmp_path / "t.csv")
    as_csv(with_gaps, tmp_path / "plain.csv")
    ask = ("--positive", "y", "--id", "id", "--method", "naive-bayes")
    done = run("rank", "t.csv", *ask, cwd=tmp_path)
    assert done.returncode == 2
    assert "if it means that the value is missing: --missing 'not measured'" in done.stderr
    for verb in (("rank",), ("compare",), ("enrich",), ("fit",)):
        more = ("--resamples", "99") if verb == ("enrich",) else ()
        chosen = ask[:4] if verb == ("enrich",) else ask
        passed(*verb, "t.csv", *chosen, *more, "--missing", "not measured", cwd=tmp_path)
    passed("rank", "plain.csv", *ask, cwd=tmp_path)
    rankings = [pd.read_csv(tmp_path / f"{name}-ranking.csv") for name in ("t", "plain")]
    pd.testing.assert_frame_equal(*rankings)


@pytest.mark.parametrize("verb", ["rank", "enrich"])
def test_a_code_is_pointed_out_until_it_is_said(verb, tmp_path):
    with_code, with_gaps = coded()
    as_csv(with_code | {"y": with_gaps["y"], "kind": with_gaps["kind"]}, tmp_path / "t.csv")
    ask = (verb, "t.csv", "--positive", "y", "--id", "id")
    ask += ("--resamples", "99") if verb == "enrich" else ("--method", "naive-bayes")
    n_cells = sum(cell == "-9999" for name in ("depth", "heat") for cell in with_code[name])
    said = (
        f"Columns depth, heat: -9999 in {n_cells} cells is far outside the other values. If -9999 "
        "means that the value is missing, say so: --missing -9999."
    )
    assert said in passed(*ask, cwd=tmp_path).stderr
    assert "far outside" not in passed(*ask, "--missing", "-9999", cwd=tmp_path).stderr


def test_python_names_the_argument():
    table = pd.DataFrame(coded()[0]).assign(y=["1", "0"] * (N_ROWS // 2)).drop(columns="kind")
    with pytest.warns(OnesidedWarning, match=r"say so: `missing=\['-9999'\]`\."):
        read_problem(table, "y", identifier="id")


def test_a_code_with_32_bits(tmp_path):
    """9999.9 in 32 bits is another number than in 64."""
    rng = np.random.default_rng(0)
    heat = rng.normal(size=N_ROWS)
    heat[:9] = 9999.9
    rows = {"heat": pa.array(heat, pa.float32()), "y": [1, 0, 0] * (N_ROWS // 3)}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    with pytest.warns(OnesidedWarning, match=re.escape("`missing=['9999.9']`")):
        read_problem(tmp_path / "t.parquet", "y")
    model = fit_table(tmp_path / "t.parquet", "y", missing=["9999.9"], methods=["naive-bayes"])
    scores = score_table(model, tmp_path / "t.parquet").table["score"].to_pylist()
    assert len({*scores[:9]}) == 1
    blank = pa.table({"heat": pa.array([None], pa.float32())})
    assert score_table(model, blank).table["score"].to_pylist() == scores[:1]


def dated(code, rng, form="%Y-%m-%d"):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 300, N_ROWS), "D")
    cells = days.strftime(form).to_numpy(dtype=object)
    cells[::12] = code
    return pd.DataFrame({"y": [1, 0, 0] * (N_ROWS // 3), "seen": cells})


@pytest.mark.parametrize(
    ("code", "form"),
    [("9999-12-31", "%Y-%m-%d"), ("1900-01-01", "%Y-%m-%d"), ("01.01.1900", "%d.%m.%Y")],
)
def test_dates_that_mean_a_missing_one(code, form, rng, tmp_path):
    dated(code, rng, form).to_csv(tmp_path / "t.csv", index=False)
    said = (
        f"Column seen: {code} in 10 cells is far outside the other dates. If {code} means that "
        f"the value is missing, say so: `missing=['{code}']`."
    )
    with pytest.warns(OnesidedWarning, match=f"^{re.escape(said)}$"):
        read_problem(tmp_path / "t.csv", "y")
    assert read_problem(tmp_path / "t.csv", "y", missing=[code]).summary.names("date") == ["seen"]


DATE_TYPES = (pa.date32(), pa.date64(), pa.timestamp("us"), pa.timestamp("ns", "UTC"))


@pytest.mark.parametrize("code", ["9999-12-31", "1900-01-01", "1970-01-01 05:00:03.125"])
@pytest.mark.parametrize("kind", DATE_TYPES, ids=str)
def test_a_date_in_a_file_with_types_is_missing_if_the_user_says_so(kind, code, rng, tmp_path):
    """As the same table with empty cells: to learn from, to score, as a time of rows, and blank."""
    is_day, is_short = pa.types.is_date(kind), "ns" in str(kind)
    if ":" in code and is_day:
        code = code[:10]
    if code.startswith("9999") and is_short:
        code = "2099-12-31"
    table, plain = (dated(each, rng) for each in (code, None))
    for name, each in (("code", table), ("plain", plain)):
        days = pd.Series(each["seen"], dtype="string")
        cells = pc.cast(pa.array(days), pa.timestamp("ns" if is_short else "us"))
        columns = {"y": each["y"], "n": rng.permutation(N_ROWS), "seen": cells.cast(kind)}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    path, expected = tmp_path / "code.parquet", tmp_path / "plain.parquet"
    if not code.startswith("1970"):  # a usual code is pointed out
        with pytest.warns(OnesidedWarning, match=rf"say so: `missing=\['{code}"):
            read_problem(path, "y")
    mark = pd.Timestamp(code[:10]).strftime("%d %b %Y") + code[10:] if is_short else code
    found = read_problem(path, "y", missing=[mark])
    wanted = read_problem(expected, "y").features.column("seen").to_pylist()
    assert [each is None for each in found.features.column("seen").to_pylist()] == [
        each is None for each in wanted
    ]
    model = fit_table(path, "y", missing=[mark], methods=["naive-bayes"])
    scores = score_table(model, path).table["score"].to_pylist()
    blank = pq.read_table(path)
    cells = pc.if_else(np.arange(N_ROWS) % 12 == 0, pa.scalar(None, kind), blank["seen"])
    assert score_table(model, blank.set_column(2, "seen", cells)).table["score"].to_pylist() == (
        scores
    )


def test_a_date_that_leaves_its_order_open_marks_no_date(rng):
    table = dated("2020-04-03", rng)
    table["seen"] = pd.to_datetime(table["seen"])
    for mark in ("03/04/2020", "2020", "3"):
        with pytest.warns(OnesidedWarning, match="No cell of"):
            found = read_problem(table, "y", missing=[mark])
        assert found.features.column("seen").null_count == 0


@pytest.mark.parametrize("code", ["-9999", "-9", "999"])
def test_a_number_among_words_that_may_mean_a_missing_one(code, rng):
    cells = rng.choice(["red", "blue", "green"], N_ROWS).astype(object)
    cells[::12] = code
    table = pd.DataFrame({"y": [1, 0, 0] * (N_ROWS // 3), "kind": cells})
    said = re.escape(f"Column kind: {code} in 10 cells is a number among other text.")
    with pytest.warns(OnesidedWarning, match=f"^{said} .* say so: `missing=\\['{code}'\\]`"):
        read_problem(table, "y")
    read_problem(table, "y", missing=[code])


@pytest.mark.parametrize(
    "others",
    [
        ["red", "12"],  # numbers are values of the column
        ["77", "78", "79"],  # grades
        ["red", "5"],
        ["A320", "B52", "777-200"],
        ["yes", "no", "7"],
        ["1-2", "3-9", "99 or more"],  # classes
    ],
)
def test_words_and_numbers_that_are_no_codes(others, rng):
    """Warnings are errors in tests."""
    cells = np.resize(np.array([*others, "888"], dtype=object), N_ROWS)
    if others[0] in ("A320", "yes", "1-2"):
        cells = np.resize(np.array(others, dtype=object), N_ROWS)
    cells = rng.permutation(cells)
    read_problem(
        pd.DataFrame({"y": rng.permutation([1, 0, 0] * (N_ROWS // 3)), "kind": cells}), "y"
    )


@pytest.mark.parametrize("first", ["1930-01-01", "1899-12-31", "1969-12-01"])
def test_dates_that_are_no_codes(first, rng):
    days = np.array(pd.Timestamp(first) + pd.to_timedelta(rng.integers(0, 30_000, N_ROWS), "D"))
    days[0] = np.datetime64("1970-01-01")
    days[1:6] = np.datetime64("2080-03-01")  # repeated, and not a usual code
    read_problem(pd.DataFrame({"y": rng.permutation([1, 0, 0] * (N_ROWS // 3)), "day": days}), "y")


def test_codes_of_the_rows_learned_from_are_not_new():
    """A code is new if it is no end of the numbers learned from, nor lies among the others."""
    learned = Ends((*range(7), 999.0), (9,) * 8)
    assert Ends((*range(7), 99.0, 999.0), (1,) * 9).new_codes(learned) == [(99, 1)]
    assert Ends((*range(7), -9.0, 999.0), (1,) * 9).new_codes(Ends()) == [(-9, 1), (999, 1)]
    assert Ends((2.0, 888.0), (1, 1)).new_codes(learned) == [(888, 1)]  # too few of them alone
    wide = Ends.of(pa.array([*range(100), 5000.0] * 9))
    assert Ends((*range(7), 88.0), (1,) * 8).new_codes(wide) == []
    assert Ends((*range(7), 888.0), (1,) * 8).new_codes(wide) == [(888, 1)]
    small = Ends.of(pa.array([*range(7), 9999.9] * 3, pa.float32()))
    wider = pa.array([*range(7), 9999.9] * 3, pa.float32()).cast(pa.float64())
    assert Ends.of(wider).new_codes(small) == []


@pytest.mark.parametrize("code", ["999", "-9999", "4711"])
@pytest.mark.parametrize("n_rows", [1, 30, N_ROWS])
def test_score_points_out_only_new_codes(n_rows, code, tmp_path):
    """A number that the model learned from as a number, usual or only repeated, is none."""
    table = pd.DataFrame(coded(code)[0]).assign(y=["1", "0"] * (N_ROWS // 2)).drop(columns="kind")
    with pytest.warns(OnesidedWarning, match=f"{code} in "):
        read_problem(table, "y", identifier="id")
    model = fit_table(table, "y", **FIT)
    assert any(f"{code} in " in note for note in model.notes)
    model.save(tmp_path / "m.onesided")
    new = table[table["depth"] == code].head(1) if n_rows == 1 else table.head(n_rows)
    for each in (model, load_model(tmp_path / "m.onesided")):
        assert score_table(each, new).drift.codes == ()
        (said,) = score_table(each, new.assign(heat="88888")).drift.codes
        assert said.startswith("Column heat: 88888 in ")


def test_a_model_of_an_older_version_points_out_each_code(tmp_path):
    table = pd.DataFrame(coded()[0]).assign(y=["1", "0"] * (N_ROWS // 2)).drop(columns="kind")
    fit_table(table, "y", **FIT).save(tmp_path / "m.onesided")

    def older(header):
        assert [each["name"] for each in header["seen"] if each.pop("ends", None)] == [
            "depth",
            "heat",
        ]

    change_header(tmp_path / "m.onesided", tmp_path / "old.onesided", older)
    drift = score_table(tmp_path / "old.onesided", table).drift
    assert "-9999 in " in drift.codes[0]
    assert drift.outside == ()


@pytest.mark.parametrize(
    "ends", [[[1], [1, 1]], [[2, 1], [1, 1]], [[1], [0]], [[float("nan")], [1]]]
)
def test_ends_that_were_tampered_with(ends, tmp_path):
    table = pd.DataFrame(coded()[1]).assign(y=["1", "0"] * (N_ROWS // 2)).drop(columns="kind")
    fit_table(table, "y", **FIT).save(tmp_path / "m.onesided")
    bad = tmp_path / "bad.onesided"
    change_header(tmp_path / "m.onesided", bad, lambda header: header["seen"][0].update(ends=ends))
    with pytest.raises(TableError, match="is damaged"):
        load_model(bad)


@pytest.mark.parametrize("code", ["9999-12-31", "1900-01-01"])
@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("n_rows", [1, N_ROWS])
def test_dates_in_new_rows_that_mean_a_missing_one(n_rows, typed, code, rng):
    table, plain = dated(code, rng), dated("2020-05-01", rng)
    if typed:
        for each in (table, plain):
            each["seen"] = [dt.date.fromisoformat(cell) for cell in each["seen"]]
    model = fit_table(plain, "y", methods=["naive-bayes"])
    n_cells = 1 if n_rows == 1 else N_ROWS // 12
    (said,) = score_table(model, table.head(n_rows)).drift.codes
    assert said == (
        f"Column seen: {code} in {counted(n_cells, 'cell')} is far outside the other dates. If "
        f"{code} means that the value is missing, leave the cell empty."
    )
    later = plain.assign(seen="2031-01-01")
    assert score_table(model, later.head(n_rows)).drift.codes == ()
    model = fit_table(table, "y", methods=["naive-bayes"])
    assert score_table(model, table.head(n_rows)).drift.codes == ()
