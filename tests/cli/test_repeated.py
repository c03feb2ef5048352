"""An option that is given again: its values count together, or the second value is refused."""

import pandas as pd
import pytest
import typer.main

from command_line import passed, refused, run
from onesided.cli.__main__ import app

VERBS = typer.main.get_command(app).commands
OPTIONS = [
    (verb, max(each.opts, key=len), each)
    for verb, command in VERBS.items()
    for each in command.params
    if each.param_type_name == "option" and not (each.is_flag or each.count)
]
UNITED = {
    *("--positive-table", "--known-negative-table", "--verdicts", "--sets", "--positive-sets"),
    *(
        "--drop",
        "--categorical",
        "--number",
        "--text",
        "--missing",
        "--method",
        "--first",
        "--make-known",
        "--match",
        "--show",
    ),
}


def test_which_options_unite_their_values():
    assert {name for _, name, each in OPTIONS if each.multiple} == UNITED


@pytest.mark.parametrize("verb", [*VERBS])
def test_a_second_value_is_refused_and_not_taken(tmp_path, verb):
    """Whatever the values are, in both ways to write them, before anything is read."""
    single = [name for of, name, each in OPTIONS if of == verb and not each.multiple]
    assert single
    for name in single:
        for again in ([name, "2", name, "3"], [f"{name}=2", f"{name}=2", "--json"]):
            done = run(verb, *again, cwd=tmp_path)
            assert done.returncode == 2
            problem, mend = done.stderr.splitlines()
            assert problem == f"onesided: {name} is given 2 times, but it takes one value."
            assert mend == f"Pass {name} once."


@pytest.fixture
def folder(tmp_path):
    """Rows P00 to P59, of which the first 20 are positive and stand in three files."""
    names = [f"P{n:02}" for n in range(60)]
    table = pd.DataFrame({"paper": names, "size": [n % 7 + 3 * (n < 20) for n in range(60)]})
    table.to_csv(tmp_path / "all.csv", index=False)
    table[:8].to_csv(tmp_path / "first.csv", index=False)
    (tmp_path / "second.txt").write_text("\n".join(names[6:14]))  # a list without a header
    (tmp_path / "third.txt").write_text("\n".join(["known", *names[14:20]]))
    table[50:55].to_csv(tmp_path / "no.csv", index=False)
    (tmp_path / "never.txt").write_text("\n".join(names[55:58]))
    return tmp_path


FILES = [("--positive-table", each) for each in ("first.csv", "second.txt", "third.txt")]
ASK = [word for pair in FILES for word in pair] + ["--id", "paper"]
FAST = ["--method", "logistic"]


def test_files_of_known_rows_are_united(folder):
    negatives = ["--known-negative-table", "no.csv", "--known-negative-table", "never.txt"]
    done = passed("rank", "all.csv", *ASK, *negatives, *FAST, "--save-config", "r.json", cwd=folder)
    assert "positive          20  (from first.csv + second.txt + third.txt)" in done.stderr
    assert "known negative     8  (from no.csv + never.txt)" in done.stderr
    ranking = pd.read_csv(folder / "all-ranking.csv")
    assert set(ranking.paper) == {f"P{n:02}" for n in [*range(20, 50), 58, 59]}
    again = passed("rank", "--config", "r.json", "--json", cwd=folder)
    assert again.stdout.count("--positive-table") >= 3
    assert pd.read_csv(folder / "all-ranking.csv").equals(ranking)


@pytest.mark.parametrize(
    "verb", [["fit", "--method", "logistic"], ["prior", "--scenario", "case-control"]]
)
def test_every_verb_with_files_unites_them(folder, verb):
    done = passed(*verb, "all.csv", *ASK, cwd=folder)
    assert "positive          20  (from first.csv + second.txt + third.txt)" in done.stderr


def test_the_files_must_not_contradict_each_other(folder):
    done = run("rank", "all.csv", *ASK, "--known-negative-table", "third.txt", cwd=folder)
    refused(done, "'third.txt' is given more than once.", "Pass each file once.")
    (folder / "other.txt").write_text("P15\nP59\n")
    done = run("rank", "all.csv", *ASK, "--known-negative-table", "other.txt", cwd=folder)
    refused(done, "'P15' is both in 'third.txt' and in 'other.txt'.", "Remove the row")


def test_no_output_replaces_any_of_the_files(folder):
    for verb, out in (("rank", "no.csv"), ("compare", "first.csv")):
        more = ["--known-negative-table", "no.csv"] if verb == "rank" else []
        done = run(verb, "all.csv", *ASK, *more, "--out", out, cwd=folder)
        refused(done, f"'{out}' is the input file and would be overwritten.", "another name")


def test_sheets_of_verdicts_are_united(folder):
    table = pd.read_csv(folder / "all.csv").assign(known=lambda each: (each.index < 12).astype(int))
    table.to_csv(folder / "marked.csv", index=False)
    for name, first in (("monday", 12), ("friday", 15)):
        sheet = pd.DataFrame({"paper": table.paper[first : first + 3], "verdict": "yes"})
        sheet.to_csv(folder / f"{name}.csv", index=False)
    ask = ["rank", "marked.csv", "--positive", "known", "--id", "paper", *FAST]
    done = passed(*ask, "--verdicts", "monday.csv", "--verdicts", "friday.csv", cwd=folder)
    assert "(from monday.csv + friday.csv: 6 positive, 0 negative" in done.stderr
    (folder / "sunday.csv").write_text("paper,verdict\nP12,no\n")
    done = run(*ask, "--verdicts", "monday.csv", "--verdicts", "sunday.csv", cwd=folder)
    refused(done, "Row 1 of 'sunday.csv' is 'P12', which has another verdict", "Keep one verdict")
