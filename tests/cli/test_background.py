"""`--background others` of rank, compare and fit."""

import json

import numpy as np
import pandas as pd
import pytest

from command_line import passed, refused, run

FEW = ("--method", "naive-bayes", "--method", "center-of-mass")
ASK = ("--positive", "species=owl", "--id", "site", *FEW)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three species with a habitat, one of few records, and sites without a record."""
    path = tmp_path_factory.mktemp("borrowed")
    rng = np.random.default_rng(20060403)
    species = np.repeat(["owl", "frog", "newt", "hare", ""], [40, 60, 50, 3, 150])
    records = pd.DataFrame(
        {
            "site": [f"S{row:03}" for row in range(len(species))],
            "species": np.where(species == "", None, species),
            "height": rng.normal(size=len(species)) + 3 * (species == "owl"),
            "rain": rng.normal(size=len(species)) + 3 * (species == "frog"),
            "road": rng.normal(size=len(species)) + 3 * (species != ""),
            "block": rng.integers(0, 12, len(species)),
        }
    )
    records.round(4).to_csv(path / "records.csv", index=False)
    records.assign(owl=np.where(species == "owl", 1, None)).to_csv(path / "marks.csv", index=False)
    few = records[(species != "newt") & (species != "frog")]
    few.to_csv(path / "few.csv", index=False)
    return path


def test_the_list_the_terminal_and_the_page_say_it(folder):
    done = passed(
        *("rank", "records.csv", *ASK, "--background", "others", "--group", "block"),
        *("--out", "r.csv", "--report", "r.html", "--save-config", "c.json"),
        cwd=folder,
    )
    kinds = "113 unlabeled rows with other labels in column species (3 labels), and 13 without"
    assert f"  background       126  (borrowed: {kinds} a label, drawn" in done.stderr
    assert "hidden among the rows of the background in turn" in done.stderr
    meaning = f"the methods learn the known positives against 126 rows, {kinds} a label"
    assert meaning in done.stderr
    assert len(pd.read_csv(folder / "r.csv")) == 263
    facts = json.loads((folder / "r.json").read_text("utf-8"))
    assert facts["table"]["background"]["n_rows"] == 126
    assert facts["table"]["background"]["n_labels"] == 3
    page = (folder / "r.html").read_text("utf-8")
    assert meaning in page
    assert "of the background, on average, rank below a known" in page
    assert "--background</span> others" in page
    passed("report", "r.json", "--out", "again.html", cwd=folder)
    assert (folder / "again.html").read_text("utf-8") == page
    passed("rank", "--config", "c.json", "--out", "again.csv", "records.csv", cwd=folder)
    assert (folder / "again.csv").read_bytes() == (folder / "r.csv").read_bytes()
    done = passed(
        "rank", "records.csv", *ASK, "--out", "plain.csv", "--report", "p.html", cwd=folder
    )
    assert "background" not in done.stderr
    assert "background" not in json.loads((folder / "p.json").read_text("utf-8"))["table"]


def test_each_value_as_alone(folder):
    each = ("rank", "records.csv", "--positive-each", "species", "--id", "site", *FEW)
    more = ("--background", "others", "--group", "block")
    done = passed(*each, *more, "--out", "each.csv", "--json", cwd=folder)
    passed("rank", "records.csv", *ASK, *more, "--out", "owl.csv", cwd=folder)
    found, alone = pd.read_csv(folder / "each.csv"), pd.read_csv(folder / "owl.csv")
    of_owl = found[found["species"] == "owl"].drop(columns="species").reset_index(drop=True)
    pd.testing.assert_frame_equal(of_owl, alone)
    assert "Each value is learned against the rows that record another value" in done.stderr
    result = json.loads(done.stdout)["result"]
    assert result["background"] == "others"
    assert {each["value"]: each["n_background"] for each in result["values"]} == {
        "frog": 103,
        "newt": 114,
        "owl": 126,
    }


def test_each_value_without_enough_others_is_left_out(folder):
    done = run(
        *("rank", "few.csv", "--positive-each", "species", "--background", "others", *FEW),
        cwd=folder,
    )
    refused(done, "3 unlabeled rows have another label than 'owl'", "that have 5 records")


def test_compare_and_fit_take_it(folder):
    borrowed = ("--background", "others")
    done = passed("compare", "records.csv", *ASK, *borrowed, "--json", cwd=folder)
    assert json.loads(done.stdout)["result"]["tasks"][0]["n_unlabeled"] == 126
    done = passed(
        "fit", "records.csv", *ASK, *borrowed, "--out", "m.onesided", "--json", cwd=folder
    )
    result = json.loads(done.stdout)["result"]
    assert (result["n_learned"], result["n_unlabeled"]) == (166, 263)
    assert "(borrowed: 113 unlabeled rows with other labels in column species" in done.stderr
    passed("score", "m.onesided", "records.csv", "--out", "scores.csv", cwd=folder)
    done = run("fit", "records.csv", *ASK, *borrowed, "--unlabeled", "50", cwd=folder)
    refused(done, "may lack rows that have another label", "--unlabeled and --background")


def test_what_is_refused(folder):
    ask = ("--id", "site", "--background", "others", *FEW)
    done = run("rank", "marks.csv", "--positive", "owl", "--drop", "species", *ask, cwd=folder)
    refused(done, "Column 'owl' only marks rows", "Leave --background out, or pass a column")
    done = run("rank", "records.csv", "--positive-table", "few.csv", *ask, cwd=folder)
    refused(done, "has no other labels for --background", "--positive COLUMN=VALUE")
    done = run("rank", "few.csv", "--positive", "species=owl", *ask, cwd=folder)
    refused(done, "a background needs 20 rows", "Leave --background out, or add rows")
    done = run("rank", "records.csv", *ASK, "--background", "all", cwd=folder)
    assert done.returncode == 2
    assert "'all' is not one of 'others'" in done.stderr


@pytest.mark.parametrize(
    ("verb", "more", "problem"),
    [
        ("rank", ["--positive", "a", "--time", "t", "--group", "g"], "--time t and --group g both"),
        ("compare", ["--positive", "a", "--time", "t", "--space", "x,y"], "--space x,y both say"),
        ("rank", ["--positive", "a", "--group", "g", "--space", "x,y"], "--space x,y both say"),
        (
            "rank",
            ["--positive-each", "a", "--group", "g", "--space", "x,y"],
            "--space x,y both say",
        ),
        ("rank", ["--positive", "a", "--screened-at-random"], "no row is known to be negative"),
        ("rank", ["--positive-table", "p.csv", "--background", "others"], "has no other labels"),
    ],
)
def test_options_that_exclude_each_other_are_refused_before_a_file_is_read(
    verb, more, problem, tmp_path
):
    refused(run(verb, "none.csv", *more, cwd=tmp_path), problem, "")
