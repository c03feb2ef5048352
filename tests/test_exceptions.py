"""Warnings that are collected, and errors that end the collecting."""

import warnings

import pytest

from onesided.exceptions import (
    DataError,
    LeakWarning,
    PriorWarning,
    caught_warnings,
    gathered_warnings,
    warn_again,
)

THREE = [LeakWarning, LeakWarning, PriorWarning, RuntimeWarning]


def warn_of_three():
    for _ in range(2):
        warnings.warn("A column leaks.", LeakWarning, stacklevel=1)
    warnings.warn("The prior is unknown.", PriorWarning, stacklevel=1)
    warnings.warn("Not ours.", RuntimeWarning, stacklevel=1)


def warn_and_fail(collecting):
    with collecting:
        warn_of_three()
        raise DataError("No rows.", "Pass rows.")


def test_only_the_categories_that_were_asked_for():
    with caught_warnings(LeakWarning) as caught:
        warn_of_three()
    assert [str(each.message) for each in caught] == ["A column leaks."] * 2
    with gathered_warnings() as texts:
        warn_of_three()
    assert texts == ["A column leaks.", "The prior is unknown."]


def test_warnings_before_an_error_are_issued_with_their_subject():
    with warnings.catch_warnings(record=True, action="always") as told:
        with pytest.raises(DataError, match=r"^genes: No rows\. Pass rows\.$"):
            warn_and_fail(caught_warnings(Warning, subject="genes"))
        with pytest.raises(DataError, match=r"^No rows\."):
            warn_and_fail(gathered_warnings())
    assert [each.category for each in told] == [*THREE, *THREE[:3]]
    assert [str(told[number].message) for number in (2, -1)] == [
        "genes: The prior is unknown.",
        "The prior is unknown.",
    ]


def test_where_warnings_are_errors_the_first_error_counts():
    with warnings.catch_warnings(action="error"), pytest.raises(DataError, match="No rows"):
        warn_and_fail(gathered_warnings())


def test_warnings_that_are_issued_again_keep_their_category():
    with caught_warnings(Warning) as caught:
        warn_of_three()
    with warnings.catch_warnings(record=True, action="always") as told:
        warn_again(caught, "genes")
    assert [each.category for each in told] == THREE
    assert str(told[-1].message) == "genes: Not ours."
