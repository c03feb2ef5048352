"""`onesided audit`, run as a user runs it."""

import json
import re
import shutil

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
    checked = np.arange(len(sheet)) < (n or len(sheet))
    sheet["verdict"] = np.where(checked, words, "")
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


@pytest.mark.parametrize("words", [("yes", "no"), ("relevant", "off topic")])
def test_verdicts_of_a_column_of_any_name(folder, words):
    """Words of one's own need the value that means positive; the numbers are the same."""
    passed("audit", "r.csv", "--draw", 80, cwd=folder)
    fill(folder / "r-check.csv")
    mine = folder / "mine"
    shutil.copytree(folder, mine)
    expected = passed("audit", "r.csv", "--verdicts", "r-check.csv", cwd=folder).stdout
    sheet = pd.read_csv(mine / "r-check.csv")
    sheet["judged"] = sheet.pop("verdict").map(dict(zip(["yes", "no"], words, strict=True)))
    sheet.to_csv(mine / "r-check.csv", index=False)
    column = "judged" if words[0] == "yes" else f"judged={words[0]}"
    ask = ["audit", "r.csv", "--verdicts", "r-check.csv", "--verdict-column"]
    assert passed(*ask, column, cwd=mine).stdout == expected


def test_words_of_a_verdict_that_mean_nothing(folder):
    passed("audit", "r.csv", "--draw", 3, cwd=folder)
    sheet = pd.read_csv(folder / "r-check.csv").assign(judged=["relevant", "off", "off"])
    sheet.to_csv(folder / "r-check.csv", index=False)
    ask = ["audit", "r.csv", "--verdicts", "r-check.csv", "--verdict-column"]
    done = run(*ask, "judged", cwd=folder)
    refused(done, "row 1 ('relevant'), row 2 ('off'), row 3 ('off')", "=VALUE")
    refused(run(*ask, "judged=good", cwd=folder), "'good'; it holds 'off', 'relevant'", "letters")
    refused(run(*ask, "other", cwd=folder), "no column 'other'", "?")


def test_each_draw_has_its_own_sheet_whatever_it_is_for(folder):
    """For "found", rows are read from the top and drawn by chance: one batch, one sheet."""
    ask = ["audit", "r.csv", "--until", "found 0.95"]
    for name in ("r-check.csv", "r-check-2.csv"):
        assert passed(*ask, "--draw", 9, cwd=folder).stdout == f"{name}\n"
    done = passed("audit", "r.csv", "--draw", 1, "--sheet", "all.csv", cwd=folder)
    fill(folder / "all.csv", 1)
    done = passed("audit", "r.csv", "--verdicts", "all.csv", cwd=folder)
    assert "300 rows. 1 is checked: " in done.stderr
    assert " 18 rows are drawn and wait for a verdict" in done.stderr


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


@pytest.mark.parametrize("option", ["--sheet", "--checked"])
def test_unread_verdicts_stay_whichever_option_names_their_sheet(folder, option):
    passed("audit", "r.csv", "--draw", 5, "--checked", "all.csv", cwd=folder)
    fill(folder / "r-check.csv")
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    refused(
        run("audit", "r.csv", "--draw", 1, option, "r-check.csv", cwd=folder),
        "'r-check.csv' holds 5 verdicts that were not read",
        f"Read them first, --verdicts r-check.csv, or pass another name: {option}.",
    )
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before
    again = ["--verdicts", "r-check.csv", "--checked", "all.csv"]
    passed("audit", "r.csv", *again, cwd=folder)  # it held no verdict
    passed("audit", "r.csv", *again, cwd=folder)  # it held these verdicts
    assert len(pd.read_csv(folder / "all.csv")) == 5


def test_a_config_does_not_replace_the_state(folder):
    ask = ["audit", "r.csv", "--draw", 5, "--save-config", "r.audit.json"]
    refused(run(*ask, cwd=folder), "another output of this run", "--save-config FILE")
    assert [each.name for each in folder.iterdir()] == ["r.csv"]


@pytest.mark.parametrize(
    ("more", "problem", "mend"),
    [
        (["--until", "enough"], "'enough' is not a goal", '"count 20%"'),
        (["--sheet", "c.csv"], "No row waits for a verdict", "Draw rows: --draw 50."),
        (["--page", "c.html"], "No row waits for a verdict", "Draw rows: --draw 50."),
        (["--draw", "5", "--page", "c.csv"], "'c.csv' does not end in .html", "Pass a name"),
        (["--draw", "5", "--page", "c.html", "--report-data", "r.csv"], "not valid JSON", "Pass"),
        (["--verdicts", "none.csv"], "none.csv", "."),
        (["--verdicts", "r.csv"], "verdict", "."),
        (["--draw", "5", "--sheet", "r.csv"], "'r.csv' is the input file", "Pass another name."),
    ],
)
def test_errors(folder, more, problem, mend):
    refused(run("audit", "r.csv", *more, cwd=folder), problem, mend)
    assert [each.name for each in folder.iterdir()] == ["r.csv"]


def test_the_page_shows_cells_and_drivers(tmp_path, rng):
    known = np.arange(80) < 12
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["size", "charge"]).round(2)
    frame["size"] += 2 * known
    frame.insert(0, "gene", [f"0{row}" for row in range(80)])
    frame.assign(known=known.astype(int)).to_csv(tmp_path / "t.csv", index=False)
    ask = ["--positive", "known", "--id", "gene", "--method", "naive-bayes", "--report", "t.html"]
    passed("rank", "t.csv", *ask, cwd=tmp_path)
    passed(
        *("audit", "t-ranking.csv", "--draw", 10, "--page", "check.html"),
        *("--table", "t.csv", "--report-data", "t.json"),
        cwd=tmp_path,
    )
    page = (tmp_path / "check.html").read_text("utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, flags=re.DOTALL)[1])
    sheet = pd.read_csv(tmp_path / "t-ranking-check.csv", dtype=str)
    assert [row["id"] for row in data["rows"]] == sheet["gene"].tolist()
    cells = frame.set_index("gene").astype(str)
    for row in data["rows"]:
        assert dict(row["fields"])["size"] == cells.loc[row["id"], "size"]
        assert {name for name, _, _ in row["drivers"]} <= {"size", "charge"}
        assert row["drivers"]


def test_the_page_of_another_ranking_is_refused(folder):
    pd.DataFrame({"gene": ["x", "y"], "size": [1, 2]}).to_csv(folder / "t.csv", index=False)
    refused(
        run("audit", "r.csv", "--draw", 5, "--page", "c.html", "--table", "t.csv", cwd=folder),
        "rows of the ranking are not in 't.csv'",
        "Pass the table that was ranked: --table.",
    )
    assert {each.name for each in folder.iterdir()} == {"r.csv", "t.csv"}


@pytest.fixture
def numbered(tmp_path):
    """A table without identifier, ranked; its third row is blank, as spreadsheets leave it."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(size=120).round(3) + 2 * (np.arange(120) < 40)})
    frame["half"] = np.where(np.arange(120) % 2, "odd", "even")
    frame["known"] = (np.arange(120) < 20).astype(int)
    frame.loc[2] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    ask = ("--positive", "known", "--method", "logistic")
    passed("rank", "t.csv", *ask, cwd=tmp_path)
    return tmp_path, frame


def shown(page):
    """The rows of a page for checking, by identifier."""
    data = re.search(r'id="data">(.*?)</script>', page.read_text("utf-8"), flags=re.DOTALL)[1]
    return {row["id"]: dict(row["fields"]) for row in json.loads(data)["rows"]}


def test_a_ranking_without_identifier_is_matched_by_row_numbers(numbered):
    folder, frame = numbered
    ask = ("--draw", 30, "--page", "c.html", "--table", "t.csv", "--by", "half")
    passed("audit", "t-ranking.csv", *ask, cwd=folder)
    rows = shown(folder / "c.html")
    assert len(rows) == 30
    for number, fields in rows.items():
        assert float(fields["size"]) == frame["size"][int(number) - 1]
    is_odd = {number: (int(number) - 1) % 2 for number in rows}
    sheet = pd.read_csv(folder / "t-ranking-check.csv", dtype=str, keep_default_na=False)
    sheet["verdict"] = np.where(sheet["row"].map(is_odd).astype(bool), "yes", "no")
    sheet.to_csv(folder / "t-ranking-check.csv", index=False)
    ask = ("--verdicts", "t-ranking-check.csv", "--by", "half", "--table", "t.csv", "--json")
    done = passed("audit", "t-ranking.csv", *ask, cwd=folder)
    known = {each["what"]: each["point"] for each in json.loads(done.stdout)["result"]["known"]}
    assert known["number of positives where half is even"] == 0
    assert known["number of positives where half is odd"] > 20


@pytest.mark.parametrize("ask", [("--draw", 100, "--page", "c.html"), ("--by", "half")])
def test_a_table_lacks_the_row_numbers_of_another_ranking(numbered, ask):
    folder, frame = numbered
    frame[:60].to_csv(folder / "t.csv", index=False)
    done = run("audit", "t-ranking.csv", *ask, "--table", "t.csv", cwd=folder)
    problem = "by number, 120 for example, but the row numbers of 't.csv' go from 1 to 60."
    refused(done, problem, "Pass the table that was ranked: --table.")


@pytest.mark.parametrize("ask", [("--draw", 3, "--page", "c.html"), ("--by", "half")])
@pytest.mark.parametrize("n_numbers", [0, 99], ids=["texts", "mostly numbers"])
def test_a_table_lacks_the_column_row_that_names_the_rows(numbered, ask, n_numbers):
    folder, frame = numbered
    names = [f"{n}" if n <= n_numbers else f"r{n}" for n in range(1, 121)]
    frame.dropna().assign(row=[*names[:2], *names[3:]]).to_csv(folder / "named.csv", index=False)
    more = ("--positive", "known", "--id", "row", "--method", "logistic", "--out", "n.csv")
    passed("rank", "named.csv", *more, cwd=folder)
    done = run("audit", "n.csv", *ask, "--table", "t.csv", cwd=folder)
    refused(done, "There is no column 'row'", "The columns are")


def test_row_numbers_are_not_taken_for_the_cells_of_a_column_row(numbered):
    folder, frame = numbered
    ask = ("audit", "t-ranking.csv", "--draw", 5, "--page", "c.html", "--table", "t.csv")
    for row, may in ((range(1, 121), True), (range(500, 620), True), (range(120, 0, -1), False)):
        frame.assign(row=row).to_csv(folder / "t.csv", index=False)
        done = run(*ask, cwd=folder)
        if may:
            assert done.returncode == 0, done.stderr
            for number, fields in shown(folder / "c.html").items():
                assert float(fields["size"]) == frame["size"][int(number) - 1]
            for each in folder.glob("t-ranking*"):
                if each.name != "t-ranking.csv":
                    each.unlink()
        else:
            refused(done, "may hold the row numbers or the column 'row' of 't.csv'", "Rename")


@pytest.mark.parametrize(
    "ask", [("--draw", 300, "--page", "c.html"), ("--by", "size")], ids=["page", "groups"]
)
def test_rows_that_share_their_identifier_are_not_mixed_up(folder, ask):
    """A page would show the cells of another row; equal rows do no harm."""
    genes = pd.read_csv(folder / "r.csv", dtype=str)["gene"]
    equal = pd.DataFrame({"gene": [*genes, genes[0]], "size": [*(["1"] * len(genes)), "1"]})
    for size, may in (("1", True), ("2", False)):
        equal.loc[len(genes), "size"] = size
        equal.to_csv(folder / "t.csv", index=False)
        (folder / "r-audit.json").unlink(missing_ok=True)
        done = run("audit", "r.csv", *ask, "--table", "t.csv", cwd=folder)
        if may:
            assert done.returncode == 0, done.stderr
        else:
            problem = "1 identifier of the ranking names several different rows of 't.csv'"
            refused(done, problem, "--id")


def test_all_rows_may_be_drawn(folder):
    """More than there are, in one batch; then the goal is reached, and no sheet is needed."""
    done = passed("audit", "r.csv", "--draw", 999, "--sheet", "all.csv", cwd=folder)
    assert done.stdout == "all.csv\n"
    fill(folder / "all.csv")
    ask = [
        "--verdicts",
        "all.csv",
        "--until",
        "count 1%",
        "--sheet",
        "more.csv",
        "--page",
        "p.html",
    ]
    done = passed("audit", "r.csv", *ask, cwd=folder)
    assert done.stdout == "60 60 60\n"
    assert "reached" in done.stderr
    assert "no sheet and no page is written" in done.stderr
    assert "300 verdicts, 300 of them new" in done.stderr
    assert {each.name for each in folder.iterdir()} == {"r.csv", "all.csv", "r.audit.json"}
    refused(
        run("audit", "r.csv", "--sheet", "more.csv", cwd=folder),
        "All rows are checked",
        "Leave the sheet and the page out.",
    )


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_small_rankings(tmp_path, n_rows):
    ranking = pd.DataFrame({"id": range(n_rows), "rank": range(1, n_rows + 1)})
    ranking.to_csv(tmp_path / "r.csv", index=False)
    passed("audit", "r.csv", "--draw", 1, "--sheet", "c.csv", cwd=tmp_path)
    fill(tmp_path / "c.csv")
    done = passed("audit", "r.csv", "--verdicts", "c.csv", "--until", "count 50%", cwd=tmp_path)
    assert "1 verdict, 1 of them new" in done.stderr


def test_groups_and_labels(tmp_path, rng):
    """Of 120 positives the 40 with the highest size are known: labels are uneven."""
    positive = np.arange(600) < 120
    size = rng.normal(size=600).round(3) + 3 * positive
    known = np.isin(np.arange(600), np.argsort(-size[:120])[:40])
    frame = pd.DataFrame({"gene": [f"g{row}" for row in range(600)], "size": size})
    frame["half"] = np.where(np.arange(600) % 2, "odd", "even")
    frame.assign(known=known.astype(int)).to_csv(tmp_path / "t.csv", index=False)
    ask = ["--positive", "known", "--id", "gene", "--method", "logistic", "--drop", "half"]
    passed("rank", "t.csv", *ask, "--report", "t.html", cwd=tmp_path)
    passed("audit", "t-ranking.csv", "--draw", 400, "--sheet", "c.csv", cwd=tmp_path)
    sheet = pd.read_csv(tmp_path / "c.csv", dtype=str, keep_default_na=False)
    is_positive = sheet["gene"].str[1:].astype(int) < 120
    sheet.assign(verdict=np.where(is_positive, "yes", "no")).to_csv(tmp_path / "c.csv", index=False)
    ask = ["--by", "half", "--table", "t.csv", "--report-data", "t.json"]
    done = passed("audit", "t-ranking.csv", "--verdicts", "c.csv", *ask, "--json", cwd=tmp_path)
    known_now = {each["what"]: each for each in json.loads(done.stdout)["result"]["known"]}
    for rest, half in enumerate(("even", "odd")):
        low, high = known_now[f"number of positives where half is {half}"]["interval"]
        hidden = np.flatnonzero(positive & ~known)
        assert low <= (hidden % 2 == rest).sum() <= high
    labels = json.loads(done.stdout)["result"]["labels"]
    assert labels["interval"][0] > 1
    assert not labels["may_be_even"]
    strongest = re.search(
        r"The group 'the first \d+ rows' has [\d.]+% of the labeled positives and [\d.]+% of the "
        r"hidden positives \(95% confidence interval [\d.]+% to [\d.]+%\)\. There the",
        done.stderr,
    )
    assert strongest, done.stderr
    assert "Labels are uneven: among the positives, the odds of being labeled" in done.stderr


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--by", "gene"], "--by alone has no effect"),
        (["--table", "r.csv"], "--table alone has no effect"),
        (["--by", "gene", "--table", "r.csv"], "Column 'gene' has 300 values"),
        (["--by", "size", "--table", "r.csv"], "size"),
    ],
)
def test_groups_that_there_are_not(folder, more, problem):
    refused(run("audit", "r.csv", *more, cwd=folder), problem, ".")


@pytest.fixture
def review(tmp_path):
    """120 reference records, of which the first 30 are about one subject; 12 of these are known."""
    about = ["mood of mice in a swim test", "growth of wheat in dry soil"]
    lines = [
        f"TY  - JOUR\nID  - r{n}\nTI  - Study {n} of the {about[n >= 30]}\nAU  - Name, A. {n}\n"
        f"PY  - {1990 + n % 15}\nAB  - We report the {about[n >= 30]}, case {n}.\nER  - \n"
        for n in range(120)
    ]
    (tmp_path / "search.ris").write_text("\n".join(lines))
    (tmp_path / "included.ris").write_text("\n".join(lines[:12]))
    ask = ["--positive-table", "included.ris", "--method", "logistic", "--out", "list.ris"]
    passed("rank", "search.ris", *ask, cwd=tmp_path)
    return tmp_path


def test_positives_by_a_field_of_the_reference_records_of_the_ranking(review):
    done = passed("audit", "list.ris", "--draw", 30, "--by", "year", cwd=review)
    assert done.stdout == "list-check.csv\n"
    sheet = pd.read_csv(review / "list-check.csv", dtype=str, keep_default_na=False)
    sheet["verdict"] = "no"
    sheet.to_csv(review / "list-check.csv", index=False)
    ask = ["audit", "list.ris", "--verdicts", "list-check.csv", "--by", "journal or kind"]
    refused(run(*ask, cwd=review), "no column 'journal or kind'", "")
    done = passed(*ask[:-1], "year", cwd=review)
    assert "Number of positives where year is 1990: " in done.stderr


def test_verdicts_on_reference_records_go_out_as_ris(review):
    passed("audit", "list.ris", "--draw", 30, "--page", "c.html", cwd=review)
    page = (review / "c.html").read_text(encoding="utf-8")
    assert "Study" in page  # the ranking holds the records
    sheet = pd.read_csv(review / "list-check.csv", dtype=str, keep_default_na=False)
    sheet["verdict"] = ["yes" if int(name[1:]) < 30 else "no" for name in sheet["record"]]
    sheet.loc[0, ["verdict", "note"]] = "?", "no abstract"
    sheet.to_csv(review / "list-check.csv", index=False)
    ask = ["--verdicts", "list-check.csv", "--checked", "checked.ris"]
    for more in ([], ["--table", "search.ris"]):
        passed("audit", "list.ris", *ask, *more, cwd=review)
        written = (review / "checked.ris").read_text(encoding="utf-8").split("ER  - ")[:-1]
        told = {re.search(r"ID  - (.*)", each)[1]: each for each in written}
        assert told.keys() == {*sheet["record"]}
        said = {"yes": "included", "no": "excluded", "?": "cannot tell"}
        for row in sheet.itertuples():
            assert f"KW  - onesided: {said[row.verdict]}\n" in told[row.record]
            assert f", rank {int(row.rank):,}" in told[row.record]
            assert ("; no abstract" in told[row.record]) == (row.verdict == "?")
            assert f"AU  - Name, A. {row.record[1:]}\n" in told[row.record]


@pytest.mark.usefixtures("review")
def test_verdicts_as_ris_need_reference_records(folder):
    ask = ["--draw", 5, "--checked", "x.ris"]
    done = run("audit", "r.csv", *ask, cwd=folder)
    refused(done, "no table of records is given", "--table FILE")
    pd.DataFrame({"gene": [f"g{row}" for row in range(300)]}).to_csv(folder / "t.csv", index=False)
    done = run("audit", "r.csv", *ask, "--table", "t.csv", cwd=folder)
    refused(done, "'t.csv' holds no reference records", "--checked FILE.csv")
    done = run("audit", "r.csv", *ask, "--table", "search.ris", cwd=folder)
    refused(done, "300 rows of the ranking are not in 'search.ris'", "--table")
    assert not (folder / "r.audit.json").exists()


def test_a_ranking_must_be_whole_and_of_one_value(tmp_path, rng):
    known = np.arange(150) < 20
    table = pd.DataFrame({"gene": [f"g{row}" for row in range(150)], "size": rng.normal(size=150)})
    table["kind"] = np.where(known, np.where(table["size"] > 0, "a", "b"), "")
    table.assign(known=known.astype(int)).to_csv(tmp_path / "t.csv", index=False)
    ask = ["rank", "t.csv", "--id", "gene", "--method", "naive-bayes"]
    passed(*ask, "--positive", "known", "--top", 30, "--drop", "kind", cwd=tmp_path)
    refused(
        run("audit", "t-ranking.csv", "--draw", 5, cwd=tmp_path),
        "The ranking has only the first 30 rows (",
        "Rank the table again without --top, and audit that ranking.",
    )
    passed(*ask, "--positive-each", "kind", "--out", "e.csv", "--drop", "known", cwd=tmp_path)
    refused(
        run("audit", "e.csv", "--draw", 5, cwd=tmp_path),
        "'e.csv' has a ranking for each value of 'kind' (2 values), but an audit is of one ranking",
        "Rank by one value, --positive kind=a for example, and audit that ranking.",
    )
    assert not [*tmp_path.glob("*.json"), *tmp_path.glob("*-check.csv")]


def test_verdicts_in_another_column_are_not_written_over(folder):
    passed("audit", "r.csv", "--draw", 20, "--sheet", "c.csv", cwd=folder)
    sheet = pd.read_csv(folder / "c.csv", dtype=str, keep_default_na=False)
    sheet["decision"] = ["include", "exclude", *[""] * 18]
    sheet.to_csv(folder / "c.csv", index=False)
    column = ["--verdict-column", "decision=include"]
    ask = ["audit", "r.csv", "--draw", 5, "--sheet", "c.csv"]
    refused(run(*ask, cwd=folder), "holds the column 'decision'", "Pass another name: --sheet.")
    refused(
        run(*ask, *column, cwd=folder),
        "holds 2 verdicts that were not read",
        "Read them first, --verdicts c.csv with --verdict-column decision=include, or",
    )
    passed("audit", "r.csv", "--verdicts", "c.csv", *column, cwd=folder)
    passed(*ask, *column, cwd=folder)
    assert len(pd.read_csv(folder / "c.csv")) == 23


def sheet_with(folder, cells, n=None):
    """Draw rows, and write these verdicts into the first rows of their sheet."""
    passed("audit", "r.csv", "--draw", n or len(cells), "--sheet", "c.csv", cwd=folder)
    sheet = pd.read_csv(folder / "c.csv", dtype=str, keep_default_na=False)
    sheet.loc[: len(cells) - 1, "verdict"] = cells
    sheet.to_csv(folder / "c.csv", index=False)
    return (folder / "r.audit.json").read_bytes()


def test_a_misspelt_verdict_is_named_and_nothing_is_recorded(folder):
    before = sheet_with(folder, ["yes", "yess", "no", "mabye"])
    done = run("audit", "r.csv", "--verdicts", "c.csv", cwd=folder)
    refused(
        done, "2 cells of 'c.csv' cannot be read as a verdict: row 2 ('yess'), row 4 ('mabye')", ""
    )
    refused(done, "", "--verdict-column verdict=VALUE")
    refused(done, "", "yes (or 1, true, x, y), no (or -1, 0, false, n), ? where it cannot be told")
    assert (folder / "r.audit.json").read_bytes() == before
    assert done.stderr.count("\n") == 2  # it says nothing before


@pytest.mark.parametrize(
    "word", ["?", "Unsure", "not sure", "unclear", "MAYBE", "undecided", "unknown", "cannot tell"]
)
def test_undecided_verdicts_are_counted(folder, word):
    sheet_with(folder, ["yes", word, "no", word])
    done = passed("audit", "r.csv", "--verdicts", "c.csv", "--json", cwd=folder)
    assert "c.csv: 4 verdicts, 4 of them new; 2 of 4 verdicts are undecided\n" in done.stderr
    assert "\n  2 of 4 verdicts are undecided: each interval" in done.stderr
    result = json.loads(done.stdout)["result"]
    assert (result["positive"], result["negative"], result["undecided"]) == (1, 1, 2)


def test_a_blank_verdict_is_no_verdict(folder):
    sheet_with(folder, ["yes", ""], n=2)
    done = passed("audit", "r.csv", "--verdicts", "c.csv", cwd=folder)
    assert "1 is checked" in done.stderr
    assert "undecided" not in done.stderr


def test_words_that_count_as_no_beside_a_value_are_named(folder):
    """A misspelt value would count as no: 'relevnat'. The only other word is the opposite."""
    sheet_with(folder, ["relevant", "off", "relevnat", "off"])
    ask = ["audit", "r.csv", "--verdicts", "c.csv", "--verdict-column", "verdict=relevant"]
    done = passed(*ask, cwd=folder)
    assert "4 of them new; other words count as no: 'off' (2), 'relevnat' (1)\n" in done.stderr
    sheet = pd.read_csv(folder / "c.csv").replace("relevnat", "relevant")
    sheet.to_csv(folder / "c.csv", index=False)
    assert "count as no" not in passed(*ask, cwd=folder).stderr


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--table", "r.csv"], "--table alone has no effect"),
        (["--by", "half"], "--by alone has no effect"),
        (["--checked", "x.ris"], "no table of records is given"),
    ],
)
def test_options_that_need_another_one_are_refused_before_a_file_is_read(tmp_path, more, problem):
    done = run("audit", "none.csv", "--verdicts", "none-check.csv", *more, cwd=tmp_path)
    refused(done, problem, "--table")
    assert done.stderr.count("\n") == 2


@pytest.mark.parametrize("more", [["--report-data", "r.csv"], ["--draw", "5", "--table", "o.csv"]])
def test_nothing_is_said_before_a_refusal(folder, more):
    before = sheet_with(folder, ["yes", "no"])
    (folder / "o.csv").write_text("gene,name\nx,y\n")
    done = run("audit", "r.csv", "--verdicts", "c.csv", *more, cwd=folder)
    refused(done, "", "")
    assert done.stderr.count("\n") == 2
    assert (folder / "r.audit.json").read_bytes() == before


def test_a_planned_audit_does_not_look_for_the_share_found(folder):
    before = sheet_with(folder, ["yes", "no"])
    ask = ["--until", "found 95%"]
    passed("audit", "r.csv", *ask, cwd=folder)  # an anytime audit does
    (folder / "r.audit.json").write_bytes(before)
    passed("audit", "r.csv", "--draw", 2, "--mode", "planned", "--state", "p.json", cwd=folder)
    for more in ([], ["--draw", "5"], ["--verdicts", "none.csv"]):
        done = run("audit", "r.csv", "--state", "p.json", *ask, *more, cwd=folder)
        refused(
            done,
            "This audit is planned, so it cannot end when 95% of the positives are found",
            "begin another audit, with --mode anytime and --state FILE.",
        )
        assert "what=" not in done.stderr
        assert "goals of count, precision and recall" in done.stderr
    for goal in ("count 10%", "precision 0.8 of first 9", "recall 0.5 of first 9"):
        passed("audit", "r.csv", "--state", "p.json", "--until", goal, cwd=folder)


def test_a_sheet_of_references_shows_title_authors_and_year(review):
    """In the sheet and on the page, whether the ranking is RIS, a table, or a table of ranks."""
    known = ["--positive-table", "included.ris", "--method", "logistic"]
    passed("rank", "search.ris", *known, "--out", "list.csv", cwd=review)
    ranks = pd.read_csv(review / "list.csv").drop(columns=["title", "authors", "year"])
    ranks.to_csv(review / "ranks.csv", index=False)
    of_ris = {}
    for name, more in (
        ("list.ris", []),
        ("list.csv", []),
        ("ranks.csv", ["--table", "search.ris"]),
    ):
        state = ["--state", f"{name}.json"]
        passed(
            *("audit", name, "--draw", 9, "--sheet", f"{name}-c.csv", "--page", f"{name}.html"),
            *(*state, *more),
            cwd=review,
        )
        sheet = pd.read_csv(review / f"{name}-c.csv", dtype=str, keep_default_na=False)
        assert sheet.columns[:4].tolist() == ["record", "title", "authors", "year"]
        assert sheet.columns[4:].tolist() == ["rank", "stands_for", "verdict", "note"]
        page = (review / f"{name}.html").read_text(encoding="utf-8")
        for row in sheet.itertuples():
            n = int(row.record[1:])
            assert row.title.startswith(f"Study {n} of the ")
            assert (row.authors, row.year) == (f"Name, A. {n}", str(1990 + n % 15))
            assert row.title in page
            assert row.authors in page
        of_ris[name] = sheet
        passed("audit", name, *state, "--sheet", f"{name}-c.csv", *more, cwd=review)  # again
        fill(review / f"{name}-c.csv")
        passed("audit", name, *state, "--verdicts", f"{name}-c.csv", cwd=review)
    assert len(of_ris) == 3


def test_a_sheet_without_titles_says_how_to_get_them(folder):
    done = passed("audit", "r.csv", "--draw", 5, cwd=folder)
    assert "The sheet names its rows only by 'gene'" in done.stderr
    assert "--table FILE" in done.stderr
    named = pd.DataFrame({"gene": [f"g{row}" for row in range(300)], "size": 1})
    named["Gene symbol"] = [f"S{row}" for row in range(300)]
    named.to_csv(folder / "t.csv", index=False)
    done = passed("audit", "r.csv", "--draw", 5, "--table", "t.csv", cwd=folder)
    assert "The sheet names" not in done.stderr
    sheet = pd.read_csv(folder / "r-check-2.csv")
    assert sheet["Gene symbol"].str[1:].tolist() == sheet["gene"].str[1:].tolist()
