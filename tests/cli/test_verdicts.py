"""From a ranking to an audit and back: `--verdicts` of rank and fit."""

import numpy as np
import pandas as pd
import pytest

from command_line import passed, refused, run

ASK = ("t.csv", "--positive", "known", "--id", "name", "--method", "naive-bayes")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, its ranking, and the verdicts of an audit of the ranking."""
    path = tmp_path_factory.mktemp("verdicts")
    rng = np.random.default_rng(2)
    truth = np.arange(500) < 150
    rows = pd.DataFrame(rng.normal(size=(500, 3)) + truth[:, None], columns=["a", "b", "c"])
    rows["known"] = (np.arange(500) < 50).astype(int)
    rows.insert(0, "name", [f"n{row:03}" for row in range(500)])
    rows.round(3).to_csv(path / "t.csv", index=False)
    passed("rank", *ASK, cwd=path)
    passed("audit", "t-ranking.csv", "--draw", 100, "--sheet", "check.csv", cwd=path)
    sheet = pd.read_csv(path / "check.csv", dtype=str)
    sheet["verdict"] = np.where(sheet["name"] < "n150", "yes", "no")
    sheet.loc[3, "verdict"] = "?"
    sheet.to_csv(path / "check.csv", index=False)
    passed(
        *("audit", "t-ranking.csv", "--verdicts", "check.csv", "--checked", "known.csv"), cwd=path
    )
    return path


def test_verdicts_of_an_audit_come_back(folder):
    done = passed(
        *("rank", *ASK, "--verdicts", "known.csv", "--out", "r.csv", "--report", "r.html"),
        cwd=folder,
    )
    sheet = pd.read_csv(folder / "known.csv")
    n_positive, n_negative = ((sheet["verdict"] == word).sum() for word in ("yes", "no"))
    assert f"from known.csv: {n_positive} positive, {n_negative} negative" in done.stderr
    assert "1 of 100 verdicts is undecided; these rows stay in the list" in done.stderr
    assert "rest on the 50 known positives" in done.stderr
    assert "AUC of the positives that are still hidden: 0." in done.stderr
    left = pd.read_csv(folder / "r.csv")
    decided = sheet["name"][sheet["verdict"] != "?"]
    assert len(left) == 450 - len(decided)
    assert not left["name"].isin(decided).any()
    page = (folder / "r.html").read_text("utf-8")
    assert "--verdicts</span> known.csv" in page
    assert "AUC of the positives that are still hidden: 0." in page
    passed("report", "r.json", "--out", "again.html", cwd=folder)
    assert (folder / "again.html").read_text("utf-8") == page


def test_a_config_has_the_verdicts(folder):
    passed(
        *("rank", *ASK, "--verdicts", "known.csv", "--out", "a.csv", "--save-config", "c.json"),
        cwd=folder,
    )
    passed("rank", "t.csv", "--config", "c.json", "--out", "b.csv", cwd=folder)
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_a_model_learns_from_verdicts(folder):
    passed("fit", *ASK, "--out", "without.onesided", cwd=folder)
    passed("fit", *ASK, "--verdicts", "known.csv", "--out", "with.onesided", cwd=folder)
    for model in ("with", "without"):
        passed("score", f"{model}.onesided", "t.csv", "--out", f"{model}.csv", cwd=folder)
    scores = [pd.read_csv(folder / f"{model}.csv")["score"] for model in ("with", "without")]
    assert not scores[0].equals(scores[1])


ROW = "name,verdict\nn007,no\nn009,no\n"


def test_refused(folder):
    (folder / "wrong.csv").write_text(ROW)
    done = run("rank", *ASK, "--verdicts", "wrong.csv", cwd=folder)
    refused(done, "of 2 rows ('n007', 'n009')", "Correct the label of each row, or its verdict.")
    done = run(*("rank", "t.csv", "--positive-each", "name", "--verdicts", "known.csv"), cwd=folder)
    refused(done, "--verdicts works for one ranking", "Leave --verdicts out")
    done = run("fit", *ASK, "--unlabeled", 50, "--verdicts", "known.csv", cwd=folder)
    refused(done, "--unlabeled draws some rows", "Pass one of --unlabeled and --verdicts.")
    done = run("rank", *ASK, "--verdicts", "known.csv", "--out", "known.csv", cwd=folder)
    refused(done, "known.csv", "")


def test_words_of_verdicts(folder):
    """The words are those of audit; rank takes no other column, so it does not name the option."""
    (folder / "strange.csv").write_text("name,verdict\nn060,yess\nn400,no\nn401,nope\n")
    done = run("rank", *ASK, "--verdicts", "strange.csv", cwd=folder)
    refused(done, "row 1 ('yess'), row 3 ('nope')", "no (or -1, 0, false, n)")
    assert "--verdict-column" not in done.stderr
    (folder / "maybe.csv").write_text("name,verdict\nn060,yes\nn400,no\nn401,Maybe\nn402,\n")
    out = ["--out", "maybe-ranking.csv"]
    done = passed("rank", *ASK, "--verdicts", "maybe.csv", *out, cwd=folder)
    assert "1 of 3 verdicts is undecided; these rows stay in the list" in done.stderr
