"""`onesided audit`, run as a user runs it."""

import json

import numpy as np
import pandas as pd
import pytest

from command_line import passed, refused, run


@pytest.fixture
def folder(tmp_path):
    """A ranking of 300 rows."""
    pd.DataFrame(
        {"gene": [f"g{row}" for row in range(300)], "rank": range(1, 301), "score": 0.5}
    ).to_csv(tmp_path / "r.csv", index=False)
    return tmp_path


def fill(path, n=None):
    """Every row of the first 60 ranks is positive."""
    sheet = pd.read_csv(path, dtype=str, keep_default_na=False)
    words = np.where(sheet["rank"].astype(int) <= 60, "yes", "no")
    sheet.loc[: (n or len(sheet)) - 1, "verdict"] = words[: n or len(sheet)]
    sheet.to_csv(path, index=False)


def test_from_draw_to_number(folder):
    done = passed("audit", "r.csv", "--draw", 80, cwd=folder)
    assert done.stdout == "r-check.csv\n"
    fill(folder / "r-check.csv")
    done = passed("audit", "r.csv", "--verdicts", "r-check.csv", "--first", 60, cwd=folder)
    _, low, high = map(float, done.stdout.split())
    assert low <= 60 <= high
    assert "80 are checked" in done.stderr
    assert "Precision of the first 60 rows" in done.stderr
    done = passed("audit", "r.csv", "--draw", 20, cwd=folder)
    assert done.stdout == "r-check-2.csv\n"
    assert len(pd.read_csv(folder / "r-check-2.csv")) == 20


def test_a_price_leaves_no_file(folder):
    done = passed("audit", "r.csv", cwd=folder)
    assert "Rows still to check, about: number of positives ± 20%" in done.stderr
    assert [each.name for each in folder.iterdir()] == ["r.csv"]


def test_json_and_other_outputs(folder):
    passed("audit", "r.csv", "--draw", 50, "--mode", "planned", "--state", "s.json", cwd=folder)
    fill(folder / "r-check.csv")
    done = passed(
        *("audit", "r.csv", "--state", "s.json", "--verdicts", "r-check.csv", "--json"),
        *("--checked", "all.parquet", "--until", "count 20%"),
        cwd=folder,
    )
    said = json.loads(done.stdout)
    assert said["result"]["checked"] == 50
    assert said["result"]["goal"]["what"] == "number of positives ± 20%"
    assert set(said["written"]) == {"sheet", "verdicts", "state"} - (
        {"sheet"} if said["result"]["goal"]["reached"] else set()
    )
    kept = pd.read_parquet(folder / "all.parquet")
    assert kept.columns.tolist() == ["gene", "rank", "stands_for", "verdict", "note"]
    assert len(kept) == 50


def test_verdicts_are_not_written_over(folder):
    passed("audit", "r.csv", "--draw", 20, "--sheet", "c.csv", cwd=folder)
    fill(folder / "c.csv", 5)
    before = (folder / "c.csv").read_bytes(), (folder / "r.audit.json").read_bytes()
    refused(
        run("audit", "r.csv", "--draw", 20, "--sheet", "c.csv", cwd=folder),
        "'c.csv' holds 5 verdicts that were not read",
        "Read them first, --verdicts c.csv",
    )
    refused(
        run("audit", "r.csv", "--verdicts", "c.csv", "--draw", 5, "--sheet", "c.csv", cwd=folder),
        "'c.csv' is the input file",
        "Pass another name.",
    )
    assert before == ((folder / "c.csv").read_bytes(), (folder / "r.audit.json").read_bytes())


@pytest.mark.parametrize(
    ("more", "problem", "mend"),
    [
        (["--until", "enough"], "'enough' is not a goal", '"count 20%"'),
        (["--sheet", "c.csv"], "No row waits for a verdict", "Draw rows: --draw 50."),
        (["--verdicts", "none.csv"], "none.csv", "."),
        (["--verdicts", "r.csv"], "verdict", "."),
        (["--draw", "5", "--sheet", "r.csv"], "'r.csv' is the input file", "Pass another name."),
    ],
)
def test_errors(folder, more, problem, mend):
    refused(run("audit", "r.csv", *more, cwd=folder), problem, mend)
    assert [each.name for each in folder.iterdir()] == ["r.csv"]
