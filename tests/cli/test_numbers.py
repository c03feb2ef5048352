"""Options that take a number: what they cannot take is refused in two sentences of ours."""

import inspect
import re
from importlib import import_module
from typing import get_args

import pytest
import typer

from command_line import few_draws, replaced, run
from every_verb import RUNS, make_inputs
from onesided.cli.__main__ import app

WHOLE = {
    "rank": ["--top", "--seed", "--workers", "--resamples"],
    "fit": ["--unlabeled", "--seed"],
    "compare": ["--folds"],
    "score": ["--top", "--workers"],
    "enrich": ["--min-size", "--max-size", "--resamples", "--first", "--top"],
    "audit": ["--draw", "--first"],
    "unexpected": ["--top"],
    "reproduce": ["--draws"],
}
SHARES = ["--recall", "--fdr", "--discard", "--confidence", "--prior-at-least", "--class-prior"]
OTHERS = ["--label-odds-ratio", "--value", "--cost", "--budget"]
GIVEN = {
    "rank": ["t.csv", "--positive", "known"],
    "fit": ["t.csv", "--positive", "known", "--out", "m.onesided"],
    "compare": ["t.csv", "--positive", "known"],
    "score": ["m.onesided", "t.csv"],
    "enrich": ["t.csv", "--positive", "known"],
    "audit": ["t.csv"],
    "unexpected": ["--known", "t.csv", "--new", "t.csv"],
    "reproduce": ["calvo2007", "--data", "."],
}


@pytest.fixture
def said(tmp_path):
    """A function that runs a command, which must be refused, and returns its words in one line."""
    (tmp_path / "t.csv").write_text("known,a\n" + "1,2\n" * 9 + "0,1\n" * 40)

    def found(verb, option, value):
        done = run(verb, *GIVEN[verb], f"{option}={value}", cwd=tmp_path)
        assert done.returncode == 2, (verb, option, value)
        return " ".join(re.sub("[│╭╮╰╯─]", " ", done.stderr).split())

    return found


@pytest.mark.parametrize(("verb", "option"), [(v, o) for v, of in WHOLE.items() for o in of])
def test_a_whole_number(said, verb, option):
    for value in ("-1", "nan", "inf", "abc", "1e400", "2.5"):
        words = said(verb, option, value)
        assert f"'{value}' is not a whole number" in words, words
        assert re.search(r"Pass \d+, for example\.", words), words


@pytest.mark.parametrize("option", ["--draws"])
def test_no_draw(said, option):
    words = said("reproduce", option, "0")
    assert "'0' is not a whole number of at least 1. Pass 5, for example." in words


@pytest.mark.parametrize("option", [*SHARES, *OTHERS])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "abc", "1e400"])
def test_another_number(said, option, value):
    words = said("rank", option, value)
    assert option in words
    assert re.search(r"is not (a share|a number|between)|is not an amount", words), words
    assert re.search(r"(Pass|or a percentage)[^.]*", words), words
    assert "Input should" not in words


@pytest.mark.parametrize("option", OTHERS)
def test_a_comma_that_may_stand_for_thousands(said, option):
    told = said("rank", option, "1,000")
    assert "'1,000' can be read in two ways. Write 1000 or 1.000." in told


VERBS = typer.main.get_command(app).commands
BORDERS = ["0", "1", "-1", "nan", "inf", "1e400", "", "5%", "0,5"]
TAKEN = {"SHARE": ["5%", "0,5"], "N": ["0", "1"], "FACTOR": ["1"], "AMOUNT": ["1", "0,5"]}
"""By what the help calls the value. Some numbers of rows may be 0 or 1, others not."""


def numbers_of(verb):
    """The options of a verb that take numbers, each with what the help calls the number."""
    signature = inspect.signature(getattr(import_module(f"onesided.cli.{verb}"), verb))

    def kinds(annotation):
        return {annotation}.union(*map(kinds, get_args(annotation)[:2]))

    for each in VERBS[verb].params:
        kind, *_ = get_args(signature.parameters[each.name].annotation) or [None]
        if {int, float} & kinds(kind) and not each.count:
            yield max(each.opts, key=len), each.metavar


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("borders")
    with few_draws():
        make_inputs(folder)
    return folder


@pytest.mark.parametrize(
    ("verb", "option", "metavar"),
    [pytest.param(v, *each, id=f"{v}{each[0]}") for v in VERBS for each in numbers_of(v)],
)
def test_a_number_at_its_borders(inputs, verb, option, metavar):
    """What is refused is named as the option, with what to pass; never as an argument of Python."""
    given = replaced(RUNS.get(verb, ["reproduce", "calvo2007", "--data", "."]), [option])[:-1]
    absent = [
        re.sub(r"^(papers|genes|more|new)\.csv$|^kept\..*|^parts$", "absent.csv", each)
        for each in given
    ]
    for value in BORDERS:
        may_be_taken = value in TAKEN[metavar]
        done = run(*(absent if may_be_taken else given), f"{option}={value}", cwd=inputs)
        said = " ".join(re.sub("[│╭╮╰╯─]", " ", done.stderr).split())
        assert done.returncode == 2, (value, said)
        told = re.split("onesided: |Error ", said)[-1]
        if may_be_taken and option not in told:
            assert "absent.csv" in told or "data folder" in told
            continue
        assert option in told, told
        assert re.search(r"\. (Pass|Write|Declare) .*\.$", told), told
        assert not re.search(r"\b[a-z_]+=", told), told
        assert "Traceback" not in said


def test_a_smallest_and_a_largest_size(inputs):
    done = run(*RUNS["enrich"], "--max-size=1", cwd=inputs)
    assert "--min-size 3 is above --max-size 1." in done.stderr
    assert "Pass a --max-size of at least 3, or a smaller --min-size." in done.stderr
