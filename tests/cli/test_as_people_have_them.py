"""Tables as people have them: read alike by every verb, and what was understood is said."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from command_line import passed, refused, run
from onesided.cli.__main__ import app

N_ROWS = 120
LEARN = ("--positive", "Betrug", "--id", "Fall", "--method", "naive-bayes")


def german(number, digits=2):
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


@pytest.fixture(scope="module")
def cases():
    """What a person means: numbers are numbers, labels are said by one word."""
    rng = np.random.default_rng(20040823)
    truth = rng.random(N_ROWS) < 0.4
    return pd.DataFrame(
        {
            "Fall": [f"V{row:04}" for row in range(N_ROWS)],
            "Betrag (€)": (rng.gamma(2, 900, N_ROWS) + 2500 * truth).round(2),
            "Punkte": rng.integers(1000, 9000, N_ROWS) + 2000 * truth,
            "Anteil": rng.integers(1, 60, N_ROWS) / 2,
            "Straße": np.array(["Süd", "Nord", "Köln"])[rng.integers(0, 3, N_ROWS)],
            "Betrug": np.where(truth & (rng.random(N_ROWS) < 0.5), "bestätigt", ""),
        }
    )


@pytest.fixture(scope="module")
def written(cases):
    """The same as a spreadsheet in German writes it."""
    return cases.assign(
        **{
            "Betrag (€)": cases["Betrag (€)"].map(german),
            "Punkte": cases["Punkte"].map(lambda each: german(each, 0)),
            "Anteil": cases["Anteil"].map(lambda each: f"{german(each, 1)} %"),
        }
    )


def scored(frame, model, name, folder, encoding="cp1252", sep=";"):
    frame.to_csv(folder / name, index=False, sep=sep, encoding=encoding)
    done = run("score", model, name, "--out", "s.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done, pd.read_csv(folder / "s.csv")["score"]


@pytest.fixture(scope="module")
def folder(cases, written, tmp_path_factory):
    """Models of the plain table and of the other."""
    folder = tmp_path_factory.mktemp("cases")
    cases.to_csv(folder / "plain.csv", index=False)
    written.to_csv(folder / "people.csv", index=False, sep=";", encoding="cp1252")
    for name in ("plain", "people"):
        passed("fit", f"{name}.csv", *LEARN, "--out", f"{name}.onesided", cwd=folder)
    return folder


def test_a_table_is_read_and_said(folder):
    done = passed("rank", "people.csv", *LEARN, "--report", "r.html", cwd=folder)
    assert "Betrag (€), Punkte: numbers written 1.234,56" in done.stderr
    assert "Anteil: numbers written 1234,56 %" in done.stderr
    assert "positive where Betrug is 'bestätigt'" in done.stderr
    assert "people.csv is not UTF-8 and was read as Windows-1252. If letters look" in done.stderr
    assert "3 of numbers, 1 of categories" in done.stderr
    here = passed("rank", "plain.csv", *LEARN, "--out", "here.csv", cwd=folder)
    assert "numbers written" not in here.stderr
    found = pd.read_csv(folder / "people-ranking.csv")
    pd.testing.assert_frame_equal(found, pd.read_csv(folder / "here.csv"))


def test_what_was_learned_from_is_scored_alike(cases, written, folder):
    _, expected = scored(cases, "plain.onesided", "new.csv", folder, "utf-8", ",")
    done, found = scored(written, "people.onesided", "new.csv", folder)
    assert_allclose(found, expected, rtol=1e-12)
    assert done.stderr.count("new.csv is not UTF-8 and was read as Windows-1252") == 1
    assert_allclose(scored(written, "people.onesided", "new.csv", folder, "utf-16")[1], expected)


def test_cells_of_two_meanings_are_read_as_those_learned_from(cases, written, folder):
    """Some rows only, of which no column says what a point means; also in a stream."""
    some = cases["Betrag (€)"] >= 1000
    few = written[some].assign(**{"Betrag (€)": written["Betrag (€)"].str[:-3], "Anteil": ""})
    plain = cases[some].assign(**{"Betrag (€)": cases["Betrag (€)"] // 1, "Anteil": np.nan})
    _, expected = scored(plain, "plain.onesided", "new.csv", folder, "utf-8", ",")
    assert_allclose(scored(few, "people.onesided", "new.csv", folder)[1], expected, rtol=1e-12)
    for encoding in ("cp1252", "utf-16"):
        lines = few.to_csv(index=False, sep=";").encode(encoding)
        ask = ["score", str(folder / "people.onesided"), "-", "--out", "-"]
        done = CliRunner().invoke(app, ask, input=lines)
        assert done.exit_code == 0, done.stderr
        found = pd.read_csv(io.StringIO(done.stdout), sep=";")["score"]
        assert_allclose(found, expected, rtol=1e-12)
        assert ("Standard input is not UTF-8" in done.stderr) == (encoding == "cp1252")


def test_next_month_may_be_written_in_another_way(cases, written, folder):
    """Where the cells themselves say how."""
    plain = cases.assign(Anteil=written["Anteil"])
    _, expected = scored(cases, "plain.onesided", "new.csv", folder, "utf-8", ",")
    assert_allclose(scored(plain, "people.onesided", "new.csv", folder, "utf-8", ",")[1], expected)
    people = written.assign(Anteil=cases["Anteil"].map(lambda each: german(each, 1)))
    assert_allclose(scored(people, "plain.onesided", "new.csv", folder)[1], expected, rtol=1e-12)


@pytest.mark.parametrize("cell", ["zwölf", "12,5", "€ 12,5 %"])
def test_a_cell_that_does_not_fit_is_named(cell, written, folder):
    """Half of a percentage and half of none are no numbers of one kind."""
    bad = written.assign(Anteil=[*written["Anteil"][:50], cell, *written["Anteil"][51:]])
    bad.to_csv(folder / "bad.csv", index=False, sep=";", encoding="utf-8")
    done = run("score", "people.onesided", "bad.csv", "--out", "bad-s.csv", cwd=folder)
    refused(
        done,
        f"'Anteil' of 'bad.csv' holds '{cell}' in row 51; the model learned from",
        "Correct the cell",
    )
    lines = bad.to_csv(index=False, sep=";")
    ask = ["score", str(folder / "people.onesided"), "-", "--out", "-"]
    done = CliRunner().invoke(app, ask, input=lines)
    assert f"Line 52: Column 'Anteil' holds '{cell}'; the model learned from numbers" in done.stderr


def test_a_sample_of_the_unlabeled(folder):
    ask = ("--unlabeled", "40", "--positive", "Betrug=bestätigt", *LEARN[2:])
    done = passed("fit", "people.csv", *ask, "--out", "few.onesided", cwd=folder)
    assert "Betrag (€), Punkte: numbers written 1.234,56" in done.stderr
    assert "people.csv is not UTF-8" in done.stderr


def test_rows_of_another_encoding_beside(cases, written, folder):
    known = written[written["Betrug"] != ""].drop(columns="Betrug")
    known.to_csv(folder / "known.csv", index=False, sep=";", encoding="utf-16")
    ask = ("--positive-table", "known.csv", "--drop", "Betrug", *LEARN[2:], "--out", "k.csv")
    done = passed("rank", "people.csv", *ask, cwd=folder)
    assert f"rows in more than one file, each counted once: {len(known)}" in done.stderr
    assert "known.csv is not UTF-8 and was read as UTF-16" in done.stderr
    assert set(pd.read_csv(folder / "k.csv")["Fall"]) == set(cases["Fall"]) - set(known["Fall"])


def test_rows_beside_are_written_as_the_table(cases, written, folder):
    """Of these few no column says what a point means."""
    rows = (cases["Betrug"] != "") & (cases["Betrag (€)"] >= 1000)
    assert rows.sum() > 5
    few = {"Betrag (€)": written["Betrag (€)"].str[:-3], "Anteil": ""}
    plain = {"Betrag (€)": cases["Betrag (€)"] // 1, "Anteil": np.nan}
    ask = ("--drop", "Betrug", *LEARN[2:])
    rankings = []
    for name, table, sep in (
        ("people", written.assign(**few), ";"),
        ("plain", cases.assign(**plain), ","),
    ):
        table[rows].to_csv(folder / f"{name}-few.csv", index=False, sep=sep)
        rest = (written if name == "people" else cases)[~rows]
        rest.to_csv(folder / f"{name}-rest.csv", index=False, sep=sep)
        known = ("--positive-table", f"{name}-few.csv")
        passed("rank", f"{name}-rest.csv", *known, *ask, "--out", f"{name}-r.csv", cwd=folder)
        rankings.append(pd.read_csv(folder / f"{name}-r.csv"))
    pd.testing.assert_frame_equal(*rankings)


LINES = [f"{'yes' if n < 6 else 'no' if n < 9 else ''},{n % 7},{'xyz'[n % 3]}" for n in range(30)]
PLAIN = "known,a,b\n" + "".join(f"{line}\n" for line in LINES)


def test_verified_negatives_among_the_labels(tmp_path):
    (tmp_path / "t.csv").write_text(PLAIN)
    ask = ("rank", "t.csv", "--positive", "known", "--method", "naive-bayes")
    done = passed(*ask, cwd=tmp_path)
    said = "known is 'no' in 3 rows; such a row counts as unlabeled, as a blank cell does. "
    mend = "If it was checked and is negative, say so: onesided rank"
    assert f"{said}{mend} --known-negative known=no" in done.stderr
    done = passed(*ask, "--known-negative", "known=no", cwd=tmp_path)
    assert "counts as unlabeled" not in done.stderr
    (tmp_path / "t.csv").write_text(PLAIN.replace("\n,", "\nno,"))
    assert "counts as unlabeled" not in passed(*ask, cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (("sure", ""), None),
        (("sure", "Sure", ""), "the values of the column are 'sure', 'Sure', ''"),
        (("sure", "maybe", ""), "holds 'sure' in row 1"),
        (("sure", "0"), "holds 'sure' in row 1"),
        (("no", ""), "No row of column 'known' is positive"),
        (("sure",), "holds 'sure' in row 1"),
    ],
)
def test_labels_of_one_value_and_blanks(values, problem, tmp_path):
    lines = [f"{values[n % len(values)]},{n % 7},{'xyz'[n % 5 % 3]}\n" for n in range(60)]
    (tmp_path / "t.csv").write_text("known,a,b\n" + "".join(lines))
    done = run("rank", "t.csv", "--positive", "known", "--method", "naive-bayes", cwd=tmp_path)
    if problem:
        refused(done, problem, "--positive known=VALUE")
    else:
        assert done.returncode == 0, done.stderr
        assert "positive where known is 'sure'" in done.stderr
        assert f"positive   {60 - 60 // len(values):>9,}" in done.stderr


def test_names_that_do_not_tell_rows_apart(tmp_path):
    text = PLAIN.replace("known", "id,known").splitlines()
    names = ["", "dup", "dup", "", "dup", *(f"r{n}" for n in range(25))]
    lines = [f"{name},{line}" for name, line in zip(names, text[1:], strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([text[0], *lines, lines[-1]]))
    ask = ("rank", "t.csv", "--positive", "known", "--method", "naive-bayes", "--id")
    done = passed(*ask, "id", cwd=tmp_path)
    said = "of 31 rows 2 have no name and 5 share their name with another row"
    assert f"Column 'id' does not name each row uniquely: {said}" in done.stderr
    assert "rows that are identical to an earlier row in all columns used: 10" in done.stderr
    refused(
        run(*ask, "known", cwd=tmp_path), "Column 'known' is the column of labels", "--id COLUMN"
    )


@pytest.mark.parametrize("share", ["50%", "50 %", "0,5", "0.5"])
def test_shares_in_percent(share, tmp_path):
    rows = [f"{int(n < 30)},{n % 70},{n % 11}\n" for n in range(200)]
    (tmp_path / "t.csv").write_text("known,a,b\n" + "".join(rows))
    ask = ("rank", "t.csv", "--positive", "known", "--method", "naive-bayes", "--recall")
    passed(*ask, share, cwd=tmp_path)
    ranking = pd.read_csv(tmp_path / "t-ranking.csv")
    passed(*ask, "0.5", "--out", "r.csv", cwd=tmp_path)
    pd.testing.assert_frame_equal(ranking, pd.read_csv(tmp_path / "r.csv"))


def test_what_is_no_share(tmp_path):
    (tmp_path / "t.csv").write_text(PLAIN)
    done = run("rank", "t.csv", "--positive", "known", "--recall", "most", cwd=tmp_path)
    assert done.returncode == 2
    assert "'most' is not a share. Pass a number" in done.stderr


def test_a_folder_whose_parts_differ(tmp_path):
    """Another delimiter or another name in one part would be read as gaps, and its labels lost."""
    lines = [f"r{i},{i % 7},{int(i % 3 == 0)}" for i in range(60)]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.csv").write_text("\n".join(["id,a,y", *lines[:30]]))
    ask = ("rank", "parts", "--positive", "y", "--id", "id", "--method", "logistic")
    for header, cells in (("id;a;y", ";"), ("id,A,y", ",")):
        part = "\n".join([header, *(line.replace(",", cells) for line in lines[30:])])
        (tmp_path / "parts" / "b.csv").write_text(part)
        done = run(*ask, cwd=tmp_path)
        refused(done, "which 'b.csv' lacks", "the same delimiter")
    (tmp_path / "parts" / "b.csv").write_text(
        "\n".join(["y,id,a", *(",".join([line[-1], *line.split(",")[:2]]) for line in lines[30:])])
    )
    passed(*ask, cwd=tmp_path)
    assert len((tmp_path / "parts-ranking.csv").read_text().splitlines()) == 41


def test_codes_keep_their_zeros(tmp_path):
    """A postal code is a category, and a model finds it again."""
    rng = np.random.default_rng(0)
    codes = rng.choice(["04109", "10115", "01067"], 90)
    known = (codes == "04109") & (rng.random(90) < 0.8)
    pd.DataFrame(
        {"PLZ": codes, "a": rng.normal(size=90).round(2), "known": known.astype(int)}
    ).to_csv(tmp_path / "t.csv", index=False)
    ask = ("t.csv", "--positive", "known", "--method", "logistic", "-v")
    done = passed("rank", *ask, "--report", "r.html", cwd=tmp_path)
    assert "column PLZ: category" in done.stderr
    assert "PLZ = 04109" in (tmp_path / "r.html").read_text("utf-8")
    passed("fit", *ask, cwd=tmp_path)
    passed("score", "t.onesided", "t.csv", cwd=tmp_path)
    scores = pd.read_csv(tmp_path / "t-scores.csv")["score"]
    assert scores[codes == "04109"].min() > scores[codes != "04109"].max()


@pytest.mark.parametrize(
    ("written", "is_told"),
    [
        (lambda number: f"{number:,.0f}".replace(",", "."), True),
        (lambda number: f"{number / 1000:.3f}", False),
        (lambda number: f"{number:.0f}", False),
        (lambda number: f"{round(number / 300) / 3:.3f}".removesuffix(".000"), False),
    ],
    ids=["1.234 is 1234", "thousandths", "whole", "thirds"],
)
def test_points_that_may_be_of_thousands(written, is_told, tmp_path):
    rng = np.random.default_rng(0)
    numbers = rng.gamma(2, 900, 200)
    rows = [f"{written(number)},{int(i % 4 == 0)}" for i, number in enumerate(numbers)]
    (tmp_path / "t.csv").write_text("\n".join(["a,y", *rows]))
    done = passed("rank", "t.csv", "--positive", "y", "--method", "logistic", cwd=tmp_path)
    assert ("If 1.234 means 1234" in done.stderr) == is_told


@pytest.mark.parametrize("word", ["nein", "Unknown", "unlabeled"])
def test_a_word_that_does_not_mean_positive(word, tmp_path):
    rows = [f"{i % 7},{word * (i % 3 == 0)}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["a,y", *rows]))
    refused(run("rank", "t.csv", "--positive", "y", cwd=tmp_path), repr(word), "y=VALUE")


def test_a_cut_of_a_ranking_says_which_rows(tmp_path):
    """Else its ranks and scores would be learned from."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(80)], "a": rng.normal(size=80).round(3)})
    frame.assign(y=(np.arange(80) < 20).astype(int)).to_csv(tmp_path / "t.csv", index=False)
    ask = ("rank", "t.csv", "--positive", "y", "--method", "logistic")
    passed(*ask, "--id", "id", cwd=tmp_path)
    pd.read_csv(tmp_path / "t-ranking.csv").head(9).to_csv(tmp_path / "cut.csv", index=False)
    done = run(*ask, "--known-negative-table", "cut.csv", cwd=tmp_path)
    refused(done, "is a part of a ranking,", "--id COLUMN")
    done = passed(*ask, "--id", "id", "--known-negative-table", "cut.csv", cwd=tmp_path)
    assert "known negative     9" in done.stderr
    assert len(pd.read_csv(tmp_path / "t-ranking.csv")) == 51


def test_positives_that_stand_above_all_others(tmp_path):
    """As those do that were taken from the top of a list: what is said is of them alone."""
    rng = np.random.default_rng(0)
    a = np.append(rng.normal(6, 1, 30), rng.normal(0, 1, 200))
    pd.DataFrame(
        {"a": a, "b": rng.normal(size=230), "y": (np.arange(230) < 29).astype(int)}
    ).to_csv(tmp_path / "t.csv", index=False)
    ask = ("rank", "t.csv", "--positive", "y", "--method", "logistic", "--report", "r.html")
    done = passed(*ask, cwd=tmp_path)
    assert re.search(r"\d+ of 29 known positives rank above every", done.stderr)
    assert "check first" in (tmp_path / "r.html").read_text("utf-8")


def test_rows_without_a_cell_at_the_end(tmp_path):
    """A spreadsheet writes them for rows that once were filled."""
    lines = [f"{i};{i % 7},5;{'x' * (i % 3 == 0)}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["id;a;y", *lines, *[";;"] * 40]))
    done = passed("rank", "t.csv", "--positive", "y", "--method", "logistic", cwd=tmp_path)
    assert "t.csv: 60 rows" in done.stderr


def test_numbers_of_rows_that_are_there_twice(tmp_path):
    lines = [f"{i},{i % 7},{int(i % 3 == 0)}" for i in range(1, 61)]
    (tmp_path / "t.csv").write_text("\n".join(["nr,a,y", *lines, *lines[:5]]))
    done = passed("rank", "t.csv", "--positive", "y", "--method", "logistic", cwd=tmp_path)
    assert "dropped nr: its values are the row numbers" in done.stderr


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (["--drop", "y"], "Column 'y' holds the labels"),
        (["--id", "nr", "--categorical", "nr"], "Column 'nr' holds the labels, names"),
        (["--text", "a", "--categorical", "a"], "is given to both --categorical and --text"),
        (["--drop", "a", "--text", "a"], "is given to both --drop and --text"),
    ],
)
def test_roles_that_contradict_each_other(asked, problem, tmp_path):
    lines = [f"{i},{i % 7},{int(i % 3 == 0)}" for i in range(1, 61)]
    (tmp_path / "t.csv").write_text("\n".join(["nr,a,y", *lines]))
    refused(run("rank", "t.csv", "--positive", "y", *asked, cwd=tmp_path), problem, "")
