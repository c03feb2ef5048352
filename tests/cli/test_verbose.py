"""`-v`, `-vv` and `-q`; progress where stderr is no terminal."""

import logging
import re
import shutil
import subprocess
import sys

import pytest

from command_line import passed, refused, run
from every_verb import RUNS, make_inputs
from onesided.cli import _talk


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    make_inputs(folder)
    return folder


def told(done):
    """Lines of what was decided."""
    return [line[4:] for line in done.stderr.splitlines() if line.startswith("  · ")]


def ask(folder, tmp_path):
    shutil.copy(folder / "genes.csv", tmp_path)
    return ("rank", "genes.csv", "--positive", "known", "--id", "gene", "--text", "region")


def test_decisions_and_reasons(folder, tmp_path):
    words = ask(folder, tmp_path)
    done = passed(*words[:-2], "--drop", "charge", "-v", cwd=tmp_path)
    lines = told(done)
    for expected in (
        r"column size: number \(its cells are numbers\); 1\d\d different values, .*",
        r"column charge: dropped \(as asked\); .*",
        r"column region: category \(its cells hold few different values\); 2 different .*",
        r"significance is not compared: it works only for numbers",
        r"splines is not compared: it is compared only when it is named",
        r"5 folds of the 40 positives, drawn at random: 8, 8, 8, 8, 8 positives are hidden .*",
        r"taken: average of methods, since no method is better than it beyond chance .*",
    ):
        assert any(re.fullmatch(expected, line) for line in lines), expected
    taken = re.findall(r"  (.*?) +hidden-positive AUC [\d.]+  <- taken", done.stderr)
    assert any(line.startswith(f"taken: {taken[0]},") for line in lines)
    assert not any("rows per second" in line for line in lines)
    assert logging.getLogger("onesided").level == logging.NOTSET
    assert not logging.getLogger("onesided").handlers


def test_before_the_verb_too(folder, tmp_path):
    words = [*ask(folder, tmp_path)[:-2], "--method", "naive-bayes"]
    after = told(passed(*words, "--verbose", cwd=tmp_path))
    assert after == told(passed("-v", *words, cwd=tmp_path))
    assert "taken: naive Bayes, the only method" in after
    passes = told(passed("-v", *words, "-v", cwd=tmp_path))
    assert sum("rows per second" in line for line in passes) > 10


_LIBRARY = """
import logging, sys, warnings
from onesided.cli._talk import saying_warnings, talking
from onesided.exceptions import OnesidedWarning
with talking(verbose=int(sys.argv[1])), saying_warnings():
    logging.getLogger("a.library").warning("of a log")
    warnings.warn("of a library", UserWarning)
    warnings.warn("of a sum", RuntimeWarning)
    warnings.warn("of a table", OnesidedWarning)
"""


@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_what_libraries_say_does_not_reach_the_terminal(verbose):
    command = [sys.executable, "-c", _LIBRARY, str(verbose)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
    ours = ["warning: of a table"]
    theirs = ["  · of a log", "  · UserWarning: of a library", "  · RuntimeWarning: of a sum"]
    assert said == (theirs if verbose == 2 else []) + ours


def test_a_broken_record_is_told_and_no_library_tells_more(tmp_path):
    """Also where the command is refused, which the record may explain."""
    entries = [f"@article{{k{n}, title = {{Some {n} title}}}}\n" for n in range(6)]
    (tmp_path / "a.bib").write_text("".join(entries) + r"@article{broken, title = {\href{}")
    told = (
        "warning: 1 of 7 records of a.bib cannot be read and is left out: record 7 (broken, line "
        "7): its braces, quotes or commas are not complete."
    )
    positive = ("--positive", "title=Some 0 title")
    for words in (positive, (*positive, "--json")):
        command = [sys.executable, "-m", "onesided", "rank", "a.bib", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert told in done.stderr.splitlines()
        assert "bibtexparser" not in done.stderr
        assert "Unexpected" not in done.stderr


def test_names_are_said_to_the_letter(capsys):
    """The library that writes to the terminal would make a picture of a name between colons."""
    _talk.say("Column 'x:red_circle:y' holds [bold]")
    assert capsys.readouterr().err == "Column 'x:red_circle:y' holds [bold]\n"


def test_quiet(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    for verb in ("enrich", "unexpected", "score"):
        done = passed(*RUNS[verb], "-q", cwd=tmp_path)
        assert done.stderr == ""
        assert done.stdout.count("\n") == 1


def test_quiet_says_errors(tmp_path):
    refused(
        run("rank", "no.csv", "--positive", "a", "-q", cwd=tmp_path), "There is no file", "path"
    )
    done = run("rank", "no.csv", "--positive", "a", "-q", "-v", cwd=tmp_path)
    refused(done, "--verbose and --quiet cannot be used together.", "one of them")


def test_progress_in_a_log(monkeypatch, capsys):
    """A line each half minute, with the time left."""
    clock = iter([0.0, 10.0, 30.0, 40.0, 61.0, 3700.0])
    monkeypatch.setattr(_talk.time, "monotonic", lambda: next(clock))
    with _talk.progress("scoring") as step:
        for done in (1, 1500, 1600, 2000, 2990):
            step(done, 3000)
    assert capsys.readouterr().err.splitlines() == [
        "  scoring: 50% done in 0:00:30, 0:00:30 left",
        "  scoring: 66% done in 0:01:01, 0:00:30 left",
        "  scoring: 99% done in 1:01:40, 0:00:12 left",
    ]
