"""Numbers with their nouns and verbs, in the singular and in the plural."""

import pytest

from onesided._text import agreeing, counted, counted_of


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
