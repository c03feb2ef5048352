"""`onesided rank`, run as a user runs it."""

import gzip
import html
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from command_line import passed, refused, replaced, run, usual_prior
from onesided import PUBagging, tables
from onesided.methods import METHODS, rankers_for
from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.tables._features import used_columns
from onesided.tables._labels import read_labels

EXAMPLE = Path(__file__).parents[2] / "examples" / "yeast" / "genes.csv.gz"


def run_apart(*arguments, cwd):
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "onesided", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def all_customers():
    """300 rows of numbers, categories, gaps and text; 40 of 80 true positives are labeled."""
    rng = np.random.default_rng(20070815)
    truth = rng.random(300) < 0.3
    words = np.array(["garden tools", "kitchen oven", "winter coat", "summer shoes"])
    frame = pd.DataFrame(
        {
            "customer": [f"C{row:04}" for row in rng.permutation(300)],
            "age": rng.normal(40, 10, 300).round(1) + 8 * truth,
            "region": np.where(rng.random(300) < 0.7, np.where(truth, "north", "south"), "west"),
            "member": np.where(truth, rng.random(300) < 0.8, rng.random(300) < 0.3),
            "note": [
                f"asked about {words[int(t) * 2 + rng.integers(0, 2)]} and {rng.choice(words)}"
                for t in truth
            ],
            "branch": "Bilbao",
        }
    )
    frame.loc[rng.random(300) < 0.1, "age"] = np.nan
    frame["buyer"] = np.where(truth & (rng.random(300) < 0.5), "x", "")
    return frame


@pytest.fixture
def customers(all_customers):
    """Of one test, which may change them."""
    return all_customers.copy()


@pytest.fixture(scope="module")
def ranked(all_customers, tmp_path_factory):
    """The main job, run once: what it said, the folder, and the ranking."""
    folder = tmp_path_factory.mktemp("ranked")
    table = write(all_customers, folder)
    done = passed(
        "rank", table, "--positive", "buyer", "--id", "customer", "--report", "r.html", cwd=folder
    )
    return done, folder, pd.read_csv(folder / "customers-ranking.csv")


def write(frame, folder, name="customers.csv"):
    path = folder / name
    kind = path.suffix
    if kind == ".parquet":
        frame.to_parquet(path)
    elif kind == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    return path


def printed_auc(stderr):
    (value,) = re.findall(r"hidden-positive AUC ([\d.]+) +<- taken", stderr)
    return float(value)


def test_main_job(ranked, customers):
    done, folder, ranking = ranked
    assert done.stdout == "customers-ranking.csv\n"
    unlabeled = customers[customers["buyer"] == ""]
    assert list(ranking.columns) == ["customer", "rank", "score", "recall"]
    assert set(ranking["customer"]) == set(unlabeled["customer"])
    assert_array_equal(ranking["rank"], np.arange(1, len(unlabeled) + 1))
    assert ranking["score"].is_monotonic_decreasing
    assert "1 of numbers, 2 of categories, 1 of text" in done.stderr
    assert "dropped branch: all values are 'Bilbao'" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == [
        "customers-ranking.csv",
        "customers.csv",
        "r.html",
        "r.json",
    ]


def test_printed_figures_follow_from_the_ranking(ranked):
    done, folder, ranking = ranked
    assert ranking["recall"].is_monotonic_increasing
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    auc = 1 - np.mean(report["known_above"]) / len(ranking)
    assert_allclose(auc, printed_auc(done.stderr), atol=6e-4)
    assert re.search(rf"unlabeled +{len(ranking)}\n", done.stderr)
    for n, found, chance in re.findall(
        r"the first +([\d,]+) hold about +([\d.]+)% .* \(by chance ([\d.]+)%\)", done.stderr
    ):
        at = int(n.replace(",", ""))
        assert_allclose(100 * ranking["recall"][at - 1], float(found), atol=0.051)
        assert_allclose(100 * at / len(ranking), float(chance), atol=0.051)


def test_ranking_finds_the_hidden_buyers(ranked, customers):
    ranking = ranked[2]
    kept = customers.set_index("customer").loc[ranking["customer"]]
    north = (kept["region"] == "north").to_numpy()
    assert north[:40].mean() > 0.6
    assert north[-100:].mean() < 0.3


@pytest.mark.parametrize("name", ["t.parquet", "t.jsonl", "t.tsv"])
def test_other_formats_give_the_same(ranked, customers, tmp_path, name):
    path = write(customers, tmp_path, name)
    ask = ["rank", path, "--positive", "buyer", "--id", "customer", "--out", "out.csv"]
    passed(*ask, cwd=tmp_path)
    same = (ranked[1] / "customers-ranking.csv").read_bytes()
    assert (tmp_path / "out.csv").read_bytes() == same


def test_folder_of_parts_gives_the_same(ranked, customers, tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(300), [10, 200])):
        customers.iloc[rows].to_csv(parts / f"part-{number}.csv", index=False)
    ask = ["rank", parts, "--positive", "buyer", "--id", "customer", "--out", "out.csv"]
    passed(*ask, cwd=tmp_path)
    same = (ranked[1] / "customers-ranking.csv").read_bytes()
    assert (tmp_path / "out.csv").read_bytes() == same


def test_same_seed_same_bytes_and_top(ranked, customers, tmp_path, monkeypatch):
    """Also in a process of its own."""
    ask = ["rank", write(customers, tmp_path), "--positive", "buyer", "--id", "customer", "--out"]
    passed(*ask, "top.parquet", "--top", "7", cwd=tmp_path)
    top = pd.read_parquet(tmp_path / "top.parquet")
    pd.testing.assert_frame_equal(top, ranked[2].head(7))
    usual_prior(monkeypatch)
    passed(*ask, "here.csv", cwd=tmp_path)
    done = run_apart(*ask, "again.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


def test_without_identifier_rows_are_numbered(customers, tmp_path):
    table = write(customers, tmp_path)
    done = run("rank", table, "--positive", "buyer", "--drop", "customer", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ranking = pd.read_csv(tmp_path / "customers-ranking.csv")
    unlabeled = 1 + np.flatnonzero(customers["buyer"] == "")
    assert_array_equal(np.sort(ranking["row"]), unlabeled)


def test_label_by_value_and_groups(customers, tmp_path):
    customers["buyer"] = np.where(customers["buyer"] == "x", "gold", "none seen")
    customers["household"] = np.arange(300) // 3
    table = write(customers, tmp_path)
    ask = ["rank", table, "--id", "customer", "--group", "household", "--positive"]
    done = run(*ask, "buyer=gold", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    refused = run(*ask, "buyer", cwd=tmp_path)
    assert refused.returncode == 2
    assert "Name the value that means positive: --positive buyer=VALUE." in refused.stderr


@pytest.mark.parametrize(
    "leak",
    [
        lambda positive: np.where(positive, 1.5, 0.5) + np.arange(300) / 1e3,
        lambda positive: np.where(positive, "confirmed", "open"),
        lambda positive: np.where(positive, np.arange(300) + 0.5, np.nan),
    ],
    ids=["number", "category", "gaps"],
)
def test_a_leak_is_named(customers, tmp_path, leak):
    customers["leaking"] = leak(customers["buyer"] == "x")
    table = write(customers, tmp_path)
    ask = ["rank", table, "--positive", "buyer", "--id", "customer", "--method", "naive-bayes"]
    ask += ["--report", "r.html"]
    done = run(*ask, cwd=tmp_path)
    assert "warning: Column 'leaking' alone separates positive from unlabeled" in done.stderr
    assert "--drop leaking" in done.stderr
    assert "leaking" in (tmp_path / "r.html").read_text(encoding="utf-8")
    quiet = run(*ask, "--drop", "leaking", cwd=tmp_path)
    assert "separates" not in quiet.stderr


def test_report_fetches_nothing_and_escapes(customers, tmp_path, monkeypatch):
    usual_prior(monkeypatch)
    customers = customers.rename(columns={"region": "<script>alert(1)</script>"})
    customers["customer"] = "<img src=x onerror=alert(2)>" + customers["customer"]
    table = write(customers, tmp_path)
    done = run(
        "rank", table, "--positive", "buyer", "--id", "customer", "--report", "r.html", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count("<script") == 2  # the data and what shows them, which name no element
    assert "default-src 'none'" in page
    assert "<img" not in page
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", page))
    links = ("https://doi.org/", "https://pubmed.ncbi.nlm.nih.gov/")
    fetched = {each for each in addresses if not each.startswith(links)}
    assert fetched <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.findall(r'<[^>]*\s(?:src|href)=(?!"#)|@import|url\((?!#)', page)
    assert page.count("<svg") == 6


# What cannot be used: name, bytes of the file, options, words of the problem and of the mend.
HEAD = "known,a,b\n"
ROWS = "".join(f"{int(i < 6)},{i % 7},{'xyz'[i % 3]}\n" for i in range(30))
GOOD = HEAD + ROWS
MANY = HEAD + "".join(f"{int(i < 6)},{7 * i},{'xy'[i % 2]}\n" for i in range(30))
BAD = {
    "empty file": ("t.csv", b"", [], "is empty", "Write a table into it"),
    "white space": ("t.csv", b" \n \n", [], "holds only white space", "Write a table"),
    "header only": ("t.csv", HEAD, [], "has 0 rows", "At least two positive rows"),
    "one row": ("t.csv", HEAD + "1,2,x\n", [], "has 1 row.", "At least two positive rows"),
    "unknown ending": ("t.doc", b"PK", [], "has the ending '.doc'", "Rename it to one of"),
    "no ending": ("table", "just words\n" * 9, [], "has no ending", "Rename it to one of"),
    "no such label": (
        "t.csv",
        GOOD,
        ["--positive", "knwon"],
        "no column 'knwon'",
        "Did you mean 'known'?",
    ),
    "no such id": ("t.csv", GOOD, ["--id", "gene"], "no column 'gene'", "The columns are known, a"),
    "no such drop": ("t.csv", GOOD, ["--drop", "zzz"], "no column 'zzz'", "The columns are"),
    "all labels missing": (
        "t.csv",
        HEAD + ",1,x\n" * 9,
        [],
        "All 9 labels in column 'known' are missing",
        "Mark the",
    ),
    "no positive": (
        "t.csv",
        HEAD + "0,1,x\n" * 9,
        [],
        "No row of column 'known'",
        "Name one of its values",
    ),
    "no unlabeled": (
        "t.csv",
        HEAD + "1,1,x\n" * 9,
        [],
        "All 9 rows of column 'known' are positive",
        "Add the",
    ),
    "one positive": (
        "t.csv",
        HEAD + "1,1,x\n" + "0,2,y\n" * 9,
        [],
        "marks 1 positive row",
        "at least 2 rows",
    ),
    "odd label": (
        "t.csv",
        GOOD.replace("0,6,x", "maybe,6,x", 1),
        [],
        "holds 'maybe' in row",
        "--positive known=VALUE",
    ),
    "no such value": (
        "t.csv",
        GOOD,
        ["--positive", "known=7"],
        "No row of column 'known'",
        "Name one of its values",
    ),
    "same names": (
        "t.csv",
        GOOD.replace("a,b", "a,a"),
        [],
        "two columns named 'a'",
        "each column its own name.",
    ),
    "one unlabeled": (
        "t.csv",
        HEAD + "1,1,x\n" * 9 + "0,2,y\n",
        [],
        "Column 'known' leaves 1 row unlabeled",
        "Add rows",
    ),
    "constant features": (
        "t.csv",
        "known,a\n" + "1,5\n" * 5 + "0,5\n" * 5,
        [],
        "No column is left to learn from: 'a': all values are 5",
        "Add columns that differ",
    ),
    "missing features": (
        "t.csv",
        "known,a\n" + "1,\n" * 5 + "0,\n" * 5,
        [],
        "No column is left to learn from: 'a': all values are missing",
        "Add columns that differ",
    ),
    "no features": (
        "t.csv",
        "known\n" + "1\n" * 5 + "0\n" * 5,
        [],
        "No column is left",
        "Add columns",
    ),
    "mixed types": (
        "t.csv",
        MANY.replace("0,42,x", "0,six,x"),
        [],
        "Column 'a' holds numbers, but row 7 holds 'six'",
        "--categorical a",
    ),
    "infinite": (
        "t.csv",
        GOOD.replace("0,6,x", "0,inf,x", 1),
        [],
        "Column 'a' holds inf in row 7",
        "Replace the value with a finite number",
    ),
    "invalid UTF-8": (
        "t.csv",
        GOOD.replace("x", "ü", 1).encode().replace(b"0,6,x", b"0,6,\xff", 1),
        [],
        "Line 8 of 't.csv' is not UTF-8 text, although earlier letters of the file are: byte 0xff",
        "save the file again as UTF-8.",
    ),
    "binary": ("t.csv", bytes(range(256)), [], "is not a text file", "Export the table as CSV"),
    "torn Parquet named CSV": ("t.csv", b"PAR1....", [], "cannot be read as parquet", "complete"),
    "words named Parquet": ("t.parquet", "just words", [], "not a Parquet file", "ending of its"),
    "torn Parquet": ("t.parquet", b"PAR1....", [], "cannot be read as parquet", "complete"),
    "ragged row": (
        "t.csv",
        GOOD.replace("0,6,x", "0,6", 1),
        [],
        "cannot be read as csv: CSV parse error: Row #8: Expected 3 columns, got 2",
        "as many cells as the header",
    ),
    "torn gzip": ("t.csv.gz", gzip.compress(GOOD.encode())[:-9], [], "cannot be", "complete"),
    "lists": (
        "t.jsonl",
        "".join(json.dumps({"known": int(i < 6), "a": [i]}) + "\n" for i in range(30)),
        [],
        "Column 'a' holds a list<item: int64> in row 1",
        "--drop a",
    ),
    "mixed JSON": (
        "t.jsonl",
        "".join(
            json.dumps({"known": int(i < 6), "a": "x" if i == 9 else i}) + "\n" for i in range(30)
        ),
        [],
        "Column 'a' of 't.jsonl' holds text in row 10, where a number is expected",
        "the same type of value",
    ),
    "broken JSON": (
        "t.jsonl",
        '{"known": 1, "a"',
        [],
        "cannot be read as json",
        "one object on each line,",
    ),
    "prior": (
        "t.csv",
        GOOD,
        ["--class-prior", "1.2"],
        "--class-prior 1.2 is not between 0 and 1",
        "share above 0 and below 1",
    ),
    "out in no folder": (
        "t.csv",
        GOOD,
        ["--out", "no/r.csv"],
        "There is no folder",
        "Make this folder",
    ),
    "out is a folder": ("t.csv", GOOD, ["--out", "."], "is a folder", "the name of a file"),
    "out is the input": ("t.csv", GOOD, ["--out", "t.csv"], "would be overwritten", "another name"),
    "one group": (
        "t.csv",
        "g," + HEAD + "".join(f"1,{line}\n" for line in ROWS.splitlines()),
        ["--group", "g"],
        "All 6 positives are in one group, 1.",
        "groups such that the positives are in at least two of them,",
    ),
}
BAD |= {
    "JSON array": (
        "t.jsonl",
        '[{"known": 1}]',
        [],
        "holds one JSON array",
        "one object on each line,",
    ),
    "wrong delimiter": (
        "t.csv",
        GOOD,
        ["--delimiter", ";"],
        "no column 'known', only one named 'known,a,b'",
        "--delimiter",
    ),
    "long delimiter": (
        "t.csv",
        GOOD,
        ["--delimiter", ";;"],
        "onesided: --delimiter ';;' is not",
        "';'",
    ),
    "names equal but for spaces": (
        "t.csv",
        GOOD.replace("a,b", "a, a"),
        [],
        "two columns named 'a'",
        "each column its own name.",
    ),
    "huge": (
        "t.csv",
        GOOD.replace("0,6,x", "0,1e200,x", 1),
        [],
        "Column 'a' holds 1e+200 in row 7",
        "below 1e100",
    ),
    "tiny": (
        "t.csv",
        HEAD + "".join(f"{int(i < 6)},{i % 7}e-200,{'xyz'[i % 3]}\n" for i in range(30)),
        [],
        "column 'a' are at most 6e-200 in size",
        "power of 10",
    ),
    "out cannot be made": ("t.csv", GOOD, ["--out", "/proc/r.csv"], "cannot be written to", "Pass"),
    "all dropped": (
        "t.csv",
        GOOD,
        ["--drop", "a", "--drop", "b"],
        "No column is left",
        "Drop fewer columns",
    ),
    "prior of 0": ("t.csv", GOOD, ["--class-prior", "0"], "--class-prior 0 is not", "Pass a share"),
    "quoted names": (
        "t.csv",
        MANY.replace("known,a,b", "known,my a,b").replace("0,42,x", "0,six,x"),
        [],
        "Column 'my a' holds numbers",
        "--categorical 'my a'",
    ),
    "ranking named HTML": ("t.csv", GOOD, ["--out", "r.xls"], "does not end in .csv", "ending"),
    "report named PDF": ("t.csv", GOOD, ["--report", "r.pdf"], "does not end in .html", "ending"),
    "long name": ("t.csv", GOOD, ["--out", "n" * 300 + ".csv"], "cannot be a file", "another name"),
    "device": ("t.csv", GOOD, ["--out", "/dev/null"], "not an ordinary file.", "name of a file"),
    "identifier of lists": (
        "t.jsonl",
        "".join(json.dumps({"known": int(i < 6), "id": [i], "a": i % 4}) + "\n" for i in range(30)),
        ["--id", "id"],
        "Column 'id' holds list<item: int64> values, which cannot name rows.",
        "single values",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case, tmp_path):
    name, content, options, problem, mend = BAD[case]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = path.read_bytes()
    label = [] if "--positive" in options else ["--positive", "known"]
    done = run(*replaced(["rank", name, *label, "--report", "r.html"], options), cwd=tmp_path)
    refused(done, problem, mend)
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert path.read_bytes() == before


def test_output_would_be_read_as_input(tmp_path, customers):
    parts = tmp_path / "parts"
    parts.mkdir()
    write(customers, parts)
    before = (parts / "customers.csv").read_bytes()
    ask = ["rank", parts, "--positive", "buyer", "--id", "customer", "--out"]
    for name in ("customers.csv", "new.csv"):
        refused(run(*ask, parts / name, cwd=tmp_path), "lies in the input folder", "--out")
    assert (parts / "customers.csv").read_bytes() == before
    assert run(*ask, "new.csv", cwd=tmp_path).returncode == 0


def test_one_file_for_ranking_and_report(tmp_path, customers):
    table = write(customers, tmp_path)
    ask = ["rank", table, "--positive", "buyer", "--report", "x.html", "--out", "./x.html"]
    refused(run(*ask, cwd=tmp_path), "does not end in .csv", "ending")


def test_a_link_is_followed(tmp_path, customers):
    table = write(customers, tmp_path)
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "target.csv")
    done = run("rank", table, "--positive", "buyer", "--out", "link.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "target.csv").read_text().startswith('"row"')


def test_identifiers_are_kept_to_the_letter(tmp_path, customers):
    ids = ["00055", "100000000000000000017", "55E6", "50.00", "NA", "None", "2020-01-28 10:00"]
    customers["customer"] = [*ids, *(f"{row:05}" for row in range(293))]
    customers["buyer"] = ["0"] * 7 + ["01" if row % 5 == 0 else "02" for row in range(293)]
    table = write(customers, tmp_path)
    done = run("rank", table, "--positive", "buyer=01", "--id", "customer", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ranking = pd.read_csv(
        tmp_path / "customers-ranking.csv", dtype={"customer": str}, keep_default_na=False
    )
    assert set(ids) <= set(ranking["customer"])
    assert set(ranking["customer"]) == set(customers["customer"][customers["buyer"] != "01"])


@pytest.mark.parametrize("name", ["rank", "score"])
def test_an_identifier_named_like_a_column_of_the_ranking(tmp_path, customers, name):
    table = write(customers.rename(columns={"customer": name}), tmp_path)
    done = run(
        "rank", table, "--positive", "buyer", "--id", name, "--report", "r.html", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    ranking = pd.read_csv(tmp_path / "customers-ranking.csv")
    assert ranking.columns[0] == f"{name} (identifier)"
    assert ranking.shape[1] == 4


def test_ordinary_columns_are_no_leaks(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=400), "coin": ["h", "t"] * 200, "known": [1, 1] * 20 + [0] * 360}
    )
    done = run("rank", write(frame, tmp_path), "--positive", "known", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "separates" not in done.stderr


def test_odd_but_usable(tmp_path):
    """Columns that stop words, control characters, huge integers or sparse text make hard."""
    rng = np.random.default_rng(0)
    n = 60
    frame = pd.DataFrame(
        {
            "known": (np.arange(n) < 12).astype(int),
            "x": rng.normal(size=n),
            "bell\x07": np.where(np.arange(n) % 2, "a\x07", "b"),
            "stops": ["and the of it"] * (n - 1) + ["the and it of"],
            "alone": [f"w{i} v{i} u{i} t{i}" for i in range(n)],
            "once": ["one text only here"] + [None] * (n - 1),
            "big": 2**60 + np.arange(n) % 5,
            "numbers as text": np.arange(n) % 7,
        }
    )
    table = write(frame, tmp_path, "t.parquet")
    done = run(
        "rank",
        table,
        "--positive",
        "known",
        "--text",
        "numbers as text",
        "--report",
        "r.html",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "dropped stops, alone, once, numbers as text: no word except stop words" in done.stderr


@pytest.fixture(scope="module")
def mixed():
    """150 rows of numbers, a category, and two columns of text with the same words."""
    rng = np.random.default_rng(0)
    words = ["wheat and corn exports rose", "grain prices fell again", "shares of the bank gained"]
    row = np.arange(150)
    about_grain = row % 3 == 1
    return pd.DataFrame(
        {
            "age": rng.normal(40, 10, 150).round(1) + 5 * about_grain,
            "region": np.where(rng.random(150) < 0.7, np.where(about_grain, "north", "south"), ""),
            "title": [words[i % 3] for i in row],
            "body": [f"{words[i % 3]} while {words[(i + i // 3) % 3]}" for i in row],
            "known": (about_grain & (row % 2 == 1)).astype(int),
        }
    )


@pytest.mark.parametrize("method", [*METHODS])
def test_every_method_ranks_a_mixed_table(mixed, tmp_path, method):
    ask = ["--positive", "known", "--method", method, "--report", "r.html"]
    if method == "multinomial":
        done = run("rank", write(mixed, tmp_path), *ask, cwd=tmp_path)
        refused(done, "works only for words, but", "naive-bayes")
        mixed = mixed[["title", "body", "known"]]
    done = passed("rank", write(mixed, tmp_path), *ask, cwd=tmp_path)
    assert "2 of text" in done.stderr
    assert printed_auc(done.stderr) > 0.6
    page = (tmp_path / "r.html").read_text()
    assert ("What drives the score" in page) == (method != "correlation")
    assert ("<strong>adjusted p = " in page) == (method == "significance")
    if method != "correlation":  # no word has a weight
        assert re.search("(title|body|all text): (grain|prices|fell)", page)


def test_few_positives_among_numbers(rng, tmp_path):
    """The significance ranker joins, with its adjusted p-value; not with many, nor categories."""
    frame = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    frame["known"] = (np.arange(200) < 12).astype(int)
    frame.loc[frame.known == 1, "a"] += 2
    done = run("rank", write(frame, tmp_path), "--positive", "known", cwd=tmp_path)
    assert "significance ranker  " in done.stderr
    assert "Is this chance? adjusted p = 0.01 for the distance" in done.stderr
    assert "of as many rows; with so many sets no p-value can be lower" in done.stderr
    assert "may be chance" not in done.stderr
    frame["known"] = (np.arange(200) < 110).astype(int)
    done = run("rank", write(frame, tmp_path), "--positive", "known", cwd=tmp_path)
    assert "significance" not in done.stderr
    assert "Is this chance?" not in done.stderr


@pytest.mark.parametrize(
    ("shift", "said"),
    [
        (4.0, "is no better than chance (0.5). Do"),
        (10.0, "may be chance: its 95 % confidence interval,"),
        (40.0, ""),
    ],
)
def test_whether_the_best_auc_is_chance(tmp_path, shift, said):
    known = np.arange(60) < 12
    table = write(
        pd.DataFrame({"a": np.arange(60) * 37 % 60 + shift * known, "known": known.astype(int)}),
        tmp_path,
    )
    ask = ["--positive", "known", "--method", "center-of-mass"]
    done = passed("rank", table, *ask, "--report", "r.html", cwd=tmp_path)
    passed("compare", table, *ask, cwd=tmp_path)
    (row,) = pd.read_csv(tmp_path / "customers-comparison.csv").itertuples()
    assert (row.hidden_positive_auc <= 0.5) == ("no better" in said)
    assert (row.auc_low <= 0.5) == bool(said)
    lines = [line for line in done.stderr.splitlines() if "The best hidden-positive" in line]
    assert [said in line for line in lines] == [True] * bool(said)
    page = " ".join((tmp_path / "r.html").read_text().split())
    # A page says nothing about options of the command.
    bare = [each.removeprefix("warning: ").partition(" Try random labels")[0] for each in lines]
    assert all(line in page for line in bare)
    assert "Try random labels" not in page


def test_bagging_is_fitted_once_on_all_rows(customers, tmp_path, monkeypatch):
    """That fit ranks the known positives and the unlabeled, and is the model."""
    shown = []
    fit = PUBagging.fit

    def recorded(self, X, y):
        shown.append(int(np.sum(y)))
        return fit(self, X, y)

    monkeypatch.setattr(PUBagging, "fit", recorded)
    table = write(customers.drop(columns=["note", "customer"]), tmp_path)
    passed("rank", table, "--positive", "buyer", "--method", "bagging", cwd=tmp_path)
    n_positive = int((customers["buyer"] == "x").sum())
    assert shown == [n_positive]
    data = tables.read_table(table)
    _, positive = read_labels(data, "buyer")
    summary = tables.describe(data, without=["buyer"])
    (ranker,) = rankers_for(summary, methods=["bagging"]).values()
    expected = unlabeled_out_of_fold_scores(ranker, used_columns(data, summary), positive)
    ranking = pd.read_csv(tmp_path / "customers-ranking.csv").set_index("row")
    assert_allclose(ranking.score[1 + expected.rows], 1 - expected.ranks, atol=1e-6)


@pytest.mark.parametrize("grouped", [False, True])
def test_against_random_labels(customers, tmp_path, grouped):
    customers["house"] = [f"H{row // 2}" for row in range(300)]
    table = write(customers.drop(columns="note"), tmp_path)
    ask = ["rank", table, "--positive", "buyer", "--id", "customer", "--method", "naive-bayes"]
    ask += ["--group", "house"] if grouped else ["--drop", "house"]
    done = run(*ask, "--resamples", "19", "--report", "r.html", cwd=tmp_path)
    assert (
        "Is this chance? p = 0.05 for the best AUC, compared with 19 random label sets"
        in done.stderr
    )
    page = " ".join((tmp_path / "r.html").read_text().split())
    (highest,) = re.findall(
        r"none of these sets reached this AUC, and their highest AUC was ([\d.]+)", page
    )
    assert 0.5 < float(highest) < printed_auc(done.stderr)


def test_methods_that_do_not_fit(tmp_path, customers):
    ask = ["rank", write(customers, tmp_path), "--positive", "buyer", "--method"]
    refused(run(*ask, "boosting", cwd=tmp_path), "There is no method 'boosting'", "naive-bayes")
    refused(run(*ask, "multinomial", cwd=tmp_path), "works only for words, but", "naive-bayes")


def test_decimal_commas_and_excel(tmp_path):
    rows = "".join(f"{'Y' if i < 6 else 'N'};{i % 7},{i % 10};{i % 3}\n" for i in range(30))
    (tmp_path / "t.csv").write_text("sep=;\nknown;price;kind\n" + rows)
    ask = ["rank", "t.csv", "--positive", "known", "--method", "naive-bayes"]
    assert "2 of numbers" in passed(*ask, cwd=tmp_path).stderr


def test_outputs_are_named_after_the_table(tmp_path, customers):
    write(customers, tmp_path, "sales.2024.v1.csv")
    done = run("rank", "sales.2024.v1.csv", "--positive", "buyer", cwd=tmp_path)
    assert done.stdout == "sales.2024.v1-ranking.csv\n"


def test_missing_file(tmp_path):
    done = run_apart("rank", "none.csv", "--positive", "known", cwd=tmp_path)
    refused(done, "There is no file or folder 'none.csv'", "Check the path")


def test_folder_without_tables(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / ".hidden").write_text("nothing")
    done = run("rank", "folder", "--positive", "known", cwd=tmp_path)
    refused(done, "The folder 'folder' holds no table", "Put files into it")


def test_folder_of_two_formats(tmp_path, customers):
    (tmp_path / "t").mkdir()
    write(customers, tmp_path / "t", "a.csv")
    write(customers, tmp_path / "t", "b.parquet")
    done = run("rank", "t", "--positive", "buyer", cwd=tmp_path)
    refused(done, "mixes formats: csv, parquet", "a folder of their own")


def test_a_constant_column_beside_others_is_dropped_and_said(tmp_path):
    lines = [f"{line},5," for line in ROWS.splitlines()]
    (tmp_path / "t.csv").write_text("known,a,b,c,d\n" + "\n".join(lines) + "\n")
    done = run("rank", "t.csv", "--positive", "known", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "dropped c: all values are 5" in done.stderr
    assert "dropped d: all values are missing" in done.stderr


def test_mixed_column_as_categories(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD.replace("0,6,x", "0,six,x", 1))
    ask = ["rank", "t.csv", "--positive", "known", "--method", "naive-bayes"]
    told = passed(*ask, "--categorical", "a", cwd=tmp_path).stderr
    guessed = passed(*ask, cwd=tmp_path).stderr
    for said in (told, guessed):
        assert "columns: 2 of categories;" in said
    warning = "a: read as categories, although most cells are numbers"
    assert warning in guessed
    assert warning not in told


def test_usage(tmp_path):
    assert run("rank", cwd=tmp_path).returncode == 2
    assert run("rank", "t.csv", cwd=tmp_path).returncode == 2
    assert run("rank", "t.csv", "--positive", "a", "--top", "0", cwd=tmp_path).returncode == 2
    shown = run("--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert "Exit codes: 0 done; 2" in shown.stdout
    words = run("rank", "--help", cwd=tmp_path).stdout.split()
    assert "onesided rank genes.csv" in " ".join(words)
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run("--version", cwd=tmp_path).stdout)


def test_a_file_in_the_place_of_a_verb(tmp_path):
    (tmp_path / "my table.csv").write_text("a\n1\n")
    done = run("my table.csv", cwd=tmp_path)
    assert done.returncode == 2
    words = " ".join(done.stderr.replace("│", " ").split())
    assert "'my table.csv' is a file, not a command" in words
    assert "onesided rank 'my table.csv' --positive COLUMN" in words


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_killed_at_any_moment(tmp_path, kind):
    """What was there stays whole; nothing new under a final name."""
    (tmp_path / "genes-ranking.csv").write_text("old")
    for at_work in (False, True):
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "onesided",
                "rank",
                str(EXAMPLE),
                "--positive",
                "known_target",
                "--id",
                "gene",
                "--report",
                "r.html",
            ],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        if at_work:
            assert any(line.startswith("The known positives are hidden") for line in process.stderr)
        else:
            time.sleep(0.3)
        process.send_signal(kind)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode != 0
        assert (tmp_path / "genes-ranking.csv").read_text() == "old"
        assert not (tmp_path / "r.html").exists()
        if kind != signal.SIGKILL and at_work:
            assert process.returncode == 130
            assert "Interrupted. No output file is left half written." in stderr
            assert "Traceback" not in stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_full_disk(tmp_path, customers):
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine mounts no tmpfs")
    try:
        table = write(customers, tmp_path)
        done = run(
            "rank",
            table,
            "--positive",
            "buyer",
            "--id",
            "customer",
            "--out",
            "small/r.csv",
            "--report",
            "small/r.html",
            cwd=tmp_path,
        )
        refused(done, "cannot be written: No space left on device", "Free some disk space,")
        assert [path.name for path in small.iterdir()] == ["r.csv"]  # whole, without the page
        n_unlabeled = int(customers["buyer"].ne("x").sum())
        assert len((small / "r.csv").read_text().splitlines()) == 1 + n_unlabeled
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_command_in_the_report_runs_again(customers, tmp_path, monkeypatch):
    folder = tmp_path / "a folder"
    folder.mkdir()
    write(customers, folder)
    ask = ["rank", "customers.csv", "--positive", "buyer", "--id", "customer"]
    ask += ["--method", "naive-bayes"]
    monkeypatch.setattr(sys, "argv", ["/usr/bin/onesided", *ask])
    passed(*ask, "--report", "my report.html", cwd=folder)
    page = (folder / "my report.html").read_text(encoding="utf-8")
    *_, shown = re.findall(r"<pre>(.*?)</pre>", page, flags=re.DOTALL)
    words = shlex.split(html.unescape(re.sub("<.*?>", "", shown)))
    assert words == ["onesided", *ask]


def test_groups_that_cannot_change_places(customers, tmp_path):
    """Said before the work, not after it."""
    customers["city"] = np.repeat(["A", "B", "C"], [150, 100, 50])
    table = write(customers, tmp_path)
    ask = ["rank", table, "--positive", "buyer", "--id", "customer", "--group", "city"]
    done = run(*ask, "--resamples", "19", cwd=tmp_path)
    refused(done, "number of possible exchanges is only 1,", "leave the test out")
    assert "hidden among the unlabeled" not in done.stderr


def test_significance_of_two_positives(customers, tmp_path):
    customers["buyer"] = ["x", "x"] + [""] * 298
    ask = ["rank", write(customers, tmp_path), "--positive", "buyer", "--method", "significance"]
    refused(
        run(*ask, cwd=tmp_path), "would see 1 positive row; it needs at least 2", "other methods"
    )
