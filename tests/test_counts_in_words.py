"""Numbers with their nouns and verbs, in the singular and in the plural."""

import io

import numpy as np
import pandas as pd
import pytest

from onesided._text import agreeing, counted, counted_of
from onesided.metrics import LeeLiuScore
from onesided.scoring import Stream, fit_table
from onesided.tables import read_problem


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (0, 1, "0 of 1 row is"),
        (1, 1, "1 of 1 row is"),
        (0, 2, "0 of 2 rows are"),
        (1, 1200, "1 of 1,200 rows is"),
        (1200, 2400, "1,200 of 2,400 rows are"),
    ],
)
def test_the_verb_agrees_with_the_part(part, whole, expected):
    assert counted_of(part, whole, "row") == expected


@pytest.mark.parametrize(
    ("verb", "singular"),
    [("are", "is"), ("were", "was"), ("have", "has"), ("do", "does"), ("wait", "waits")],
)
def test_a_verb_in_the_singular_and_in_the_plural(verb, singular):
    assert [agreeing(number, verb) for number in (0, 1, 2)] == [verb, singular, verb]
    assert [counted(number, "row") for number in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_a_sum_of_weights_has_no_needless_zeros():
    assert [counted(number, "row") for number in (1.0, 2.5, 1200.0)] == [
        *("1 row", "2.5 rows", "1,200 rows"),
    ]


def fitted():
    """A model of 40 rows with one column."""
    rng, known = np.random.default_rng(0), np.arange(40) < 12
    table = pd.DataFrame({"size": (rng.normal(size=40) + 2 * known).round(2), "known": known})
    return fit_table(table, "known", methods=["naive-bayes"])


def test_one_line_of_a_stream():
    stream = Stream(fitted(), on_bad=lambda *_: None)
    for _ in stream.score(io.BytesIO(b"size\n1.5\nno number\n")):
        pass
    assert stream.sentence == "Scored 1 row"
    assert stream.notes == ("1 line was skipped.",)
    assert stream.drift().sentence(1).startswith("1 row is too few to tell")


def test_a_criterion_of_one_positive():
    said = LeeLiuScore(1, 1, 1.0, 1.0, scenario="case-control")._in_words()
    assert said.endswith("1 of 1 positive and 1 of 1 unlabeled row are predicted positive.")


def test_a_column_of_one_value_with_one_missing_cell():
    table = pd.DataFrame({"place": ["a"] * 39 + [None], "known": np.arange(40) < 12})
    assert any(
        "1 different value, 1 cell is missing" in each
        for each in read_problem(table, "known").reasons
    )
