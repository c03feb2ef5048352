"""Options that take a number: what they cannot take is refused in two sentences of ours."""

import re

import pytest

from command_line import run

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
