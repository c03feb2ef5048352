"""What a field of a part of a model may hold: its type, its shape, and its range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

Sizes: TypeAlias = dict[str, int]
"""Sizes by the letters that rules name them with; the first field that has a size sets it."""
Rule: TypeAlias = Callable[[Any, Sizes], bool]
"""Whether a value is allowed; fields are checked in the order of the table."""


def derived(_: Any, __: Sizes) -> bool:
    """What is computed from other fields: it is neither written nor read."""
    return True


def one_of(*values: Any) -> Rule:
    """One of some values, of the same type."""
    return lambda value, _: any(_is_same(value, each) for each in values)


def optional(rule: Rule) -> Rule:
    """None, or what a rule allows."""
    return either(one_of(None), rule)


def either(*rules: Rule) -> Rule:
    """What one of some rules allows."""
    return lambda value, sizes: any(rule(value, sizes) for rule in rules)


def flag(value: Any, _: Sizes) -> bool:
    """True or False."""
    return isinstance(value, bool | np.bool)


def text(value: Any, _: Sizes) -> bool:
    """Any text, which nothing interprets."""
    return type(value) is str


def plain(value: Any, _: Sizes) -> bool:
    """A number, text, True, False or None; the parameters of a learner have their own checks."""
    return value is None or isinstance(value, str | int | float)


def whole(low: int = 0, below: int | str = 1 << 53) -> Rule:
    """A whole number from `low` on, below a number or a size."""

    def holds(value: Any, sizes: Sizes) -> bool:
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        return is_whole and low <= value < _size(below, sizes)

    return holds


def real(low: float = -np.inf, high: float = np.inf) -> Rule:
    """A finite number in a closed range."""

    def holds(value: Any, _: Sizes) -> bool:
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        return is_number and bool(np.isfinite(value)) and low <= value <= high

    return holds


def array(
    *shape: int | str | None,
    of: str = "f",
    low: float = -np.inf,
    below: float | str = np.inf,
    gaps: bool = False,
    rising: bool = False,
) -> Rule:
    """An array.

    Parameters
    ----------
    shape : its sizes: a number, a letter for the same size as elsewhere, or None for any
    of : the allowed kinds of its type, as numpy's `dtype.kind`: "f" is float64, and "O" holds plain
        values only
    low, below : all numbers are finite, at least `low`, and below a number or a size
    gaps : whether NaN is allowed
    rising : whether each number must exceed the number before it
    """

    def holds(value: Any, sizes: Sizes) -> bool:
        if not (isinstance(value, np.ndarray) and value.dtype.kind in of and value.dtype.isnative):
            return False
        if value.dtype.kind == "f" and value.dtype != np.float64:
            return False
        if value.ndim != len(shape) or not all(
            sizes.setdefault(size, found) == found
            if isinstance(size, str)
            else size in (None, found)
            for size, found in zip(shape, value.shape, strict=True)
        ):
            return False
        if value.dtype.kind in "UO":
            return all(plain(each, sizes) for each in value.ravel().tolist())
        known = value[~np.isnan(value)] if gaps else value
        return bool(
            np.isfinite(known).all()
            and (known >= low).all()
            and (known < _size(below, sizes)).all()
            and (not rising or (value[1:] > value[:-1]).all())
        )

    return holds


def each(rule: Rule, size: str | None = None) -> Rule:
    """A list of what a rule allows, of a size."""

    def holds(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, list):
            return False
        if size is not None and sizes.setdefault(size, len(value)) != len(value):
            return False
        return all(rule(each, sizes) for each in value)

    return holds


def row(*rules: Rule) -> Rule:
    """A tuple with a rule for each place."""
    return lambda value, sizes: (
        isinstance(value, tuple)
        and len(value) == len(rules)
        and all(rule(each, sizes) for rule, each in zip(rules, value, strict=True))
    )


def by_key(key: Rule, rule: Rule) -> Rule:
    """A dictionary with a rule for its keys and a rule for its values."""
    return lambda value, sizes: (
        isinstance(value, dict)
        and all(key(name, sizes) and rule(each, sizes) for name, each in value.items())
    )


def span(value: Any, _: Sizes) -> bool:
    """A slice from one place to a later one."""
    return (
        isinstance(value, slice)
        and value.step is None
        and all(type(end) is int for end in (value.start, value.stop))
        and 0 <= value.start <= value.stop
    )


def follows(rules: Mapping[str, Rule], fields: Mapping[str, Any], sizes: Sizes) -> str:
    """The first field that its rule does not allow, or that has no rule; empty if there is none."""
    if unknown := next((name for name in fields if name not in rules), ""):
        return unknown
    return next(
        (name for name, rule in rules.items() if name in fields and not rule(fields[name], sizes)),
        "",
    )


def _size(given: float | str, sizes: Sizes) -> float:
    return sizes.get(given, -1) if isinstance(given, str) else given


def _is_same(value: Any, other: Any) -> bool:
    """Whether two values have one type and are equal; NaN is NaN."""
    if type(value) is not type(other):
        return False
    if isinstance(value, tuple):
        return len(value) == len(other) and all(map(_is_same, value, other))
    return bool(value == other or (value != value and other != other))  # noqa: PLR0124 - NaN
