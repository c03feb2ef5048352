"""What is passed in place of one of our objects is refused before an attribute of it is missing."""

import inspect
import pkgutil
import types
from importlib import import_module
from typing import Union, get_args, get_origin, get_type_hints, is_typeddict

import pandas as pd
import pytest

import onesided
from onesided.checking import Goal
from onesided.ranking import Ranked, RankedEach
from onesided.reporting import render, summarize, summarize_each, summarize_unexpected
from onesided.scoring import Stream
from onesided.unexpected import Documents

PACKAGES = [
    each.name for each in pkgutil.iter_modules(onesided.__path__) if not each.name.startswith("_")
]
FOLDS = {"cv", "hide"}  # a DataError of their own says what to pass
FOREIGN = ["ranking.csv", {}, 3, pd.DataFrame({"size": [1.0]}), Goal("recall", 0.9, 5)]


def public_functions():
    for package in {*PACKAGES} - {"cli"}:
        module = import_module(f"onesided.{package}")
        for name in getattr(module, "__all__", ()):
            if inspect.isfunction(found := getattr(module, name)):
                yield found


def kinds_of(annotation):
    """Our classes of which an argument must be one, and whether it may be None; else no classes."""
    is_union = get_origin(annotation) in (Union, types.UnionType)
    every = get_args(annotation) if is_union else (annotation,)
    kinds = [each for each in every if each is not type(None)]
    ours = all(
        inspect.isclass(each)
        and each.__module__.startswith("onesided")
        and not is_typeddict(each)
        and not getattr(each, "_is_protocol", False)
        for each in kinds
    )
    return (kinds if ours else []), len(kinds) < len(every)


def arguments_of_ours():
    for function in {*public_functions()}:
        hints = get_type_hints(function)
        hints.pop("return", None)
        for name, annotation in hints.items():
            kinds, may_be_none = kinds_of(annotation)
            if kinds and name not in FOLDS:
                yield pytest.param(function, name, may_be_none, id=f"{function.__name__}-{name}")


CASES = sorted(arguments_of_ours(), key=lambda each: each.id)


def test_functions_are_seen():
    seen = {each.id for each in CASES}
    assert {
        "rank_problem-problem",
        "fit_problem-plan",
        "summarize-ranked",
        "place-unlabeled",
    } < seen
    assert len(seen) > 15


def stand_ins(function):
    """An object for each argument that a call needs; of our classes, one without attributes."""
    for name, each in inspect.signature(function).parameters.items():
        if each.default is inspect.Parameter.empty:
            kinds, _ = kinds_of(get_type_hints(function)[name])
            yield name, object.__new__(kinds[0]) if kinds else None


def called(function, **given):
    """The result of a call; a context is entered, which is where its function begins."""
    found = function(**given)
    return found.__enter__() if hasattr(found, "__enter__") else found


@pytest.mark.parametrize(("function", "name", "may_be_none"), CASES)
def test_a_foreign_object(function, name, may_be_none):
    wanted, _ = kinds_of(get_type_hints(function)[name])
    for value in [*FOREIGN, *[None] * (not may_be_none)]:
        with pytest.raises(
            TypeError, match=rf"^`{name}` is .*; pass an? .*, which .* makes\.$"
        ) as e:
            called(function, **dict(stand_ins(function)) | {name: value})
        assert all(each.__name__ in str(e.value) for each in wanted)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (Stream, "Model"),
        (Documents(["a"], ["late parcel"]).joined, "Documents"),
        (summarize, Ranked.__name__),
        (summarize_each, RankedEach.__name__),
        (summarize_unexpected, "Unexpected"),
    ],
)
@pytest.mark.parametrize("value", [*FOREIGN, None], ids=lambda each: type(each).__name__)
def test_what_has_no_annotation_of_ours(call, kind, value):
    with pytest.raises(TypeError, match=f"pass an? {kind}, which"):
        call(value)


@pytest.mark.parametrize("value", ["report.json", None, pd.DataFrame()], ids=str)
def test_a_report_is_a_dictionary(value):
    with pytest.raises(TypeError, match=r"`report` is .*; pass a dict, which"):
        render(value)
