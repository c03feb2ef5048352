"""A page says in words what the terminal says with options; the options are in its commands."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

from command_line import passed
from onesided import rank_table
from onesided._text import argument, as_options, as_percent, options_in, without_options

PROSE = re.compile(r"<(pre|script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)
MISSING, DROP = argument("missing", ["999"]), argument("drop", ["b"])


@pytest.mark.parametrize(
    ("text", "words", "options"),
    [
        (
            f"Column a: 999 is far outside. If 999 is no value, say so: {MISSING}.",
            "Column a: 999 is far outside.",
            [("Column a: 999 is far outside. If 999 is no value, say so", "--missing 999")],
        ),
        (
            f"{argument('space')} says it; blocks are used ({argument('space', 'none')} ends it).",
            "blocks are used.",
            [("--space says it; blocks are used", "--space none")],
        ),
        (
            f"it is no text; {MISSING} or {DROP} uses it",
            "it is no text",
            [
                ("it is no text", "--missing 999"),
                ("it is no text; --missing 999 or", "--drop b"),
            ],
        ),
        ("Nothing is named. It stays.", "Nothing is named. It stays.", []),
        (f"{argument('sheet')} is not used.", "--sheet is not used.", []),
    ],
)
def test_what_names_an_option_is_left_out_of_the_words(text, words, options):
    assert without_options(text) == words
    assert options_in(text) == options
    assert all(option in as_options(text) for _, option in options)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (1.2e-8, "0.0000012%"),
        (0.00003, "0.003%"),
        (0.1, "10%"),
        (0.12345, "12.3%"),
        (0.996, "99.6%"),
        (0.99994, "99.994%"),
        (0.99996, "99.996%"),
        (0.99999951, "99.99995%"),
        (1 - 1e-12, "100%"),
        (1, "100%"),
        (12.5, "1250%"),
    ],
)
def test_only_0_is_0_percent_and_only_1_is_100(share, text):
    assert as_percent(share) == text


def prose(path):
    return re.sub(r"\s+", " ", PROSE.sub(" ", path.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """300 rows, 90 of them positive, with a code for no value and a column like the labels."""
    folder = tmp_path_factory.mktemp("prose")
    rng = np.random.default_rng(0)
    true = np.arange(300) < 90
    table = pd.DataFrame({"code": [f"r{n}" for n in range(300)]})
    table["known"] = np.where(true & (np.arange(300) % 5 > 0), 1, 0)
    table["a"] = rng.normal(size=300) + 2 * true
    table["c"] = np.where(rng.random(300) < 0.1, -9999, rng.normal(size=300))
    table["b"] = np.where(table["known"] == 1, 5.0, rng.normal(size=300))
    table["x"], table["y"] = rng.random(300) * 1e5, rng.random(300) * 1e5
    table.drop(columns="known").to_csv(folder / "t.csv", index=False)
    (folder / "known.txt").write_text("".join(f"r{n}\n" for n in range(90) if n % 5))
    return folder


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--recall", "0.9", "--discard", "0.1"],
        ["--budget", "40", "--cost", "2", "--drop", "b", "--space", "none"],
    ],
)
def test_no_page_of_a_ranking_names_an_option_in_prose(folder, more):
    ask = ["--positive-table", "known.txt", "--id", "code", "--method", "logistic", *more]
    done = passed("rank", "t.csv", *ask, "--out", "o.xlsx", "--report", "r.html", cwd=folder)
    assert "--missing -9999" in done.stderr
    found = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    words = prose(folder / "r.html")
    assert re.findall(r" --[a-z]", words) == []
    assert "-9999 in" in words
    assert "positive (from known.txt)" in words
    steps = {each["question"]: each["command"] for each in found["next_steps"]}
    (mend,) = (each for each in steps.values() if each.endswith("--missing -9999"))
    assert mend.startswith("onesided rank t.csv")
    assert any("audit o.xlsx --draw" in each for each in steps.values())
    against_others = any(each.endswith(" --background others") for each in steps.values())
    assert against_others == ("--space" not in more)
    if "--budget" in more:
        assert found["curve"][found["suggested"]["place"]]["n_listed"] == 20
        assert "The list ends where the budget ends" in words


@pytest.mark.parametrize(("n_known", "share"), [(23, None), (24, 0.8), (45, 0.9), (72, 0.95)])
def test_a_guarantee_is_offered_where_it_can_be_given(folder, n_known, share):
    (folder / "few.txt").write_text("".join([f"r{n}\n" for n in range(90) if n % 5][:n_known]))
    ask = ["t.csv", "--positive-table", "few.txt", "--id", "code", "--method", "logistic"]
    ask += ["--drop", "b", "--space", "none", "--out", f"{n_known}.csv"]
    passed("rank", *ask, "--report", "g.html", cwd=folder)
    steps = json.loads((folder / "g.json").read_text(encoding="utf-8"))["next_steps"]
    offered = [each["command"] for each in steps if " --recall " in each["command"]]
    assert [float(each.split("--recall ")[1]) for each in offered] == [share] * bool(share)
    if share:
        passed("rank", *ask, "--recall", share, cwd=folder)


def take_all(steps, folder):
    """Run the commands of all steps, a line after the other; return them as lists of words."""
    commands = [shlex.split(line)[1:] for each in steps for line in each["command"].splitlines()]
    for command in commands:
        assert "cannot show" not in passed(*command, cwd=folder).stderr
    return commands


@pytest.mark.parametrize(
    ("more", "offered", "audited"),
    [
        (["--time", "year"], set(), "t-ranking.csv"),
        (
            ["--discard", "0.02", "--prior-at-most", "0.03", "--out", "results/my r.csv"],
            set(),
            "results/my r.csv",
        ),
        (["--confidence", "0.99", "--top", "9"], {"--recall", "--discard"}, "t-ranking.csv"),
        (["--fdr", "0.5", "--known-negative", "no", "--id", "top=5"], set(), "t-ranking.csv"),
    ],
)
def test_every_next_step_can_be_taken(tmp_path, more, offered, audited):
    known = np.arange(150) < 75
    rng = np.random.default_rng(0)
    size = rng.normal(size=150) + 2 * (np.arange(150) < 90)
    table = pd.DataFrame({"size": size.round(3), "known": known.astype(int)})
    table["no"] = (np.arange(150) > 130).astype(int)
    table["year"] = rng.integers(2000, 2020, 150)
    table["top=5"] = [f"r{row}" for row in range(150)]
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "results").mkdir()
    ask = ["t.csv", "--positive", "known", "--method", "naive-bayes", "--report", "r.html"]
    for each in {"no", "year", "top=5"} - {*more}:
        ask += ["--drop", each]
    passed("rank", *ask, *more, cwd=tmp_path)
    steps = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["next_steps"]
    commands = take_all(steps, tmp_path)
    found = {word for command in commands for word in command if word.startswith("--")}
    assert found & {"--recall", "--discard"} - {*more} == offered
    assert commands[-1][:2] == ["audit", audited]


def test_the_audit_of_a_ranking_in_python_follows_a_command_that_writes_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    size = np.random.default_rng(0).normal(size=40) + 3 * (np.arange(40) < 2)
    table = pd.DataFrame({"size": size.round(3), "known": (np.arange(40) < 2).astype(int)})
    table.to_csv("t.csv", index=False)
    page = rank_table("t.csv", "known", methods=["naive-bayes"]).report()
    (audit,) = (each for each in page.data["next_steps"] if "audit" in each["command"])
    take_all([audit], tmp_path)


@pytest.mark.parametrize(("n_rows", "n_known"), [(10, 2), (44, 20)])
def test_every_next_step_of_a_small_table_can_be_taken(tmp_path, n_rows, n_known):
    known = np.arange(n_rows) < n_known
    size = np.random.default_rng(0).normal(size=n_rows) + 3 * known
    table = pd.DataFrame({"size": size.round(3), "known": known.astype(int)})
    table.to_csv(tmp_path / "t.csv", index=False)
    ask = ["t.csv", "--positive", "known", "--method", "naive-bayes", "--report", "r.html"]
    passed("rank", *ask, cwd=tmp_path)
    steps = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["next_steps"]
    commands = take_all(steps, tmp_path)
    offered = {word for command in commands for word in command if word.startswith("--")}
    assert ("--discard" in offered) == (n_known == 20)
    audit = commands[-1]
    assert audit[audit.index("--draw") + 1] == str(n_rows - n_known)


TAKES_LABELS = ["--prior-at-least", "--label-odds-ratio"]


@pytest.mark.parametrize(
    ("more", "offered"),
    [
        ([], {*TAKES_LABELS, "--discard 0.02"}),
        (["--prior-at-least", "0.05"], {"--discard 0.02"}),
        (["--discard", "0.1"], {*TAKES_LABELS, "--discard 0.1"}),
        (["--label-odds-ratio", "3"], {"--discard 0.1"}),
        (["--fdr", "0.5", "--irreducible"], set()),
    ],
)
def test_no_step_contradicts_the_command(tmp_path, more, offered):
    """For 100 known positives and odds of 3: 3 / (50 + 3) is above 5 % and below 10 %."""
    known = np.arange(300) < 100
    size = np.random.default_rng(0).normal(size=300) + 2 * known
    table = pd.DataFrame({"size": size.round(3), "known": known.astype(int)})
    table.to_csv(tmp_path / "t.csv", index=False)
    ask = ["t.csv", "--positive", "known", "--method", "naive-bayes", "--report", "r.html"]
    passed("rank", *ask, *more, cwd=tmp_path)
    steps = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["next_steps"]
    commands = [each["command"] for each in steps]
    ends = {each.rsplit(" ", 1)[0].rsplit(" ", 1)[1] for each in commands if " --draw " not in each}
    assert ends & {*TAKES_LABELS} == offered & {*TAKES_LABELS}
    found = {re.search(r"--discard [\d.]+", each)[0] for each in commands if "--discard" in each}
    assert found == {each for each in offered if "--discard" in each}
    assert all(shlex.join(more) in each for each in commands if each.startswith("onesided rank"))
    for command in commands:
        if command.endswith(tuple(offered - {*TAKES_LABELS})):
            assert "cannot show" not in passed(*shlex.split(command)[1:], cwd=tmp_path).stderr
