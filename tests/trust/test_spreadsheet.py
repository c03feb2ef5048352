"""Tables that a spreadsheet opens without running what a cell holds."""

import csv
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from command_line import passed, refused, replaced, run
from every_verb import FEW, LABEL, RUNS
from onesided.tables import write_table

FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@a",
    "\tx",
    "\rx",
    "\nx",
    '=cmd|" /C calc"!A0',
    *(
        f"{blank}=1+1"
        for blank in (" ", "\n", "\r\n ", "\t", "\v", "\u00a0", "\u3000", "\u200b", "\ufeff")
    ),
    *(f"{sign}1" for sign in "＝＋－＠﹢−"),  # noqa: RUF001 - as in Chinese text
    " \u3000＝1",  # noqa: RUF001 - these letters are meant
]
HARMLESS = ["'=1", "a=1", "ü", " a=1", "1\n=1", "(=1)", "", None]
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_text_that_would_be_a_formula(ending, tmp_path):
    cells = [*FORMULAS, *HARMLESS]
    table = pa.table({"\n=name": cells, "score": [-float(n) for n in range(len(cells))]})
    path = tmp_path / f"t{ending}"
    write_table(table, path, for_spreadsheet=True)
    assert path.read_bytes().startswith(BOM)
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t" if ending == ".tsv" else ",")
    assert header == ["'\n=name", "score"]
    expected = [*(f"'{cell}" for cell in FORMULAS), *(cell or "" for cell in HARMLESS)]
    assert [row[0] for row in rows] == expected
    assert [float(row[1]) for row in rows] == table["score"].to_pylist()  # numbers stay numbers
    write_table(table, path)
    assert not path.read_bytes().startswith(BOM)
    assert b"'=1+1" not in path.read_bytes()


@pytest.fixture
def formulas(inputs):
    """The tables, with names and cells that are formulas."""
    for name, key in (("genes", "gene"), ("new", "id")):
        table = pd.read_csv(inputs / f"{name}.csv")
        table["=odd"] = np.arange(len(table)) / 7
        table[key] = [f"=HYPERLINK({each})" for each in table[key]]
        table.to_csv(inputs / f"{name}.csv", index=False)
    (inputs / "=more.csv").write_text((inputs / "more.csv").read_text())
    return inputs


VERBS = {
    "rank": (("rank", "genes.csv", *LABEL, "--id", "gene", *FEW), "genes-ranking.csv"),
    "enrich": (
        ("enrich", "genes.csv", *LABEL, "--drop", "gene", "--resamples", "99"),
        "genes-enrichment.csv",
    ),
    "compare": (("compare", "more.csv", "=more.csv", *LABEL, *FEW), "comparison.csv"),
    "unexpected": (RUNS["unexpected"], "new-unexpected.csv"),
    "score": (("score", "kept.onesided", "genes.csv", "--out", "s.csv"), "s.csv"),
    "score --top": (
        ("score", "kept.onesided", "genes.csv", "--out", "s.csv", "--top", "9"),
        "s.csv",
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb(verb, formulas):
    arguments, out = VERBS[verb]
    passed(*arguments, cwd=formulas)
    plain = (formulas / out).read_bytes()
    passed(*arguments, "--for-spreadsheet", cwd=formulas)
    content = (formulas / out).read_bytes()
    assert content == BOM + re.sub(rb'(^|[",])=', rb"\1'=", plain, flags=re.MULTILINE)
    assert content.count(b"'=") > 0
    other = ["--for-spreadsheet", "--out", "o.parquet"]
    done = run(*replaced(arguments, other), cwd=formulas)
    problem = "--for-spreadsheet works only for .csv and .tsv files, not for 'o.parquet'"
    refused(done, problem, "Remove the option")
