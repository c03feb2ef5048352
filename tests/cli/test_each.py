"""`onesided rank --positive-each`: many species in one run."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from command_line import passed, refused, run

FEW = ("--method", "naive-bayes", "--method", "center-of-mass")


@pytest.fixture
def records():
    """Two species with a habitat, one of three records, background without a name."""
    rng = np.random.default_rng(20060403)
    species = np.repeat(["owl", "frog", "newt", ""], [30, 20, 3, 150])
    return pd.DataFrame(
        {
            "site": [f"S{row:03}" for row in range(len(species))],
            "species": np.where(species == "", None, species),
            "height": rng.normal(size=len(species)) + 3 * (species == "owl"),
            "rain": rng.normal(size=len(species)) + 3 * (species == "frog"),
            "block": rng.integers(0, 12, len(species)),
        }
    )


def rank(table, folder, *more):
    return passed(
        *("rank", table, "--positive-each", "species", "--id", "site", "--group", "block"),
        *(*FEW, "--out", "each.csv", *more),
        cwd=folder,
    )


def test_one_ranking_a_species(records, tmp_path):
    records.to_csv(tmp_path / "records.csv", index=False)
    done = rank("records.csv", tmp_path, "--json")
    found = pd.read_csv(tmp_path / "each.csv")
    assert list(found) == ["species", "site", "rank", "score", "recall"]
    assert found["species"].unique().tolist() == ["frog", "owl"]
    for name, of_species in found.groupby("species"):
        others = records.loc[records["species"] != name, "site"]
        assert sorted(of_species["site"]) == sorted(others)  # records of others are background
        assert_array_equal(of_species["rank"], np.arange(1, len(others) + 1))
    result = json.loads(done.stdout)["result"]
    assert [each["value"] for each in result["values"]] == ["frog", "owl"]
    assert all(each["auc"] > 0.9 for each in result["values"])
    assert result["left_out"] == [{"value": "newt", "n_positive": 3, "why": "fewer than 5 records"}]
    assert "left out newt: fewer than 5 records" in done.stderr
    assert "owl                          30 records  AUC 0.9" in done.stderr


def test_the_same_as_one_species_alone(records, tmp_path):
    records.to_csv(tmp_path / "records.csv", index=False)
    rank("records.csv", tmp_path, "--workers", "1")
    passed(
        *("rank", "records.csv", "--positive", "species=owl", "--id", "site", "--group", "block"),
        *(*FEW, "--out", "owl.csv"),
        cwd=tmp_path,
    )
    each, alone = pd.read_csv(tmp_path / "each.csv"), pd.read_csv(tmp_path / "owl.csv")
    of_owl = each[each["species"] == "owl"].drop(columns="species").reset_index(drop=True)
    pd.testing.assert_frame_equal(of_owl, alone)


def test_background_that_has_a_name(records, tmp_path):
    """A column of labels says which rows are records; the name of the others is no species."""
    named = records.assign(presence=records["species"].notna().astype(int))
    named = named.fillna({"species": "pseudo"})
    named.to_parquet(tmp_path / "named.parquet", index=False)
    rank("named.parquet", tmp_path, "--positive", "presence")
    found = pd.read_csv(tmp_path / "each.csv")
    assert found["species"].unique().tolist() == ["frog", "owl"]
    records.to_parquet(tmp_path / "blank.parquet", index=False)
    rank("blank.parquet", tmp_path)
    assert_allclose(pd.read_csv(tmp_path / "each.csv")["score"], found["score"])


def test_top_of_each(records, tmp_path):
    records.to_csv(tmp_path / "records.csv", index=False)
    rank("records.csv", tmp_path, "--top", "7")
    found = pd.read_csv(tmp_path / "each.csv")
    assert found.groupby("species")["rank"].agg(list).tolist() == [list(range(1, 8))] * 2


def test_one_page_of_all_species(records, tmp_path, browser):
    owls = {"owl": "owl <b>", "frog": "frog"}
    records["species"] = records["species"].replace(owls)
    records.to_csv(tmp_path / "records.csv", index=False)
    done = rank("records.csv", tmp_path, "--report", "r.html", "--json")
    found, table = json.loads((tmp_path / "r.json").read_text()), pd.read_csv(tmp_path / "each.csv")
    told = json.loads(done.stdout)
    assert told["written"] == {"ranking": "each.csv", "report": "r.html", "report_data": "r.json"}
    assert told["result"] == found
    for each in found["values"]:
        of_value = table[table["species"] == each["value"]]
        assert each["n_listed"] == len(of_value)
        assert [row["identifier"] for row in each["candidates"]] == of_value["site"][:50].tolist()
    page = browser.new_page()
    page.goto((tmp_path / "r.html").as_uri())
    assert page.locator("section h2").all_inner_texts() == ["The values", "frog", "owl <b>"]
    assert page.locator("#value-2 tbody tr").count() == 50
    assert "newt (3 records): fewer than 5 records" in page.locator("#values").text_content()
    page.locator("#values a", has_text="owl").click()
    assert page.url.endswith("#value-2")
    first = (tmp_path / "r.html").read_bytes()
    passed("report", "r.json", "--out", "again.html", cwd=tmp_path)
    assert (tmp_path / "again.html").read_bytes() == first


def test_a_species_of_one_block_is_left_out(records, tmp_path):
    records.loc[records["species"] == "owl", "block"] = 99
    records.to_csv(tmp_path / "records.csv", index=False)
    done = rank("records.csv", tmp_path)
    assert "left out owl: " in done.stderr
    assert pd.read_csv(tmp_path / "each.csv")["species"].unique().tolist() == ["frog"]


def test_what_is_refused(records, tmp_path):
    records.to_csv(tmp_path / "records.csv", index=False)
    each = ("rank", "records.csv", "--positive-each", "species")
    for more in (("--recall", "0.9"), ("--gains", "g.csv"), ("--cost", "1", "--budget", "9")):
        mend = "replace --positive-each species with --positive species=NAME."
        refused(
            run(*each, *more, cwd=tmp_path),
            f"{more[0]} works for one ranking,",
            f"Leave {more[0]} out, or make one ranking: {mend}",
        )
    done = run(
        "rank", "records.csv", "--positive-each", "the kind", "--gains", "g.csv", cwd=tmp_path
    )
    refused(done, "one ranking", "replace --positive-each 'the kind' with --positive 'the kind=")
    done = run("rank", "records.csv", "--positive-each", "specis", cwd=tmp_path)
    refused(done, "no column 'specis'", "Did you mean 'species'?")
    done = run("rank", "records.csv", "--positive-each", "site", cwd=tmp_path)
    refused(done, "No value of column 'site' has enough records to rank by", "5 records or more")


@pytest.mark.parametrize(
    ("marks", "named"), [([1, None], "'1'"), (["x", ""], "'x'"), (["yes", "no"], "'no' and 'yes'")]
)
def test_a_column_that_marks_rows_is_no_list_of_names(marks, named, records, tmp_path):
    records.assign(**{"great owl": np.resize(marks, len(records))}).to_csv(
        tmp_path / "wide.csv", index=False
    )
    done = run("rank", "wide.csv", "--positive-each", "great owl", cwd=tmp_path)
    refused(
        done, f"only marks rows, with {named}; its values are not names", "--positive 'great owl'"
    )


def test_labels_of_other_kinds_are_noticed(records, tmp_path):
    """A column a species, each 1 or blank."""
    ask = ["--positive", "owl", "--id", "site", *FEW]
    wide = records.drop(columns="species")
    for name in ("owl", "frog", "red newt"):
        wide[name] = np.where(records["species"] == name.split()[-1], 1, None)
    wide.to_csv(tmp_path / "wide.csv", index=False)
    done = passed("rank", "wide.csv", *ask, cwd=tmp_path)
    assert "columns that mark rows in the same way as 'owl', for example 'frog'" in done.stderr
    assert "drop them: --drop frog --drop 'red newt'." in done.stderr
    done = passed("rank", "wide.csv", *ask, "--drop", "frog", "--drop", "red newt", cwd=tmp_path)
    assert "mark rows in the same way" not in done.stderr
    wide["frog"] = wide["frog"].fillna(0)
    wide.drop(columns="red newt").to_csv(tmp_path / "wide.csv", index=False)
    done = passed("rank", "wide.csv", *ask, cwd=tmp_path)
    assert "mark rows in the same way" not in done.stderr
